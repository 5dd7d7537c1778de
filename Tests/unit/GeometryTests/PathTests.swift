// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@Suite("Path")
struct PathTests {
    private func randomCubic(_ random: inout SeededGenerator) -> CubicBezier {
        func point() -> Point {
            Point(x: .random(in: -50...50, using: &random), y: .random(in: -50...50, using: &random))
        }
        return CubicBezier(start: point(), control1: point(), control2: point(), end: point())
    }

    @Test("chords stay within the tolerance of the curve", arguments: Breadth.seeds(16, long: 100))
    func tolerance(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let curve = randomCubic(&random)
        let count = curve.segmentCount(tolerance: 0.1)
        for step in 0..<count {
            let from = curve.point(at: Double(step) / Double(count))
            let to = curve.point(at: Double(step + 1) / Double(count))
            let middle = curve.point(at: (Double(step) + 0.5) / Double(count))
            let chord = to - from
            let distance = abs(chord.cross(middle - from)) / max(chord.length, 1e-9)
            #expect(distance <= 0.1 + 1e-9, "seed \(seed)")
        }
    }

    @Test("flattening keeps the end points exactly and does not repeat the first point")
    func endPoints() {
        var path = Path()
        path.move(to: Point(x: 0.1, y: 0.2))
        path.addCubic(
            control1: Point(x: 10, y: 0), control2: Point(x: 10, y: 10), end: Point(x: 1.0 / 3, y: 2.0 / 3))
        path.addQuadratic(control: Point(x: -5, y: 4), end: Point(x: 7, y: 8))
        path.move(to: Point(x: 1, y: 1))
        path.addLine(to: Point(x: 2, y: 2))
        let polygons = path.polygons(tolerance: 0.1)
        #expect(polygons.count == 2)
        #expect(polygons[0].first == Point(x: 0.1, y: 0.2))
        #expect(polygons[0].contains(Point(x: 1.0 / 3, y: 2.0 / 3)))
        #expect(polygons[0].last == Point(x: 7, y: 8))
        #expect(polygons[1] == [Point(x: 1, y: 1), Point(x: 2, y: 2)])
    }

    @Test("a part between marks has its own bounds, and truncating removes it")
    func marks() {
        var path = Path(polygon: [Point(x: 0, y: 0), Point(x: 4, y: 0), Point(x: 0, y: 4)])
        let mark = path.end
        path.addPolygon([Point(x: 9, y: 9), Point(x: 10, y: 9), Point(x: 9, y: 10)])
        #expect(path.bounds(from: mark, to: path.end) == Rect(minX: 9, minY: 9, maxX: 10, maxY: 10))
        path.truncate(to: mark)
        #expect(path == Path(polygon: [Point(x: 0, y: 0), Point(x: 4, y: 0), Point(x: 0, y: 4)]))
    }

    @Test("the pixels that cover a wild rectangle stay within bounds")
    func covering() {
        let bounds = PixelRect(minX: 0, minY: 0, maxX: 100, maxY: 50)
        let nan = Rect(minX: .nan, minY: .nan, maxX: .nan, maxY: .nan)
        #expect(bounds.contains(PixelRect(covering: nan, within: bounds)))
        let all = Rect(minX: -.infinity, minY: -1e300, maxX: .infinity, maxY: 1e300)
        #expect(PixelRect(covering: all, within: bounds) == bounds)
        #expect(
            PixelRect(covering: Rect(minX: 1.5, minY: 2, maxX: 3, maxY: 4.1), within: bounds)
                == PixelRect(minX: 1, minY: 2, maxX: 3, maxY: 5))
    }
}
