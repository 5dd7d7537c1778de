// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing
import Touch

@testable import Pad

@Suite("What people do in place of a signature")
struct InsteadTests {
    private static let messages = MessageTable(.english)
    private static let name = RecordedFlow.signatureName
    private static let signer = messages.text(.signer, of: "Ada")

    private func called(
        _ alternatives: [Alternative]? = Alternative.allCases, _ flow: CaptureFlow = CaptureFlow(),
        fields: [Field] = [], policy: CapturePolicy = PadDriver.policy, assistance: Set<Assistance> = []
    ) -> FlowDriver {
        var pad = FlowDriver(fields: fields, policy: policy)
        pad.handle(.speech(.ready(true, isPlugged: false)))
        pad.call(flow, prompt: ["Order 7"], signer: "Ada", assistance: assistance, alternatives: alternatives)
        return pad
    }

    /// Chooses an alternative on its page, to which the button leads.
    private func choose(_ option: Int, _ pad: inout FlowDriver) {
        pad.press(.instead)
        pad.press(.option(option))
        pad.press(.next)
    }

    private func record(_ pad: FlowDriver) throws -> CaptureRecord {
        let record = CaptureRecord(header: try #require(pad.header), entries: pad.entries, end: pad.end)
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record)
        #expect(record.unmetDemands == [])
        return record
    }

    @Test("a person confirms with two presses, and the record has their words and no ink")
    func confirmed() throws {
        var pad = called()
        #expect(pad.header?.version == 2 && pad.header?.flow?.alternatives == Alternative.allCases)
        pad.press(.instead)
        #expect(pad.step == .choosing(Self.name) && pad.last?.state == .answering)
        // Without a choice, the page says what to do.
        pad.press(.next)
        #expect(pad.step == .choosing(Self.name) && pad.banner != nil)
        pad.press(.option(0))
        pad.press(.next)
        #expect(pad.step == .instead(Self.name, .confirmed))
        #expect(pad.pad.description.texts.contains("Order 7") && pad.pad.description.texts.contains(Self.signer))
        pad.press(.next)
        #expect(pad.outcome == nil && pad.banner != nil)
        pad.press(.option(0))
        pad.press(.next)
        #expect(pad.outcome == .accepted)
        let field = try #require(try record(pad).fields.first)
        #expect(field.name == Self.name && field.instead == .confirmed && field.strokes.isEmpty && !field.heard)
        #expect(field.words == Self.messages[.insteadConfirm])
        #expect(pad.last?.instead == [GivenInstead(name: Self.name, alternative: .confirmed)])
        #expect(try record(pad).sheet(named: nil)?.visibleStrokes.isEmpty == true)
    }

    @Test("whoever has the page read aloud confirms only what was read to its end")
    func heard() throws {
        var pad = called(assistance: [.speech])
        // A touch reads; a key presses.
        func press(_ names: String...) {
            for name in names {
                let description = pad.pad.description
                let control = description.controls.first { $0.name == name }
                pad.handle(.act(.press(page: description.number, control: control?.id ?? -1)))
            }
        }
        press("instead", "option")
        // The next page is not read to its end.
        pad.speaks = false
        press("next", "option", "next")
        #expect(pad.outcome == nil && pad.banner == Self.messages[.listenFirst])
        // What is missing is read, and the words that are confirmed.
        pad.spoken = []
        pad.speaks = true
        press("next")
        #expect(pad.outcome == nil && pad.spoken.contains("Order 7"))
        #expect(pad.spoken.contains { $0.hasPrefix(Self.messages[.insteadConfirm]) })
        press("next")
        #expect(pad.outcome == .accepted)
        #expect(try record(pad).fields.first?.heard == true)
    }

    @Test("with one switch and speech alone a person confirms: the ring waits for what is read")
    func oneSwitch() throws {
        var pad = called([.confirmed], assistance: [.speech])
        pad.pad.settings.keys.use = .oneSwitch
        // Each text takes most of a second.
        pad.speaks = false
        func press(_ name: String) {
            for _ in 0..<200 {
                // The person listens.
                if let number = pad.pad.speech?.number, pad.pad.speech?.isSpeaking == true {
                    pad.wait(.milliseconds(800))
                    pad.handle(.speech(.spoken(number)))
                    continue
                }
                let focus = pad.pad.focus?.control
                let control = pad.pad.description.controls.first { $0.id == focus }
                if focus == nil || control?.name == name {
                    pad.wait(.milliseconds(200))
                    // The ring may just have gone on.
                    if pad.pad.focus?.control != focus { continue }
                    pad.handle(.key(.press))
                    if focus != nil { return }
                }
                pad.wait(.milliseconds(300))
            }
            Issue.record("\(name) did not get the focus")
        }
        for name in ["instead", "option", "next", "option", "next"] { press(name) }
        if pad.outcome == nil { press("next") }
        #expect(pad.outcome == .accepted)
        #expect(try record(pad).fields.first?.heard == true)
    }

