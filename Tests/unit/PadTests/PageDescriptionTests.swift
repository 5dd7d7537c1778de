// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing

@testable import Pad

@Suite("Pages in words, and what is done without touching them")
struct PageDescriptionTests {
    private static let fields: [Field] = [
        .made(.check, "consent"), .made(.choice, "way", at: 640, value: "paper"),
        .made(.choice, "way", at: 640, value: "mail", x: 200), .made(.signature, "S01", page: 2, at: 100),
        .made(.date, "day", at: 580), .made(.signature, "S02", page: 1, at: 690, person: 1, x: 300),
    ]

    private static let people = [CapturePerson(role: "A"), CapturePerson(role: "B")]

    private func press(_ pad: inout FlowDriver, _ label: String) {
        let description = pad.pad.description
        guard let control = description.controls.first(where: { $0.label == label }) else {
            Issue.record("no \(label) in \(description.controls.map(\.label))")
            return
        }
        pad.handle(.act(.press(page: description.number, control: control.id)))
    }

    private func labels(_ pad: FlowDriver) -> [String] { pad.pad.description.controls.map(\.label) }

    private func scroll(_ pad: inout FlowDriver, _ steps: ViewStep...) {
        for step in steps {
            pad.handle(.act(.move(step)))
            pad.wait(.milliseconds(400))
        }
    }

    @Test("a document has its visible pages, and the visible fields of the person")
    func document() {
        var pad = FlowDriver(fields: Self.fields)
        pad.call(CaptureFlow(document: FlowDriver.read(), people: Self.people))
        pad.wait(.seconds(1))
        var description = pad.pad.description
        #expect(description.page == .reading && description.language == "en")
        #expect(description.document?.page == 1 && description.document?.pages == 2)
        #expect(description.document?.texts == ["Text 1", pad.pad.running?.flow.date ?? "none"])
        #expect(description.announcement == "Page \u{2068}1/2\u{2069}")
        #expect(labels(pad) == ["consent", "paper", "mail", "Cancel", description.controls.last?.label])
        #expect(description.controls[0].kind == .check && description.controls[0].isChosen == false)
        #expect(description.controls[1].group == "way" && description.controls[1].kind == .choice)
        scroll(&pad, .end)
        description = pad.pad.description
        #expect(description.document?.page == 2 && description.document?.texts == ["Text 2"])
        #expect(labels(pad).first == "Sign here")
    }

    @Test("fields are ticked and opened, also quickly, and questions answered")
    func presses() {
        var pad = FlowDriver(fields: Self.fields)
        let question = CaptureQuestion(name: "q", kind: .choice, text: "How?", choices: ["x", "y"])
        pad.call(CaptureFlow(document: FlowDriver.read(), questions: [question], people: Self.people))
        pad.wait(.seconds(1))
        // Taps at one place would enlarge.
        for _ in 0..<3 { press(&pad, "consent") }
        #expect(pad.pad.description.controls[0].isChosen == true && pad.pad.description.document?.zoom == 1)
        press(&pad, "mail")
        #expect(pad.pad.description.controls.map(\.isChosen).prefix(3) == [true, false, true])
        press(&pad, pad.lead ?? "")
        let shown = pad.pad.description
        #expect(shown.page == .question && shown.texts == ["How?"] && shown.announcement == "How?")
        #expect(shown.controls.prefix(2).map(\.groupLabel) == ["How?", "How?"])
        press(&pad, "y")
        #expect(pad.pad.description.controls.map(\.isChosen).prefix(2) == [false, true])
        press(&pad, "Next")
        #expect(pad.step == .reading)
        scroll(&pad, .end)
        press(&pad, "Sign here")
        #expect(pad.step == .field("S01") && pad.pad.description.texts.contains("Sign here"))
        #expect(pad.pad.description.controls.first { $0.name == "accept" }?.isEnabled == false)
        // Accept without ink says why; the next act takes the message away.
        press(&pad, "Accept")
        #expect(pad.pad.description.notice != nil && pad.pad.page == .refused)
        press(&pad, "Back")
        #expect(pad.step == .reading && pad.pad.description.notice == nil)
    }

    @Test("a press for another page, and of a field that is not visible, has no effect")
    func stale() {
        var pad = FlowDriver(fields: Self.fields)
        pad.call(CaptureFlow(document: FlowDriver.read(), people: Self.people))
        pad.wait(.seconds(1))
        let before = pad.pad.description
        scroll(&pad, .end)
        pad.handle(.act(.press(page: before.number, control: before.controls[0].id)))
        #expect(!pad.events.contains { if case .answer = $0 { true } else { false } })
        press(&pad, "Sign here")
        #expect(pad.step == .field("S01"))
        // Of the document; Back or Accept may have the same place here.
        for control in before.controls { pad.handle(.act(.press(page: before.number, control: control.id))) }
        pad.handle(.act(.press(page: pad.pad.description.number, control: .max)))
        pad.handle(.act(.move(.pageDown)))
        #expect(pad.step == .field("S01") && pad.outcome == nil)
    }

    @Test("a document that is scrolled by keys was read only where it stood still")
    func seen() {
        var pad = FlowDriver(pages: 3)
        pad.call(CaptureFlow(document: FlowDriver.read(ReadingPolicy(mustSeeAllPages: true))))
        pad.wait(.seconds(1))
        for _ in 0..<40 { pad.handle(.act(.move(.pageDown))) }
        pad.wait(.seconds(1))
        #expect(pad.pad.description.document?.page == 3 && pad.lead == "1/1 · Read on")
        scroll(&pad, .start)
        for _ in 0..<40 { scroll(&pad, .pageDown) }
        #expect(pad.lead == "Done")
    }

    @Test("keys enlarge up to three times, and back")
    func zoom() {
        var pad = FlowDriver()
        pad.call(CaptureFlow(document: FlowDriver.read()))
        for _ in 0..<9 { scroll(&pad, .larger) }
        #expect(pad.pad.description.document?.zoom == 3)
        scroll(&pad, .right, .lineDown, .usualSize)
        #expect(pad.pad.description.document?.zoom == 1)
    }

    @Test("each page of a flow is a capture of its mirrors, with the page that is read")
    func mirror() {
        var pad = FlowDriver(fields: [.made(.signature, "S01", page: 2)])
        pad.handle(.call(CallID(9), .mirror(.ink), .all))
        pad.call(CaptureFlow(document: FlowDriver.read()))
        func changes() -> [MirrorChange] {
            pad.replies.compactMap { if case .mirrored(let change) = $0 { change } else { nil } }
        }
        let first = changes().last { $0.capture != nil }
        #expect(first?.page == .reading && first?.capture?.page.inkField.isEmpty == true)
        #expect(first?.document == MirrorReply.Document(page: 1, pages: 2))
        scroll(&pad, .end)
        #expect(changes().last?.document == MirrorReply.Document(page: 2, pages: 2) && changes().last?.capture == nil)
        func backdrops() -> Int {
            pad.actions.count { if case .render(.backdrop) = $0 { true } else { false } }
        }
        let before = backdrops()
        #expect(before == 1)
        pad.press(.lead)
        pad.wait(.seconds(1))
        pad.press(.lead)
        #expect(pad.pad.page == .signing && changes().last?.capture?.page.inkField.isEmpty == false)
        #expect(changes().last { $0.restarts }?.document == nil && backdrops() > before)
    }
}
