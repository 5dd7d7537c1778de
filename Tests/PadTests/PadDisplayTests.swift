// SPDX-License-Identifier: Apache-2.0
@testable import Pad
import Geometry
import Ink
import Record
import Testing
import Touch


@Suite("A pad whose display comes and goes")
struct PadDisplayTests {
    @Test("without a display nobody is asked to sign, unless the host waits; then as soon as there is one")
    func noDisplay() throws {
        var pad = PadDriver()
        pad.handle(.displayLost(reason: "nothing is connected"))
        #expect(pad.pad.status.displayFault == "nothing is connected")
        let first = pad.capture()
        guard case .failed(.unavailable(let reason)) = pad.last(first) else {
            Issue.record("\(pad.replies[first] as Any)")
            return
        }
        #expect(reason.contains("nothing is connected"))
        let waiting = pad.capture(waits: true)
        #expect(pad.runningID == nil && pad.pad.status.waiting == 1)
        #expect(pad.last(waiting).map { !$0.isFinal } == true)
        pad.handle(.display(PadDriver.screen(pad.size)))
        // Nothing is on it yet.
        #expect(pad.runningID == nil)
        pad.handle(.displayShows)
        #expect(pad.runningID != nil && pad.pad.status.displayFault == nil)
    }

    @Test("a signature goes on when the same display is back, with what was drawn")
    func sameDisplay() throws {
        var pad = PadDriver()
        let call = pad.capture()
        pad.sign()
        let strokes = pad.pad.status.running?.strokes
        pad.rendered = []
        pad.handle(.displayLost(reason: "the monitor was switched off"))
        pad.handle(.display(PadDriver.screen(pad.size)))
        // Nothing is drawn anew by the pad: the canvas has it all.
        #expect(pad.rendered.isEmpty && pad.pad.status.page == .signing)
        pad.press(.accept)
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        #expect(strokes == 1)
        guard case .ended(let outcome) = pad.last(call) else {
            Issue.record("not ended")
            return
        }
        #expect(outcome.outcome == .accepted)
    }

    @Test("a finger on Accept when the screen or its device goes has accepted nothing, and its stroke stays")
    func letGo() throws {
        var pad = PadDriver()
        let call = pad.capture()
        pad.sign()
        let accept = try #require(pad.layout?.buttons.first { $0.button == .accept }).rect
        pad.touch(TouchEvent.down, Double(accept.minX + 5), Double(accept.minY + 5))
        pad.handle(.touchesEnded)
        pad.touch(TouchEvent.up, Double(accept.minX + 5), Double(accept.minY + 5))
        #expect(pad.pad.status.page == .signing && pad.last(call).map { !$0.isFinal } == true)
        #expect(pad.pad.status.running?.strokes == 1)
        pad.press(.accept)
        #expect(pad.pad.status.page == .saving)
    }

    @Test("on a screen that lies otherwise a signature ends: its record would place the ink elsewhere")
    func turned() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.handle(
            .display(
                PadScreen(
                    name: "turned", panelSize: PixelSize(width: 480, height: 800), rotation: .clockwise90,
                    density: .standard, pageDensity: .standard)))
        #expect(pad.last(call) == .ended(EndedCapture(id: id, outcome: .failed(reason: Pad.exchanged))))
    }

    @Test("on a screen of another size a signature ends, the host hears why, and nothing is kept")
    func otherSize() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.sign()
        pad.size = PixelSize(width: 1024, height: 600)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.last(call) == .ended(EndedCapture(id: id, outcome: .failed(reason: Pad.exchanged))))
        #expect(pad.pad.status.page == .idle && pad.pad.status.screen.size == pad.size)
        let isKept = pad.stored.contains { if case .commit = $0 { true } else { false } }
        #expect(!isKept && pad.rendered.contains(.show(.words("idle"))))
        // The next one is laid out for the screen that is there.
        pad.capture()
        let area = pad.layout?.signingArea ?? .empty
        #expect(area.maxX > PadDriver.size.width && area.maxX <= pad.size.width)
    }

    @Test("what was accepted is kept, whatever becomes of the screen")
    func accepted() throws {
        var pad = PadDriver()
        let call = pad.capture()
        pad.sign()
        pad.press(.accept)
        pad.handle(.display(PadDriver.screen(PixelSize(width: 1024, height: 600))))
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        guard case .ended(let outcome) = pad.last(call) else {
            Issue.record("not ended")
            return
        }
        #expect(outcome.outcome == .accepted && pad.pad.status.page == .thanks)
    }

    @Test("a page that was being laid out for the last screen is laid out for this one")
    func layingOut() throws {
        var pad = PadDriver()
        pad.laysOut = false
        pad.capture()
        pad.size = PixelSize(width: 1024, height: 600)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.layouts.count == 2)
        // The answer to the first comes late and is nobody's.
        pad.layOut()
        #expect(pad.pad.running == nil)
        pad.layOut()
        #expect(pad.pad.running != nil)
    }
}
