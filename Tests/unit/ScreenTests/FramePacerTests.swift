// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Screen

@Suite("Frame pacer")
struct FramePacerTests {
    private static let interval: Int64 = 16_666_667
    private static let start: Int64 = 5_000_000_000

    /// A pacer that has seen regular flips; the last at `start`.
    private func pacer(_ interval: Int64 = interval, latchLead: Int64 = 0) -> FramePacer {
        var pacer = FramePacer(intervalNanoseconds: interval, latchLeadNanoseconds: latchLead)
        for flip in (0...10).reversed() { pacer.noteFlip(at: Self.start - Int64(flip) * interval) }
        return pacer
    }

    @Test("a frame is begun the margin before the next vblank that it can reach")
    func next() throws {
        let pacer = pacer(latchLead: 700_000)
        let margin = FramePacer.firstCost + FramePacer.leastReserve + 700_000
        #expect(pacer.marginNanoseconds == margin)
        for (after, beats) in [(0, 1), (5_000_000, 1), (13_000_000, 1), (14_000_000, 2), (40_000_000, 3)] {
            let timing = pacer.timing(at: Self.start + Int64(after), flipIsOutstanding: false)
            guard case .late(let slot) = timing else {
                Issue.record("after \(after) ns: \(timing)")
                continue
            }
            #expect(slot.visible == Self.start + Int64(beats) * Self.interval)
            let early = slot.visible - margin - slot.begin
            #expect(early >= 0 && early < 10_000, "the clock may drift by some microseconds")
            #expect(slot.begin > Self.start + Int64(after))
        }
    }

    @Test("a frame that took too long does not end late frames for ever, nor does a fast display")
    func recovers() {
        var pacer = pacer(latchLead: 700_000)
        var now = Self.start
        // A driver that takes frames early raises the reserve to its limit, and one slow frame the cost.
        for _ in 0..<40 {
            guard case .late(let slot) = pacer.timing(at: now, flipIsOutstanding: false) else { break }
            pacer.notePresented(slot, at: slot.begin)
            now = slot.visible + Self.interval
            pacer.noteFlip(at: now)
        }
        if case .late(let slot) = pacer.timing(at: now, flipIsOutstanding: false) {
            pacer.notePresented(slot, at: slot.begin + Self.interval)
        }
        var lateCount = 0
        for _ in 0..<5000 {
            now += Self.interval
            pacer.noteFlip(at: now)
            if pacer.timing(at: now, flipIsOutstanding: true) == .afterFlip { lateCount += 1 }
        }
        #expect(lateCount > 500)
        let fast = self.pacer(4_166_667)
        #expect(fast.timing(at: Self.start + 1, flipIsOutstanding: true) == .afterFlip)
    }

    @Test("while a flip is outstanding, a frame waits for it")
    func outstanding() {
        #expect(pacer().timing(at: Self.start + 1, flipIsOutstanding: true) == .afterFlip)
    }

    @Test("frames are composed at once before eight regular flips, long after the last, and without vblanks")
    func unknown() {
        var new = FramePacer(intervalNanoseconds: Self.interval)
        for flip in 0...8 {
            #expect(new.timing(at: Self.start + Int64(flip) * Self.interval, flipIsOutstanding: true) == .atOnce)
            new.noteFlip(at: Self.start + Int64(flip) * Self.interval)
        }
        #expect(new.timing(at: Self.start + 8 * Self.interval, flipIsOutstanding: true) == .afterFlip)
        #expect(pacer().timing(at: Self.start + 1_000_000_000, flipIsOutstanding: false) == .atOnce)
        #expect(pacer().timing(at: .max, flipIsOutstanding: false) == .atOnce)
        #expect(pacer().timing(at: .min, flipIsOutstanding: false) == .atOnce)
        var none = FramePacer(intervalNanoseconds: nil)
        for flip in 0...10 { none.noteFlip(at: Self.start + Int64(flip) * Self.interval) }
        #expect(none.timing(at: Self.start, flipIsOutstanding: false) == .atOnce)
    }

    @Test("a pause between strokes does not make the clock irregular; a flip between vblanks does")
    func regularity() {
        var pacer = pacer()
        let later = Self.start + 5_000_000_000 + 3_000_000
        pacer.noteFlip(at: later)
        #expect(pacer.timing(at: later, flipIsOutstanding: true) == .afterFlip)
        pacer.noteFlip(at: later + Self.interval * 3 / 2)
        #expect(pacer.timing(at: later + Self.interval * 3 / 2, flipIsOutstanding: true) == .atOnce)
    }

    @Test("the interval follows the flips, within a sixteenth of the mode's", arguments: [0.98, 1.0, 1.03])
    func follows(factor: Double) throws {
        let actual = Int64(Double(Self.interval) * factor)
        var clock = VblankClock(intervalNanoseconds: Self.interval)
        for flip in 0..<200 { clock.noteFlip(at: Self.start + Int64(flip) * actual) }
        let found = try #require(clock.intervalNanoseconds)
        #expect(abs(found - actual) < 20)
        for flip in 0..<1000 { clock.noteFlip(at: Self.start + Int64(flip) * (Self.interval + Self.interval / 17)) }
        #expect(try #require(clock.intervalNanoseconds) <= Self.interval + Self.interval / 16)
    }

    @Test(
        "reports at 200 Hz reach a screen of 60 Hz within 10 ms (median) and 17 ms (95 %)",
        arguments: 0..<10 as Range<UInt64>)
    func latency(seed: UInt64) {
        var panel = SimulatedPanel(seed: seed)
        panel.run(frames: 2000)
        #expect(panel.latency(0.5) <= 10_000_000)
        #expect(panel.latency(0.95) <= 17_000_000)
        #expect(panel.missed <= 1, "the first frames may miss one while the cost is unknown")
        #expect(panel.lateCount > 1900)
    }

