// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Path {
    /// How far a control point of a cubic that stands for a quarter of a circle lies from its end, as part of the
    /// radius: 4/3 (sqrt 2 - 1), off by at most 0.03 %.
    private static let quarterCircle = 0.5522847498

    /// - Parameter radius: cut to half of the shorter side.
    static func roundedRect(_ rect: Rect, radius: Double) -> Path {
        let r = max(0, min(radius, (rect.maxX - rect.minX) / 2, (rect.maxY - rect.minY) / 2))
        let c = r * (1 - quarterCircle)
        let (left, top, right, bottom) = (rect.minX, rect.minY, rect.maxX, rect.maxY)
        var path = Path()
        path.move(to: Point(x: left + r, y: top))
        path.addLine(to: Point(x: right - r, y: top))
        path.addCubic(
            control1: Point(x: right - c, y: top), control2: Point(x: right, y: top + c),
            end: Point(x: right, y: top + r))
        path.addLine(to: Point(x: right, y: bottom - r))
        path.addCubic(
            control1: Point(x: right, y: bottom - c), control2: Point(x: right - c, y: bottom),
            end: Point(x: right - r, y: bottom))
        path.addLine(to: Point(x: left + r, y: bottom))
        path.addCubic(
            control1: Point(x: left + c, y: bottom), control2: Point(x: left, y: bottom - c),
            end: Point(x: left, y: bottom - r))
        path.addLine(to: Point(x: left, y: top + r))
        path.addCubic(
            control1: Point(x: left, y: top + c), control2: Point(x: left + c, y: top), end: Point(x: left + r, y: top))
        return path
    }

    /// An x from corner to corner of `rect`.
    static func cross(_ rect: Rect, thickness: Double) -> Path {
        var path = Path()
        let half = max(thickness, 1) * 0.5.squareRoot()
        func bar(_ start: Point, _ end: Point, _ across: Point) {
            path.addPolygon([
                Point(x: start.x + across.x, y: start.y + across.y), Point(x: end.x + across.x, y: end.y + across.y),
                Point(x: end.x - across.x, y: end.y - across.y), Point(x: start.x - across.x, y: start.y - across.y),
            ])
        }
        let inner = rect.insetBy(half)
        bar(
            Point(x: inner.minX, y: inner.minY), Point(x: inner.maxX, y: inner.maxY),
            Point(x: half / 2, y: -half / 2))
        bar(
            Point(x: inner.maxX, y: inner.minY), Point(x: inner.minX, y: inner.maxY),
            Point(x: half / 2, y: half / 2))
        return path
    }
}
