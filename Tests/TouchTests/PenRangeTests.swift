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
        #expect(hovering == TouchFrame(microseconds: 0, contacts: [], isPenInRange: true))
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
}
