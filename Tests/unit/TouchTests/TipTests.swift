// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Touch

private let rubber = EventCode.toolRubber

extension SlotTracker {
    /// Feeds the reports of a stream, each completed by a SYN_REPORT.
    fileprivate mutating func contacts(_ reports: [[InputEvent]]) -> [Contact] {
        reports.flatMap { events in (events + [Event.report]).flatMap { update(with: $0)?.contacts ?? [] } }
    }
}

@Suite("Which tool of a pen draws")
struct ToolPriorityTests {
    private var pen: SlotTracker { SlotTracker(DeviceDescription.pen())! }

    @Test(
        "the rubber does not draw, whatever else is near, in any order",
        arguments: [
            EventCode.toolPen, EventCode.toolBrush, EventCode.toolPencil, EventCode.toolAirbrush, EventCode.toolFinger,
            EventCode.toolMouse, EventCode.toolLens,
        ])
    func rubberWins(other: UInt16) {
        let down = [Event.touch(1), Event.x(1), Event.y(2), Event.pressure(300)]
        let tools = [Event.key(other, 1), Event.key(rubber, 1)]
        for first in [tools, tools.reversed()] {
            var tracker = pen
            #expect(tracker.contacts([first, down, [Event.x(3)], [Event.touch(0), Event.pressure(0)]]).isEmpty)
            // All in one report.
            tracker = pen
            for report in [first + down, down + first, [first[0]] + down + [first[1]]] {
                let lift = [Event.pressure(0), Event.touch(0), Event.key(rubber, 0), Event.key(other, 0)]
                #expect(tracker.contacts([report, [Event.x(4)], lift]).isEmpty)
            }
        }
    }

    @Test("a rubber that leaves in the report of its lift leaves no dot, whatever the order")
    func rubberLeaves() {
        let ends = [Event.key(rubber, 0), Event.touch(0), Event.pressure(0), Event.pen(0)]
        for shift in ends.indices {
            for knowsPen in [true, false] {
                var tracker = pen
                let down = [Event.key(rubber, 1), Event.touch(1), Event.x(1), Event.y(2), Event.pressure(9)]
                #expect(tracker.contacts([knowsPen ? [Event.pen(1)] + down : down]).isEmpty)
                #expect(tracker.contacts([Array(ends[shift...] + ends[..<shift])]).isEmpty)
            }
        }
    }

    @Test("the pen draws again when the rubber has gone, and both may change in one report")
    func penReturns() {
        for swap in [[Event.key(rubber, 0), Event.pen(1)], [Event.pen(1), Event.key(rubber, 0)]] {
            var tracker = pen
            tracker.report(Event.key(rubber, 1), Event.touch(1), Event.x(1), Event.y(2), Event.pressure(9))
            #expect(tracker.contacts([swap + [Event.x(3)]]).map(\.phase) == [.began])
            let back = [Event.key(rubber, 1), Event.pen(0), Event.x(5)]
            #expect(tracker.contacts([back]).map(\.phase) == [.ended])
        }
    }

    @Test("a mouse and a lens do not draw unless a pen is near")
    func pucks() {
        for puck in [EventCode.toolMouse, EventCode.toolLens] {
            var tracker = pen
            let down = [Event.touch(1), Event.x(1), Event.y(2)]
            #expect(tracker.contacts([[Event.key(puck, 1)] + down, [Event.x(2)], [Event.touch(0)]]).isEmpty)
            // Its button is stuck.
            #expect(tracker.contacts([[Event.pen(1)], down]).map(\.phase) == [.began])
        }
    }

    @Test("on a screen a finger draws with the pen's axes, as a finger; on a tablet not once the pen is known")
    func fingers() {
        let finger = [Event.key(EventCode.toolFinger, 1), Event.touch(1), Event.x(1), Event.y(2)]
        var screen = pen
        screen.report(Event.pen(1))
        screen.report(Event.pen(0))
        let drawn = screen.contacts([finger])
        #expect(drawn.map(\.tool) == [.finger] && drawn.map(\.reading.tool) == [ToolIdentity(.finger)])
        #expect(screen.report(Event.x(2))?.isPenInRange == false)
        var tablet = SlotTracker(DeviceDescription.pen(isDirect: false))!
        tablet.report(Event.pen(1))
        tablet.report(Event.pen(0))
        #expect(tablet.contacts([finger]).isEmpty)
    }

