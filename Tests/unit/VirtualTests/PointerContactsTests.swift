// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@testable import Virtual

@Suite("Contacts of a virtual panel's client")
struct PointerContactsTests {
    private func sample(
        _ contact: UInt32, _ phase: PointerSample.Phase, _ kind: PointerSample.Kind = .touch, x: UInt16 = 0,
        pressure: UInt16? = nil
    ) -> PointerSample {
        PointerSample(microseconds: 0, contact: contact, kind: kind, phase: phase, x: x, y: 0, pressure: pressure)
    }

    @Test("devices can draw, are of a browser, and measure pressure, except a mouse")
    func devices() {
        for kind in PointerSample.Kind.allCases {
            #expect(kind.device.kind == .multitouch(slots: PointerContacts.limit))
            #expect(kind.device.bus == 6)
            #expect((kind.device.pressureAxis != nil) == (kind != .mouse))
        }
        let names = PointerSample.Kind.allCases.map(\.device.name)
        #expect(names == ["browser mouse", "browser touch", "browser pen"])
    }

    @Test("have slots of their own, and end where they were")
    func slots() throws {
        var contacts = PointerContacts()
        let first = try #require(try contacts.update(with: sample(900, .down, x: 5), at: 1))
        let second = try #require(try contacts.update(with: sample(5, .down), at: 2))
        #expect(first.frame.contacts.map(\.slot) == [0] && second.frame.contacts.map(\.slot) == [1])
        #expect(first.frame.contacts[0].phase == .began && first.frame.time == 1)
        #expect(first.frame.contacts[0].trackingID != second.frame.contacts[0].trackingID)
        let end = try #require(try contacts.update(with: sample(900, .up, x: 700), at: 3))
        #expect(end.frame.contacts[0].phase == .ended && end.frame.contacts[0].reading.x == 5)
        let third = try #require(try contacts.update(with: sample(900, .down), at: 4))
        #expect(third.frame.contacts[0].slot == 0)
        #expect(third.frame.contacts[0].trackingID != first.frame.contacts[0].trackingID)
        let cancelled = try #require(try contacts.update(with: sample(5, .cancel), at: 5))
        #expect(cancelled.frame.contacts[0].phase == .cancelled)
    }

