// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Coverage sums to the area")
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

    @Test("of a polygon that does not cross itself", arguments: 0..<60 as Range<UInt64>)
    func simple(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let polygon = star(&shapes, reach: 3...27)
        for rule in [FillRule.nonZero, .evenOdd] {
            // Half a level a pixel along the sides, at random, and corners on 1/256 pixel.
            #expect(abs(sum(Path(polygon: polygon), rule) - abs(area([polygon]))) < 0.4, "seed \(seed)")
        }
    }

    @Test("of a ring: all but the hole, whichever way the hole runs by even-odd", arguments: 0..<20 as Range<UInt64>)
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

    @Test("of curves", arguments: 0..<40 as Range<UInt64>)
    func curves(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let corners = star(&shapes, reach: 12...26)
        // From the middle of a side to the next around a corner: curves stay within the triangles at the corners.
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
