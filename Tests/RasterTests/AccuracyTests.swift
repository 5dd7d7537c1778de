// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Coverage is the area")
struct AccuracyTests {
    private static let bounds = PixelRect(0, 0, 40, 40)

    @Test("of triangles, to rounding", arguments: [FillRule.nonZero, .evenOdd])
    func triangles(rule: FillRule) {
        var shapes = Shapes(seed: 1)
        var rasterizer = Rasterizer()
        var error = CoverageError()
        for _ in 0..<150 {
            let polygon = shapes.polygon(corners: 3...3, in: -4...44)
            error.compare(
                coverage(of: [Path(polygon: polygon)], rule, clip: Self.bounds, with: &rasterizer),
                ReferenceRasterizer.coverage(of: [polygon], rule: rule, bounds: Self.bounds))
        }
        #expect(error.mean < 0.5, "\(error)")
        #expect(error.worst < 5, "\(error)")
    }

    @Test("of strokes that overlap themselves")
    func strokes() {
        var shapes = Shapes(seed: 2)
        var rasterizer = Rasterizer()
        var error = CoverageError()
        for _ in 0..<60 {
            let outline = shapes.strokeOutline(width: 0.7...8, in: 4...36, steps: 40)
            error.compare(
                coverage(of: [Path(polygon: outline)], clip: Self.bounds, with: &rasterizer),
                ReferenceRasterizer.coverage(of: [outline], rule: .nonZero, bounds: Self.bounds))
        }
        #expect(error.mean < 0.6, "\(error)")
        #expect(error.coarseShare < 0.001, "\(error)")
    }

    @Test("of an overlap anywhere in a row that one side crosses flatly", arguments: [FillRule.nonZero, .evenOdd])
    func overlapInWideGroup(rule: FillRule) {
        let bounds = PixelRect(0, 0, 90, 3)
        var rasterizer = Rasterizer()
        var error = CoverageError()
        for offset in 0..<80 {
            // One row of which all is crossed by one side, and a square in it: groups of 4 boundaries.
            let x = Double(offset) + 0.3
            let polygons = [
                [Point(x: 0.5, y: 0.1), Point(x: 85, y: 1.9), Point(x: 85, y: 2.5), Point(x: 0.5, y: 2.5)],
                [Point(x: x, y: 0.2), Point(x: x + 3.4, y: 0.3), Point(x: x + 3, y: 2), Point(x: x - 0.2, y: 1.7)],
            ]
            error.compare(
                coverage(of: polygons.map { Path(polygon: $0) }, rule, clip: bounds, with: &rasterizer),
                ReferenceRasterizer.coverage(of: polygons, rule: rule, bounds: bounds))
        }
        #expect(error.mean < 0.6, "\(error)")
        #expect(error.worst < 12, "\(error)")
    }

    @Test("of polygons crossing themselves at random", arguments: [FillRule.nonZero, .evenOdd])
    func polygons(rule: FillRule) {
        var shapes = Shapes(seed: 3)
        var rasterizer = Rasterizer()
        var error = CoverageError()
        for _ in 0..<60 {
            let polygon = shapes.polygon(corners: 4...14, in: -4...44)
            error.compare(
                coverage(of: [Path(polygon: polygon)], rule, clip: Self.bounds, with: &rasterizer),
                ReferenceRasterizer.coverage(of: [polygon], rule: rule, bounds: Self.bounds))
        }
        #expect(error.mean < 0.6, "\(error)")
        #expect(error.coarseShare < 0.005, "\(error)")
    }

    @Test("of curves, within what flattening allows")
    func curves() {
        var shapes = Shapes(seed: 4)
        var rasterizer = Rasterizer()
        var error = CoverageError()
        for _ in 0..<30 {
            let path = shapes.curvedPath(contours: 2, in: 0...40)
            error.compare(
                coverage(of: [path], clip: Self.bounds, with: &rasterizer),
                ReferenceRasterizer.coverage(
                    of: path.polygons(tolerance: 0.002), rule: .nonZero, bounds: Self.bounds))
        }
        #expect(error.mean < 1, "\(error)")
        #expect(error.worst < 12, "\(error)")
    }

    @Test("summed over a triangle is its area", arguments: 0..<20 as Range<UInt64>)
    func area(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let corners = shapes.polygon(corners: 3...3, in: 1...39)
        let expected = abs((corners[1] - corners[0]).cross(corners[2] - corners[0])) / 2
        let sum = coverage(of: Path(polygon: corners), clip: Self.bounds).reduce(0) { $0 + Int($1) }
        // Half a level a pixel along the edges, at random.
        #expect(abs(Double(sum) / 255 - expected) < 0.15, "seed \(seed)")
    }

    @Test("of half pixels is exact")
    func halves() {
        let square = Path(polygon: [
            Point(x: 1.5, y: 1.5), Point(x: 4.5, y: 1.5), Point(x: 4.5, y: 3.5), Point(x: 1.5, y: 3.5),
        ])
        #expect(
            coverage(of: square, clip: PixelRect(0, 0, 6, 5)) == [
                0, 0, 0, 0, 0, 0,
                0, 64, 128, 128, 64, 0,
                0, 128, 255, 255, 128, 0,
                0, 64, 128, 128, 64, 0,
                0, 0, 0, 0, 0, 0,
            ])
    }

    @Test("of a stroke that lies twice over itself is that of one, in a pixel it covers in part")
    func doubled() {
        let thin = [Point(x: 1.25, y: 0), Point(x: 1.5, y: 0), Point(x: 1.5, y: 3), Point(x: 1.25, y: 3)]
        let expected: [UInt8] = [0, 64, 0, 0, 64, 0, 0, 64, 0]
        let bounds = PixelRect(0, 0, 3, 3)
        #expect(coverage(of: Path(polygon: thin), clip: bounds) == expected)
        #expect(coverage(of: Path(polygon: thin + thin), clip: bounds) == expected)
        #expect(coverage(of: Path(polygon: thin + thin), .evenOdd, clip: bounds) == [UInt8](repeating: 0, count: 9))
        // There and back, one beside the other: the mean winding is zero, the ink is not.
        let back = thin.reversed().map { $0 + Point(x: 0.25, y: 0) }
        var both = Path(polygon: thin)
        both.addPolygon(back)
        #expect(coverage(of: both, clip: bounds) == [0, 128, 0, 0, 128, 0, 0, 128, 0])
    }
}
