// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A view of XRGB8888 pixels in memory that somebody else owns: a ``PixelBuffer`` or a mapped dumb buffer.
///
/// It is as safe as the pointer in it: the owner outlives it, and one thread at a time writes.
public struct Surface: @unchecked Sendable {
    // @unchecked: handing a surface to another thread hands over the right to write; the swapchain keeps the books.
    public let base: UnsafeMutableRawPointer
    public let size: PixelSize
    /// Bytes from one row to the next (DRM: pitch). At least 4 x width; drivers round it up, so it is never assumed.
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

    /// Sets the pixels of `rect`, which is clipped to the surface.
    public func fill(_ rect: PixelRect, with color: Color) {
        let rect = rect.intersection(bounds)
        for y in rect.minY..<max(rect.minY, rect.maxY) {
            (row(y) + rect.minX).update(repeating: color.xrgb8888, count: rect.width)
        }
    }
}
