// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Quadratics from the middle between two samples to the middle between the next two; the sample between them is the
/// control point. The first starts at the first sample, and from the last middle a line leads to the last sample.
struct MidpointGrouping: CurveGrouping {
    private var last: Sample?
    /// The middle before `last`; nil before the second sample.
    private var middle: Sample?

    var isEmpty: Bool { last == nil }

    mutating func add(_ sample: Sample) -> TimedCurve? {
        defer { last = sample }
        guard let last else { return nil }
        let start = middle ?? last
        let end = Sample(
            microseconds: .interpolated(from: last.microseconds, to: sample.microseconds, 0.5),
            position: last.position.interpolated(to: sample.position, 0.5))
        middle = end
        return TimedCurve(
            controls: [start.position, last.position, end.position], from: start.microseconds, to: end.microseconds)
    }

    var rest: TimedCurve? {
        guard let middle, let last else { return nil }
        return TimedCurve(through: [middle, last])
    }
}