    @Test("after lost events, and at the start, the rubber wins, too")
    func state() {
        var tracker = pen
        let both = DeviceState(
            slots: [.init(x: 1, y: 2, pressure: 9)], isTouching: true, isPenNear: true, isRubberNear: true)
        #expect(tracker.resynchronise(to: both, at: 0)?.contacts.isEmpty == true)
        #expect(tracker.contacts([[Event.x(3)]]).isEmpty)
    }
}

@Suite("Whether a tip touches, by BTN_TOUCH and pressure")
struct TipPressureTests {
    /// A pen and a resistive panel.
    private static let devices = [DeviceDescription.pen(), .directPressure()]

    private func near(_ device: DeviceDescription) -> [InputEvent] {
        device.kind == .singleTouch ? [] : [Event.pen(1)]
    }

    /// Positions and pressures of strokes.
    private func strokes(_ random: inout SeededGenerator, least: Int32) -> [[(x: Int32, y: Int32, pressure: Int32)]] {
        (0..<6).map { _ in
            (0..<Int.random(in: 1...9, using: &random)).map { _ in
                (
                    .random(in: 0...700, using: &random), .random(in: 0...400, using: &random),
                    .random(in: least...255, using: &random)
                )
            }
        }
    }

    @Test(
        "strokes are the same if BTN_TOUCH stays set, or is never sent, or bounces at high pressure",
        arguments: Breadth.seeds(8, long: 40))
    func sameStrokes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let device = Self.devices[Int(seed % 2)]
        // From 5 % of the range of 1023.
        let strokes = strokes(&random, least: 60)
        enum Bit: CaseIterable { case right, stuck, never, bouncing }
        var results: [[Step]] = []
        for bit in Bit.allCases {
            var tracker = SlotTracker(device)!
            var contacts = tracker.contacts([near(device) + [Event.x(1), Event.y(1), Event.pressure(0)]])
            for stroke in strokes {
                for (index, point) in stroke.enumerated() {
                    var events = [Event.x(point.x), Event.y(point.y), Event.pressure(point.pressure)]
                    if index == 0, bit != .never { events.append(Event.touch(1)) }
                    if bit == .bouncing, contacts.contains(where: { $0.phase == .ended }) {
                        events.append(Event.touch(index % 2 == 0 ? 1 : 0))
                    }
                    contacts += tracker.contacts([events])
                }
                let lift = bit == .right || bit == .bouncing ? [Event.touch(0)] : []
                contacts += tracker.contacts([lift + [Event.pressure(0)], [Event.x(5), Event.y(6)]])
            }
            results.append(contacts.map { Step($0.slot, 0, $0.phase) })
        }
        #expect(results[0].count { $0.phase == .began } == strokes.count)
        #expect(results[1] == results[0] && results[2] == results[0], "seed \(seed)")
        // An odd bounce ends and begins a contact while the pressure is not yet known to lift.
        #expect(results[3].count { $0.phase == .began } == strokes.count, "seed \(seed)")
    }

    @Test("a tool whose pressure is always at rest draws by BTN_TOUCH, also after another whose pressure works")
    func constantPressure() {
        for rest: Int32 in [0, -2048, 7] {
            var device = DeviceDescription.pen()
            device.axes[EventCode.absPressure] = AxisInfo(minimum: rest, maximum: rest + 4095)
            var tracker = SlotTracker(device)!
            let down = [Event.touch(1), Event.x(1), Event.y(2), Event.pressure(rest)]
            let lift = [Event.touch(0)]
            let drawn = [Contact.Phase.began, .moved, .ended]
            #expect(tracker.contacts([[Event.pen(1)], down, [Event.x(3)], lift]).map(\.phase) == drawn)
            // The airbrush measures, the pen still does not.
            let other = [Event.pen(0), Event.key(EventCode.toolAirbrush, 1), Event.pressure(rest + 500)]
            let light = [Event.pressure(rest), Event.x(9)]
            let steps = tracker.contacts([other + [Event.touch(1)], light]).map(\.phase)
            #expect(steps == [.began, .ended])
            let back = [Event.touch(0), Event.key(EventCode.toolAirbrush, 0), Event.pen(1)]
            #expect(tracker.contacts([back, down, [Event.x(3)], lift]).map(\.phase) == drawn)
        }
    }

    @Test("light pressures count with BTN_TOUCH, and without it only after the tip has come down firmly")
    func lightPressure() {
        var tracker = SlotTracker(DeviceDescription.pen())!
        let light = [Event.touch(1), Event.x(1), Event.y(2), Event.pressure(1)]
        #expect(tracker.contacts([[Event.pen(1)], light, [Event.x(2)]]).map(\.phase) == [.began, .moved])
        var silent = SlotTracker(DeviceDescription.pen())!
        let faint = [Event.pen(1), Event.x(1), Event.y(2), Event.pressure(51)]
        #expect(silent.contacts([faint]).isEmpty)
        #expect(silent.contacts([[Event.pressure(52)]]).map(\.phase) == [.began])
        #expect(silent.contacts([[Event.pressure(11)]]).map(\.phase) == [.moved])
        #expect(silent.contacts([[Event.pressure(10)]]).map(\.phase) == [.ended])
    }

    @Test("a pressure that does not return to rest lifts by BTN_TOUCH")
    func stalePressure() {
        var tracker = SlotTracker(DeviceDescription.pen())!
        let down = [Event.touch(1), Event.x(1), Event.y(2), Event.pressure(300)]
        let steps = tracker.contacts([[Event.pen(1)], down, [Event.touch(0)], [Event.x(3)], [Event.touch(1)]])
        #expect(steps.map(\.phase) == [.began, .ended, .began])
    }

    @Test("what a stuck BTN_TOUCH drew before the first pressure is taken back")
    func stuckFromStart() {
        for device in Self.devices {
            for sendsRest in [true, false] {
                var tracker = SlotTracker(device)!
                let rest = sendsRest ? [Event.pressure(0)] : []
                let hover = near(device) + [Event.touch(1), Event.x(1), Event.y(2)] + rest
                #expect(tracker.contacts([hover, [Event.x(50)]]).map(\.phase) == [.began, .moved])
                let down = tracker.contacts([[Event.x(60), Event.pressure(90)]])
                #expect(down.map(\.phase) == [.cancelled, .began] && down.last?.reading.x == 60)
                #expect(
                    tracker.contacts([[Event.x(61)], [Event.pressure(0)], [Event.x(70)]]).map(\.phase) == [
                        .moved, .ended,
                    ])
            }
        }
    }

    @Test("a tip that was stuck when the device was opened draws from its first pressure on")
    func stuckWhenOpened() {
        for device in Self.devices {
            var tracker = SlotTracker(device)!
            let state = DeviceState(slots: [.init(x: 1, y: 2, pressure: 0)], isTouching: true)
            #expect(tracker.resynchronise(to: state, at: 0, ignoringContactsDown: true)?.contacts.isEmpty ?? true)
            #expect(tracker.contacts([near(device) + [Event.x(5)]]).isEmpty)
            #expect(tracker.contacts([[Event.pressure(80)]]).map(\.phase) == [.began])
            // One that presses is ignored until it lifts.
            var pressed = SlotTracker(device)!
            let down = DeviceState(slots: [.init(x: 1, y: 2, pressure: 90)], isTouching: true)
            _ = pressed.resynchronise(to: down, at: 0, ignoringContactsDown: true)
            #expect(pressed.contacts([[Event.x(5), Event.pressure(100)], [Event.pressure(0)]]).isEmpty)
            #expect(pressed.contacts([[Event.pressure(99)]]).map(\.phase) == [.began])
        }
    }
}

