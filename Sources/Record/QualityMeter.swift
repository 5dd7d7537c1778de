// SPDX-License-Identifier: Apache-2.0

/// How well a capture was captured, as far as its strokes tell: the numbers of docs/record.md.
public struct QualityMeter: Equatable, Sendable {
    private var intervals = 0
    private var microseconds = 0.0
    private var longestGap: Int64?

    public init() {}

    /// Takes a stroke that goes into the record, also one that is taken back later.
    public mutating func add(_ stroke: CaptureStroke) {
        for (last, next) in zip(stroke.samples, stroke.samples.dropFirst()) {
            // Time that runs backwards has not passed; an extreme one is what the device said.
            let (difference, overflow) = next.microseconds.subtractingReportingOverflow(last.microseconds)
            let gap = overflow ? (next.microseconds > last.microseconds ? .max : 0) : max(0, difference)
            intervals += 1
            microseconds += Double(gap)
            longestGap = max(longestGap ?? 0, gap)
        }
    }

    /// - Parameters:
    ///   - drops: how often the kernel lost reports (SYN_DROPPED), of all devices.
    ///   - ignoredContacts: second fingers, palms, fingers while a pen was near.
    ///   - latency: nil where nothing was shown.
    public func quality(drops: Int = 0, ignoredContacts: Int, latency: CaptureQuality.Latency?) -> CaptureQuality {
        CaptureQuality(
            reportRate: microseconds > 0 ? Double(intervals) * 1e6 / microseconds : nil, longestGap: longestGap,
            drops: drops, ignoredContacts: ignoredContacts, latency: latency)
    }
}
