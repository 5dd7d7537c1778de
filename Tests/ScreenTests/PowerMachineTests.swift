// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Screen

@Suite("The screen's light")
struct PowerMachineTests {
    private static let both = PowerPlan(dimAfter: 100, offAfter: 300)

    @Test("is dimmed and then switched off, and then nothing is waited for")
    func idle() {
        var power = PowerMachine(plan: Self.both, at: 1000)
        #expect(power.deadline == 1100)
        power.passTime(at: 1099)
        #expect(power.level == .on)
        power.passTime(at: 1100)
        #expect(power.level == .dimmed && power.deadline == 1300)
        power.passTime(at: 1300)
        #expect(power.level == .off && power.deadline == nil)
    }

    @Test("stays on without a plan, and no timer runs")
    func never() {
        var power = PowerMachine(plan: PowerPlan(), at: 0)
        #expect(power.deadline == nil)
        power.passTime(at: .max)
        #expect(power.level == .on)
    }

    @Test("a touch on a dimmed screen counts, one on a dark screen wakes only, until it lifts")
    func touches() {
        var power = PowerMachine(plan: Self.both, at: 0)
        power.passTime(at: 100)
        let onDimmed = power.touch(1, isDown: true, at: 150)
        #expect(onDimmed && power.level == .on)
        #expect(power.deadline == nil, "while somebody touches it")
        _ = power.touch(1, isDown: false, at: 200)
        #expect(power.deadline == 300)

        power.passTime(at: 1000)
        #expect(power.level == .off)
        let waking = power.touch(2, isDown: true, at: 2000)
        #expect(!waking && power.level == .on)
        let second = power.touch(3, isDown: true, at: 2001)
        #expect(!second, "the rest of the hand")
        let going = [
            power.touch(2, isDown: true, at: 2002), power.touch(2, isDown: false, at: 2003),
            power.touch(3, isDown: false, at: 2004),
        ]
        #expect(going == [false, false, false], "not the lift either: the pad has not heard of it")
        let next = power.touch(2, isDown: true, at: 2005)
        #expect(next)
    }

    @Test("a contact that was down before keeps the screen on, however long it stays")
    func resting() {
        var power = PowerMachine(plan: Self.both, at: 0)
        _ = power.touch(1, isDown: true, at: 50)
        power.passTime(at: 10_000)
        #expect(power.level == .on)
        _ = power.touch(1, isDown: false, at: 10_000)
        #expect(power.deadline == 10_100)
    }

    @Test("a host's capture lights the screen up, and keeps it on until it has ended")
    func captures() {
        var power = PowerMachine(plan: Self.both, at: 0)
        power.passTime(at: 500)
        power.follow(isCapturing: true, at: 600)
        #expect(power.level == .on && power.deadline == nil)
        power.passTime(at: 5000)
        power.follow(isCapturing: true, at: 5001)
        #expect(power.level == .on)
        power.follow(isCapturing: false, at: 6000)
        #expect(power.deadline == 6100)
    }

    @Test("dimming that would come after switching off does not come")
    func order() {
        var power = PowerMachine(plan: PowerPlan(dimAfter: 300, offAfter: 300), at: 0)
        #expect(power.deadline == 300)
        power.passTime(at: 300)
        #expect(power.level == .off)
        var late = PowerMachine(plan: Self.both, at: 0)
        late.passTime(at: 10_000)
        #expect(late.level == .off, "both at once, for a machine that was asleep")
    }

    @Test("whatever happens: dark only after the plan's time without a touch; a contact is heard of whole or not")
    func properties() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            let plan = PowerPlan(
                dimAfter: Bool.random(using: &random) ? .random(in: 1...50, using: &random) : nil,
                offAfter: Bool.random(using: &random) ? .random(in: 1...80, using: &random) : nil)
            var now: Int64 = 0
            var power = PowerMachine(plan: plan, at: now)
            var lastActivity = now
            var down: [Int32: Bool] = [:]
            var isCapturing = false
            for _ in 0..<300 {
                now += .random(in: 0...40, using: &random)
                let before = power.level
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    let contact = Int32.random(in: 0..<3, using: &random)
                    let isDown = Bool.random(using: &random)
                    if !isDown, down[contact] == nil { continue }
                    let isHeard = power.touch(contact, isDown: isDown, at: now)
                    if let began = down[contact] {
                        #expect(isHeard == began, "half a contact")
                    } else {
                        let isWaking = before == .off || down.values.contains(false)
                        #expect(isHeard == !isWaking)
                    }
                    down[contact] = isDown ? isHeard : nil
                    lastActivity = now
                case 2:
                    let next = Bool.random(using: &random)
                    power.follow(isCapturing: next, at: now)
                    if next != isCapturing { lastActivity = now }
                    isCapturing = next
                case 3:
                    power.wake(at: now)
                    lastActivity = now
                default:
                    power.passTime(at: now)
                    let idle = now - lastActivity
                    let isHeld = !down.isEmpty || isCapturing
                    let isOff = !isHeld && plan.offAfter.map { idle >= $0 } ?? false
                    let isDimmed = !isHeld && plan.dimAfter.map { idle >= $0 } ?? false
                    #expect(power.level == (isOff ? .off : isDimmed ? .dimmed : .on))
                }
                if let deadline = power.deadline {
                    #expect(power.level != .off && down.isEmpty && !isCapturing)
                    #expect(deadline > lastActivity)
                }
                if lastActivity == now { #expect(power.level == .on) }
            }
        }
    }
}
