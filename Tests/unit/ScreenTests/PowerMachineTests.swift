// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Screen

@Suite("Power machine")
struct PowerMachineTests {
    private static let both = PowerTimeouts(dimAfter: .microseconds(100), offAfter: .microseconds(300))

    @Test("dims, then switches off, then has no deadline")
    func idle() {
        var power = PowerMachine(timeouts: Self.both, at: 1000)
        #expect(power.deadline == 1100)
        power.advance(to: 1099)
        #expect(power.level == .on)
        power.advance(to: 1100)
        #expect(power.level == .dimmed && power.deadline == 1300)
        power.advance(to: 1300)
        #expect(power.level == .off && power.deadline == nil)
    }

    @Test("without timeouts the screen stays on and there is no deadline")
    func never() {
        var power = PowerMachine(timeouts: PowerTimeouts(), at: 0)
        #expect(power.deadline == nil)
        power.advance(to: .distantFuture)
        #expect(power.level == .on)
    }

    @Test("a touch on a dimmed screen counts; on a dark one it only wakes the screen, until it lifts")
    func touches() {
        var power = PowerMachine(timeouts: Self.both, at: 0)
        power.advance(to: 100)
        let onDimmed = power.touch(1, isDown: true, at: 150)
        #expect(onDimmed && power.level == .on)
        #expect(power.deadline == 250)
        _ = power.touch(1, isDown: false, at: 200)
        #expect(power.deadline == 300)

        power.advance(to: 1000)
        #expect(power.level == .off)
        let waking = power.touch(2, isDown: true, at: 2000)
        #expect(!waking && power.level == .on)
        let second = power.touch(3, isDown: true, at: 2001)
        #expect(!second, "the rest of the hand")
        let going = [
            power.touch(2, isDown: true, at: 2002), power.touch(2, isDown: false, at: 2003),
            power.touch(3, isDown: false, at: 2004),
        ]
        #expect(going == [false, false, false], "nor its lift, because the pad does not know the contact")
        let next = power.touch(2, isDown: true, at: 2005)
        #expect(next)
    }

    @Test("a contact keeps the screen on while it moves; one that rests, or reports nothing, is no activity")
    func resting() {
        var power = PowerMachine(timeouts: Self.both, at: 0)
        for time in stride(from: 50, through: 900, by: 50).map({ Timestamp(microseconds: $0) }) {
            let counts = power.touch(1, isDown: true, at: time)
            #expect(counts)
            power.advance(to: time + .microseconds(49))
            #expect(power.level == .on)
        }
        for time in stride(from: 950, through: 2000, by: 50).map({ Timestamp(microseconds: $0) }) {
            _ = power.touch(1, isDown: true, isResting: true, at: time)
            power.advance(to: time)
            #expect(power.level == (time < 1000 ? .on : time < 1200 ? .dimmed : .off))
        }
        // Moving again, it counts as before, because it did not begin in the dark.
        let counts = power.touch(1, isDown: true, at: 2050)
        #expect(counts && power.level == .on)
        power.advance(to: 10_000)
        #expect(power.level == .off)
        _ = power.touch(1, isDown: false, at: 10_000)
        #expect(power.deadline == 10_100)
    }

    @Test("a contact that woke the screen and counts no more makes room for the next")
    func stuckWaker() {
        var power = PowerMachine(timeouts: Self.both, at: 0)
        power.advance(to: 1000)
        let counts = [
            power.touch(1, isDown: true, at: 1001), power.touch(2, isDown: true, at: 1002),
            power.touch(2, isDown: false, at: 1003), power.touch(1, isDown: false, at: 1004),
            power.touch(3, isDown: true, at: 1004),
        ]
        #expect(counts == [false, false, false, false, true])
    }

    @Test("a capture switches the screen on and keeps it on until it ends")
    func captures() {
        var power = PowerMachine(timeouts: Self.both, at: 0)
        power.advance(to: 500)
        power.setCapturing(true, at: 600)
        #expect(power.level == .on && power.deadline == nil)
        power.advance(to: 5000)
        power.setCapturing(true, at: 5001)
        #expect(power.level == .on)
        power.setCapturing(false, at: 6000)
        #expect(power.deadline == 6100)
    }

    @Test("a screen that is off is not dimmed")
    func order() {
        var power = PowerMachine(
            timeouts: PowerTimeouts(dimAfter: .microseconds(300), offAfter: .microseconds(300)), at: 0)
        #expect(power.deadline == 300)
        power.advance(to: 300)
        #expect(power.level == .off)
        var late = PowerMachine(timeouts: Self.both, at: 0)
        late.advance(to: 10_000)
        #expect(late.level == .off, "both at once after a long sleep of the system")
    }

    @Test("random events: dark only after the timeout without activity; a contact counts as a whole or not at all")
    func properties() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            let timeouts = PowerTimeouts(
                dimAfter: Bool.random(using: &random) ? .microseconds(Int.random(in: 1...50, using: &random)) : nil,
                offAfter: Bool.random(using: &random) ? .microseconds(Int.random(in: 1...80, using: &random)) : nil)
            var now = Timestamp.zero
            var power = PowerMachine(timeouts: timeouts, at: now)
            var lastActivity = now
            var down: [Int32: Bool] = [:]
            var isCapturing = false
            for _ in 0..<300 {
                now += .microseconds(Int.random(in: 0...40, using: &random))
                let before = power.level
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    let contact = Int32.random(in: 0..<3, using: &random)
                    let isDown = Bool.random(using: &random)
                    if !isDown, down[contact] == nil { continue }
                    let isResting = down[contact] != nil && Bool.random(using: &random)
                    let isHeard = power.touch(contact, isDown: isDown, isResting: isResting, at: now)
                    if let began = down[contact] {
                        #expect(isHeard == began, "half a contact")
                    } else {
                        let isWaking = before == .off || down.values.contains(false)
                        #expect(isHeard == !isWaking)
                    }
                    down[contact] = isDown ? isHeard : nil
                    if !isResting { lastActivity = now }
                case 2:
                    let next = Bool.random(using: &random)
                    power.setCapturing(next, at: now)
                    if next != isCapturing { lastActivity = now }
                    isCapturing = next
                case 3:
                    power.wake(at: now)
                    lastActivity = now
                default:
                    power.advance(to: now)
                    let idle = now - lastActivity
                    let isOff = !isCapturing && timeouts.offAfter.map { idle >= $0 } ?? false
                    let isDimmed = !isCapturing && timeouts.dimAfter.map { idle >= $0 } ?? false
                    #expect(power.level == (isOff ? .off : isDimmed ? .dimmed : .on))
                }
                if let deadline = power.deadline {
                    #expect(power.level != .off && !isCapturing)
                    #expect(deadline > lastActivity)
                }
                if lastActivity == now { #expect(power.level == .on) }
            }
        }
    }
}
