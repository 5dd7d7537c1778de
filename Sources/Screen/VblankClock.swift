// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Predicts the times of vblanks from the times of flips: when a frame that is being drawn will be visible. A value
/// without a clock.
public struct VblankClock: Equatable, Sendable {
    /// The time from one vblank to the next, above 0; nil for a display without vblanks. At first that of the mode.
    /// Then it follows the flips, because boards round a mode's pixel clock to what their hardware can make.
    public private(set) var interval: Duration?
    /// How long predictions from a flip are valid. The clocks of panels are off by tens of ppm and a mode's figures are
    /// rounded, so the phase is unknown afterwards.
    static let validity = Duration.seconds(1)
    /// The least time for drawing and presenting a frame. A frame begun later than this before a vblank will be visible
    /// at the one after.
    static let lead = Duration.milliseconds(1)
    /// Flips in a row at whole intervals that make the clock regular. Flips at random times, as of drivers without a
    /// vblank, are regular with a probability of 1 / 16 each (``tolerance(of:)``), so never by chance.
    static let regularCount = 8

    /// The interval of the mode.
    private let nominal: Duration?
    /// nil before the first.
    public private(set) var lastFlip: Timestamp?
    /// Flips in a row at whole intervals after the one before.
    private var regular = 0

    public init(interval: Duration?) {
        self.interval = interval
        nominal = interval
    }

    /// How far a flip may be from a whole interval: drivers that take the time in an interrupt are late by some hundred
    /// microseconds at times.
    static func tolerance(of interval: Duration) -> Duration { interval / 32 }

    /// Whether flips come at vblanks, so that the times of coming vblanks are known.
    public var isRegular: Bool { regular >= Self.regularCount }

    /// Records the time of a flip, ``FlipCompletion/time``.
    public mutating func noteFlip(at time: Timestamp) {
        defer { lastFlip = time }
        guard let interval, let nominal, interval > .zero, let lastFlip else { return }
        let since = time - lastFlip
        // After a pause the flip says nothing about the interval.
        guard since < Self.validity else { return }
        let count = Int((since / interval).rounded())
        guard count > 0 else {
            regular = 0
            return
        }
        let error = since - interval * count
        if count <= 8, error.magnitude <= interval / 16 {
            // A mean over some eight flips. The mode cannot be wrong by more than a sixteenth: nor may the interval.
            let followed = interval + error / count / 8
            self.interval = min(max(followed, nominal - nominal / 16), nominal + nominal / 16)
        }
        regular = error.magnitude <= Self.tolerance(of: interval) ? min(regular + 1, Self.regularCount) : 0
    }

    /// When a frame begun now will be visible.
    /// - Parameters:
    ///   - now: on the clock of the flips.
    ///   - flipIsOutstanding: another frame will be shown at the next vblank.
    /// - Returns: nil if there are no vblanks or the last flip was too long ago.
    public func timeOfFrame(begunAt now: Timestamp, flipIsOutstanding: Bool) -> Timestamp? {
        guard let interval, let next = nextVblank(after: now, lead: Self.lead) else { return nil }
        return flipIsOutstanding ? next + interval : next
    }

    /// The first vblank later than `lead` after `now`.
    /// - Returns: nil if there are no vblanks or the last flip was too long ago.
    func nextVblank(after now: Timestamp, lead: Duration) -> Timestamp? {
        guard let interval, interval > .zero, let lastFlip else { return nil }
        let since = now - lastFlip
        // The event may have the time at which the scan-out will begin, a little in the future.
        let earliest = min(interval, Self.validity) * -2
        guard since > earliest, since < Self.validity else { return nil }
        let intervals = Int(((since + lead) / interval).rounded(.down)) + 1
        return lastFlip + interval * max(intervals, 1)
    }
}
