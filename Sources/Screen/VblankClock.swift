// SPDX-License-Identifier: Apache-2.0

/// The beat of a screen, told by its flips: when a frame that is being made will be seen. A value without a clock.
public struct VblankClock: Equatable, Sendable {
    /// From one vblank to the next, above 0; nil for a display that has none.
    public let intervalNanoseconds: Int64?
    /// How long after a flip its beat is good: clocks of panels are a few ten millionths off, or the mode's figures are
    /// rounded, and after that the phase is anyone's guess.
    static let validityNanoseconds: Int64 = 1_000_000_000
    /// What drawing a frame and handing it over take at least: one that is nearer to a vblank is for the one after.
    static let leadNanoseconds: Int64 = 1_000_000

    private var lastFlipNanoseconds: Int64?

    public init(intervalNanoseconds: Int64?) { self.intervalNanoseconds = intervalNanoseconds }

    /// Takes the time of a flip, ``FlipCompletion/nanoseconds``.
    public mutating func noteFlip(at nanoseconds: Int64) { lastFlipNanoseconds = nanoseconds }

    /// When a frame will be seen that is begun now.
    /// - Parameters:
    ///   - now: nanoseconds on the scale of the flips.
    ///   - flipIsOutstanding: another frame takes the next vblank.
    /// - Returns: nil when there is no beat or it was heard too long ago.
    public func timeOfFrame(begunAt now: Int64, flipIsOutstanding: Bool) -> Int64? {
        guard let interval = intervalNanoseconds, interval > 0, let last = lastFlipNanoseconds else { return nil }
        let (since, isOverflow) = now.subtractingReportingOverflow(last)
        // The event may carry the time at which the scan-out begins, a little ahead of us.
        let earliest = -2 * min(interval, Self.validityNanoseconds)
        guard !isOverflow, since > earliest, since < Self.validityNanoseconds else { return nil }
        let beats = (since + Self.leadNanoseconds) / interval + 1
        return last + (max(beats, 1) + (flipIsOutstanding ? 1 : 0)) * interval
    }
}
