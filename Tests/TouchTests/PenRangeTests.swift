// SPDX-License-Identifier: Apache-2.0
import Testing
import Touch

@Suite("Pens that are near")
struct PenRangeTests {
    private let rubber = EventCode.toolRubber

    @Test("either end of a pen is near from when it says so until it says that it left")
    func ends() {
        for near in [Event.pen(1), Event.key(rubber, 1)] {
            var tracker = SlotTracker(.pen(isDirect: true))!
            #expect(tracker.report(Event.x(1), Event.y(1)) == nil)
            #expect(tracker.report(near)?.isPenInRange == true)
            #expect(tracker.report(Event.x(2))?.isPenInRange == true)
            var far = near
            far.value = 0
            #expect(tracker.report(far) == TouchFrame(microseconds: 0, contacts: []))
            #expect(tracker.report(Event.x(3)) == nil)
        }
    }

    @Test("where the driver never says that it is near, its tip does; its contacts are a pen's")
    func silentDriver() {
        var tracker = SlotTracker(.pen(isDirect: true))!
        let down = tracker.report(Event.touch(1), Event.x(1), Event.y(1))
        #expect(down?.isPenInRange == true && down?.contacts.first?.tool == .pen)
        #expect(tracker.report(Event.touch(0))?.isPenInRange == false)
    }

    @Test("on a device for both a contact may be a pen's, which is near also while it hovers")
    func both() {
        var tracker = SlotTracker(.multitouch(slots: 3))!
        let finger = tracker.report(Event.id(1), Event.mtX(1), Event.mtY(1))
        #expect(finger?.isPenInRange == false && finger?.contacts.first?.tool == .finger)
        let hovering = tracker.report(
            Event.slot(1), Event.id(2), Event.tool(1), Event.abs(EventCode.mtDistance, 3), Event.mtX(5), Event.mtY(5))
        let hover = PenHover(x: 5, y: 5, distance: 3)
        #expect(hovering == TouchFrame(microseconds: 0, contacts: [], isPenInRange: true, hover: hover))
        let down = tracker.report(Event.abs(EventCode.mtDistance, 0))
        #expect(down?.contacts.map(\.tool) == [.pen] && down?.isPenInRange == true)
        #expect(tracker.report(Event.id(-1))?.isPenInRange == false)
        // Or its buttons tell, and its places come by axes that are not the slots'.
        #expect(tracker.report(Event.pen(1))?.isPenInRange == true)
        #expect(tracker.report(Event.pen(0))?.isPenInRange == false)
        #expect(tracker.report(Event.x(7)) == nil)
    }

    @Test("a device that is gone has no pen near it, and the state after lost events says whether there is one")
    func gone() {
        var tracker = SlotTracker(.pen(isDirect: true))!
        tracker.report(Event.pen(1))
        #expect(tracker.update(with: Event.dropped)?.isPenInRange == true)
        let far = DeviceState(slots: [.init()])
        #expect(tracker.resynchronise(to: far, at: 3) == TouchFrame(microseconds: 3, contacts: []))
        let near = DeviceState(slots: [.init()], isPenNear: true)
        #expect(tracker.resynchronise(to: near, at: 4)?.isPenInRange == true)
        #expect(tracker.endAll(at: 5) == TouchFrame(microseconds: 5, contacts: []))
        #expect(tracker.endAll(at: 6) == nil)
    }

    @Test("a pen that hovers is told of at each report of its place, and with it only what the device measures")
    func hovers() {
        var tracker = SlotTracker(.pen(isDirect: true))!
        // Not known to be near.
        #expect(tracker.report(Event.x(1), Event.y(1))?.hover == nil)
        // Near, but its place is that of long ago.
        #expect(tracker.report(Event.pen(1))?.hover == nil)
        #expect(tracker.report(Event.x(2))?.hover == PenHover(x: 2, y: 1))
        let distance = Event.abs(EventCode.absDistance, 40)
        #expect(tracker.report(distance)?.hover == PenHover(x: 2, y: 1, distance: 40))
        #expect(tracker.report(Event.pressure(0), Event.y(3))?.hover == PenHover(x: 2, y: 3, distance: 40))
        // Touching, it is a contact, whatever distance is told.
        let down = tracker.report(Event.touch(1), Event.x(4), Event.abs(EventCode.absDistance, 12))
        #expect(down?.hover == nil && down?.contacts.map(\.phase) == [.began])
        let moved = tracker.report(Event.x(5))
        #expect(moved?.hover == nil && moved?.contacts.map(\.phase) == [.moved])
        // The place in the report that lifts it is one in the air, before and after the button's event.
        let lifted = tracker.report(Event.x(6), Event.touch(0))
        #expect(lifted?.hover == PenHover(x: 6, y: 3, distance: 12) && lifted?.contacts.map(\.phase) == [.ended])
        #expect(lifted?.contacts.first?.reading.x == 5)
        #expect(tracker.report(Event.x(7))?.hover == PenHover(x: 7, y: 3, distance: 12))
        #expect(tracker.report(Event.x(8), Event.pen(0))?.hover == nil)
        #expect(tracker.report(Event.x(9)) == nil)
    }

    @Test("the rubber, fingers, and contacts that are lost hover for nobody")
    func hoversNot() {
        var tracker = SlotTracker(.pen(isDirect: true))!
        #expect(tracker.report(Event.key(rubber, 1), Event.x(1), Event.y(1))?.hover == nil)
        var panel = SlotTracker(.multitouch(slots: 2))!
        let far = Event.abs(EventCode.mtDistance, 3)
        #expect(panel.report(Event.id(1), far, Event.mtX(5), Event.mtY(5))?.hover == nil)
        #expect(panel.report(Event.slot(1), Event.id(2), Event.tool(1), far, Event.mtX(6), Event.mtY(6))?.hover != nil)
        _ = panel.update(with: Event.dropped)
        #expect(panel.report(Event.mtX(7))?.hover == nil)
        let state = DeviceState(
            slots: [.init(), .init(trackingID: 2, x: 8, y: 9, distance: 4, toolType: EventCode.toolTypePen)],
            currentSlot: 1)
        #expect(panel.resynchronise(to: state, at: 1)?.hover == nil)
        #expect(panel.report(Event.mtX(10))?.hover == PenHover(x: 10, y: 9, distance: 4))
    }
}
