// SPDX-License-Identifier: Apache-2.0
@testable import Pad
import Geometry
import Raster
import Record
import Testing
import Touch


@Suite("What the sketch page says of itself")
struct SketchNoticeTests {
    private let layout: SketchLayout
    private var pad: PadDriver

    init() throws {
        let tools = try #require(SketchTools(colors: [.black, Color(red: 200, green: 0, blue: 0)]))
        layout = try #require(
            SketchLayout(size: PadDriver.size, density: .standard, direction: .leftToRight, tools: tools))
        pad = PadDriver(
            sketch: SketchSettings(tools: tools, clearsOnDoubleTap: false))
    }

    /// The last one that the render thread was told of; nil is none.
    private var notice: String? {
        for step in pad.rendered.reversed() {
            if case .notice(let text) = step { return text }
        }
        return nil
    }

    private mutating func press(_ button: PageButton) throws {
        let rect = try #require(layout.buttons.first { $0.button == button }).rect
        pad.touch(TouchEvent.down, Double(rect.minX + 5), Double(rect.minY + 5))
        pad.touch(TouchEvent.up, Double(rect.minX + 5), Double(rect.minY + 5))
    }

    private mutating func draw() {
        let area = layout.drawingArea
        pad.touch(TouchEvent.down, Double(area.minX + 50), Double(area.minY + 50))
        pad.touch(TouchEvent.motion, Double(area.minX + 90), Double(area.minY + 90))
        pad.touch(TouchEvent.up, Double(area.minX + 90), Double(area.minY + 90))
    }

    @Test("saving: that it goes on, until it is done, and then for three seconds that it is; however often one presses")
    mutating func saving() throws {
        #expect(notice == nil && pad.pad.deadline == nil)
        draw()
        try press(.save)
        try press(.save)
        #expect(notice == "Saving…" && pad.pad.deadline == nil)
        #expect(pad.stored.filter { $0 == .saveSketch }.count == 1)
        pad.handle(.stored(.sketchSaved(fault: nil)))
        #expect(notice == "Saved" && pad.pad.deadline == pad.now + 3_000_000)
        // Drawing goes on meanwhile.
        draw()
        #expect(notice == "Saved")
        pad.rest()
        #expect(notice == nil && pad.pad.deadline == nil)
        guard case .notice(nil) = pad.rendered.last else {
            Issue.record("\(pad.rendered.suffix(2))")
            return
        }
    }

    @Test("a fault of saving is said to people and hosts")
    mutating func fault() throws {
        draw()
        try press(.save)
        pad.handle(.stored(.sketchSaved(fault: "the disk is full")))
        #expect(notice == "The drawing could not be saved. Please ask the staff.")
        #expect(pad.pad.status.storeFault == "the disk is full")
        pad.rest()
        #expect(notice == nil && pad.pad.status.storeFault == "the disk is full")
    }

    @Test("that what is drawn cannot be kept is said once, and to hosts as long as it is so")
    mutating func notKept() {
        pad.handle(.stored(.sketchKept(fault: "no space")))
        #expect(notice?.hasPrefix("What you draw may be lost") == true)
        #expect(pad.pad.status.storeFault == "no space")
        pad.rest()
        #expect(notice == nil && pad.pad.status.storeFault == "no space")
        pad.handle(.stored(.sketchKept(fault: nil)))
        #expect(notice == nil && pad.pad.status.storeFault == nil)
        // What is over is not said any longer.
        pad.handle(.stored(.sketchKept(fault: "no space")))
        pad.handle(.stored(.sketchKept(fault: nil)))
        #expect(notice == nil && pad.pad.deadline == nil)
    }

    @Test("that nothing can be recorded stands there while nothing else does, as long as it is so")
    mutating func notRecording() throws {
        let message = "No signature can be stored at the moment. Please tell the staff."
        pad.handle(.stored(.storeChanged(fault: "the disk is full")))
        #expect(notice == message && pad.pad.deadline == nil)
        draw()
        try press(.save)
        #expect(notice == "Saving…")
        pad.handle(.stored(.sketchSaved(fault: nil)))
        #expect(notice == "Saved")
        pad.rest()
        #expect(notice == message)
        pad.handle(.stored(.storeChanged(fault: nil)))
        #expect(notice == nil)
    }

    @Test("a signature in between is not disturbed; what is still to be said is said after it")
    mutating func signature() throws {
        draw()
        try press(.save)
        let call = pad.capture()
        #expect(pad.pad.status.page == .signing)
        let before = pad.rendered.count
        pad.handle(.stored(.sketchSaved(fault: "no")))
        #expect(pad.rendered.count == before)
        pad.call(.cancel(nil))
        #expect(pad.last(call)?.isFinal == true)
        #expect(notice == "The drawing could not be saved. Please ask the staff.")
        // One whose time is over does not come back with the page.
        pad.capture()
        pad.now += 10_000_000
        pad.call(.cancel(nil))
        #expect(notice == nil)
    }

    @Test("a touch at the moment when signing times out does not draw on the sketch page")
    mutating func touchAtTimeout() throws {
        pad.capture()
        #expect(pad.pad.page == .signing)
        let strokes = pad.stored.count
        pad.now = try #require(pad.pad.deadline)
        draw()
        #expect(pad.pad.page == .sketch)
        let drawn = pad.rendered.contains { if case .ink = $0 { true } else { false } }
        #expect(!drawn && !pad.stored.dropFirst(strokes).contains { if case .sketch = $0 { true } else { false } })
        draw()
        #expect(pad.rendered.contains { if case .ink = $0 { true } else { false } })
    }

    @Test("a pad without a sketch page says none of this")
    func without() {
        var pad = PadDriver()
        pad.handle(.stored(.sketchKept(fault: "x")))
        #expect(pad.rendered.isEmpty && pad.pad.deadline == nil)
    }
}
