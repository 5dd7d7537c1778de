// SPDX-License-Identifier: Apache-2.0

/// A cubic Bézier segment.
public struct CubicBezier: Equatable, Sendable {
    public var start, control1, control2, end: Point

    public init(start: Point, control1: Point, control2: Point, end: Point) {
        self.start = start
        self.control1 = control1
        self.control2 = control2
        self.end = end
    }

    /// The same curve as a quadratic's, raised by one degree.
    public init(quadraticFrom start: Point, control: Point, end: Point) {
        self.init(
            start: start, control1: start.interpolated(to: control, 2.0 / 3),
            control2: end.interpolated(to: control, 2.0 / 3),
            end: end)
    }

    /// - Parameter t: 0 at the start, 1 at the end.
    public func point(at t: Double) -> Point {
        let u = 1 - t
        return start * (u * u * u) + control1 * (3 * u * u * t) + control2 * (3 * u * t * t) + end * (t * t * t)
    }

    /// How many equal steps of t keep the chords within `tolerance` of the curve: Wang's formula (G. Wang 1984, as in
    /// R. Goldman, Pyramid Algorithms, 5.6.3), with the second differences of the control points as bound. At least 1
    /// and at most 512, so a wild control point costs bounded time.
    public func segmentCount(tolerance: Double) -> Int {
        let first = (start - control1 * 2 + control2).squaredLength
        let second = (control1 - control2 * 2 + end).squaredLength
        let needed = (0.75 * max(first, second).squareRoot() / tolerance).squareRoot().rounded(.up)
        return needed < 512 ? max(1, Int(needed)) : 512
    }
}
