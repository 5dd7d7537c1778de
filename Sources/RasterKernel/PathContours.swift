// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Contours {
    /// Adds the contours of `path` between two marks. Each is closed, and curves become chords. A contour with a point
    /// that is not finite is left out.
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
        case .cubic: 3
        }
    }

    private mutating func addContour(
        _ verbs: UnsafeBufferPointer<Path.Verb>, _ points: UnsafeBufferPointer<Point>
    ) {
        // 0 x infinity and 0 x nan are nan, and so is any sum with nan.
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

    /// Adds a closed polygon. A polygon with a point that is not finite is left out.
    mutating func add(polygon: UnsafeBufferPointer<Point>) {
        if polygon.count < 3 || addNearPolygon(polygon) { return }
        var zero = 0.0
        for point in polygon { zero += point.x * 0 + point.y * 0 }
        if zero != 0 { return }
        var pen = ContourPen(start: polygon[0], &self)
        for index in 1..<polygon.count { pen.line(to: polygon[index], &self) }
        pen.close(&self)
    }

    /// Adds a closed polygon if all its points are near; otherwise adds nothing and returns false.
    /// - Parameter polygon: at least two points.
    private mutating func addNearPolygon(_ polygon: UnsafeBufferPointer<Point>) -> Bool {
        guard let first = polygon.baseAddress else { return true }
        begin()
        reserve(polygon.count + 1)
        // ``FixedPoint/fixed(_:)`` for two points at a time. The bits of each sum are those of 1.5 x 2^52 plus the
        // fixed point number. After subtracting the bits for -65 536 px, exactly the numbers from there to below 65 536
        // px fit in 25 bits; all others, infinities and NaN do not.
        let least = SIMD4<UInt64>(repeating: 0x4338_0000_0000_0000 - 0x100_0000)
        var excess = SIMD4<UInt64>.zero
        let target = UnsafeMutableRawPointer(vertices + count)
        let points = UnsafeRawPointer(first)
        // The last two points may be converted twice.
        var index = 0
        while index < polygon.count {
            index = index &+ 2 <= polygon.count ? index : polygon.count &- 2
            let pair = points.loadUnaligned(fromByteOffset: index &* 16, as: SIMD4<Double>.self)
            let moved = pair * 256 + 6_755_399_441_055_744
            let fixed = unsafeBitCast(moved, to: SIMD8<Int32>.self).evenHalf
            target.storeBytes(of: fixed, toByteOffset: index &* 8, as: SIMD4<Int32>.self)
            excess |= (unsafeBitCast(moved, to: SIMD4<UInt64>.self) &- least) & ~0x1FF_FFFF
            index &+= 2
        }
        if excess[0] | excess[1] | excess[2] | excess[3] != 0 { return false }
        close(adding: polygon.count)
        return true
    }

    /// Adds the corners, start included, that replace an edge with an end outside the square in which ``FixedPoint`` is
    /// exact. Allocates memory; strokes on a page have no such edges.
    ///
    /// Parts outside the square are moved onto its sides, where they wind around the same pixels. The cuts depend on
    /// the edge alone, not on the clip or the direction.
    fileprivate mutating func appendFarEdge(from start: Point, to end: Point) {
        let isDown = start.y <= end.y
        let upper = Self.limited(isDown ? start : end)
        let lower = Self.limited(isDown ? end : start)
        let limit = FixedPoint.limit
        func point(atY y: Double) -> Point {
            if y <= upper.y { return upper }
            if y >= lower.y { return lower }
            return Point(x: upper.x + (lower.x - upper.x) * ((y - upper.y) / (lower.y - upper.y)), y: y)
        }
        var points = [upper]
        if upper.y < limit && lower.y > -limit && upper.y < lower.y {
            // The points, from the top down, where the edge crosses a side of the square.
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

    /// Limits coordinates, so that their differences and products are finite.
    private static func limited(_ point: Point) -> Point {
        let most = 1_099_511_627_776.0
        return Point(x: min(max(point.x, -most), most), y: min(max(point.y, -most), most))
    }
}

/// Walks along a path and appends its corners: curves as chords, far points moved near.
private struct ContourPen {
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

    /// A curve keeps its exact ends, so that neighbours which share them meet.
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
