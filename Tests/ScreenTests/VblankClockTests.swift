// SPDX-License-Identifier: Apache-2.0
import Screen
import Testing

@Suite("Vblank clock")
struct VblankClockTests {
    private static let interval: Int64 = 16_666_666

    private func clock(flipAt nanoseconds: Int64 = 5_000_000_000) -> VblankClock {
        var clock = VblankClock(intervalNanoseconds: Self.interval)
        clock.noteFlip(at: nanoseconds)
        return clock
    }

    @Test("a frame is seen at the next vblank that leaves time to hand it over")
    func next() {
        let clock = clock()
        let cases: [(Int64, Int64)] = [(0, 1), (8_000_000, 1), (15_500_000, 1), (16_000_000, 2), (40_000_000, 3)]
        for (after, beats) in cases {
            let time = clock.timeOfFrame(begunAt: 5_000_000_000 + after, flipIsOutstanding: false)
            #expect(time == 5_000_000_000 + beats * Self.interval, "after \(after) ns")
        }
    }

    @Test("behind a queued frame it is seen one vblank later")
    func queued() {
        let time = clock().timeOfFrame(begunAt: 5_001_000_000, flipIsOutstanding: true)
        #expect(time == 5_000_000_000 + 2 * Self.interval)
    }

    @Test("without a beat, or long after one, nobody can say")
    func unknown() {
        #expect(clock().timeOfFrame(begunAt: 6_000_000_000, flipIsOutstanding: false) == nil)
        #expect(clock().timeOfFrame(begunAt: 4_900_000_000, flipIsOutstanding: false) == nil)
        #expect(clock(flipAt: .max).timeOfFrame(begunAt: .min, flipIsOutstanding: true) == nil)
        let silent = VblankClock(intervalNanoseconds: Self.interval)
        #expect(silent.timeOfFrame(begunAt: 1, flipIsOutstanding: false) == nil)
        var none = VblankClock(intervalNanoseconds: nil)
        none.noteFlip(at: 5)
        #expect(none.timeOfFrame(begunAt: 6, flipIsOutstanding: false) == nil)
    }
}
