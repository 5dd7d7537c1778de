// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Rect {
    /// The edges too.
    func contains(_ point: Point) -> Bool {
        minX <= point.x && point.x <= maxX && minY <= point.y && point.y <= maxY
    }

    /// How far from `inside`, a point within, to `outside` the edge lies: 0 to 1.
    func crossing(from inside: Point, to outside: Point) -> Double {
        var fraction = 1.0
        func cut(_ from: Double, _ to: Double, _ low: Double, _ high: Double) {
            let edge = to < low ? low : high
            if to < low || to > high { fraction = min(fraction, (edge - from) / (to - from)) }
        }
        cut(inside.x, outside.x, minX, maxX)
        cut(inside.y, outside.y, minY, maxY)
        return max(0, fraction)
    }

    /// The nearest point within.
    func clamped(_ point: Point) -> Point {
        Point(x: max(minX, min(point.x, maxX)), y: max(minY, min(point.y, maxY)))
    }
}