    @Test("a mark counts with two witnesses, who write their names and sign")
    func mark() throws {
        var pad = called()
        choose(1, &pad)
        #expect(pad.step == .instead(Self.name, .mark) && pad.pad.page == .signing)
        pad.press(.accept)
        #expect(pad.outcome == nil && pad.step == .instead(Self.name, .mark))
        // A cross of one line is no signature, and a mark.
        pad.touch(.began, at: Point(x: 40, y: 80))
        pad.touch(.moved, at: Point(x: 60, y: 100))
        pad.touch(.ended, at: Point(x: 60, y: 100))
        pad.press(.accept)
        #expect(pad.step == .instead(Self.name, .witness1))
        #expect(pad.pad.description.texts.first == Self.messages[.markWitness] + " (1/2)")
        #expect(pad.pad.description.texts.contains(Self.signer))
        pad.signAndAccept()
        #expect(pad.step == .instead(Self.name, .witness2) && pad.outcome == nil)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        let record = try record(pad)
        #expect(record.fields.map(\.instead) == [.mark, .witness1, .witness2])
        #expect(record.fields.map(\.name) == ["signature", "signature/witness1", "signature/witness2"])
        #expect(record.fields.allSatisfy { !$0.strokes.isEmpty && $0.signature == Self.name })
        #expect(record.sheet(named: "signature/witness1")?.header.request.signer == nil)
        #expect(record.sheet(named: nil)?.header.request.signer == "Ada")
    }

