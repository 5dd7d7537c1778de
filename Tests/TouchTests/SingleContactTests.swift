// SPDX-License-Identifier: Apache-2.0
import Testing
import Touch

@Suite("Devices with one contact")
struct SingleContactTests {
    @Test("a resistive panel's touch is slot 0, whatever order the report has")
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
            let hover = PenHover(x: Int32(x), y: 2)
            #expect(frame == TouchFrame(microseconds: 0, contacts: [], isPenInRange: true, hover: hover))
        }
        #expect(tracker.report(Event.pen(0)) == TouchFrame(microseconds: 0, contacts: []))
        #expect(tracker.report(Event.x(4)) == nil)
    }

    @Test("a pen inks from tip down to tip up, with its pressure, and ends where the tip last was")
    func ink() {
        var tracker = pen
        tracker.report(Event.pen(1), Event.x(1), Event.y(2))
        let down = tracker.report(Event.touch(1), Event.pressure(100))
        #expect(down.readings == [DeviceReading(x: 1, y: 2, pressure: 100)])
        #expect(tracker.report(Event.pressure(200)).steps == [Step(0, 0, .moved)])
        let up = tracker.report(Event.touch(0), Event.pressure(0), Event.x(50))
        #expect(up.steps == [Step(0, 0, .ended)])
        #expect(up.readings == [DeviceReading(x: 1, y: 2, pressure: 200)])
    }

    @Test("a pen that goes out of reach has lifted, even if it forgets to say so")
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
            let hovering = TouchFrame(microseconds: 0, contacts: [], isPenInRange: true)
            #expect(
                tracker.report(Event.x(1), Event.y(2), Event.touch(1), Event.key(EventCode.toolRubber, 1)) == hovering)
            #expect(tracker.report(Event.x(5)) == hovering)
            let gone = TouchFrame(microseconds: 0, contacts: [])
            #expect(tracker.report(Event.touch(0), Event.key(EventCode.toolRubber, 0)) == gone)
        }
    }

    @Test("a pen whose driver lists BTN_TOOL_PEN and never sends it is believed")
    func silentDriver() {
        var tracker = pen
        #expect(tracker.report(Event.touch(1), Event.x(1), Event.y(2)).steps == [Step(0, 0, .began)])
        #expect(tracker.report(Event.touch(0)).steps == [Step(0, 0, .ended)])
    }
}
