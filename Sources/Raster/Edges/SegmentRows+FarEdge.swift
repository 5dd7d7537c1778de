// SPDX-License-Identifier: Apache-2.0
import Geometry

extension SegmentRows {
    /// Adds an edge of which an end lies outside the square in which ``FixedPoint`` is exact.
    ///
    /// Above and below the square it is cut off; what lies left or right of it is moved onto the side, where it still
    /// winds around the same pixels. The cuts depend on the edge alone, never on the clip.
    mutating func addFarEdge(from start: Point, to end: Point) {
        let isDown = start.y <= end.y
        let upper = Self.tamed(isDown ? start : end)
        let lower = Self.tamed(isDown ? end : start)
        let limit = FixedPoint.limit
        if upper.y >= limit || lower.y <= -limit { return }
        if upper.y == lower.y {
            addEdge(from: Self.moved(upper, ontoSideOf: limit), to: Self.moved(lower, ontoSideOf: limit))
            return
        }

        func point(atY y: Double) -> Point {
            if y <= upper.y { return upper }
            if y >= lower.y { return lower }
            return Point(x: upper.x + (lower.x - upper.x) * ((y - upper.y) / (lower.y - upper.y)), y: y)
        }
        func y(atX x: Double) -> Double {
            upper.y + (lower.y - upper.y) * ((x - upper.x) / (lower.x - upper.x))
        }
        let first = point(atY: -limit)
        let last = point(atY: limit)
        // The places, from the top down, where the edge passes a side of the square.
        var cuts = [first.y, last.y]
        for side in [-limit, limit] where (first.x < side) != (last.x < side) {
            cuts.append(min(max(y(atX: side), first.y), last.y))
        }
        cuts.sort()
        var points = cuts.map { cut in
            let x = cut == first.y ? first.x : cut == last.y ? last.x : point(atY: cut).x
            return Self.moved(Point(x: x, y: cut), ontoSideOf: limit)
        }
        if !isDown { points.reverse() }
        for index in 1..<points.count { addEdge(from: points[index - 1], to: points[index]) }
    }

    private static func moved(_ point: Point, ontoSideOf limit: Double) -> FixedPoint2 {
        FixedPoint2(Point(x: min(max(point.x, -limit), limit), y: point.y))
    }

    /// Coordinates far beyond use are brought to where differences and products of them are finite.
    private static func tamed(_ point: Point) -> Point {
        let most = 1_099_511_627_776.0
        return Point(x: min(max(point.x, -most), most), y: min(max(point.y, -most), most))
    }
}
