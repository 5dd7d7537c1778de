// SPDX-License-Identifier: Apache-2.0
public import HostAPI

/// Measures the rate and the gaps of the strokes of a capture.
public struct QualityMeter: Equatable, Sendable {
    private var intervals = 0
    private var microseconds = 0.0
    private var longestGap: Int64?

    public init() {}

    /// Counts a stroke of the record, also one that is undone later.
    public mutating func add(_ stroke: CaptureStroke) {
        for (last, next) in zip(stroke.samples, stroke.samples.dropFirst()) {
            // A step back in time counts as 0.
            let (difference, overflow) = next.microseconds.subtractingReportingOverflow(last.microseconds)
            let gap = overflow ? (next.microseconds > last.microseconds ? .max : 0) : max(0, difference)
            intervals += 1
            microseconds += Double(gap)
            longestGap = max(longestGap ?? 0, gap)
        }
    }

    /// The quality of the strokes added, with the other members as given.
    public func quality(drops: Int = 0, ignoredContacts: Int, latency: CaptureQuality.Latency?) -> CaptureQuality {
        CaptureQuality(
            reportRate: microseconds > 0 ? Double(intervals) * 1e6 / microseconds : nil, longestGap: longestGap,
            drops: drops, ignoredContacts: ignoredContacts, latency: latency)
    }
}