    @Test("without a witness, an accepted record of a mark lacks something")
    func lackingWitness() throws {
        var pad = called()
        choose(1, &pad)
        for _ in 0..<3 { pad.signAndAccept() }
        var record = try record(pad)
        let last = try #require(
            record.entries.lastIndex { if case .flow(.accepted, _) = $0 { true } else { false } })
        record.entries.remove(at: last)
        #expect(record.unmetDemands == ["the mark in signature lacks its witnesses"])
    }

    @Test("somebody signs for a person, and the ink has no name of theirs")
    func representative() throws {
        var pad = called()
        choose(2, &pad)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        let record = try record(pad)
        let field = try #require(record.fields.first)
        #expect(field.instead == .representative && field.words == Self.messages[.representative])
        #expect(record.sheet(named: nil)?.header.request.signer == nil)
    }

    @Test("who goes back and signs has signed, and witnesses of what is left behind do not count")
    func back() throws {
        var pad = called()
        choose(1, &pad)
        pad.signAndAccept()
        pad.signAndAccept()
        #expect(pad.step == .instead(Self.name, .witness2))
        pad.press(.back)
        #expect(pad.step == .choosing(Self.name))
        pad.press(.back)
        #expect(pad.step == .signature)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        let fields = try record(pad).fields
        #expect(fields.map(\.name) == ["signature"] && fields[0].instead == nil)
    }

    @Test("a field of a document is filled in each way, and a mark that is made again needs its witnesses again")
    func document() throws {
        let flow = CaptureFlow(document: FlowDriver.read())
        var pad = called(Alternative.allCases, flow, fields: [.made(.signature, "S01")])
        pad.wait(.seconds(1))
        pad.press(.lead)
        #expect(pad.step == .field("S01"))
        choose(0, &pad)
        pad.press(.option(0))
        pad.press(.next)
        #expect(pad.step == .reading && pad.lead == "Done")
        #expect(pad.scene?.marks.first?.state == .instead(Self.messages[.insteadConfirm], []))
        pad.tap(pad.scene?.marks.first)
        #expect(pad.step == .field("S01"))
        choose(1, &pad)
        for _ in 0..<3 { pad.signAndAccept() }
        #expect(pad.step == .reading && pad.lead == "Done")
        pad.tap(pad.scene?.marks.first)
        choose(1, &pad)
        pad.signAndAccept()
        pad.press(.back)
        pad.press(.back)
        pad.press(.back)
        #expect(pad.step == .reading && pad.lead != "Done")
        pad.press(.lead)
        choose(1, &pad)
        for _ in 0..<3 { pad.signAndAccept() }
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.end?.check?.redrawn == true)
        #expect(try record(pad).fields.map(\.instead) == [.mark, .witness1, .witness2])
        #expect(pad.last?.instead == [GivenInstead(name: "S01", alternative: .mark)])
    }

    @Test("a mark without its witnesses is not left in a document, even where nobody must sign")
    func begun() {
        let flow = CaptureFlow(document: FlowDriver.read())
        var pad = called([.mark], flow, fields: [.made(.signature, "S01", required: false)])
        pad.wait(.seconds(1))
        #expect(pad.lead == "Done")
        pad.tap(pad.scene?.marks.first)
        choose(0, &pad)
        pad.signAndAccept()
        for _ in 0..<3 { pad.press(.back) }
        #expect(pad.step == .reading && pad.lead != "Done" && pad.scene?.marks.first?.state == .open(isRequired: true))
        pad.press(.lead)
        #expect(pad.outcome == nil && pad.step == .field("S01"))
        pad.signAndAccept()
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.last?.instead == nil)
    }

    @Test("the ink of each who took part is on the glass, with their words")
    func glass() {
        let flow = CaptureFlow(document: FlowDriver.read())
        var pad = called([.mark, .representative], flow, fields: [.made(.signature, "S01")])
        pad.wait(.seconds(1))
        func shown() -> (words: String, inks: Int)? {
            guard case .instead(let words, let inks)? = pad.scene?.marks.first?.state else { return nil }
            return (words, inks.count)
        }
        pad.press(.lead)
        choose(0, &pad)
        for _ in 0..<3 { pad.signAndAccept() }
        #expect(shown()?.words == Self.messages[.markWitness] && shown()?.inks == 3)
        pad.tap(pad.scene?.marks.first)
        choose(1, &pad)
        pad.signAndAccept()
        #expect(shown()?.words == Self.messages[.representative] && shown()?.inks == 1)
    }

    @Test("the second tap of two on a mark's Accept is not for the page of its witness")
    func secondTap() {
        var pad = called([.mark])
        choose(0, &pad)
        pad.sign()
        let accept = pad.page?.buttons.first { $0.button == .accept }.map { place in
            Point(x: Double(place.rect.minX + 5), y: Double(place.rect.minY + 5))
        }
        for _ in 0..<2 {
            pad.touch(.began, at: accept ?? Point(x: 0, y: 0))
            pad.touch(.ended, at: accept ?? Point(x: 0, y: 0))
            pad.now += .milliseconds(100)
        }
        #expect(pad.step == .instead(Self.name, .witness1) && pad.banner == nil)
    }

    @Test("a page that is too small for the button of the configuration has none, and fails if the host asked for it")
    func tooSmall() {
        func called(_ alternatives: [Alternative]?) -> FlowDriver {
            var policy = PadDriver.policy
            policy.alternatives = [.mark]
            var pad = FlowDriver(policy: policy)
            pad.tooLarge = { page in
                page.elements.contains { if case .button(.instead, _) = $0 { true } else { false } }
            }
            pad.call(CaptureFlow(), prompt: ["Order 7"], alternatives: alternatives)
            return pad
        }
        var pad = called(nil)
        #expect(pad.step == .signature && pad.header?.flow == nil)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        #expect(called([.mark]).header == nil)
    }

    @Test("each of several people has their own way")
    func people() throws {
        let people = [CapturePerson(role: "A", name: "Ada"), CapturePerson(role: "B", name: "Ben")]
        var pad = called([.mark], CaptureFlow(people: people))
        pad.signAndAccept()
        pad.press(.next)
        choose(0, &pad)
        for _ in 0..<3 { pad.signAndAccept() }
        #expect(pad.outcome == .accepted)
        #expect(
            try record(pad).fields.map(\.name)
                == ["signature", "signature:B", "signature:B/witness1", "signature:B/witness2"])
        #expect(pad.last?.instead == [GivenInstead(name: "signature:B", alternative: .mark)])
    }

    @Test("the page offers what the host allows, else what the configuration does, else nothing")
    func allowed() {
        func offers(_ alternatives: [Alternative]?, _ configured: [Alternative]?) -> [Alternative]? {
            var policy = PadDriver.policy
            policy.alternatives = configured
            let pad = called(alternatives, policy: policy)
            let hasButton = pad.page?.buttons.contains { $0.button == .instead } == true
            #expect(hasButton == (pad.header?.flow?.alternatives != nil))
            return pad.header?.flow?.alternatives
        }
        #expect(offers(nil, nil) == nil && offers([], [.mark]) == nil)
        #expect(offers(nil, [.mark]) == [.mark] && offers([.confirmed], [.mark]) == [.confirmed])
    }
}