    @Test("belong to the device of their kind, and measure pressure always or never")
    func pressure() throws {
        var contacts = PointerContacts()
        let pen = try #require(try contacts.update(with: sample(1, .down, .pen, pressure: 9), at: 1))
        #expect(pen.kind == .pen && pen.frame.contacts[0].reading.pressure == 9 && pen.frame.isPenInRange)
        let finger = try #require(try contacts.update(with: sample(2, .down), at: 2))
        #expect(finger.kind == .touch && finger.frame.contacts[0].reading.pressure == nil)
        #expect(!finger.frame.isPenInRange && finger.frame.contacts[0].tool == .finger)
        #expect(throws: VirtualFault.pressureOfSome(1)) { try contacts.update(with: sample(1, .move, .pen), at: 3) }
        #expect(throws: VirtualFault.pressureOfSome(2)) {
            try contacts.update(with: sample(2, .move, pressure: 1), at: 3)
        }
        // Browsers state a pressure of 0 when a pen lifts.
        let up = try #require(try contacts.update(with: sample(1, .up, .pen), at: 4))
        #expect(up.frame.contacts[0].reading.pressure == 9 && !up.frame.isPenInRange)
    }

    @Test("from before the connection draw nothing, and too many or doubled ones are a fault")
    func faults() throws {
        var contacts = PointerContacts()
        for phase in [PointerSample.Phase.move, .up, .cancel] {
            let nothing = try contacts.update(with: sample(1, phase), at: 0)
            #expect(nothing == nil)
        }
        for number in 0..<UInt32(PointerContacts.limit) { _ = try contacts.update(with: sample(number, .down), at: 0) }
        #expect(throws: VirtualFault.tooManyContacts) { try contacts.update(with: sample(99, .down), at: 0) }
        #expect(throws: VirtualFault.contactIsDown(3)) { try contacts.update(with: sample(3, .down), at: 0) }
    }

    @Test("have times of this machine's clock, in order, with the client's intervals")
    func clock() {
        var clock = PointerClock()
        // The client's clock is 1000 behind. The acknowledgement took 5, the samples 20 and 3.
        clock.learn(100, arrival: 1105)
        for time in [200, 208, 216] as [Int64] { clock.learn(time, arrival: 1236) }
        #expect([200, 208, 216].map { clock.time(of: $0) } == [1205, 1213, 1221])
        clock.learn(224, arrival: 1227)
        #expect(clock.time(of: 224) == 1227)
        // A clock that is set back.
        clock.learn(0, arrival: 1300)
        #expect(clock.time(of: 0) == 1227)
        clock.learn(PointerSample.latest, arrival: 1400)
        #expect(clock.time(of: PointerSample.latest) == 1400)
    }

    @Test("have times after their page was shown, though the client's clock stood still")
    func clockThatStoodStill() {
        for lag in [3, 60, 3600, 86_400] {
            var clock = PointerClock()
            clock.learn(1_000_000, arrival: 1_000_500, answering: 1_000_000)
            // The computer sleeps. Then the page of a capture is shown, and signed at once.
            let shown = Timestamp(microseconds: 2_000_000) + .seconds(lag)
            clock.learn(2_000_400, arrival: shown + .microseconds(600), answering: shown)
            clock.learn(2_000_900, arrival: shown + .microseconds(1100))
            let first = clock.time(of: 2_000_900)
            #expect(first >= shown && first <= shown + .microseconds(1100), "\(lag)")
            // Its intervals are the client's.
            clock.learn(2_008_900, arrival: shown + .microseconds(9500))
            #expect(clock.time(of: 2_008_900) - first == .microseconds(8000))
        }
        // Without a new page in between.
        var clock = PointerClock()
        clock.learn(1_000_000, arrival: 1_000_500, answering: 1_000_000)
        clock.learn(1_100_000, arrival: 61_100_500)
        #expect(clock.time(of: 1_100_000) == 61_100_500)
    }

    @Test("have times within a frame's way of the right ones, though the client's clock runs slow or fast for days")
    func clockThatRunsWrong() {
        for partsPerMillion in [-300, -20, 20, 300] as [Int64] {
            var clock = PointerClock()
            func theirs(_ ours: Int64) -> Int64 { ours + ours / 1_000_000 * partsPerMillion }
            for minute in 0..<3 * 24 * 60 {
                let now = Int64(minute) * 60_000_000
                clock.learn(
                    theirs(now + 10_000), arrival: Timestamp(microseconds: now + 20_000),
                    answering: Timestamp(microseconds: now))
                let drawn = now + 50_000
                clock.learn(theirs(drawn), arrival: Timestamp(microseconds: drawn + 15_000))
                let time = clock.time(of: theirs(drawn)).microseconds
                #expect(time > now && abs(time - drawn) <= 40_000, "\(partsPerMillion), minute \(minute)")
                if abs(time - drawn) > 40_000 { break }
            }
        }
    }

    @Test("keep their intervals when the network stands still for a second")
    func stall() {
        var clock = PointerClock()
        clock.learn(0, arrival: 1_000_000, answering: 999_000)
        for time in stride(from: Int64(10_000), through: 1_500_000, by: 10_000) {
            clock.learn(time, arrival: 2_500_500)
            #expect(clock.time(of: time) == Timestamp(microseconds: 1_000_000 + time))
        }
    }

    @Test("send no more samples than can be drawn")
    func budget() throws {
        var budget = SampleBudget(now: 0)
        try budget.spend(8192, now: 0)
        #expect(throws: VirtualFault.tooManySamples) { try budget.spend(1, now: 249) }
        try budget.spend(4, now: 1000)
        for second in 1...20 { try budget.spend(4000, now: 1000 + .seconds(second)) }
        #expect(throws: VirtualFault.tooManySamples) { try budget.spend(8193, now: .distantFuture) }
    }
}
