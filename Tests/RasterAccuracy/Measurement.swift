// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport

/// Fills pieces and compares the coverage of each, in the box of its own pixels, with the reference.
struct Measurement: ~Copyable {
    private var rasterizer = Rasterizer()
    private var reference = ReferenceRasterizer(slabsPerPixel: 32)
    private(set) var error = CoverageError()

    init() {}

    /// - Parameter offset: moves what is filled, but not the reference: an error made on purpose.
    mutating func add(_ polygons: [[Point]], _ rule: FillRule, page: PixelSize, movedBy offset: Point = .zero) {
        var path = Path()
        for polygon in polygons { path.addPolygon(polygon.map { $0 + offset }) }
        // A pixel more on each side: ink beyond its box is an error too.
        let box = PixelRect(covering: path.bounds, within: PixelRect(size: page))
        let bounds = PixelRect(
            minX: box.minX - 1, minY: box.minY - 1, maxX: box.maxX + 1, maxY: box.maxY + 1)
        let coverage = CoverageBuffer(bounds: bounds)
        rasterizer.begin(clip: bounds)
        rasterizer.add(path)
        rasterizer.fill(rule, into: coverage)
        let bytes = coverage.bytes
        var first = 0
        reference.fill(polygons, rule: rule, bounds: bounds) { _, row in
            error.compare(bytes[first..<(first + bounds.width)], row)
            first += bounds.width
        }
    }
}
