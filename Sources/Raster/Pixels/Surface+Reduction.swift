// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Surface {
    /// Copies a picture `factor` times smaller in either direction: each pixel is the mean of those it stands for.
    /// - Parameters:
    ///   - source: its size divided by `factor`, rounded up, is this surface's.
    ///   - factor: at least 1, which copies the picture as it is.
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

    /// The mean colour of pixels on the surface, in sRGB's own numbers.
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
