// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A picture as a value, such as one read from a file.
///
/// ```swift
/// let icon = logo.fitted(in: PixelSize(width: 64, height: 64))
/// page.surface.blend(icon, x: 8, y: 8)
/// ```
public struct Picture: Equatable, Sendable {
    public let size: PixelSize
    /// Row by row, as native words 0xAARRGGBB, not premultiplied.
    public let pixels: [UInt32]

    /// Makes a picture of width x height `pixels`.
    public init(size: PixelSize, pixels: [UInt32]) {
        precondition(
            size.width >= 0 && size.height >= 0 && pixels.count == size.width * size.height,
            "a picture has width x height pixels")
        self.size = size
        self.pixels = pixels
    }
}

extension Picture {
    /// The picture in another size, resampled by a Catmull-Rom filter (D. Mitchell and A. Netravali, 1988). When the
    /// picture gets smaller, the filter is widened so that every source pixel counts. It works on premultiplied sRGB
    /// values, like all blending here, and uses only + - * /, so the result is the same on every machine.
    /// - Parameter size: if it or the picture has no pixels, the result is blank.
    public func scaled(to size: PixelSize) -> Picture {
        if size == self.size { return self }
        let count = max(0, size.width) * max(0, size.height)
        guard count > 0, !pixels.isEmpty else {
            return Picture(
                size: PixelSize(width: max(0, size.width), height: max(0, size.height)),
                pixels: [UInt32](repeating: 0, count: count))
        }
        let columns = Taps.all(from: self.size.width, to: size.width)
        let rows = Taps.all(from: self.size.height, to: size.height)
        // The source rows that the next result row needs, already as wide as the result.
        var narrowed: [Int: [SIMD4<Float>]] = [:]
        var result: [UInt32] = []
        result.reserveCapacity(count)
        for taps in rows {
            for y in taps.range where narrowed[y] == nil { narrowed[y] = row(y, columns) }
            narrowed = narrowed.filter { $0.key >= taps.start }
            var line = [SIMD4<Float>](repeating: .zero, count: size.width)
            for (weight, y) in zip(taps.weights, taps.range) {
                guard let source = narrowed[y] else { continue }
                for x in line.indices { line[x] += weight * source[x] }
            }
            result += line.map(Self.word)
        }
        return Picture(size: size, pixels: result)
    }

    /// The picture scaled to fit into `room`, with its proportions and at least one pixel a side.
    public func fitted(in room: PixelSize) -> Picture {
        guard size.width > 0, size.height > 0 else { return self }
        let scale = min(Double(room.width) / Double(size.width), Double(room.height) / Double(size.height))
        func side(_ length: Int, _ most: Int) -> Int {
            min(max(1, Int((Double(length) * scale).rounded())), max(0, most))
        }
        return scaled(to: PixelSize(width: side(size.width, room.width), height: side(size.height, room.height)))
    }

    /// A row of the picture, as wide as the result: premultiplied red, green, blue, alpha.
    private func row(_ y: Int, _ columns: [Taps]) -> [SIMD4<Float>] {
        let source = pixels[y * size.width..<(y + 1) * size.width].map { word in
            let alpha = Float(word >> 24)
            let color = SIMD4(Float(word >> 16 & 0xFF), Float(word >> 8 & 0xFF), Float(word & 0xFF), 255)
            return color * (alpha / 255)
        }
        return columns.map { taps in
            var sum = SIMD4<Float>.zero
            for (index, weight) in taps.weights.enumerated() { sum += weight * source[taps.start + index] }
            return sum
        }
    }

    private static func word(_ sum: SIMD4<Float>) -> UInt32 {
        // The filter overshoots at edges.
        let alpha = min(max(sum.w, 0), 255)
        guard alpha >= 0.5 else { return 0 }
        let color = (sum * (255 / alpha)).clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255))
        let (red, green, blue) = (UInt32(color.x + 0.5), UInt32(color.y + 0.5), UInt32(color.z + 0.5))
        return UInt32(alpha + 0.5) << 24 | red << 16 | green << 8 | blue
    }
}

/// The source pixels that contribute to one result pixel in a row or column, and their weights.
private struct Taps {
    let start: Int
    /// Their sum is 1.
    let weights: [Float]

    var range: Range<Int> { start..<start + weights.count }

    static func all(from source: Int, to target: Int) -> [Taps] {
        let scale = Double(source) / Double(target)
        let width = max(scale, 1)
        return (0..<target).map { index in
            let center = (Double(index) + 0.5) * scale
            let start = max(0, Int((center - 2 * width).rounded(.down)))
            let end = min(source, Int((center + 2 * width).rounded(.up)))
            let weights = (start..<end).map { cubic((Double($0) + 0.5 - center) / width) }
            let sum = weights.reduce(0, +)
            return Taps(start: start, weights: weights.map { Float($0 / sum) })
        }
    }

    /// Catmull-Rom's: B = 0, C = 1/2.
    private static func cubic(_ x: Double) -> Double {
        let x = x.magnitude
        if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
        if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
        return 0
    }
}

extension Surface {
    /// Blends a picture over the pixels, clipped to the surface.
    public func blend(_ picture: Picture, x: Int, y: Int) {
        let target = PixelRect(
            minX: x, minY: y, maxX: x + picture.size.width, maxY: y + picture.size.height
        ).intersection(bounds)
        for line in target.minY..<max(target.minY, target.maxY) {
            let output = row(line)
            let start = (line - y) * picture.size.width - x
            for column in target.minX..<target.maxX {
                output[column] = Self.blended(picture.pixels[start + column], over: output[column])
            }
        }
    }

    private static func blended(_ word: UInt32, over below: UInt32) -> UInt32 {
        let alpha = word >> 24
        if alpha == 255 { return word }
        func channel(_ shift: UInt32) -> UInt32 {
            (((word >> shift & 0xFF) * alpha + (below >> shift & 0xFF) * (255 - alpha) + 127) / 255) << shift
        }
        return 0xFF00_0000 | channel(16) | channel(8) | channel(0)
    }
}
