// SPDX-License-Identifier: Apache-2.0

/// How well the devices and the screen worked during a capture.
public struct CaptureQuality: Codable, Equatable, Sendable {
    /// Milliseconds from a report to the screen, as percentiles.
    public struct Latency: Codable, Equatable, Sendable {
        public var p50, p95, p99: Double

        public init(p50: Double, p95: Double, p99: Double) {
            self.p50 = p50
            self.p95 = p95
            self.p99 = p99
        }
    }

    /// Reports per second while a contact was down; nil if no stroke has two samples.
    public var reportRate: Double?
    /// The longest time between two reports of a stroke, in microseconds; nil if no stroke has two samples.
    public var longestGap: Int64?
    /// The number of times that the kernel dropped reports (SYN_DROPPED).
    public var drops: Int
    /// The number of contacts that drew no ink: second fingers, palms, fingers near a pen, and those that noise filters
    /// removed.
    public var ignoredContacts: Int
    /// nil if nothing was shown.
    public var latency: Latency?

    public init(
        reportRate: Double? = nil, longestGap: Int64? = nil, drops: Int = 0, ignoredContacts: Int = 0,
        latency: Latency? = nil
    ) {
        self.reportRate = reportRate
        self.longestGap = longestGap
        self.drops = drops
        self.ignoredContacts = ignoredContacts
        self.latency = latency
    }
}

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
