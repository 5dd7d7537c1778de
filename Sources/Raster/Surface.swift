// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Glibc
import RasterKernel

/// A view of XRGB8888 pixels in memory owned elsewhere: a ``PixelBuffer`` or a mapped dumb buffer.
///
/// It is an unsafe pointer: the owner must outlive it, and one thread at a time may write.
public struct Surface: @unchecked Sendable {
    // @unchecked: sending a surface to another thread sends the right to write; the swapchain tracks who has it.
    public let base: UnsafeMutableRawPointer
    public let size: PixelSize
    /// Bytes from one row to the next (DRM: pitch): a multiple of 4, at least 4 x width. Drivers round it up.
    public let strideBytes: Int

    public init(base: UnsafeMutableRawPointer, size: PixelSize, strideBytes: Int) {
        precondition(strideBytes >= size.width * 4 && strideBytes % 4 == 0, "a row holds its pixels")
        self.base = base
        self.size = size
        self.strideBytes = strideBytes
    }

    public var bounds: PixelRect { PixelRect(size: size) }

    var memory: PixelMemory { PixelMemory(base: base, bounds: bounds, strideBytes: strideBytes) }

    /// The first pixel of row `y`.
    public func row(_ y: Int) -> UnsafeMutablePointer<UInt32> {
        (base + y * strideBytes).assumingMemoryBound(to: UInt32.self)
    }

    /// A part of the surface as one of its own, whose first pixel is the rectangle's upper left one: what is drawn
    /// there is clipped to it.
    /// - Parameter rect: clipped to the surface.
    public func part(_ rect: PixelRect) -> Surface {
        let rect = rect.intersection(bounds)
        return Surface(
            base: base + rect.minY * strideBytes + rect.minX * 4,
            size: PixelSize(width: rect.width, height: rect.height), strideBytes: strideBytes)
    }

    /// Sets the pixels of `rect`, which is clipped to the surface.
    public func fill(_ rect: PixelRect, with color: Color) {
        let rect = rect.intersection(bounds)
        for y in rect.minY..<max(rect.minY, rect.maxY) {
            (row(y) + rect.minX).update(repeating: color.xrgb8888, count: rect.width)
        }
    }

    /// Whether both surfaces have the same size and the same pixels.
    public func hasPixels(of other: Surface) -> Bool {
        size == other.size && (0..<size.height).allSatisfy { memcmp(row($0), other.row($0), size.width * 4) == 0 }
    }

    /// Blends a colour over the pixels in the buffer's bounds by their coverage, clipped to the surface.
    /// - Parameters:
    ///   - coverage: of the pixels in its bounds.
    ///   - color: the opaque or transparent colour.
    ///   - x: how far the coverage is moved to the right; no surface has more than a million pixels a side.
    ///   - y: how far it is moved down.
    public func blend(_ coverage: borrowing CoverageBuffer, with color: Color, movedBy x: Int = 0, _ y: Int = 0) {
        let own = coverage.bounds
        let moved = PixelRect(minX: own.minX + x, minY: own.minY + y, maxX: own.maxX + x, maxY: own.maxY + y)
        let target = moved.intersection(bounds)
        if target.isEmpty || color.alpha == 0 { return }
        let memory = coverage.memory
        CoverageBlend.blend(
            PixelMemory(base: memory.base, bounds: moved, strideBytes: memory.strideBytes), over: self.memory,
            within: target, with: (pixel: color.xrgb8888, alpha: color.alpha))
    }

    /// Sets each pixel to a mixture of those of two surfaces of the same size; `share` is that of the second, 0...256.
    public func mix(_ first: Surface, _ second: Surface, share: UInt32) {
        precondition(first.size == size && second.size == size && share <= 256, "a mixture of equal sizes")
        let rest = 256 - share
        for y in 0..<size.height {
            let (output, one, other) = (row(y), first.row(y), second.row(y))
            for x in 0..<size.width {
                // Two channels at once: 8 bits times 256 fit into 16.
                let redBlue = ((one[x] & 0xFF00FF) * rest + (other[x] & 0xFF00FF) * share) >> 8 & 0xFF00FF
                let green = ((one[x] & 0xFF00) * rest + (other[x] & 0xFF00) * share) >> 8 & 0xFF00
                output[x] = 0xFF00_0000 | redBlue | green
            }
        }
    }

