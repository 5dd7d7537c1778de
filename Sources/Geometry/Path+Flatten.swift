// SPDX-License-Identifier: Apache-2.0

extension Path {
    /// The contours as polygons, curves replaced by chords no further than `tolerance` (in the path's units) from them.
    public func polygons(tolerance: Double) -> [[Point]] {
        var result: [[Point]] = []
        forEachEdgePoint(tolerance: tolerance) { point, isStart in
            if isStart { result.append([point]) } else { result[result.count - 1].append(point) }
        }
        return result
    }

    /// Calls `body` with each vertex of the flattened contours in order; `isStart` marks the first one of a contour.
    /// The end points of every curve are passed on exactly, never recomputed, so neighbours that share them still meet.
    /// - Parameters:
    ///   - start: the start of a contour, where to begin.
    ///   - end: where to stop; nil is the end of the path.
    public func forEachEdgePoint(
        from start: Mark = .start, to end: Mark? = nil, tolerance: Double,
        _ body: (_ point: Point, _ isStart: Bool) -> Void
    ) {
        var index = start.pointCount
        var current = Point.zero
        func emit(_ curve: CubicBezier) {
            let count = curve.segmentCount(tolerance: tolerance)
            for step in 1..<count { body(curve.point(at: Double(step) / Double(count)), false) }
            body(curve.end, false)
            current = curve.end
        }
        for verb in verbs[start.verbCount..<(end ?? self.end).verbCount] {
            switch verb {
            case .move, .line:
                current = points[index]
                body(current, verb == .move)
                index += 1
            case .quadratic:
                emit(CubicBezier(quadraticFrom: current, control: points[index], end: points[index + 1]))
                index += 2
            case .cubic:
                emit(CubicBezier(
                    start: current, control1: points[index], control2: points[index + 1], end: points[index + 2]))
                index += 3
            }
        }
    }
}