@Suite("Slots whose contacts lift without losing their tracking id")
struct SilentLiftTests {
    private func tracker(pressure: AxisInfo? = nil) -> SlotTracker {
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtPressure] = pressure
        return SlotTracker(device)!
    }

    private func pressure(_ value: Int32) -> InputEvent { Event.abs(EventCode.mtPressure, value) }

    @Test("BTN_TOUCH 0 lifts all contacts; one that is mentioned again is a new one")
    func touch() {
        var tracker = tracker()
        let down = [Event.touch(1), Event.id(5), Event.mtX(1), Event.mtY(2)]
        let second = [Event.slot(1), Event.id(6), Event.mtX(9), Event.mtY(2)]
        #expect(tracker.contacts([down + second]).map(\.phase) == [.began, .began])
        #expect(tracker.contacts([[Event.touch(0)]]).map(\.slot) == [0, 1])
        let again = tracker.contacts([[Event.touch(1), Event.slot(0), Event.mtX(300)], [Event.mtX(301)]])
        #expect(again.map { Step($0.slot, $0.trackingID, $0.phase) } == [Step(0, 5, .began), Step(0, 5, .moved)])
        // The position of the lift is not of the contact.
        let lift = tracker.contacts([[Event.mtX(400), Event.touch(0)]])
        #expect(lift.map(\.phase) == [.ended] && lift[0].reading.x == 301)
        // The same place again: the kernel sends nothing but the button.
        let back = tracker.contacts([[Event.touch(1)]])
        #expect(back.map { Step($0.slot, $0.trackingID, $0.phase) } == [Step(0, 5, .began)])
    }

    @Test("BTN_TOUCH 0 with the end of the id is one lift")
    func both() {
        var tracker = tracker()
        let down = [Event.touch(1), Event.id(5), Event.mtX(1), Event.mtY(2)]
        for lift in [[Event.touch(0), Event.id(-1)], [Event.id(-1), Event.touch(0)]] {
            #expect(tracker.contacts([down, lift, []]).map(\.phase) == [.began, .ended])
        }
        #expect(tracker.contacts([down, [Event.touch(0)], [Event.id(-1)]]).map(\.phase) == [.began, .ended])
    }

    @Test("a pressure at rest lifts, once it has been above")
    func pressure() {
        var tracker = tracker(pressure: AxisInfo(minimum: 0, maximum: 255))
        let down = [Event.id(5), Event.mtX(1), Event.mtY(2)]
        #expect(tracker.contacts([down + [pressure(0)], [Event.mtX(2)]]).map(\.phase) == [.began, .moved])
        #expect(tracker.contacts([[pressure(30)], [pressure(0)], [Event.mtX(9)]]).map(\.phase) == [.moved, .ended])
        #expect(tracker.contacts([[pressure(20), Event.mtX(50)]]).map(\.phase) == [.began])
    }

    @Test("a tracking id that was left over when the device was opened does not keep the next touch from drawing")
    func opened() {
        var tracker = tracker()
        let stale = DeviceState(slots: [.init(trackingID: 5, x: 1, y: 2)], isTouching: false)
        #expect(tracker.resynchronise(to: stale, at: 0, ignoringContactsDown: true) == nil)
        #expect(tracker.contacts([[Event.touch(1), Event.mtX(3)]]).map(\.phase) == [.began])
        // A contact that is down is ignored until BTN_TOUCH lifts it.
        var touched = self.tracker()
        let down = DeviceState(slots: [.init(trackingID: 5, x: 1, y: 2)], isTouching: true)
        _ = touched.resynchronise(to: down, at: 0, ignoringContactsDown: true)
        #expect(touched.contacts([[Event.mtX(3)], [Event.touch(0)]]).isEmpty)
        #expect(touched.contacts([[Event.touch(1), Event.mtX(4)]]).map(\.phase) == [.began])
    }
}
