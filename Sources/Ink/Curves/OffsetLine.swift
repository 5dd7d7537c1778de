// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The short line of ``OffsetPen`` that stands across the way at a sample.
struct OffsetLine {
    var left: Point
    var right: Point
    /// In pixels; more than from ``left`` to ``right`` where two lines were blended that point different ways.
    var length: Double
    /// From the sample before, in pixels.
    var way: Double

    /// At the first sample, where there is no way.
    init(at point: Point) {
        (left, right) = (point, point)
        (length, way) = (0, 0)
    }

    init(across start: Point, to end: Point) {
        (left, right) = OffsetPen.offsets(from: start, to: end)
        length = left.distance(to: right)
        way = start.distance(to: end)
    }

    /// Half way between two lines, end by end.
    init(between a: OffsetLine, and b: OffsetLine) {
        left = a.left.interpolated(to: b.left, 0.5)
        right = a.right.interpolated(to: b.right, 0.5)
        length = (a.length + b.length) / 2
        way = (a.way + b.way) / 2
    }
}
