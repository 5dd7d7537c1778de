// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// When to compose frames so that they show the newest reports and still reach their vblank. A value without a clock.
///
/// A frame composed at once waits for its vblank, and reports that come meanwhile wait for the vblank after. A frame
/// composed late has all of them. It is begun before the vblank by the margin: the time that recent frames needed
/// (``FrameNeeds``), and a reserve. On a busy machine threads wake late, so the margin grows; it shrinks again within a
/// second.
///
/// Frames are late only while flips come at regular times. Where a driver has no vblank, or if a frame needs most of an
/// interval, every frame is composed at once: it may then be drawn while another one waits.
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
    static let firstNeed = Duration.milliseconds(2)
    /// Flips until late frames are tried again after frames that needed too much: a second at 60 Hz.
    static let suspension = 60

    public private(set) var clock: VblankClock
    /// How long before the time of a flip the display takes the frame: it does so when the vertical blanking begins,
    /// and the time is that of the first pixel after it.
    private let latchLead: Duration
    private var needs: FrameNeeds
    private var reserve = leastReserve
    /// The frame that was presented late and is not shown yet.
    private var aimed: Aim?
    /// Flips until late frames are tried again.
    private var suspended = 0

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
        needs = FrameNeeds(interval: interval ?? .zero)
    }

    /// How long before its vblank a frame is begun.
    var margin: Duration { needs.best + reserve + latchLead }

    /// When to compose the frame that is needed from `now` on.
    /// - Parameter flipIsOutstanding: another frame waits for its vblank.
    public func timing(at now: Timestamp, flipIsOutstanding: Bool) -> Timing {
        guard clock.isRegular, suspended == 0, let interval = clock.interval, let last = clock.lastFlip
        else { return .atOnce }
        // The phase drifts since the last flip, by about a hundred ppm.
        let drift = max(.zero, now - last) / 8192
        let margin = margin + drift
        // A vblank that is nearer than the margin is probably still reached if it leaves what most frames need.
        let lead = min(margin, needs.usual + reserve + latchLead + drift)
        guard margin <= Self.longest(of: interval), let visible = clock.nextVblank(after: now, lead: lead)
        else { return .atOnce }
        return flipIsOutstanding ? .afterFlip : .late(Slot(begin: max(now, visible - margin), visible: visible))
    }

    /// The longest margin. A frame that needs more is drawn faster while another one waits.
    private static func longest(of interval: Duration) -> Duration { interval * 7 / 8 }

    /// The display has accepted the frame of a slot.
    public mutating func notePresented(_ slot: Slot, at now: Timestamp) {
        needs.add(now - slot.begin)
        aimed = Aim(visible: slot.visible, presented: now)
    }

    /// Records the time of a flip, ``FlipCompletion/time``.
    public mutating func noteFlip(at time: Timestamp) {
        clock.noteFlip(at: time)
        guard let interval = clock.interval else { return }
        defer { aimed = nil }
        if suspended > 0 {
            suspended -= 1
            // Nothing is measured meanwhile.
            if suspended == 0 { needs = FrameNeeds(interval: interval) }
        } else if margin > Self.longest(of: interval) {
            suspended = Self.suspension
        }
        guard let aim = aimed, time > aim.visible + interval / 2 else { return }
        // Presented with half of the reserve left, and the driver took longer: it may always. Otherwise the machine was
        // busy, and the needs have grown by it.
        if aim.presented <= aim.visible - reserve / 2 - latchLead, reserve < interval / 4 {
            reserve = min(reserve + reserve / 2, interval / 4)
        }
    }

    /// The time of a flip is unknown: a mode was set.
    public mutating func forgetFlip() { aimed = nil }
}

/// The times that recent frames needed from their planned beginning until they were presented: those of drawing, and
/// the lateness of the wake-ups of both threads.
struct FrameNeeds: Equatable, Sendable {
    /// The number of intervals that a missed vblank counts as. It costs one, but an uneven delay is seen: five late
    /// reports in a hundred are too many.
    private static let missedIntervals = 3.0
    /// The number of frames after which an old one counts less by a factor of e.
    private static let memory = 24.0
    /// The weight of ``FramePacer/firstNeed`` in frames, so that the first ones soon count more.
    private static let firstWeight = 2.0
    /// The share of frames that ``usual`` is enough for.
    private static let usualShare = 0.75
    /// The steps of an interval in which times are counted. Longer times count as an interval.
    private static let stepCount = 128

    private let interval: Duration
    /// The number of frames by the time that they needed, old ones less.
    private var weights = [Double](repeating: 0, count: stepCount + 1)
    /// The time that is best for the mean delay: a longer one makes all frames older, a shorter one lets more of them
    /// miss their vblank.
    private(set) var best = Duration.zero
    /// The time that most frames need at most.
    private(set) var usual = Duration.zero

    init(interval: Duration) {
        self.interval = interval
        weights[step(of: min(FramePacer.firstNeed, interval / 4))] = Self.firstWeight
        update()
    }

    mutating func add(_ need: Duration) {
        for step in weights.indices { weights[step] *= 1 - 1 / Self.memory }
        weights[step(of: need)] += 1
        update()
    }

    private func step(of need: Duration) -> Int {
        guard interval > .zero, need > .zero else { return 0 }
        let steps = need.seconds / interval.seconds * Double(Self.stepCount)
        return Int(min(steps.rounded(.up), Double(Self.stepCount)))
    }

    private mutating func update() {
        let sum = weights.reduce(0, +)
        var (reached, least, bestStep) = (0.0, Double.infinity, 0)
        var usualStep: Int?
        for (step, weight) in weights.enumerated() {
            reached += weight
            let delay = Double(step) / Double(Self.stepCount) + Self.missedIntervals * (1 - reached / sum)
            if delay < least { (least, bestStep) = (delay, step) }
            if usualStep == nil, reached >= Self.usualShare * sum { usualStep = step }
        }
        best = interval * bestStep / Self.stepCount
        usual = interval * (usualStep ?? Self.stepCount) / Self.stepCount
    }
}
