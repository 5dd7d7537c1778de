// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import PadFixtures
import Raster
import Record
import Testing
import Touch

@testable import Pad

@Suite("A pad that starts, or has no touch device")
struct PadFaultTests {
    private static let messages = MessageTable(.english)
    private static let starting = RenderAction.show(messages.page(.starting))
    private static let outOfOrder = RenderAction.show(messages.faultPage(.outOfOrderLine))
    private static let idle = RenderAction.show(.words("idle"))

    private static func sketchPad(isStarting: Bool) throws -> PadDriver {
        let tools = try #require(SketchTools(colors: [.black]))
        return PadDriver(sketch: SketchSettings(tools: tools, clearsOnDoubleTap: false), isStarting: isStarting)
    }

    @Test("the page says that the pad starts until devices and store are known, in either order")
    func starting() {
        let events: [PadEvent] = [.devices(["touch"], [PadDriver.device]), .stored(.storeChanged(fault: nil))]
        for order in [events, events.reversed()] {
            var pad = PadDriver(isStarting: true)
            #expect(pad.rendered == [Self.starting] && pad.pad.page == .starting)
            #expect(pad.pad.deadline == pad.now + .seconds(3))
            pad.handle(order[0])
            #expect(pad.rendered == [Self.starting] && pad.pad.status.page == .starting)
            pad.handle(order[1])
            #expect(pad.rendered == [Self.starting, Self.idle] && pad.pad.page == .idle && pad.pad.deadline == nil)
        }
    }

    @Test("a pad starts for three seconds at most, whatever it knows then")
    func startEnds() {
        var pad = PadDriver(isStarting: true)
        pad.rest()
        #expect(pad.rendered == [Self.starting, Self.outOfOrder] && pad.pad.deadline == nil)
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(pad.rendered.last == Self.idle)
        pad = PadDriver(isStarting: true)
        pad.handle(.devices(["touch"], [PadDriver.device]))
        pad.now += .microseconds(2_999_999)
        pad.handle(.time)
        #expect(pad.rendered == [Self.starting])
        pad.now += .microseconds(1)
        pad.handle(.time)
        #expect(pad.rendered == [Self.starting, Self.idle])
        // A late answer of the store still counts.
        pad.handle(.stored(.storeChanged(fault: "no such folder")))
        #expect(pad.rendered.last == .show(Self.messages.faultPage(.notRecording)))
    }

    @Test("a pad that starts does not flash a page that it has to take back")
    func startsWithFault() {
        var pad = PadDriver(isStarting: true)
        pad.handle(.devices([], []))
        pad.handle(.stored(.storeChanged(fault: "no such folder")))
        #expect(pad.rendered == [Self.starting, Self.outOfOrder] && pad.pad.page == .fault)
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(pad.rendered.last == .show(Self.messages.faultPage(.notRecording)) && pad.pad.page == .fault)
    }

    @Test("a fault page has a sign, what is wrong and what to do")
    func content() {
        let page = Self.messages.faultPage(.outOfOrderLine)
        #expect(page.elements.first == .warningSign)
        #expect(page.texts() == ["Out of order", "Please ask the staff."])
        #expect(MessageTable(.arabic).faultPage(.notRecording).direction == .rightToLeft)
    }

