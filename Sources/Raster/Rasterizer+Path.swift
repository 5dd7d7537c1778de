// SPDX-License-Identifier: Apache-2.0
public import Geometry

extension Rasterizer {
    /// Adds the contours of `path` to the current fill, each closed, curves as chords within ``flatteningTolerance``.
    ///
    /// A contour with a point that is not finite is left out.
    /// - Parameters:
    ///   - path: in pixels of the surface, any coordinates.
    ///   - start: the start of a contour, where to begin.
    ///   - end: the start of the first contour to leave out; nil adds all to the end of the path.
    public mutating func add(_ path: borrowing Path, from start: Path.Mark = .start, to end: Path.Mark? = nil) {
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

        rows.beginContour()
        var pen = EdgePen(start: points[0])
        var index = 1
        for verb in verbs.dropFirst() {
            switch verb {
            case .move, .line:
                pen.line(to: points[index], &rows)
                index += 1
            case .quadratic:
                pen.curve(
                    CubicBezier(quadraticFrom: pen.current, control: points[index], end: points[index + 1]), &rows)
                index += 2
            case .cubic:
                pen.curve(
                    CubicBezier(
                        start: pen.current, control1: points[index], control2: points[index + 1],
                        end: points[index + 2]),
                    &rows)
                index += 3
            }
        }
        pen.close(&rows)
    }
}
