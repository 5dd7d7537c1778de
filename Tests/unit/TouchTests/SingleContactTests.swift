// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing
import Touch

@Suite("Devices with one contact")
struct SingleContactTests {
    @Test("a resistive panel's touch is slot 0, whatever the order of the report")
    func order() {
        for events in [[Event.touch(1), Event.x(3), Event.y(4)], [Event.y(4), Event.x(3), Event.touch(1)]] {
            var tracker = SlotTracker(.singleTouch)!
            var frame: TouchFrame?
            for event in events + [Event.report] { frame = tracker.update(with: event) }
            #expect(frame.steps == [Step(0, 0, .began)])
            #expect(frame.readings == [DeviceReading(x: 3, y: 4)])
        }
    }

    @Test("each touch has its own tracking id; a lift and a touch in one report are two contacts")
    func ids() {
        var tracker = SlotTracker(.singleTouch)!
        tracker.report(Event.touch(1), Event.x(3), Event.y(4))
        #expect(tracker.report(Event.touch(0)).steps == [Step(0, 0, .ended)])
        #expect(tracker.report(Event.touch(1)).steps == [Step(0, 1, .began)])
        #expect(tracker.report(Event.touch(0), Event.touch(1)).steps == [Step(0, 1, .ended), Step(0, 2, .began)])
    }

    @Test("the slots of a protocol A panel do not add reports to its single contact")
    func protocolA() {
        var tracker = SlotTracker(.singleTouch)!
        tracker.report(Event.touch(1), Event.x(3), Event.y(4), Event.mtX(3), Event.mtY(4))
        #expect(tracker.report(Event.mtX(9), Event.mtY(9)) == nil)
        #expect(tracker.report(Event.x(5), Event.mtX(5)).readings == [DeviceReading(x: 5, y: 4)])
    }

    private var pen: SlotTracker { SlotTracker(DeviceDescription.pen().kind)! }

    @Test("a hovering pen never inks")
    func hover() {
        var tracker = pen
        for (x, report) in [(1, [Event.pen(1), Event.x(1), Event.y(2)]), (3, [Event.x(3), Event.pressure(0)])] {
            var frame: TouchFrame?
            for event in report + [Event.report] { frame = tracker.update(with: event) }
            let hover = PenHover(x: Int32(x), y: 2, tool: ToolIdentity(.pen))
            #expect(frame == TouchFrame(time: .zero, contacts: [], isPenInRange: true, hover: hover))
        }
        #expect(tracker.report(Event.pen(0)) == TouchFrame(time: .zero, contacts: []))
        #expect(tracker.report(Event.x(4)) == nil)
    }

    @Test("a pen inks from tip down to tip up, with its pressure, and ends at the tip's last position")
    func ink() {
        var tracker = pen
        tracker.report(Event.pen(1), Event.x(1), Event.y(2))
        let down = tracker.report(Event.touch(1), Event.pressure(100))
        #expect(down.readings == [DeviceReading(x: 1, y: 2, pressure: 100, tool: ToolIdentity(.pen))])
        #expect(tracker.report(Event.pressure(200)).steps == [Step(0, 0, .moved)])
        let up = tracker.report(Event.touch(0), Event.pressure(0), Event.x(50))
        #expect(up.steps == [Step(0, 0, .ended)])
        #expect(up.readings == [DeviceReading(x: 1, y: 2, pressure: 200, tool: ToolIdentity(.pen))])
    }

    @Test("a pen that leaves has lifted, even without BTN_TOUCH")
    func outOfReach() {
        var tracker = pen
        tracker.report(Event.pen(1), Event.touch(1), Event.x(1), Event.y(2))
        #expect(tracker.report(Event.pen(0)).steps == [Step(0, 0, .ended)])
        #expect(tracker.report(Event.x(9)) == nil)
    }

    @Test("the rubber end does not ink, though its button comes after BTN_TOUCH")
    func rubber() {
        for known in [true, false] {
            var tracker = pen
            if known {
                tracker.report(Event.pen(1), Event.x(1), Event.y(2))
                tracker.report(Event.pen(0))
            }
            let hovering = TouchFrame(time: .zero, contacts: [], isPenInRange: true)
            #expect(
                tracker.report(Event.x(1), Event.y(2), Event.touch(1), Event.key(EventCode.toolRubber, 1)) == hovering)
            #expect(tracker.report(Event.x(5)) == hovering)
            let gone = TouchFrame(time: .zero, contacts: [])
            #expect(tracker.report(Event.touch(0), Event.key(EventCode.toolRubber, 0)) == gone)
        }
    }

    @Test("a pen whose driver lists BTN_TOOL_PEN but never sends it inks")
    func silentDriver() {
        var tracker = pen
        #expect(tracker.report(Event.touch(1), Event.x(1), Event.y(2)).steps == [Step(0, 0, .began)])
        #expect(tracker.report(Event.touch(0)).steps == [Step(0, 0, .ended)])
    }
}

@Suite("Pens in range")
struct PenRangeTests {
    private let rubber = EventCode.toolRubber