    @Test("without a touch device the pad is out of order; with one again, it is idle")
    func noTouch() {
        var pad = PadDriver()
        pad.handle(.devices([], [PadDriver.device]))
        #expect(pad.rendered == [Self.idle, Self.outOfOrder] && pad.pad.status.page == .fault)
        // Once.
        pad.handle(.devices([], [PadDriver.device]))
        pad.handle(.time)
        #expect(pad.rendered.count == 2)
        // Also on another screen.
        pad.size = PixelSize(width: 640, height: 480)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.rendered.last == Self.outOfOrder)
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(pad.rendered.last == Self.idle && pad.pad.page == .idle)
    }

    @Test("a capture goes on without its touch device; the page is out of order after it")
    func duringCapture() throws {
        var pad = PadDriver()
        pad.capture()
        pad.sign()
        let count = pad.rendered.count
        pad.handle(.devices([], [PadDriver.device]))
        #expect(pad.rendered.count == count && pad.pad.page == .signing)
        pad.call(.accept(nil))
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        #expect(pad.rendered.last == .show(Self.messages.thanksPage()) && pad.pad.page == .thanks)
        pad.rest()
        #expect(pad.rendered.last == Self.outOfOrder && pad.pad.page == .fault)
    }

    @Test("a capture fails when its touch device has returned with another range, and the next one begins")
    func alteredDevice() throws {
        var pad = PadDriver()
        pad.handle(.touchAltered(reason: "x"))
        #expect(pad.pad.page == .idle)
        pad.capture()
        pad.sign()
        pad.handle(.touchAltered(reason: "the touch device has returned with another range"))
        #expect(pad.pad.page == .failed)
        pad.rest()
        #expect(pad.pad.page == .idle)
        pad.capture()
        #expect(pad.pad.page == .signing)
    }

    @Test("a call waits while the pad starts, until there is a touch device")
    func callWhileStarting() {
        var pad = PadDriver(isStarting: true)
        pad.capture(waits: true)
        #expect(pad.pad.status.waiting == 1 && pad.rendered == [Self.starting])
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(pad.pad.page == .signing && pad.pad.status.waiting == 0)
    }

    @Test("a sketch takes no ink while the pad starts, and keeps its ink without a touch device")
    func sketch() throws {
        var pad = try Self.sketchPad(isStarting: true)
        let page = try #require(pad.pad.sketch)
        let area = page.placed.inkField
        func inkCount(_ pad: PadDriver) -> Int { pad.rendered.count { if case .ink = $0 { true } else { false } } }
        func scribble(_ pad: inout PadDriver) {
            pad.touch(.began, Double(area.minX + 50), Double(area.minY + 50))
            pad.touch(.moved, Double(area.minX + 90), Double(area.minY + 90))
        }
        pad.handle(.devices(["touch"], [PadDriver.device]))
        scribble(&pad)
        #expect(inkCount(pad) == 0 && pad.rendered == [Self.starting])
        pad.handle(.stored(.sketch([], of: page.page, fault: nil)))
        #expect(pad.pad.page == .starting)
        pad.handle(.stored(.storeChanged(fault: nil)))
        #expect(pad.pad.page == .sketch && pad.pad.sketch?.isOpen == true)
        pad.touch(.ended, Double(area.minX + 90), Double(area.minY + 90))
        scribble(&pad)
        #expect(inkCount(pad) > 0)
        // The stroke that is being drawn ends before the other page comes.
        pad.rendered = []
        pad.handle(.devices([], [PadDriver.device]))
        let end = pad.rendered.firstIndex { if case .ink(.end, _) = $0 { true } else { false } }
        let show = try #require(pad.rendered.firstIndex(of: Self.outOfOrder))
        #expect(try #require(end) < show && pad.pad.page == .fault)
        pad.rendered = []
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(pad.rendered.first == .show(page.placed.page) && pad.pad.sketch?.canUndo == true)
        let isCleared = pad.rendered.contains { $0 == .wipe || $0 == .clear }
        #expect(!isCleared)
    }

    @Test("a stored sketch that comes while another page is shown is drawn when its page comes")
    func restored() throws {
        var pad = try Self.sketchPad(isStarting: true)
        let page = try #require(pad.pad.sketch?.page)
        pad.handle(.devices([], []))
        pad.handle(.stored(.storeChanged(fault: nil)))
        pad.handle(.stored(.sketch([.clear], of: page, fault: nil)))
        #expect(pad.pad.page == .fault && !pad.rendered.contains(.restore(.clear)))
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(pad.pad.page == .sketch && pad.rendered.contains(.restore(.clear)) && pad.pad.sketch?.isOpen == true)
    }
}
