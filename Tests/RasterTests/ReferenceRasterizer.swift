// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// What the rasterizer is measured against: many lines through each row, on each the exact x extents of the true
/// winding number. Simple and slow; off by up to one line's height in flat edges.
enum ReferenceRasterizer {
    /// The inked share of each pixel of `bounds`, row after row, 0...255.
    static func coverage(
        of polygons: [[Point]], rule: FillRule, bounds: PixelRect, linesPerPixel: Int = 64
    ) -> [Double] {
        var lines = [[(x: Double, change: Int)]](repeating: [], count: bounds.height * linesPerPixel)
        for polygon in polygons {
            for index in polygon.indices {
                let start = polygon[index]
                let end = polygon[index + 1 < polygon.count ? index + 1 : 0]
                if start.y == end.y { continue }
                let (upper, lower) = start.y < end.y ? (start, end) : (end, start)
                let top = Double(bounds.minY)
                var line = Int((((upper.y - top) * Double(linesPerPixel) - 0.5).rounded(.up)))
                if line < 0 { line = 0 }
                while line < lines.count {
                    let y = top + (Double(line) + 0.5) / Double(linesPerPixel)
                    if y >= lower.y { break }
                    let x = upper.x + (lower.x - upper.x) * ((y - upper.y) / (lower.y - upper.y))
                    lines[line].append((x - Double(bounds.minX), start.y < end.y ? 1 : -1))
                    line += 1
                }
            }
        }
        let width = bounds.width
        var areas = [Double](repeating: 0, count: bounds.area)
        for line in lines.indices where !lines[line].isEmpty {
            let row = line / linesPerPixel * width
            var winding = 0
            var start = 0.0
            for crossing in lines[line].sorted(by: { $0.x < $1.x }) {
                let isInside = rule == .nonZero ? winding != 0 : winding % 2 != 0
                if isInside {
                    let left = min(max(start, 0), Double(width))
                    let right = min(max(crossing.x, 0), Double(width))
                    var x = Int(left)
                    while x < width && Double(x) < right {
                        areas[row + x] += min(right, Double(x + 1)) - max(left, Double(x))
                        x += 1
                    }
                }
                winding += crossing.change
                start = crossing.x
            }
        }
        return areas.map { $0 * 255 / Double(linesPerPixel) }
    }
}
