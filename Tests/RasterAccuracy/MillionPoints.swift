// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// A fill of a million points on a small picture, some 20,000 edges in each row of it: that it ends, and that bands of
/// it are the whole.
struct MillionPoints {
    static let count = 1_000_000
    private static let bounds = PixelRect(minX: 0, minY: 0, maxX: 64, maxY: 48)
    private var path = Path()

    /// - Parameter corners: points a contour.
    init(corners: Int) {
        for index in 0..<Self.count {
            let point = Point(x: Double(index &* 7919 % 6401) / 100, y: Double(index % 1000) / 20.5)
            if index % corners == 0 { path.move(to: point) } else { path.addLine(to: point) }
        }
    }

    var isSameInBands: Bool {
        var rasterizer = Rasterizer()
        for rule in [FillRule.nonZero, .evenOdd] {
            let whole = CoverageBuffer(bounds: Self.bounds)
            let bands = CoverageBuffer(bounds: Self.bounds)
            rasterizer.begin(clip: Self.bounds)
            rasterizer.add(path)
            rasterizer.fill(rule, into: whole)
            for y in stride(from: 0, to: Self.bounds.maxY, by: 12) {
                rasterizer.begin(clip: PixelRect(minX: 0, minY: y, maxX: 64, maxY: y + 12))
                rasterizer.add(path)
                rasterizer.fill(rule, into: bands)
            }
            if bands.bytes != whole.bytes || !whole.bytes.contains(where: { $0 > 0 }) { return false }
        }
        return true
    }
}
