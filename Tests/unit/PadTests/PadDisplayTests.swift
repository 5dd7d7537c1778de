// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Ink
import PadFixtures
import Record
import Testing
import Touch

@testable import Pad

@Suite("A pad with display hotplug")
struct PadDisplayTests {
    @Test("without a display a call fails, or waits for a display if the host waits")
    func noDisplay() throws {
        var pad = PadDriver()
        pad.handle(.displayLost(reason: "nothing is connected"))
        #expect(pad.pad.status.screen.fault == "nothing is connected")
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
        // The display has no frame yet.
        #expect(pad.runningID == nil)
        pad.handle(.displayShows)
        #expect(pad.runningID != nil && pad.pad.status.screen.fault == nil)
    }

    @Test("a capture goes on with its ink when the same display is back")
    func sameDisplay() throws {
        var pad = PadDriver()
        let call = pad.capture()
        pad.sign()
        let strokes = pad.pad.status.running?.strokes
        pad.rendered = []
        pad.handle(.displayLost(reason: "the monitor was switched off"))
        pad.handle(.display(PadDriver.screen(pad.size)))
        // The pad redraws nothing, because the canvas has kept everything.
        #expect(pad.rendered.isEmpty && pad.pad.status.page == .signing)
        pad.press(.accept)
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        #expect(strokes == 1)
        guard case .capture(let outcome) = pad.last(call) else {
            Issue.record("not ended")
            return
        }
        #expect(outcome.outcome == .accepted)
    }

    @Test("a press of Accept has no effect if the screen or device is lost, and the stroke is kept")
    func lostDuringPress() throws {
        var pad = PadDriver()
        let call = pad.capture()
        pad.sign()
        let accept = try #require(pad.layout?.element(of: .accept)).rect
        pad.touch(.began, Double(accept.minX + 5), Double(accept.minY + 5))
        pad.touch(.retired, Double(accept.minX + 5), Double(accept.minY + 5))
        pad.touch(.ended, Double(accept.minX + 5), Double(accept.minY + 5))
        #expect(pad.pad.status.page == .signing && pad.last(call).map { !$0.isFinal } == true)
        #expect(pad.pad.status.running?.strokes == 1)
        pad.press(.accept)
        #expect(pad.pad.status.page == .saving)
    }

    @Test("a capture ends on a screen with another rotation, because its record would misplace the ink")
    func turned() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.handle(
            .display(
                PadScreen(
                    name: "turned", panelSize: PixelSize(width: 480, height: 800), rotation: .clockwise90,
                    density: .standard, pageDensity: .standard)))
        #expect(pad.last(call) == .capture(CaptureReply(id: id, state: .ended(.failed(reason: Pad.exchanged)))))
    }

    @Test("a capture ends on a screen of another size; the host gets the reason, and no record is kept")
    func otherSize() throws {
        var pad = PadDriver()
        let call = pad.capture()
        let id = try #require(pad.runningID)
        pad.sign()
        pad.size = PixelSize(width: 1024, height: 600)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.last(call) == .capture(CaptureReply(id: id, state: .ended(.failed(reason: Pad.exchanged)))))
        #expect(pad.pad.status.page == .idle && pad.pad.status.screen.size == pad.size)
        let isKept = pad.stored.contains { if case .commit = $0 { true } else { false } }
        #expect(!isKept && pad.rendered.contains(.show(.words("idle"))))
        // The next page is laid out for the new screen.
        pad.capture()
        let area = pad.layout?.inkField ?? .empty
        #expect(area.maxX > PadDriver.size.width && area.maxX <= pad.size.width)
    }

    @Test("an accepted capture is kept even if the screen is lost")
    func accepted() throws {
        var pad = PadDriver()
        let call = pad.capture()
        pad.sign()
        pad.press(.accept)
        pad.handle(.display(PadDriver.screen(PixelSize(width: 1024, height: 600))))
        pad.handle(.stored(.committed(try #require(pad.runningID))))
        guard case .capture(let outcome) = pad.last(call) else {
            Issue.record("not ended")
            return
        }
        #expect(outcome.outcome == .accepted && pad.pad.status.page == .thanks)
    }

    @Test("a page that is being laid out is laid out again for a new screen")
    func layingOut() throws {
        var pad = PadDriver()
        pad.laysOut = false
        pad.capture()
        pad.size = PixelSize(width: 1024, height: 600)
        pad.handle(.display(PadDriver.screen(pad.size)))
        #expect(pad.layouts.count == 2)
        // The late answer to the first request is ignored.
        pad.layOut()
        #expect(pad.pad.running == nil)
        pad.layOut()
        #expect(pad.pad.running != nil)
    }
}
