// SPDX-License-Identifier: Apache-2.0

/// Predicts the times of vblanks from the times of flips: when a frame that is being drawn will be visible. A value
/// without a clock.
public struct VblankClock: Equatable, Sendable {
    /// The time from one vblank to the next, above 0; nil for a display without vblanks. At first that of the mode.
    /// Then it follows the flips, because boards round a mode's pixel clock to what their hardware can make.
    public private(set) var intervalNanoseconds: Int64?
    /// How long predictions from a flip are valid. The clocks of panels are off by tens of ppm and a mode's figures are
    /// rounded, so the phase is unknown afterwards.
    static let validityNanoseconds: Int64 = 1_000_000_000
    /// The least time for drawing and presenting a frame. A frame begun later than this before a vblank will be visible
    /// at the one after.
    static let leadNanoseconds: Int64 = 1_000_000
    /// Flips in a row at whole intervals that make the clock regular. Flips at random times, as of drivers without a
    /// vblank, are regular with a probability of 1 / 16 each (``tolerance(of:)``), so never by chance.
    static let regularCount = 8

    /// The interval of the mode.
    private let nominal: Int64?
    private var lastFlipNanoseconds: Int64?
    /// Flips in a row at whole intervals after the one before.
    private var regular = 0

    public init(intervalNanoseconds: Int64?) {
        self.intervalNanoseconds = intervalNanoseconds
        nominal = intervalNanoseconds
    }

    /// How far a flip may be from a whole interval: drivers that take the time in an interrupt are late by some hundred
    /// microseconds at times.
    static func tolerance(of interval: Int64) -> Int64 { interval / 32 }

    /// Whether flips come at vblanks, so that the times of coming vblanks are known.
    public var isRegular: Bool { regular >= Self.regularCount }

    /// The time of the last flip; nil before the first.
    public var lastFlip: Int64? { lastFlipNanoseconds }

    /// Records the time of a flip, ``FlipCompletion/nanoseconds``.
    public mutating func noteFlip(at nanoseconds: Int64) {
        defer { lastFlipNanoseconds = nanoseconds }
        guard let interval = intervalNanoseconds, let nominal, interval > 0, let last = lastFlipNanoseconds
        else { return }
        let (since, isOverflow) = nanoseconds.subtractingReportingOverflow(last)
        // After a pause the flip says nothing about the interval.
        guard !isOverflow, since < Self.validityNanoseconds else { return }
        let count = (since + interval / 2) / interval
        guard count > 0 else {
            regular = 0
            return
        }
        let error = since - count * interval
        if count <= 8, abs(error) <= interval / 16 {
            // A mean over some eight flips. The mode cannot be wrong by more than a sixteenth: nor may the interval.
            let followed = interval + error / count / 8
            intervalNanoseconds = min(max(followed, nominal - nominal / 16), nominal + nominal / 16)
        }
        regular = abs(error) <= Self.tolerance(of: interval) ? min(regular + 1, Self.regularCount) : 0
    }

    /// When a frame begun now will be visible.
    /// - Parameters:
    ///   - now: nanoseconds on the clock of the flips.
    ///   - flipIsOutstanding: another frame will be shown at the next vblank.
    /// - Returns: nil if there are no vblanks or the last flip was too long ago.
    public func timeOfFrame(begunAt now: Int64, flipIsOutstanding: Bool) -> Int64? {
        guard let next = nextVblank(after: now, lead: Self.leadNanoseconds), let interval = intervalNanoseconds else {
            return nil
        }
        return next + (flipIsOutstanding ? interval : 0)
    }

    /// The first vblank later than `lead` after `now`.
    /// - Returns: nil if there are no vblanks or the last flip was too long ago.
    func nextVblank(after now: Int64, lead: Int64) -> Int64? {
        guard let interval = intervalNanoseconds, interval > 0, let last = lastFlipNanoseconds else { return nil }
        let (since, isOverflow) = now.subtractingReportingOverflow(last)
        // The event may have the time at which the scan-out will begin, a little in the future.
        let earliest = -2 * min(interval, Self.validityNanoseconds)
        guard !isOverflow, since > earliest, since < Self.validityNanoseconds else { return nil }
        let intervals = (since + lead) / interval + 1
        return last + max(intervals, 1) * interval
    }
}
