// SPDX-License-Identifier: Apache-2.0
public import Geometry

extension Picture {
    /// The picture in another size, by a cubic filter (Catmull-Rom's, D. Mitchell and A. Netravali 1988), which is as
    /// wide as the pixels of the smaller of both pictures, so that nothing is skipped and nothing flickers. In sRGB's
    /// own numbers, premultiplied, as all that is blended here. + - * / alone, so it is the same everywhere.
    /// - Parameter size: without pixels, or of a picture without pixels, the result is blank.
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
        // Rows of the source, already as wide as the result, that the next row of the result needs.
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

    /// The picture as large as fits into a room of this size, in its proportions and a pixel a side at least.
    public func fitted(in room: PixelSize) -> Picture {
        guard size.width > 0, size.height > 0 else { return self }
        let scale = min(Double(room.width) / Double(size.width), Double(room.height) / Double(size.height))
        func side(_ length: Int, _ most: Int) -> Int {
            min(max(1, Int((Double(length) * scale).rounded())), max(0, most))
        }
        return scaled(to: PixelSize(width: side(size.width, room.width), height: side(size.height, room.height)))
    }

    /// A row of the picture in the columns of the result, premultiplied: red, green, blue, alpha.
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

/// Which pixels of a line of the source a pixel of the result is made of, and what share each has.
private struct Taps {
    let start: Int
    /// Sum 1.
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
