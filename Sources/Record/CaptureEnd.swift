// SPDX-License-Identifier: Apache-2.0

/// How a capture ended: the last line of its record. A record without one was interrupted.
public struct CaptureEnd: Codable, Equatable, Sendable {
    public enum Outcome: String, Codable, Sendable, CaseIterable {
        case accepted, cancelled, timedOut
    }

    public var outcome: Outcome
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var endedAt: Int64
    public var quality: CaptureQuality

    public init(outcome: Outcome, endedAt: Int64, quality: CaptureQuality) {
        self.outcome = outcome
        self.endedAt = endedAt
        self.quality = quality
    }
}
