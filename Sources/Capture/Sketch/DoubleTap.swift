// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Tells two taps at one place from drawing.
struct DoubleTap {
    /// Microseconds that a tap lasts at most; Android has 100 ms until a touch is no tap in a list, 400 ms until it is
    /// a long one.
    private static let tap: Int64 = 250_000
    /// Microseconds from lifting to touching down again (Android's ViewConfiguration, DOUBLE_TAP_TIMEOUT).
    private static let pause: Int64 = 300_000
    /// Millimetres that a tap may move (Android's touch slop of 8 dp, 1/160 inch each).
    private static let motion = 1.27
    /// Millimetres between the taps: a finger comes down again within that; what is further apart is dotted.
    private static let distance = 4.0

    /// The stroke that is being drawn, while it can be a tap.
    private var open: (start: Int64, place: Point, isSecond: Bool)?
    private var first: (end: Int64, place: Point)?

    mutating func begin(_ point: InkPoint, pixelsPerMillimetre: Double) {
        var isSecond = false
        if let first {
            let pause = point.microseconds.subtractingReportingOverflow(first.end)
            isSecond =
                !pause.overflow && 0...Self.pause ~= pause.partialValue
                && first.place.distance(to: point.position) <= Self.distance * pixelsPerMillimetre
        }
        first = nil
        open = (point.microseconds, point.position, isSecond)
    }

    mutating func move(_ point: InkPoint, pixelsPerMillimetre: Double) {
        guard let open else { return }
        if open.place.distance(to: point.position) > Self.motion * pixelsPerMillimetre { self.open = nil }
    }

    /// The contact was lifted.
    /// - Returns: whether that was the second of two taps.
    mutating func end(at microseconds: Int64) -> Bool {
        guard let open else { return false }
        self.open = nil
        let lasted = microseconds.subtractingReportingOverflow(open.start)
        guard !lasted.overflow, 0...Self.tap ~= lasted.partialValue else { return false }
        if open.isSecond { return true }
        first = (microseconds, open.place)
        return false
    }

    /// Something else was done.
    mutating func reset() { (open, first) = (nil, nil) }
}
