// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing

@testable import Pad

@Suite("What programs hear that tell others")
struct EventTests {
    private func replies(_ pad: PadDriver, _ call: CallID) -> [EventsReply] {
        (pad.replies[call] ?? []).compactMap { if case .events(let reply) = $0 { reply } else { nil } }
    }

    private func events(_ pad: PadDriver, _ call: CallID) -> [PanelEvent] {
        replies(pad, call).flatMap(\.events)
    }

    @Test("an accepted capture is told with its seal and what was signed; it is not kept")
    func accepted() throws {
        var pad = PadDriver()
        let call = pad.call(.events(EventsCall(run: nil, after: nil)))
        #expect(replies(pad, call).map(\.events) == [[]] && replies(pad, call).first?.starting == false)
        pad.capture()
        let id = try #require(pad.runningID)
        pad.sign()
        pad.press(.accept)
        pad.handle(.stored(.committed(id, seal: SealHead(n: 3, digest: "d"), hasDocument: true)))
        let event = try #require(events(pad, call).first)
        #expect(event.number == 1 && event.kind == .ended && event.id == id && event.outcome == .accepted)
        #expect(event.seal?.n == 3 && event.signed == true && event.request?.prompt == ["Sign"])
        let later = pad.call(.events(EventsCall(run: nil, after: nil)))
        #expect(events(pad, later).isEmpty && replies(pad, later).first?.missed == nil)
    }

    @Test("captures without a record are kept for programs that come later, after the last that they know")
    func kept() throws {
        var pad = PadDriver()
        for _ in 0..<3 {
            pad.capture()
            pad.call(.cancel(nil))
        }
        let first = pad.call(.events(EventsCall(run: nil, after: nil)))
        let reply = try #require(replies(pad, first).first)
        #expect(reply.events.map(\.number) == [1, 2, 3] && reply.events[0].outcome == .cancelled(by: .host))
        #expect(reply.events.allSatisfy { $0.request == nil })
        let second = pad.call(.events(EventsCall(run: reply.run, after: 2)))
        #expect(events(pad, second).map(\.number) == [3])
        // Of another run of the program.
        let third = pad.call(.events(EventsCall(run: "other", after: 2)))
        #expect(events(pad, third).map(\.number) == [1, 2, 3] && replies(pad, third).first?.missed == nil)
    }

    @Test("more than 128 are not kept, and who missed some hears so")
    func bounded() throws {
        var pad = PadDriver()
        let first = pad.call(.events(EventsCall(run: nil, after: nil)))
        let run = try #require(replies(pad, first).first).run
        pad.handle(.hostGone(first))
        for _ in 0..<130 {
            pad.capture()
            pad.call(.cancel(nil))
        }
        let late = pad.call(.events(EventsCall(run: run, after: 1)))
        #expect(replies(pad, late).first?.missed == true && events(pad, late).map(\.number) == Array(3...130))
        let enough = pad.call(.events(EventsCall(run: run, after: 2)))
        #expect(replies(pad, enough).first?.missed == nil)
    }

    @Test("a capture that waited has an end, too: its host has gone, or its page does not fit")
    func waiting() throws {
        var pad = PadDriver()
        let call = pad.call(.events(EventsCall(run: nil, after: nil)))
        pad.capture()
        let first = pad.capture(waits: true)
        let second = pad.capture(waits: true)
        pad.handle(.hostGone(first))
        #expect(events(pad, call).map(\.outcome) == [.cancelled(by: .host)])
        pad.laysOut = false
        pad.call(.cancel(nil))
        guard case .capture(let waiting)? = pad.replies[second]?.first else { return }
        let layout = try #require(pad.layouts.last)
        pad.handle(.laidOut(layout.id, .failure(PageTooSmall(field: nil, fits: nil))))
        #expect(events(pad, call).map(\.id).last == waiting.id && events(pad, call).count == 3)
        guard case .failed? = events(pad, call).last?.outcome else {
            Issue.record("\(events(pad, call))")
            return
        }
    }

    @Test("a fault and its end are told once")
    func faults() {
        var pad = PadDriver()
        let call = pad.call(.events(EventsCall(run: nil, after: nil)))
        pad.handle(.displayLost(reason: "unplugged"))
        pad.handle(.devices([], []))
        pad.handle(.displayShows)
        #expect(events(pad, call).map(\.kind) == [.fault])
        #expect(events(pad, call).first?.fault == "the panel has no display: unplugged")
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(events(pad, call).map(\.kind) == [.fault, .recovered])
        pad.handle(.stored(.storeChanged(fault: "the disk is full")))
        #expect(events(pad, call).last?.fault == "the disk is full")
        #expect(replies(pad, call).last?.fault == "the disk is full")
    }

    @Test("a pad that starts has no fault, and says when it knows its store")
    func starting() {
        var pad = PadDriver(isStarting: true)
        let call = pad.call(.events(EventsCall(run: nil, after: nil)))
        #expect(replies(pad, call).map(\.starting) == [true])
        pad.handle(.devices(["touch"], [PadDriver.device]))
        #expect(replies(pad, call).map(\.starting) == [true])
        pad.handle(.stored(.storeChanged(fault: nil)))
        #expect(replies(pad, call).map(\.starting) == [true, false] && events(pad, call).isEmpty)
    }

    @Test("a pad says what it can do")
    func abilities() throws {
        var pad = PadDriver(isSimulated: true)
        let call = pad.call(.abilities)
        guard case .abilities(let abilities)? = pad.last(call) else {
            Issue.record("\(String(describing: pad.last(call)))")
            return
        }
        #expect(abilities.simulated && abilities.languages.contains("zh-Hans") && abilities.language == "en")
        #expect(abilities.formats.contains("iso19794") && abilities.limits.waiting == Pad.waitingLimit)
        #expect(abilities.documents == nil && abilities.pages.contains("document"))
    }
}
