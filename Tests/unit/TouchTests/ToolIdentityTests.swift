// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Touch

@Suite("What devices tell of tools")
struct ToolIdentityTests {
    private var tablet: SlotTracker { SlotTracker(DeviceDescription.pen())! }

    private func tools(_ frame: TouchFrame?) -> [ToolIdentity] { frame.readings.map(\.tool) }

    @Test(
        "each pen of a tablet draws, hovers and is named by its button",
        arguments: [
            (EventCode.toolPen, ToolIdentity.Kind.pen), (EventCode.toolBrush, .brush), (EventCode.toolPencil, .pencil),
            (EventCode.toolAirbrush, .airbrush),
        ])
    func buttons(button: UInt16, kind: ToolIdentity.Kind) {
        var tracker = tablet
        // Another pen was there before.
        tracker.report(Event.pen(1), Event.x(1), Event.y(1))
        tracker.report(Event.pen(0))
        let near = tracker.report(Event.key(button, 1), Event.x(1), Event.y(2))
        #expect(near?.isPenInRange == true && near?.hover == PenHover(x: 1, y: 2, tool: ToolIdentity(kind)))
        let down = tracker.report(Event.touch(1), Event.x(3))
        #expect(down.steps.map(\.phase) == [.began] && tools(down) == [ToolIdentity(kind)])
        let gone = tracker.report(Event.touch(0), Event.key(button, 0))
        #expect(tools(gone) == [ToolIdentity(kind)] && gone?.isPenInRange == false)
    }

    @Test("the number counts from the pen that it was sent for, on either side of its button")
    func serial() {
        var tracker = tablet
        let near = tracker.report(Event.serial(-2), Event.pen(1), Event.x(1), Event.y(2))
        #expect(near?.hover?.tool == ToolIdentity(.pen, serial: 0xFFFF_FFFE))
        #expect(tools(tracker.report(Event.touch(1))) == [ToolIdentity(.pen, serial: 0xFFFF_FFFE)])
        // Wacom's driver repeats the number after the button.
        tracker.report(Event.touch(0), Event.pen(0), Event.serial(-2))
        let other = tracker.report(Event.pen(1), Event.x(3))
        #expect(other?.hover?.tool == ToolIdentity(.pen))
        #expect(tracker.report(Event.serial(77), Event.x(4))?.hover?.tool == ToolIdentity(.pen, serial: 77))
        tracker.report(Event.pen(0))
        let third = tracker.report(Event.pen(1), Event.serial(78), Event.x(5))
        #expect(third?.hover?.tool == ToolIdentity(.pen, serial: 78))
        for unknown in [0, -1] as [Int32] {
            #expect(tracker.report(Event.serial(unknown), Event.x(unknown + 9))?.hover?.tool == ToolIdentity(.pen))
        }
    }

    @Test("a tap within one report has the tool and the number of that report")
    func tap() {
        var tracker = tablet
        let tap = tracker.report(
            Event.pen(1), Event.serial(5), Event.x(1), Event.y(2), Event.touch(1), Event.touch(0))
        #expect(tools(tap) == [ToolIdentity(.pen, serial: 5), ToolIdentity(.pen, serial: 5)])
    }

    @Test("nothing is said of a pen whose driver says nothing, and its number ends with its touch")
    func silent() {
        var tracker = tablet
        #expect(
            tools(tracker.report(Event.touch(1), Event.serial(5), Event.x(1), Event.y(2))) == [
                ToolIdentity(serial: 5)
            ])
        tracker.report(Event.touch(0))
        #expect(tools(tracker.report(Event.touch(1))) == [ToolIdentity()])
    }

    @Test("after lost events the kernel tells the tool again, but not the number")
    func lost() {
        var tracker = tablet
        tracker.report(Event.pen(1), Event.serial(5), Event.touch(1), Event.x(1), Event.y(2))
        _ = tracker.update(with: Event.dropped)
        let state = DeviceState(slots: [.init(x: 3, y: 4)], isTouching: true, otherPen: .airbrush)
        let frame = tracker.resynchronise(to: state, at: 3)
        #expect(frame.steps.map(\.phase) == [.resumed] && tools(frame) == [ToolIdentity(.airbrush)])
        #expect(frame?.isPenInRange == true)
        // A recording tells nothing after lost events.
        var replayed = tablet
        replayed.report(Event.pen(1), Event.serial(5), Event.touch(1), Event.x(1), Event.y(2))
        _ = replayed.update(with: Event.dropped)
        replayed.report(Event.touch(0))
        #expect(tools(replayed.report(Event.touch(1))) == [ToolIdentity(.pen)])
    }

    @Test("a multitouch device tells tools only by ABS_MT_TOOL_TYPE, where 0 is a finger")
    func multitouch() {
        var panel = DeviceDescription.multitouch()
        var silent = SlotTracker(panel)!
        #expect(tools(silent.report(Event.id(1), Event.mtX(1), Event.mtY(1))) == [ToolIdentity()])
        panel.axes[EventCode.mtToolType] = AxisInfo(minimum: 0, maximum: 2)
        var tracker = SlotTracker(panel)!
        #expect(tools(tracker.report(Event.id(1), Event.mtX(1), Event.mtY(1))) == [ToolIdentity(.finger)])
        // A number is not of a contact.
        let pen = tracker.report(Event.tool(EventCode.toolTypePen), Event.serial(9), Event.mtX(2))
        #expect(tools(pen) == [ToolIdentity(.pen)])
        // A dial.
        #expect(tools(tracker.report(Event.tool(10), Event.mtX(3))) == [ToolIdentity()])
    }
}
