// SPDX-License-Identifier: Apache-2.0

/// Predicts the times of vblanks from the times of flips: when a frame that is being drawn will be visible. A value
/// without a clock.
public struct VblankClock: Equatable, Sendable {
    /// The time from one vblank to the next, above 0; nil for a display without vblanks.
    public let intervalNanoseconds: Int64?
    /// How long predictions from a flip are valid. The clocks of panels are off by tens of ppm and a mode's figures are
    /// rounded, so the phase is unknown afterwards.
    static let validityNanoseconds: Int64 = 1_000_000_000
    /// The least time for drawing and presenting a frame. A frame begun later than this before a vblank will be visible
    /// at the one after.
    static let leadNanoseconds: Int64 = 1_000_000

    private var lastFlipNanoseconds: Int64?

    public init(intervalNanoseconds: Int64?) { self.intervalNanoseconds = intervalNanoseconds }

    /// Records the time of a flip, ``FlipCompletion/nanoseconds``.
    public mutating func noteFlip(at nanoseconds: Int64) { lastFlipNanoseconds = nanoseconds }

    /// When a frame begun now will be visible.
    /// - Parameters:
    ///   - now: nanoseconds on the clock of the flips.
    ///   - flipIsOutstanding: another frame will be shown at the next vblank.
    /// - Returns: nil if there are no vblanks or the last flip was too long ago.
    public func timeOfFrame(begunAt now: Int64, flipIsOutstanding: Bool) -> Int64? {
        guard let interval = intervalNanoseconds, interval > 0, let last = lastFlipNanoseconds else { return nil }
        let (since, isOverflow) = now.subtractingReportingOverflow(last)
        // The event may have the time at which the scan-out will begin, a little in the future.
        let earliest = -2 * min(interval, Self.validityNanoseconds)
        guard !isOverflow, since > earliest, since < Self.validityNanoseconds else { return nil }
        let intervals = (since + Self.leadNanoseconds) / interval + 1
        return last + (max(intervals, 1) + (flipIsOutstanding ? 1 : 0)) * interval
    }
}
