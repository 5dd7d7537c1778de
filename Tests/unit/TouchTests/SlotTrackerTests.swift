// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import Touch

@Suite("Slots to frames")
struct SlotTrackerTests {
    private var tracker: SlotTracker { SlotTracker(.multitouch(slots: 10))! }

    @Test("a contact begins, moves and ends, each with the kernel's time")
    func life() {
        var tracker = tracker
        let began = tracker.report(Event.id(7), Event.mtX(10), Event.mtY(20), Event.touch(1), Event.x(1), at: 1000)
        #expect(began?.time == 1000)
        #expect(began.steps == [Step(0, 7, .began)])
        #expect(began.readings == [DeviceReading(x: 10, y: 20)])
        let moved = tracker.report(Event.mtX(11), at: 2000)
        #expect(moved.steps == [Step(0, 7, .moved)])
        #expect(moved.readings == [DeviceReading(x: 11, y: 20)])
        let ended = tracker.report(Event.id(-1), Event.touch(0), at: 3000)
        #expect(ended?.time == 3000)
        #expect(ended.steps == [Step(0, 7, .ended)])
        #expect(ended.readings == [DeviceReading(x: 11, y: 20)])
    }

    @Test("a second touch at the same position, sent as a tracking id only, begins there")
    func samePlace() {
        var tracker = tracker
        tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20))
        tracker.report(Event.id(-1))
        let again = tracker.report(Event.id(2))
        #expect(again.steps == [Step(0, 2, .began)])
        #expect(again.readings == [DeviceReading(x: 10, y: 20)])
    }

    @Test("no contact begins before both of its coordinates were sent")
    func incomplete() {
        var tracker = tracker
        #expect(tracker.report(Event.id(1), Event.mtX(10)) == nil)
        #expect(tracker.report(Event.mtX(12)) == nil)
        #expect(tracker.report(Event.mtY(5)).readings == [DeviceReading(x: 12, y: 5)])
        var short = self.tracker
        #expect(short.report(Event.id(1), Event.mtX(10)) == nil)
        #expect(short.report(Event.id(-1)) == nil)
    }

    @Test("a frame has only the contacts that the report mentions, each slot with its own values")
    func twoContacts() {
        var tracker = tracker
        tracker.report(
            Event.slot(0), Event.id(1), Event.mtX(10), Event.mtY(20), Event.slot(9), Event.id(2), Event.mtX(30),
            Event.mtY(40))
        let moved = tracker.report(Event.mtX(31))
        #expect(moved.steps == [Step(9, 2, .moved)])
        #expect(moved.readings == [DeviceReading(x: 31, y: 40)])
        #expect(tracker.report(Event.slot(0), Event.id(-1)).readings == [DeviceReading(x: 10, y: 20)])
    }

    @Test("events for slots that the device does not have are ignored", arguments: [Int32(10), -1, .max, .min])
    func outOfRange(slot: Int32) {
        var tracker = tracker
        tracker.report(Event.slot(9), Event.id(1), Event.mtX(10), Event.mtY(20))
        #expect(tracker.report(Event.slot(slot), Event.id(5), Event.mtX(99), Event.mtY(99)) == nil)
        #expect(tracker.report(Event.mtX(98), Event.id(-1)) == nil)
        #expect(tracker.report(Event.slot(9), Event.mtY(21)).readings == [DeviceReading(x: 10, y: 21)])
    }

    @Test("a tracking id replaced without a lift ends the old contact and begins the new, in that order")
    func replaced() {
        var tracker = tracker
        tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20))
        let frame = tracker.report(Event.id(2), Event.mtX(300))
        #expect(frame.steps == [Step(0, 1, .ended), Step(0, 2, .began)])
        #expect(frame.readings == [DeviceReading(x: 10, y: 20), DeviceReading(x: 300, y: 20)])
    }

    @Test("a lift and a new touch in one report are two contacts")
    func liftAndTouch() {
        var tracker = tracker
        tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20))
        #expect(
            tracker.report(Event.id(-1), Event.id(2), Event.mtX(11)).steps == [Step(0, 1, .ended), Step(0, 2, .began)])
    }

    @Test("a contact that comes and goes within one report is a tap")
    func tapInOneReport() {
        var tracker = tracker
        let frame = tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20), Event.id(-1))
        #expect(frame.steps == [Step(0, 1, .began), Step(0, 1, .ended)])
    }

    @Test("a contact ends at its last touching position, whatever coordinates come with the lift")
    func liftWithCoordinates() {
        var tracker = tracker
        tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20))
        let frame = tracker.report(Event.mtX(0), Event.mtY(0), Event.id(-1))
        #expect(frame.readings == [DeviceReading(x: 10, y: 20)])
    }

    @Test("the same tracking id again, positions without a contact and empty reports begin nothing")
    func harmless() {
        var tracker = tracker
        #expect(tracker.report() == nil)
        #expect(tracker.report(Event.mtX(1), Event.mtY(2)) == nil)
        #expect(tracker.report(Event.id(-1)) == nil)
        tracker.report(Event.id(1))
        #expect(tracker.report(Event.id(1)).steps == [Step(0, 1, .moved)])
        #expect(tracker.report() == nil)
    }

    @Test("fingers that do not measure pressure draw after a pen that does, in its slot, too")
    func fingersBesidePen() {
        var device = DeviceDescription.multitouch()
        device.axes[EventCode.mtPressure] = AxisInfo(minimum: 0, maximum: 255)
        device.axes[EventCode.mtToolType] = AxisInfo(minimum: 0, maximum: 2)
        var tracker = SlotTracker(device)!
        tracker.report(Event.id(1), Event.tool(1), Event.mtX(1), Event.mtY(1), Event.abs(EventCode.mtPressure, 90))
        // The pen lifts by its pressure, keeping its id.
        #expect(tracker.report(Event.abs(EventCode.mtPressure, 0)).steps == [Step(0, 1, .ended)])
        tracker.report(Event.id(-1))
        #expect(tracker.report(Event.id(2), Event.tool(0), Event.mtX(5), Event.mtY(5)).steps == [Step(0, 2, .began)])
        tracker.report(Event.id(-1))
        let finger = tracker.report(Event.id(3), Event.abs(EventCode.mtPressure, 0), Event.mtX(7), Event.mtY(7))
        #expect(finger.steps == [Step(0, 3, .began)])
        tracker.report(Event.id(-1))
        #expect(tracker.report(Event.id(4), Event.tool(1), Event.mtX(9), Event.mtY(9)).steps == [])
    }

    @Test(
        "a pen in a slot does not draw while the device's rubber is near, whatever else is", arguments: [true, false])
    func rubberInSlot(hasPen: Bool) {
        var tracker = SlotTracker(DeviceDescription.multitouch())!
        let tools = [Event.key(EventCode.toolRubber, 1)] + (hasPen ? [Event.pen(1)] : [])
        for event in tools { _ = tracker.update(with: event) }
        #expect(tracker.report(Event.id(1), Event.tool(1), Event.mtX(1), Event.mtY(1), Event.touch(1)).steps == [])
        #expect(tracker.report(Event.mtX(2)).steps == [])
        #expect(tracker.report(Event.id(-1), Event.touch(0), Event.key(EventCode.toolRubber, 0)).steps == [])
        #expect(tracker.report(Event.id(2), Event.mtX(3), Event.touch(1), Event.pen(1)).steps == [Step(0, 2, .began)])
        #expect(tracker.report(Event.key(EventCode.toolRubber, 1)).steps == [Step(0, 2, .ended)])
    }

    @Test("a contact that becomes a palm is cancelled, and stays a palm until it lifts")
    func palm() {
        var tracker = tracker
        tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20))
        let palm = tracker.report(Event.abs(EventCode.mtToolType, 2), Event.mtX(50))
        #expect(palm.steps == [Step(0, 1, .cancelled)])
        #expect(palm.readings == [DeviceReading(x: 10, y: 20)])
        #expect(tracker.report(Event.abs(EventCode.mtToolType, 0), Event.mtX(60)) == nil)
        #expect(tracker.report(Event.id(-1)) == nil)
        #expect(tracker.report(Event.id(2)).steps == [Step(0, 2, .began)])
    }

    @Test("a palm never begins, and an unchanged tool type applies to the next contact, too")
    func palmFromStart() {
        var tracker = tracker
        #expect(
            tracker.report(Event.id(1), Event.abs(EventCode.mtToolType, 2), Event.mtX(10), Event.mtY(20)).steps == [])
        tracker.report(Event.id(-1))
        #expect(tracker.report(Event.id(2)).steps == [])
        tracker.report(Event.id(-1))
        #expect(tracker.report(Event.id(3), Event.abs(EventCode.mtToolType, 0)).steps == [Step(0, 3, .began)])
    }

    @Test("a contact at a distance does not touch")
    func hover() {
        var tracker = tracker
        let distance = EventCode.mtDistance
        #expect(tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20), Event.abs(distance, 5)) == nil)
        #expect(tracker.report(Event.abs(distance, 0)).steps == [Step(0, 1, .began)])
        #expect(tracker.report(Event.abs(distance, 3), Event.mtX(99)).readings == [DeviceReading(x: 10, y: 20)])
        #expect(tracker.report(Event.mtX(100)) == nil)
        #expect(tracker.report(Event.id(-1)) == nil)
    }

    @Test("pressure belongs to the contact for which it was sent")
    func pressure() {
        var tracker = tracker
        let frame = tracker.report(
            Event.id(1), Event.mtX(1), Event.mtY(2), Event.abs(EventCode.mtPressure, 40), Event.slot(1), Event.id(2),
            Event.mtX(3), Event.mtY(4))
        #expect(frame.readings == [DeviceReading(x: 1, y: 2, pressure: 40), DeviceReading(x: 3, y: 4)])
        #expect(tracker.report(Event.slot(0), Event.abs(EventCode.mtPressure, 41)).steps == [Step(0, 1, .moved)])
    }

    @Test("the end of the device ends or cancels contacts once")
    func endAll() {
        for phase in [Contact.Phase.ended, .cancelled] {
            var tracker = tracker
            tracker.report(Event.id(1), Event.mtX(10), Event.mtY(20))
            let last = tracker.endAll(as: phase, at: 77)
            #expect(last?.time == 77)
            #expect(last.steps == [Step(0, 1, phase)])
            #expect(tracker.endAll(at: 78) == nil)
            #expect(tracker.report(Event.mtX(11)) == nil)
        }
    }

    @Test("an unusable device has no tracker")
    func unusable() {
        #expect(SlotTracker(.unusable(reason: "is a mouse")) == nil)
    }
}
