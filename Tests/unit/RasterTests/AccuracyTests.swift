// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Coverage is the inked area")
struct AccuracyTests {
    private static let bounds = PixelRect(0, 0, 40, 40)

    @Test("Triangles match the reference to rounding", arguments: [FillRule.nonZero, .evenOdd])
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

    @Test("Strokes that overlap themselves match the reference")
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

    @Test("An overlap anywhere in a row with a flat side", arguments: [FillRule.nonZero, .evenOdd])
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

    @Test("Random self-crossing polygons match the reference", arguments: [FillRule.nonZero, .evenOdd])
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

    @Test("Curves match the reference within the flattening tolerance")
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

    @Test("The coverage of a triangle sums to its area", arguments: Breadth.seeds(6, long: 20))
    func area(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let corners = shapes.polygon(corners: 3...3, in: 1...39)
        let expected = abs((corners[1] - corners[0]).cross(corners[2] - corners[0])) / 2
        let sum = coverage(of: Path(polygon: corners), clip: Self.bounds).reduce(0) { $0 + Int($1) }
        // Half a level a pixel along the edges, at random.
        #expect(abs(Double(sum) / 255 - expected) < 0.15, "seed \(seed)")
    }

    @Test("Half-covered pixels are exact")
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

    @Test("A partly covered pixel is the same when the stroke is drawn twice")
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

@Suite("Coverage sums to the area of the shape")
struct AreaTests {
    private static let bounds = PixelRect(0, 0, 60, 60)

    /// The signed area that chords enclose, by Gauss's formula.
    private func area(_ polygons: [[Point]]) -> Double {
        var sum = 0.0
        for polygon in polygons {
            for index in polygon.indices { sum += polygon[index].cross(polygon[(index + 1) % polygon.count]) }
        }
        return sum / 2
    }

    private func sum(_ path: Path, _ rule: FillRule) -> Double {
        Double(coverage(of: path, rule, clip: Self.bounds).reduce(0) { $0 + Int($1) }) / 255
    }

    /// Corners around a centre in order, a right angle apart at most, so that no two sides cross.
    private func star(_ shapes: inout Shapes, reach: ClosedRange<Double>) -> [Point] {
        let centre = Point(x: shapes.number(28...32), y: shapes.number(28...32))
        let axes = [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: -1, y: 0), Point(x: 0, y: -1)]
        let spokes = axes + (0..<shapes.integer(0...20)).map { _ in shapes.direction() }
        // Half turns in order, and each in the order of its slopes.
        return spokes.sorted { a, b in
            let (isUpper, isOtherUpper) = (a.y < 0, b.y < 0)
            return isUpper == isOtherUpper ? a.cross(b) > 0 : isUpper
        }.map { centre + $0 * shapes.number(reach) }
    }

    @Test("A polygon that does not cross itself", arguments: Breadth.seeds(10, long: 60))
    func simple(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let polygon = star(&shapes, reach: 3...27)
        for rule in [FillRule.nonZero, .evenOdd] {
            // Half a level a pixel along the sides, at random, and corners on 1/256 pixel.
            #expect(abs(sum(Path(polygon: polygon), rule) - abs(area([polygon]))) < 0.4, "seed \(seed)")
        }
    }

    @Test("A ring, with a hole in either direction", arguments: Breadth.seeds(6, long: 20))
    func ring(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let outer = [Point(x: 2.3, y: 1.7), Point(x: 57.9, y: 3.2), Point(x: 58.4, y: 55.5), Point(x: 1.2, y: 58.8)]
        let inner = star(&shapes, reach: 2...20)
        let (whole, hole) = (abs(area([outer])), abs(area([inner])))
        for hasTurned in [false, true] {
            var path = Path(polygon: outer)
            path.addPolygon(hasTurned ? inner.reversed() : inner)
            let isHole = area([outer]) * area([inner]) < 0 ? !hasTurned : hasTurned
            #expect(abs(sum(path, .evenOdd) - (whole - hole)) < 0.5, "seed \(seed)")
            #expect(abs(sum(path, .nonZero) - (isHole ? whole - hole : whole)) < 0.5, "seed \(seed)")
        }
    }

    @Test("Shapes with curves", arguments: Breadth.seeds(8, long: 40))
    func curves(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let corners = star(&shapes, reach: 12...26)
        // A curve leads from the middle of a side to the middle of the next, within the triangle at the corner.
        func middle(_ index: Int) -> Point {
            corners[index % corners.count].interpolated(to: corners[(index + 1) % corners.count], 0.5)
        }
        var path = Path()
        path.move(to: middle(0))
        for index in 1...corners.count {
            let corner = corners[index % corners.count]
            if index % 2 == 0 {
                path.addQuadratic(control: corner, end: middle(index))
            } else {
                path.addCubic(
                    control1: middle(index - 1).interpolated(to: corner, 0.6),
                    control2: middle(index).interpolated(to: corner, 0.6), end: middle(index))
            }
        }
        let expected = abs(area(path.polygons(tolerance: 0.0005)))
        // Chords lie inside of their curve, 2/3 of the tolerance on the mean.
        #expect(abs(sum(path, .nonZero) - expected) < 0.4 + 150 * Rasterizer.flatteningTolerance, "seed \(seed)")
    }
}