    /// Copies `rect` of `source`, rotated as the picture is on the panel. Writes run forward along the rows of this
    /// surface and nothing is read from it, as is fast on write-combined memory.
    /// - Parameters:
    ///   - rect: in pixels of `source`, inside it.
    ///   - source: the picture.
    ///   - rotation: from the picture to this surface.
    public func copy(_ rect: PixelRect, from source: Surface, rotation: Rotation) {
        precondition(rotation.pictureSize(onPanel: size) == source.size, "both show the same picture")
        precondition(source.bounds.contains(rect), "the rectangle lies in the source")
        if rect.isEmpty { return }
        let target = rotation.panelRect(of: rect, picture: source.size)
        // The source pixel of the target's first pixel, and the steps in the source for one step right and one down
        // here.
        let stride = source.strideBytes / 4
        let first: (x: Int, y: Int)
        let (right, down): (Int, Int)
        switch rotation {
        case .none:
            for y in rect.minY..<rect.maxY { memcpy(row(y) + rect.minX, source.row(y) + rect.minX, rect.width * 4) }
            return
        case .clockwise90: (first, right, down) = ((rect.minX, rect.maxY - 1), -stride, 1)
        case .half: (first, right, down) = ((rect.maxX - 1, rect.maxY - 1), -1, -stride)
        case .clockwise270: (first, right, down) = ((rect.maxX - 1, rect.minY), stride, -1)
        }
        var line = source.row(first.y) + first.x
        for y in target.minY..<target.maxY {
            let output = row(y) + target.minX
            var input = line
            for x in 0..<target.width {
                output[x] = input.pointee
                input += right
            }
            line += down
        }
    }

    /// Copies those pixels of `rect` in which `source` differs from `other`, and leaves the others. This surface is
    /// only written.
    /// - Parameters:
    ///   - rect: in pixels of `source`, inside it.
    ///   - source: the picture.
    ///   - other: as large as `source`.
    ///   - rotation: from the picture to this surface.
    public func copy(_ rect: PixelRect, from source: Surface, whereNot other: Surface, rotation: Rotation) {
        precondition(rotation.pictureSize(onPanel: size) == source.size, "both show the same picture")
        precondition(other.size == source.size && source.bounds.contains(rect), "the rectangle lies in both")
        for y in rect.minY..<max(rect.minY, rect.maxY) {
            let (new, old) = (source.row(y), other.row(y))
            for x in rect.minX..<rect.maxX where new[x] != old[x] {
                let pixel = PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)
                let target = rotation.panelRect(of: pixel, picture: source.size)
                row(target.minY)[target.minX] = new[x]
            }
        }
    }

    /// Copies a picture reduced by `factor` in both directions. Each pixel is the mean of the pixels that it replaces.
    /// - Parameters:
    ///   - source: its size divided by `factor`, rounded up, must be the size of this surface.
    ///   - factor: at least 1.
    public func copy(_ source: Surface, reducedBy factor: Int) {
        precondition(factor > 0, "a picture is not made smaller by less than 1")
        precondition(
            (source.size.width + factor - 1) / factor == size.width
                && (source.size.height + factor - 1) / factor == size.height, "the sizes fit")
        if factor == 1 { return copy(bounds, from: source, rotation: .none) }
        for y in 0..<size.height {
            for x in 0..<size.width {
                row(y)[x] = source.mean(
                    of: PixelRect(
                        minX: x * factor, minY: y * factor, maxX: (x + 1) * factor, maxY: (y + 1) * factor
                    ).intersection(source.bounds))
            }
        }
    }

    /// The mean colour of pixels on the surface, of sRGB values.
    private func mean(of rect: PixelRect) -> UInt32 {
        var (red, green, blue) = (0, 0, 0)
        for y in rect.minY..<rect.maxY {
            for pixel in UnsafeBufferPointer(start: row(y) + rect.minX, count: rect.width) {
                red += Int(pixel >> 16 & 0xFF)
                green += Int(pixel >> 8 & 0xFF)
                blue += Int(pixel & 0xFF)
            }
        }
        let half = rect.area / 2
        let mean = [red, green, blue].map { UInt32(truncatingIfNeeded: ($0 + half) / rect.area) }
        return 0xFF00_0000 | mean[0] << 16 | mean[1] << 8 | mean[2]
    }
}
