// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Contours {
    /// Adds the corners that stand for an edge of which an end lies outside the square in which ``FixedPoint`` is
    /// exact, its start included. Asks for memory: no stroke on a page has such edges.
    ///
    /// What lies outside the square is moved onto its sides, where it still winds around the same pixels. The cuts
    /// depend on the edge alone, never on the clip nor on the way it is walked.
    mutating func appendFarEdge(from start: Point, to end: Point) {
        let isDown = start.y <= end.y
        let upper = Self.tamed(isDown ? start : end)
        let lower = Self.tamed(isDown ? end : start)
        let limit = FixedPoint.limit
        func point(atY y: Double) -> Point {
            if y <= upper.y { return upper }
            if y >= lower.y { return lower }
            return Point(x: upper.x + (lower.x - upper.x) * ((y - upper.y) / (lower.y - upper.y)), y: y)
        }
        var points = [upper]
        if upper.y < limit && lower.y > -limit && upper.y < lower.y {
            // The places, from the top down, where the edge passes a side of the square.
            let first = point(atY: -limit)
            let last = point(atY: limit)
            var cuts = [first.y, last.y]
            for side in [-limit, limit] where (first.x < side) != (last.x < side) {
                let y = upper.y + (lower.y - upper.y) * ((side - upper.x) / (lower.x - upper.x))
                cuts.append(min(max(y, first.y), last.y))
            }
            cuts.sort()
            points += cuts.map { $0 == first.y ? first : $0 == last.y ? last : point(atY: $0) }
        }
        points.append(lower)
        if !isDown { points.reverse() }
        reserve(points.count)
        for point in points {
            append(
                FixedPoint2(
                    Point(x: min(max(point.x, -limit), limit), y: min(max(point.y, -limit), limit))))
        }
    }

    /// Coordinates far beyond use are brought to where differences and products of them are finite.
    private static func tamed(_ point: Point) -> Point {
        let most = 1_099_511_627_776.0
        return Point(x: min(max(point.x, -most), most), y: min(max(point.y, -most), most))
    }
}
