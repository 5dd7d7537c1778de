// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing

@Suite("Outline")
struct OutlineTests {
    static let pens = PenName.allCases.flatMap { [Pen($0), Pen($0, width: 1.2)] }

    @Test("every contour turns clockwise for any input", arguments: pens)
    func orientation(pen: Pen) {
        for stroke in Stroke.hostile + (0..<20).map({ Stroke.random(seed: $0) }) {
            let ink = stroke.drawn(with: pen)
            #expect(ink.isFinite, "\(stroke) with \(pen)")
            #expect(!ink.outline.isEmpty, "\(stroke) with \(pen)")
            #expect(OutlineChecks(ink).leastArea > 0, "\(stroke) with \(pen)")
        }
    }

    @Test("no contour has a negative winding number anywhere", arguments: Pen.tested)
    func noneTurnsBack(pen: Pen) {
        let hostile = Stroke.hostile.filter { stroke in
            stroke.samples.allSatisfy { abs($0.position.x) < 400 && abs($0.position.y) < 400 }
        }
        var random = SeededGenerator(seed: 5)
        for stroke in hostile + (0..<20).map({ Stroke.random(seed: 2000 + $0) }) {
            for contour in stroke.drawn(with: pen).contours {
                let checks = OutlineChecks([contour])
                // Near its corners, where a contour that crosses itself would have loops.
                for corner in contour.prefix(40) {
                    let point =
                        corner
                        + Point(
                            x: .random(in: -0.3...0.3, using: &random), y: .random(in: -0.3...0.3, using: &random))
                    #expect(checks.winding(at: point) >= 0, "\(stroke) with \(pen) at \(point)")
                }
            }
        }
    }

    /// The pens whose ink is exactly a line with round ends and joins.
    static let roundPens = pens.filter { $0.name != .offset }

    @Test("the ink is the union of the tapered capsules along the centre line", arguments: roundPens)
    func union(pen: Pen) {
        let hostile = Stroke.hostile.filter { stroke in
            stroke.samples.allSatisfy { abs($0.position.x) < 400 && abs($0.position.y) < 400 }
        }
        for stroke in hostile + (0..<10).map({ Stroke.random(seed: 1000 + $0, count: 20) }) {
            let ink = stroke.drawn(with: pen)
            let checks = OutlineChecks(ink)
            var random = SeededGenerator(seed: 7)
            for _ in 0..<80 {
                guard let node = ink.centerline.randomElement(using: &random) else { continue }
                let point =
                    node.position + Point(
                        x: .random(in: -1.3...1.3, using: &random), y: .random(in: -1.3...1.3, using: &random))
                    * (node.width / 2)
                let distance = OutlineChecks.distance(from: point, toInkAlong: ink.centerline)
                // A hundredth of a grey level is 0.004; joins taken as smooth may be 0.02 short, and nodes nearer to
                // each other than 0.1 are skipped.
                guard abs(distance) > 0.12 else { continue }
                let winding = checks.winding(at: point)
                #expect(
                    (winding > 0) == (distance < 0), "\(stroke) with \(pen): \(distance) px from the edge at \(point)")
                #expect(winding >= 0)
            }
        }
    }

    @Test("a corner is covered without holes", arguments: [0.0, 1, 20, 60, 90, 120, 150, 170, 179, 180])
    func corners(degrees: Double) {
        // The rational half-angle form of the circle; 180 degrees is its limit.
        let half = degrees < 180 ? degrees / 180 * (1.6 + degrees / 180 * 0.2) : 1e9
        let (cosine, sine) = ((1 - half * half) / (1 + half * half), 2 * half / (1 + half * half))
        for sign in [-1.0, 1] {
            let stroke = Stroke(
                "corner", [(0, 50, 50), (10, 80, 50), (20, 80 + 30 * cosine, 50 + 30 * sine * sign)])
            let ink = stroke.drawn(with: Pen(.linear, width: 1.7))
            let checks = OutlineChecks(ink)
            for column in 0..<40 {
                for row in 0..<40 {
                    let point = Point(x: 70.13 + Double(column) * 0.5, y: 40.17 + Double(row) * 0.5)
                    let distance = OutlineChecks.distance(from: point, toInkAlong: ink.centerline)
                    guard abs(distance) > 0.03 else { continue }
                    #expect((checks.winding(at: point) > 0) == (distance < 0), "\(point), \(distance)")
                }
            }
        }
    }

    @Test("a smooth stroke hardly overlaps itself")
    func littleOverlap() {
        let stroke = Stroke("wave", rate: 100, milliseconds: 600) { seconds in
            // A parabola: no sin needed, and the bend is wider than the pen.
            Point(x: 50 + 300 * seconds, y: 50 + 400 * (seconds - 0.3) * (seconds - 0.3))
        }
        let checks = OutlineChecks(stroke.drawn())
        var doubled = 0
        for column in 0..<133 {
            for row in 0..<53 {
                let point = Point(x: 45 + Double(column) * 1.5 + 0.013, y: 45 + Double(row) * 1.5 + 0.017)
                if checks.winding(at: point) > 1 { doubled += 1 }
            }
        }
        #expect(doubled == 0)
    }
}