    @Test("either end of a pen is in range from the event that says so until the event that it left")
    func ends() {
        for near in [Event.pen(1), Event.key(rubber, 1)] {
            var tracker = SlotTracker(.pen(isDirect: true))!
            #expect(tracker.report(Event.x(1), Event.y(1)) == nil)
            #expect(tracker.report(near)?.isPenInRange == true)
            #expect(tracker.report(Event.x(2))?.isPenInRange == true)
            var far = near
            far.value = 0
            #expect(tracker.report(far) == TouchFrame(time: .zero, contacts: []))
            #expect(tracker.report(Event.x(3)) == nil)
        }
    }

    @Test("if the driver never reports that a pen is near, its tip does; its contacts are a pen's")
    func silentDriver() {
        var tracker = SlotTracker(.pen(isDirect: true))!
        let down = tracker.report(Event.touch(1), Event.x(1), Event.y(1))
        #expect(down?.isPenInRange == true && down?.contacts.first?.tool == .pen)
        #expect(tracker.report(Event.touch(0))?.isPenInRange == false)
    }

    @Test("on a device for both, a pen's contact is in range even while it hovers")
    func both() {
        var tracker = SlotTracker(.multitouch(slots: 3))!
        let finger = tracker.report(Event.id(1), Event.mtX(1), Event.mtY(1))
        #expect(finger?.isPenInRange == false && finger?.contacts.first?.tool == .finger)
        let hovering = tracker.report(
            Event.slot(1), Event.id(2), Event.tool(1), Event.abs(EventCode.mtDistance, 3), Event.mtX(5), Event.mtY(5))
        let hover = PenHover(x: 5, y: 5, distance: 3, tool: ToolIdentity(.pen))
        #expect(hovering == TouchFrame(time: .zero, contacts: [], isPenInRange: true, hover: hover))
        let down = tracker.report(Event.abs(EventCode.mtDistance, 0))
        #expect(down?.contacts.map(\.tool) == [.pen] && down?.isPenInRange == true)
        #expect(tracker.report(Event.id(-1))?.isPenInRange == false)
        // Or its buttons report it, and its positions arrive on axes other than the slots'.
        #expect(tracker.report(Event.pen(1))?.isPenInRange == true)
        #expect(tracker.report(Event.pen(0))?.isPenInRange == false)
        #expect(tracker.report(Event.x(7)) == nil)
    }

    @Test("no pen is in range of a removed device, and after lost events the state says whether one is")
    func gone() {
        var tracker = SlotTracker(.pen(isDirect: true))!
        tracker.report(Event.pen(1))
        #expect(tracker.update(with: Event.dropped)?.isPenInRange == true)
        let far = DeviceState(slots: [.init()])
        #expect(tracker.resynchronise(to: far, at: 3) == TouchFrame(time: Timestamp(microseconds: 3), contacts: []))
        let near = DeviceState(slots: [.init()], isPenNear: true)
        #expect(tracker.resynchronise(to: near, at: 4)?.isPenInRange == true)
        #expect(tracker.endAll(at: 5) == TouchFrame(time: Timestamp(microseconds: 5), contacts: []))
        #expect(tracker.endAll(at: 6) == nil)
    }

    @Test("a hovering pen is reported with each of its positions, with measured values only")
    func hovers() {
        var tracker = SlotTracker(.pen(isDirect: true))!
        let pen = ToolIdentity(.pen)
        // Not reported as near.
        #expect(tracker.report(Event.x(1), Event.y(1))?.hover == nil)
        // Near, but with an old position.
        #expect(tracker.report(Event.pen(1))?.hover == nil)
        #expect(tracker.report(Event.x(2))?.hover == PenHover(x: 2, y: 1, tool: pen))
        let distance = Event.abs(EventCode.absDistance, 40)
        #expect(tracker.report(distance)?.hover == PenHover(x: 2, y: 1, distance: 40, tool: pen))
        #expect(tracker.report(Event.pressure(0), Event.y(3))?.hover == PenHover(x: 2, y: 3, distance: 40, tool: pen))
        // A touching pen is a contact, whatever its distance.
        let down = tracker.report(Event.touch(1), Event.x(4), Event.abs(EventCode.absDistance, 12))
        #expect(down?.hover == nil && down?.contacts.map(\.phase) == [.began])
        let moved = tracker.report(Event.x(5))
        #expect(moved?.hover == nil && moved?.contacts.map(\.phase) == [.moved])
        // The position in the report of the lift is in the air, before and after the button's event.
        let lifted = tracker.report(Event.x(6), Event.touch(0))
        #expect(lifted?.hover == PenHover(x: 6, y: 3, distance: 12, tool: pen))
        #expect(lifted?.contacts.map(\.phase) == [.ended])
        #expect(lifted?.contacts.first?.reading.x == 5)
        #expect(tracker.report(Event.x(7))?.hover == PenHover(x: 7, y: 3, distance: 12, tool: pen))
        #expect(tracker.report(Event.x(8), Event.pen(0))?.hover == nil)
        #expect(tracker.report(Event.x(9)) == nil)
    }

    @Test("the rubber, fingers and uncertain contacts are not reported as hovering")
    func noHover() {
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
        #expect(panel.report(Event.mtX(10))?.hover == PenHover(x: 10, y: 9, distance: 4, tool: ToolIdentity(.pen)))
    }
}
