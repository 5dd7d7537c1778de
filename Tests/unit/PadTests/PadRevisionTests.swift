// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing

@testable import Pad

/// A configuration that was read again while the pad runs.
@Suite("The pad and new settings")
struct PadRevisionTests {
    private static var revision: PadRevision {
        var policy = PadDriver.policy
        policy.undo = false
        return PadRevision(
            policy: policy, flow: .seconds(100), slide: .seconds(7), showsClock: false, allowsPairing: false,
            configuration: "new")
    }

    @Test("without a capture they apply at once")
    func idle() {
        var pad = PadDriver()
        pad.handle(.revised(Self.revision))
        #expect(pad.pad.settings.policy.undo == false && pad.pad.settings.times.slide == .seconds(7))
        #expect(!pad.pad.settings.allowsPairing && pad.pad.status.configuration == "new")
        pad.capture()
        #expect(pad.layout?.element(of: .undo) == nil)
    }

    @Test("a capture keeps its page and its rules; the next one has others")
    func capture() {
        var pad = PadDriver()
        pad.capture()
        #expect(pad.layout?.element(of: .undo) != nil)
        let shown = pad.rendered.count
        pad.handle(.revised(Self.revision))
        #expect(pad.rendered.count == shown && pad.pad.page == .signing)
        #expect(pad.pad.settings.policy.undo != false && pad.pad.settings.times.flow != .seconds(100))
        pad.call(.cancel(nil))
        pad.rest()
        #expect(pad.pad.page == .idle && pad.pad.settings.policy.undo == false)
        pad.capture()
        #expect(pad.layout?.element(of: .undo) == nil)
    }

    @Test("a clock on the idle page appears and goes")
    func clock() {
        var pad = PadDriver()
        var next = Self.revision
        next.showsClock = true
        pad.handle(.revised(next))
        #expect(pad.pad.deadline != nil)
        guard case .show(let page)? = pad.rendered.last else {
            Issue.record("\(pad.rendered)")
            return
        }
        #expect(page.elements.count == 2)
        pad.handle(.revised(Self.revision))
        #expect(pad.rendered.last == .show(.words("idle")) && pad.pad.deadline == nil)
    }

    @Test("another idle page is shown at once, and is the first of its pages")
    func idlePage() {
        var pad = PadDriver()
        var next = Self.revision
        let pages = [Page.words("first"), Page.words("second")]
        next.idle = pages
        pad.handle(.revised(next))
        #expect(pad.rendered.last == .show(pages[0]))
        next.idle = [.words("only")]
        pad.handle(.revised(next))
        #expect(pad.rendered.last == .show(.words("only")))
        // Without pages, these stay.
        pad.handle(.revised(Self.revision))
        #expect(pad.rendered.last == .show(.words("only")))
    }

    @Test("another idle page that waits for a capture is not lost by a later revision")
    func waitingIdlePage() {
        var pad = PadDriver()
        pad.capture()
        var next = Self.revision
        next.idle = [.words("notice")]
        pad.handle(.revised(next))
        pad.handle(.revised(Self.revision))
        pad.call(.cancel(nil))
        pad.rest()
        #expect(pad.pad.page == .idle && pad.rendered.last == .show(.words("notice")))
    }

    @Test("a call to reload is answered by others")
    func call() {
        var pad = PadDriver()
        let call = pad.call(.reload)
        #expect(pad.replies[call] == [.reloaded(ReloadReply())])
    }
}