/// The example of docs/raster.md. `tools/raster-figure` computes its numbers independently.
@Suite("The example in docs/raster.md")
struct DocumentedRowTests {
    private static let bounds = PixelRect(0, 0, 10, 1)

    private static let first = Path(polygon: [
        Point(x: 1.25, y: 0), Point(x: 1.75, y: 1), Point(x: 4.25, y: 1), Point(x: 5.5, y: 0),
    ])
    private static let second = Path(polygon: [
        Point(x: 4.125, y: 0), Point(x: 1204.0 / 256, y: 90.0 / 256), Point(x: 5.25, y: 1), Point(x: 8.75, y: 1),
        Point(x: 8.25, y: 0),
    ])

    @Test("The example row has the documented coverage")
    func row() {
        var rasterizer = Rasterizer()
        #expect(
            coverage(of: [Self.first, Self.second], clip: Self.bounds, with: &rasterizer)
                == [0, 128, 255, 255, 203, 246, 255, 255, 128, 0])
    }

    @Test("Added areas would fill the shared pixels")
    func areas() {
        var rasterizer = Rasterizer()
        let first = coverage(of: [Self.first], clip: Self.bounds, with: &rasterizer)
        let second = coverage(of: [Self.second], clip: Self.bounds, with: &rasterizer)
        for x in 4...5 { #expect(Int(first[x]) + Int(second[x]) >= 255) }
    }
}

@Suite("The reference rasterizer is right")
struct ReferenceTests {
    private static let bounds = PixelRect(0, 0, 20, 20)

    @Test("Areas known by construction")
    func plain() {
        // A flat edge 0.3 down, sides at 0.25 and 2.75, and a notch through the right pixel from corner to corner.
        let polygon = [Point(x: 0.25, y: 0.3), Point(x: 2, y: 0.3), Point(x: 2, y: 0), Point(x: 3, y: 1)]
        let areas = ReferenceRasterizer.coverage(
            of: [polygon + [Point(x: 0.25, y: 1)]], rule: .nonZero, bounds: PixelRect(0, 0, 4, 1))
        for (area, expected) in zip(areas, [0.75 * 0.7, 0.7, 0.5, 0]) { #expect(abs(area - expected * 255) < 1e-6) }
    }

    @Test("The coverage of a triangle sums to its area", arguments: Breadth.seeds(6, long: 20))
    func sum(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let corners = shapes.polygon(corners: 3...3, in: 0...20)
        let sum = ReferenceRasterizer.coverage(of: [corners], rule: .nonZero, bounds: Self.bounds).reduce(0, +)
        let area = abs((corners[1] - corners[0]).cross(corners[2] - corners[0])) / 2
        #expect(abs(sum / 255 - area) < 1e-6, "seed \(seed)")
    }

    @Test("Overlapping contours, by both rules")
    func overlap() {
        func square(_ x: Double) -> [Point] {
            [Point(x: x, y: 0), Point(x: x + 0.5, y: 0), Point(x: x + 0.5, y: 1), Point(x: x, y: 1)]
        }
        let pixel = PixelRect(0, 0, 1, 1)
        func area(_ polygons: [[Point]], _ rule: FillRule) -> Double {
            ReferenceRasterizer.coverage(of: polygons, rule: rule, bounds: pixel)[0] / 255
        }
        #expect(abs(area([square(0), square(0.25)], .nonZero) - 0.75) < 1e-9)
        #expect(abs(area([square(0), square(0.25)], .evenOdd) - 0.5) < 1e-9)
        #expect(abs(area([square(0), square(0.25).reversed()], .nonZero) - 0.5) < 1e-9)
        #expect(abs(area([square(-0.25), square(0.75)], .nonZero) - 0.5) < 1e-9)
    }

    @Test("More slabs change little")
    func converged() {
        var shapes = Shapes(seed: 5)
        var error = CoverageError()
        for _ in 0..<20 {
            let outline = shapes.strokeOutline(width: 0.7...6, in: 2...18, steps: 20)
            let coarse = ReferenceRasterizer.coverage(
                of: [outline], rule: .nonZero, bounds: Self.bounds, slabsPerPixel: 32)
            let fine = ReferenceRasterizer.coverage(
                of: [outline], rule: .nonZero, bounds: Self.bounds, slabsPerPixel: 128)
            error.compare(coarse.map { UInt8($0.rounded()) }, fine)
        }
        // A quarter is what rounding to bytes makes.
        #expect(error.mean < 0.27 && error.worst < 3, "\(error)")
    }
}
