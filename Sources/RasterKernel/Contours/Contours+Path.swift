// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Contours {
    /// Adds the contours of `path` between two marks, each closed, curves as chords. One with a point that is not
    /// finite is left out.
    mutating func add(_ path: borrowing Path, from start: Path.Mark, to end: Path.Mark?) {
        let verbEnd = end?.verbCount ?? path.verbs.count
        path.points.withUnsafeBufferPointer { points in
            path.verbs.withUnsafeBufferPointer { verbs in
                var verb = start.verbCount
                var point = start.pointCount
                while verb < verbEnd {
                    var contourEnd = verb
                    var pointEnd = point
                    repeat {
                        pointEnd += Self.pointCount(of: verbs[contourEnd])
                        contourEnd += 1
                    } while contourEnd < verbEnd && verbs[contourEnd] != .move
                    addContour(
                        UnsafeBufferPointer(rebasing: verbs[verb..<contourEnd]),
                        UnsafeBufferPointer(rebasing: points[point..<pointEnd]))
                    verb = contourEnd
                    point = pointEnd
                }
            }
        }
    }

    @inline(__always)
    private static func pointCount(of verb: Path.Verb) -> Int {
        switch verb {
        case .move, .line: 1
        case .quadratic: 2
        case .cubic: 3
        }
    }

    private mutating func addContour(
        _ verbs: UnsafeBufferPointer<Path.Verb>, _ points: UnsafeBufferPointer<Point>
    ) {
        // 0 x infinity and 0 x nan are nan, which spreads.
        var zero = 0.0
        for point in points { zero += point.x * 0 + point.y * 0 }
        if zero != 0 || verbs.count < 2 { return }

        var pen = ContourPen(start: points[0], &self)
        var index = 1
        for verb in verbs.dropFirst() {
            switch verb {
            case .move, .line:
                pen.line(to: points[index], &self)
                index += 1
            case .quadratic:
                pen.curve(
                    CubicBezier(quadraticFrom: pen.current, control: points[index], end: points[index + 1]), &self)
                index += 2
            case .cubic:
                pen.curve(
                    CubicBezier(
                        start: pen.current, control1: points[index], control2: points[index + 1],
                        end: points[index + 2]),
                    &self)
                index += 3
            }
        }
        pen.close(&self)
    }

    /// Adds a closed polygon; one with a point that is not finite is left out.
    mutating func add(polygon: UnsafeBufferPointer<Point>) {
        if polygon.count < 3 || addNearPolygon(polygon) { return }
        var zero = 0.0
        for point in polygon { zero += point.x * 0 + point.y * 0 }
        if zero != 0 { return }
        var pen = ContourPen(start: polygon[0], &self)
        for index in 1..<polygon.count { pen.line(to: polygon[index], &self) }
        pen.close(&self)
    }
}