/// Slow and simple checks of an outline.
struct OutlineChecks {
    private let polygons: [[Point]]

    init(_ ink: StrokeInk) { self.init(ink.contours) }
    init(_ polygons: [[Point]]) { self.polygons = polygons }

    /// The smallest signed area of the contours; positive means clockwise on the screen.
    var leastArea: Double {
        polygons.reduce(.infinity) { least, polygon in
            var area = 0.0
            // Relative to the first corner, so that large coordinates keep their fraction.
            for (a, b) in zip(polygon.dropFirst(), polygon.dropFirst(2)) {
                area += (a - polygon[0]).cross(b - polygon[0])
            }
            return min(least, area / 2)
        }
    }

    /// The winding number of a point.
    func winding(at point: Point) -> Int {
        var winding = 0
        for polygon in polygons {
            for index in polygon.indices {
                let (a, b) = (polygon[index], polygon[(index + 1) % polygon.count])
                guard (a.y <= point.y) != (b.y <= point.y) else { continue }
                let side = (b - a).cross(point - a)
                if b.y > a.y { winding += side > 0 ? 1 : 0 } else { winding -= side < 0 ? 1 : 0 }
            }
        }
        return winding
    }

    /// The distance of a point from the tapered capsules along a centre line, in pixels; negative inside.
    static func distance(from point: Point, toInkAlong nodes: [CenterlinePoint]) -> Double {
        var least = nodes.reduce(Double.infinity) { min($0, $1.position.distance(to: point) - $1.width / 2) }
        for (a, b) in zip(nodes, nodes.dropFirst()) {
            let way = b.position - a.position
            let length = way.length
            guard length > 0 else { continue }
            let taper = (b.width - a.width) / 2 / length
            guard abs(taper) < 1 else { continue }
            let direction = way * (1 / length)
            let offset = point - a.position
            // The centre of the nearest disc is this much beyond the foot of the perpendicular.
            let across = abs(offset.cross(direction))
            let lean = taper / (1 - taper * taper).squareRoot()
            let along = min(max(offset.dot(direction) + across * lean, 0), length)
            let center = a.position + direction * along
            least = min(least, center.distance(to: point) - a.width / 2 - taper * along)
        }
        return least
    }
}

extension StrokeInk {
    /// The contours of the outline as polygons.
    var contours: [[Point]] { outline.polygons(tolerance: 0.002) }

    /// Whether all coordinates and widths are finite.
    var isFinite: Bool {
        outline.points.allSatisfy(\.isFinite) && centerline.allSatisfy { $0.position.isFinite && $0.width.isFinite }
    }
}
