// SPDX-License-Identifier: Apache-2.0

/// Each four samples are the control points of one cubic, and the fourth is the first of the next one.
struct FourSampleGrouping: CurveGrouping {
    /// The end of the last cubic and what came after it.
    private var samples: [Sample] = []

    var isEmpty: Bool { samples.isEmpty }

    mutating func add(_ sample: Sample) -> TimedCurve? {
        samples.append(sample)
        guard samples.count == 4 else { return nil }
        defer { samples.removeFirst(3) }
        return TimedCurve(through: samples)
    }

    /// A line or a quadratic. Nil also right after a cubic, which has ended at the last sample.
    var rest: TimedCurve? { samples.count > 1 ? TimedCurve(through: samples) : nil }
}
