// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// Compares ink that two rasterizers have drawn. Their edges differ by parts of a pixel; ink that is missing, or is
/// elsewhere, does not.
enum InkMatch {
    /// The difference of a colour from all those within one pixel that is more than smoothing, of 255.
    private static let tolerance = 112
    /// A colour below this is dark.
    private static let dark = 96
    /// The share of dark pixels that may miss: corners of strokes that are thinner than a pixel.
    private static let share = 0.02

    /// - Parameter place: within both.
    static func fits(_ actual: Surface, _ expected: Surface, in place: PixelRect) -> Bool {
        var (darkCount, oddCount) = (0, 0)
        for y in place.minY..<place.maxY {
            for x in place.minX..<place.maxX {
                let (one, other) = (actual.row(y)[x], expected.row(y)[x])
                if Self.isDark(other) { darkCount += 1 }
                if one == other { continue }
                if isOdd(one, at: x, y, of: expected) || isOdd(other, at: x, y, of: actual) { oddCount += 1 }
            }
        }
        return Double(oddCount) <= Double(darkCount) * share + 1
    }

    private static func isDark(_ pixel: UInt32) -> Bool { [0, 8, 16].allSatisfy { Int(pixel >> $0 & 255) < dark } }

    /// Whether a colour is far from all colours within one pixel of a place.
    private static func isOdd(_ pixel: UInt32, at x: Int, _ y: Int, of surface: Surface) -> Bool {
        for shift in [0, 8, 16] as [UInt32] {
            var (low, high) = (255, 0)
            for row in max(0, y - 1)...min(surface.size.height - 1, y + 1) {
                for column in max(0, x - 1)...min(surface.size.width - 1, x + 1) {
                    let value = Int(surface.row(row)[column] >> shift & 255)
                    (low, high) = (min(low, value), max(high, value))
                }
            }
            let value = Int(pixel >> shift & 255)
            if value < low - tolerance || value > high + tolerance { return true }
        }
        return false
    }
}
