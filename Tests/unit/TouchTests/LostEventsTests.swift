// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@Suite("Lost events and the state at the start")
struct LostEventsTests {
    private func down() -> SlotTracker {
        var tracker = SlotTracker(.multitouch(slots: 3))!
        tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20))
        return tracker
    }

    private func state(_ id: Int32?, x: Int32, y: Int32, current: Int = 0) -> DeviceState {
        DeviceState(slots: [.init(trackingID: id, x: x, y: y), .init(), .init()], currentSlot: current)
    }

    @Test("a drop ends contacts at the last complete report and is counted")
    func endsAtLastGoodPoint() {
        var tracker = down()
        _ = tracker.update(with: Event.mtX(500))
        let frame = tracker.update(with: Event.dropped)
        #expect(frame?.isAfterDrop == true)
        #expect(frame.steps == [Step(0, 1, .ended)])
        #expect(frame.readings == [DeviceReading(x: 10, y: 20)])
        #expect(tracker.dropCount == 1)
    }

    @Test("events up to the next SYN_REPORT, including it, are discarded")
    func discards() {
        var tracker = down()
        _ = tracker.update(with: Event.dropped)
        #expect(tracker.report(Event.slot(1), Event.id(8), Event.mtX(1), Event.mtY(1)) == nil)
        #expect(tracker.report(Event.mtX(30)).steps == [Step(0, 1, .resumed)])
    }

    @Test("a drop without contacts is reported, too")
    func emptyDrop() {
        var tracker = SlotTracker(.multitouch(slots: 3))!
        let frame = tracker.update(with: Event.dropped)
        #expect(frame == TouchFrame(time: .zero, contacts: [], isAfterDrop: true))
    }

    @Test("a contact still down after the drop begins again where it is, even if it did not move")
    func stillDown() {
        for x: Int32 in [10, 400] {
            var tracker = down()
            _ = tracker.update(with: Event.dropped)
            let frame = tracker.resynchronise(to: state(1, x: x, y: 20), at: 5)
            #expect(frame.steps == [Step(0, 1, .resumed)])
            #expect(frame.readings == [DeviceReading(x: x, y: 20)])
            let moved = tracker.report(Event.mtX(401))
            #expect(moved.steps == [Step(0, 1, .moved)])
        }
    }

    @Test("a contact lifted and replaced during the drop is a new one")
    func replacedInGap() {
        var tracker = down()
        _ = tracker.update(with: Event.dropped)
        let frame = tracker.resynchronise(to: state(2, x: 11, y: 20), at: 5)
        #expect(frame.steps == [Step(0, 2, .began)])
    }

    @Test("a contact lifted during the drop does not return, and the slot adopts the device's values")
    func liftedInGap() {
        var tracker = down()
        _ = tracker.update(with: Event.dropped)
        #expect(tracker.resynchronise(to: state(nil, x: 70, y: 80, current: 0), at: 5) == nil)
        #expect(tracker.report(Event.id(9)).readings == [DeviceReading(x: 70, y: 80)])
    }

    @Test("the current slot is the device's after resynchronizing")
    func currentSlot() {
        var tracker = down()
        _ = tracker.update(with: Event.dropped)
        _ = tracker.resynchronise(to: state(nil, x: 0, y: 0, current: 2), at: 5)
        #expect(tracker.report(Event.id(9)).steps == [Step(2, 9, .began)])
    }

    @Test("contacts down at the start draw nothing until they lift, even across a drop")
    func downAtStart() {
        var tracker = SlotTracker(.multitouch(slots: 3))!
        #expect(tracker.resynchronise(to: state(4, x: 1, y: 2), at: 0, ignoringContactsDown: true) == nil)
        #expect(tracker.report(Event.mtX(5)) == nil)
        _ = tracker.update(with: Event.dropped)
        #expect(tracker.resynchronise(to: state(4, x: 6, y: 2), at: 0) == nil)
        #expect(tracker.report(Event.mtX(7)) == nil)
        #expect(tracker.report(Event.id(-1)) == nil)
        #expect(tracker.report(Event.id(5)).readings == [DeviceReading(x: 7, y: 2)])
    }

    @Test("a button down at the start draws nothing until it lifts")
    func singleDownAtStart() {
        var tracker = SlotTracker(.singleTouch)!
        let state = DeviceState(slots: [.init(x: 1, y: 2)], isTouching: true)
        #expect(tracker.resynchronise(to: state, at: 0, ignoringContactsDown: true) == nil)
        #expect(tracker.report(Event.x(5)) == nil)
        #expect(tracker.report(Event.touch(0)) == nil)
        #expect(tracker.report(Event.touch(1)).readings == [DeviceReading(x: 5, y: 2)])
    }

    @Test("without resynchronizing, a contact returns only with its next event")
    func withoutResync() {
        var lifted = down()
        _ = lifted.update(with: Event.dropped)
        lifted.report()
        #expect(lifted.report(Event.id(-1)) == nil)
        #expect(lifted.endAll(at: 0) == nil)
        var replaced = down()
        _ = replaced.update(with: Event.dropped)
        replaced.report()
        #expect(replaced.report(Event.id(2)).steps == [Step(0, 2, .began)])
    }

    @Test("a pen that hovers after a drop does not ink, though its lift was lost")
    func penAfterDrop() {
        var tracker = SlotTracker(DeviceDescription.pen().kind)!
        tracker.report(Event.pen(1), Event.touch(1), Event.x(1), Event.y(2))
        _ = tracker.update(with: Event.dropped)
        tracker.report()
        #expect(tracker.report(Event.x(5), Event.y(6)).steps == [])
        #expect(tracker.report(Event.pen(1), Event.x(6)).steps == [])
        let down = DeviceReading(x: 7, y: 6, tool: ToolIdentity(.pen))
        #expect(tracker.report(Event.touch(1), Event.x(7)).readings == [down])
    }
}
