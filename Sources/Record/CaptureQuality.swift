// SPDX-License-Identifier: Apache-2.0

/// How well a capture was captured.
public struct CaptureQuality: Codable, Equatable, Sendable {
    /// Milliseconds from a report to the screen: half, 95 and 99 of a hundred are no later.
    public struct Latency: Codable, Equatable, Sendable {
        public var p50, p95, p99: Double

        public init(p50: Double, p95: Double, p99: Double) {
            self.p50 = p50
            self.p95 = p95
            self.p99 = p99
        }
    }

    /// Reports per second while a contact was down, and the longest time between two of them in microseconds; nil
    /// without two samples in a stroke.
    public var reportRate: Double?
    public var longestGap: Int64?
    /// How often the kernel dropped reports (SYN_DROPPED).
    public var drops: Int
    /// Contacts that were not taken for ink: second fingers, palms, fingers while a pen was near, and those that noise
    /// filters dropped.
    public var ignoredContacts: Int
    /// Nil where nothing was shown.
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
