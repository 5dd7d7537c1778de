// SPDX-License-Identifier: Apache-2.0

/// How a pen makes curves of samples. A curve starts where the one before ended.
protocol CurveGrouping {
    /// Whether no sample came yet.
    var isEmpty: Bool { get }

    /// Takes a sample; returns the curve that it completes, which is final.
    mutating func add(_ sample: Sample) -> TimedCurve?

    /// What is left over if the pen lifts now, ending exactly at the last sample; nil when nothing is.
    var rest: TimedCurve? { get }
}

extension CubicGrouping: CurveGrouping {}
