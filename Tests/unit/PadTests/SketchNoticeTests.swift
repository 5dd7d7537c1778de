// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Raster
import Record
import Testing
import Touch

@testable import Pad

@Suite("Notices of the sketch page")
struct SketchNoticeTests {
    private let page: PlacedPage
    private var pad: PadDriver

    init() throws {
        let tools = try #require(SketchTools(colors: [.black, Color(red: 200, green: 0, blue: 0)]))
        pad = PadDriver(sketch: SketchSettings(tools: tools, clearsOnDoubleTap: false))
        page = try #require(pad.pad.sketch).placed
    }

    /// The latest banner sent to the render thread; nil without one.
    private var banner: Banner? {
        for step in pad.rendered.reversed() {
            if case .banner(let banner) = step { return banner }
        }
        return nil
    }

    private var notice: String? { banner?.text }

    private mutating func press(_ button: PageButton) throws {
        let rect = try #require(page.element(of: button)).rect
        pad.touch(.began, Double(rect.minX + 5), Double(rect.minY + 5))
        pad.touch(.ended, Double(rect.minX + 5), Double(rect.minY + 5))
    }

    private mutating func draw() {
        let area = page.inkField
        pad.touch(.began, Double(area.minX + 50), Double(area.minY + 50))
        pad.touch(.moved, Double(area.minX + 90), Double(area.minY + 90))
        pad.touch(.ended, Double(area.minX + 90), Double(area.minY + 90))
    }

    @Test("saving shows its progress, then its end for three seconds; further presses have no effect")
    mutating func saving() throws {
        #expect(pad.rendered.first == .show(page.page))
        #expect(notice == nil && pad.pad.deadline == nil)
        draw()
        try press(.save)
        try press(.save)
        #expect(banner == Banner("Saving…") && pad.pad.deadline == nil)
        #expect(pad.stored.filter { $0 == .saveSketch }.count == 1)
        pad.handle(.stored(.sketchSaved(fault: nil)))
        #expect(notice == "Saved" && pad.pad.deadline == pad.now + .seconds(3))
        // Drawing is possible meanwhile.
        draw()
        #expect(notice == "Saved")
        pad.rest()
        #expect(notice == nil && pad.pad.deadline == nil)
        #expect(pad.rendered.last == .banner(nil))
    }

    @Test("a failure to save is shown to people and in the status")
    mutating func fault() throws {
        draw()
        try press(.save)
        pad.handle(.stored(.sketchSaved(fault: "the disk is full")))
        #expect(banner == Banner("The drawing could not be saved. Please ask the staff.", isWarning: true))
        #expect(pad.pad.status.store.fault == "the disk is full")
        pad.rest()
        #expect(notice == nil && pad.pad.status.store.fault == "the disk is full")
    }

    @Test("a sketch that cannot be kept is shown once, and is in the status as long as that lasts")
    mutating func notKept() {
        pad.handle(.stored(.sketchKept(fault: "no space")))
        #expect(notice?.hasPrefix("What you draw may be lost") == true && banner?.isWarning == true)
        #expect(pad.pad.status.store.fault == "no space")
        pad.rest()
        #expect(notice == nil && pad.pad.status.store.fault == "no space")
        pad.handle(.stored(.sketchKept(fault: nil)))
        #expect(notice == nil && pad.pad.status.store.fault == nil)
        // The notice disappears when the fault ends.
        pad.handle(.stored(.sketchKept(fault: "no space")))
        pad.handle(.stored(.sketchKept(fault: nil)))
        #expect(notice == nil && pad.pad.deadline == nil)
    }

    @Test("the notice that captures cannot be recorded stays as long as that lasts, unless another one replaces it")
    mutating func notRecording() throws {
        let message = "Nothing can be stored at the moment. Please tell the staff."
        pad.handle(.stored(.storeChanged(fault: "the disk is full")))
        #expect(banner == Banner(message, isWarning: true) && pad.pad.deadline == nil)
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

    @Test("a capture shows no notices; notices that still apply are shown after it")
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
        // An expired notice does not return with the page.
        pad.capture()
        pad.now += .seconds(10)
        pad.call(.cancel(nil))
        #expect(notice == nil)
    }

    @Test("a touch at the moment when signing times out does not draw on the sketch page")
    mutating func touchAtTimeout() throws {
        pad.capture()
        #expect(pad.pad.page == .signing)
        let strokes = pad.stored.count
        pad.now = try #require(pad.pad.deadline)
        // The question whether anybody is there.
        pad.handle(.time)
        pad.now = try #require(pad.pad.deadline)
        draw()
        #expect(pad.pad.page == .sketch)
        let drawn = pad.rendered.contains { if case .ink = $0 { true } else { false } }
        #expect(!drawn && !pad.stored.dropFirst(strokes).contains { if case .sketch = $0 { true } else { false } })
        draw()
        #expect(pad.rendered.contains { if case .ink = $0 { true } else { false } })
    }

    @Test("a pad without a sketch page shows no notices")
    func without() {
        var pad = PadDriver()
        pad.handle(.stored(.sketchKept(fault: "x")))
        #expect(pad.rendered == [.show(.words("idle"))] && pad.pad.deadline == nil)
    }
}
