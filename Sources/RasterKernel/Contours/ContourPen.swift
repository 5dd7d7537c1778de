// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Walks along a path and writes its corners: curves as chords, far points brought near.
struct ContourPen {
    private let start: Point
    private(set) var current: Point
    private var isNear: Bool

    init(start: Point, _ contours: inout Contours) {
        self.start = start
        current = start
        isNear = FixedPoint.isNear(start)
        contours.begin()
        if isNear {
            contours.reserve(1)
            contours.append(FixedPoint2(start))
        }
    }

    @inline(__always)
    mutating func line(to point: Point, _ contours: inout Contours) {
        let isPointNear = FixedPoint.isNear(point)
        if isNear && isPointNear {
            contours.reserve(1)
            contours.append(FixedPoint2(point))
        } else {
            contours.appendFarEdge(from: current, to: point)
        }
        isNear = isPointNear
        current = point
    }

    /// A curve's ends are passed on exactly, so that neighbours which share them meet.
    mutating func curve(_ curve: CubicBezier, _ contours: inout Contours) {
        let count = curve.segmentCount(tolerance: FillKernel.flatteningTolerance)
        for step in 1..<count { line(to: curve.point(at: Double(step) / Double(count)), &contours) }
        line(to: curve.end, &contours)
    }

    mutating func close(_ contours: inout Contours) {
        if !isNear || !FixedPoint.isNear(start) { contours.appendFarEdge(from: current, to: start) }
        contours.close()
    }
}