    @Test("without late frames the same reports take 25 ms (median)")
    func latencyAtOnce() {
        var panel = SimulatedPanel(seed: 1)
        panel.isPaced = false
        panel.run(frames: 2000)
        #expect(panel.latency(0.5) > 20_000_000)
        #expect(panel.latency(0.95) > 28_000_000)
    }

    @Test(
        "a driver that takes frames early costs a few vblanks, and none after that",
        arguments: [1_000_000, 2_500_000, 4_000_000] as [Int64])
    func earlyDriver(latch: Int64) {
        var panel = SimulatedPanel(seed: 7)
        panel.latch = latch
        panel.run(frames: 3000)
        let before = panel.missed
        #expect(before <= 12)
        panel.run(frames: 3000)
        #expect(panel.missed == before)
        #expect(panel.lateCount > 2500)
    }

    @Test("on a machine that is often late by milliseconds, few frames miss their vblank")
    func busy() {
        var panel = SimulatedPanel(seed: 3)
        panel.busyShare = 0.1
        panel.run(frames: 5000)
        #expect(panel.missed < 100, "two per cent: late frames are suspended")
        // Every report is shown all the same.
        #expect(panel.latency(1) < 60_000_000)
    }

    @Test("composing that takes most of an interval is done at once")
    func slow() {
        var panel = SimulatedPanel(seed: 5)
        panel.cost = 9_000_000...11_000_000
        panel.run(frames: 2000)
        #expect(panel.lateCount < 200)
        #expect(panel.latency(1) < 60_000_000)
    }

    @Test("a driver without vblanks shows every frame at once")
    func noVblanks() {
        var panel = SimulatedPanel(seed: 2)
        panel.completesAtOnce = true
        panel.run(frames: 2000)
        #expect(panel.lateCount == 0)
        #expect(panel.latency(1) < 8_000_000)
    }
}

/// The render thread, the main thread and a display with two free buffers, in simulated time: nanoseconds.
private struct SimulatedPanel {
    private static let interval: Int64 = 16_666_667
    private static let reportInterval: Int64 = 5_003_000

    var isPaced = true
    /// From the beginning of a frame to its presentation.
    var cost: ClosedRange<Int64> = 150_000...350_000
    /// The share of frames that take up to 12 ms longer.
    var busyShare = 0.0
    /// How long before a vblank a frame must be presented.
    var latch: Int64 = 50_000
    /// Flips complete after 0.1 ms, as in a virtual machine.
    var completesAtOnce = false

    private var random: SeededGenerator
    private var pacer = FramePacer(intervalNanoseconds: interval)
    private var now: Int64 = 7_000_000_000
    private var nextReport: Int64 = 7_000_000_000
    /// Reports in the canvas, in the finished frame and in the queued frame.
    private var waiting: [Int64] = []
    private var ready: [Int64]?
    private var queued: (reports: [Int64], flip: Int64)?
    private var slot: FramePacer.Slot?
    private var latencies: [Int64] = []
    private var aim: Int64?
    private(set) var lateCount = 0
    private(set) var missed = 0
    private var frameCount = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    func latency(_ share: Double) -> Int64 {
        let sorted = latencies.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    mutating func run(frames: Int) {
        frameCount = 0
        while frameCount < frames { step() }
    }

    /// Goes on to the next event: a report, a flip, or the beginning of a slot.
    private mutating func step() {
        let next = min(nextReport, queued?.flip ?? .max, slot?.begin ?? .max)
        now = max(now, next)
        while now >= nextReport {
            waiting.append(nextReport)
            nextReport += Self.reportInterval
        }
        if let frame = queued, now >= frame.flip { complete(frame) }
        if !waiting.isEmpty, isDue() { compose() }
        if queued == nil, let ready {
            self.ready = nil
            present(ready, in: nil)
        }
    }

    private mutating func complete(_ frame: (reports: [Int64], flip: Int64)) {
        queued = nil
        latencies += frame.reports.map { frame.flip - $0 }
        if let aim, frame.flip > aim + Self.interval / 2 { missed += 1 }
        aim = nil
        frameCount += 1
        // The time that the driver reports has jitter.
        pacer.noteFlip(at: frame.flip + Int64.random(in: -50_000...50_000, using: &random))
    }

    private mutating func isDue() -> Bool {
        guard isPaced else { return true }
        if let slot { return now >= slot.begin }
        switch pacer.timing(at: now, flipIsOutstanding: queued != nil) {
        case .atOnce: return true
        case .afterFlip: return false
        case .late(let next):
            slot = next
            return now >= next.begin
        }
    }

    private mutating func compose() {
        now += Int64.random(in: cost, using: &random)
        if Double.random(in: 0..<1, using: &random) < busyShare {
            now += Int64.random(in: 0...12_000_000, using: &random)
        }
        let reports = (ready ?? []) + waiting
        waiting = []
        ready = nil
        if queued == nil {
            present(reports, in: slot)
        } else {
            ready = reports
        }
        slot = nil
    }

    private mutating func present(_ reports: [Int64], in slot: FramePacer.Slot?) {
        if let slot {
            pacer.notePresented(slot, at: now)
            aim = slot.visible
            lateCount += 1
        }
        let flip = completesAtOnce ? now + 100_000 : ((now + latch) / Self.interval + 1) * Self.interval
        queued = (reports, flip)
    }
}
