// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// When to compose frames so that they show the newest reports and still reach their vblank. A value without a clock.
///
/// A frame composed at once waits for its vblank, and reports that come meanwhile wait for the vblank after. A frame
/// composed late has all of them. It is begun before the vblank by the margin: the measured time from beginning to
/// presenting, and a reserve.
///
/// Frames are late only while flips come at regular times and in time. Where a driver has no vblank, while the machine
/// is too busy, or if composing takes half an interval, every frame is composed at once: it may then be drawn while
/// another one waits.
public struct FramePacer: Equatable, Sendable {
    /// A frame that is composed late. Times are on the clock of the flips.
    public struct Slot: Equatable, Sendable {
        /// When to compose.
        public let begin: Timestamp
        /// When the frame will be visible.
        public let visible: Timestamp
    }

    /// When to compose a frame.
    public enum Timing: Equatable, Sendable {
        case atOnce
        case late(Slot)
        /// Another frame waits for its vblank. Only after that can this one be presented.
        case afterFlip
    }

    /// The reserve at first: the timer of a quiet kernel is late by a sixth of it (timerslack, prctl(2)).
    static let leastReserve = Duration.microseconds(300)
    /// The time from beginning to presenting before it is measured.
    static let firstCost = Duration.milliseconds(2)
    /// A measured time falls by this share with each frame until another one is higher: by half in eleven frames.
    static let costDecay = 16
    /// Missed vblanks that suspend late frames. ``forgivingCount`` frames in time forgive one: a frame in fifty that
    /// misses is better than all of them being one interval older, a frame in ten is not.
    static let missLimit = 3
    static let forgivingCount = 24
    /// Flips until late frames are tried again; twice as many each time, up to the second number, until
    /// ``recoveryCount`` frames were in time: 4 s to a minute at 60 Hz.
    static let suspensions = 256...4096
    static let recoveryCount = 1024

    public private(set) var clock: VblankClock
    /// How long before the time of a flip the display takes the frame: it does so when the vertical blanking begins,
    /// and the time is that of the first pixel after it.
    private let latchLead: Duration
    private var cost: Duration
    private var reserve = leastReserve
    /// The frame that was presented late and is not shown yet.
    private var aimed: Aim?
    private var misses = 0
    private var inTime = 0
    /// Flips until late frames are tried again, and the number for the next suspension.
    private var suspended = 0
    private var nextSuspension = suspensions.lowerBound

    private struct Aim: Equatable, Sendable {
        let visible: Timestamp
        let presented: Timestamp
    }

    /// - Parameters:
    ///   - interval: from one vblank to the next; nil for a display without vblanks.
    ///   - latchLead: ``Display/latchLead``.
    public init(interval: Duration?, latchLead: Duration = .zero) {
        clock = VblankClock(interval: interval)
        self.latchLead = latchLead
        cost = interval.map { min(Self.firstCost, $0 / 4) } ?? Self.firstCost
    }

    /// How long before its vblank a frame is begun.
    var margin: Duration { cost + reserve + latchLead }

    /// When to compose the frame that is needed from `now` on.
    /// - Parameter flipIsOutstanding: another frame waits for its vblank.
    public func timing(at now: Timestamp, flipIsOutstanding: Bool) -> Timing {
        guard clock.isRegular, suspended == 0, let interval = clock.interval, let last = clock.lastFlip
        else { return .atOnce }
        // The phase drifts since the last flip, by about a hundred ppm.
        let margin = margin + max(.zero, now - last) / 8192
        guard margin <= interval / 2, let visible = clock.nextVblank(after: now, lead: margin) else { return .atOnce }
        return flipIsOutstanding ? .afterFlip : .late(Slot(begin: visible - margin, visible: visible))
    }

    /// The display has accepted the frame of a slot.
    public mutating func notePresented(_ slot: Slot, at now: Timestamp) {
        // A longer time is rare, and then the frame is late anyway; or it is usual, and late frames will be suspended.
        let longest = (clock.interval ?? .zero) / 4
        let measured = min(max(.zero, now - slot.begin), longest)
        cost = max(measured, cost - (cost - measured) / Self.costDecay)
        aimed = Aim(visible: slot.visible, presented: now)
    }

    /// Records the time of a flip, ``FlipCompletion/time``.
    public mutating func noteFlip(at time: Timestamp) {
        clock.noteFlip(at: time)
        if suspended > 0 { suspended -= 1 }
        guard let interval = clock.interval else { return }
        guard let aim = aimed else {
            // A cost that allows no late frame is not measured any more, so it falls until one is tried.
            if margin > interval / 2 { cost -= cost / Self.costDecay }
            return
        }
        aimed = nil
        guard time > aim.visible + interval / 2 else {
            inTime += 1
            if inTime % Self.forgivingCount == 0 { misses = max(0, misses - 1) }
            if inTime >= Self.recoveryCount { nextSuspension = Self.suspensions.lowerBound }
            return
        }
        inTime = 0
        if aim.presented <= aim.visible - reserve / 2 - latchLead, reserve < interval / 4 {
            // Presented with half of the reserve left, and the driver took longer: it may always.
            reserve = min(reserve + reserve / 2, interval / 4)
            return
        }
        // The machine was busy; the measured cost has grown by it.
        misses += 1
        if misses >= Self.missLimit {
            (misses, suspended) = (0, nextSuspension)
            nextSuspension = min(2 * nextSuspension, Self.suspensions.upperBound)
        }
    }

    /// The time of a flip is unknown: a mode was set.
    public mutating func forgetFlip() { aimed = nil }
}
