// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Walks along a contour and hands its edges to the rows.
struct EdgePen {
    private let start: Point
    private(set) var current: Point
    private var fixed: FixedPoint2
    private var isNear: Bool

    init(start: Point) {
        self.start = start
        current = start
        isNear = FixedPoint.isNear(start)
        fixed = isNear ? FixedPoint2(start) : FixedPoint2(x: 0, y: 0)
    }

    @inline(__always)
    mutating func line(to point: Point, _ rows: inout SegmentRows) {
        let isPointNear = FixedPoint.isNear(point)
        if isNear && isPointNear {
            let next = FixedPoint2(point)
            rows.addEdge(from: fixed, to: next)
            fixed = next
        } else {
            rows.addFarEdge(from: current, to: point)
            if isPointNear { fixed = FixedPoint2(point) }
        }
        isNear = isPointNear
        current = point
    }

    /// A curve's ends are passed on exactly, so that neighbours which share them meet.
    mutating func curve(_ curve: CubicBezier, _ rows: inout SegmentRows) {
        let count = curve.segmentCount(tolerance: Rasterizer.flatteningTolerance)
        for step in 1..<count { line(to: curve.point(at: Double(step) / Double(count)), &rows) }
        line(to: curve.end, &rows)
    }

    mutating func close(_ rows: inout SegmentRows) { line(to: start, &rows) }
}
