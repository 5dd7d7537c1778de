// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing

@testable import Pad

@Suite("Names that are typed at the host in place of signatures")
struct TypedNameTests {
    private static let messages = MessageTable(.english)
    private static let name = RecordedFlow.signatureName
    private static let byStaff = TypedName(name: "Ada Müller", by: .staff, reason: "Her arm is in plaster")
    private static let byPerson = TypedName(name: "Ada Müller", by: .person)
    private static let allowed: [Alternative] = [.typed]

    private func called(
        _ alternatives: [Alternative]? = allowed, _ flow: CaptureFlow = CaptureFlow(), fields: [Field] = [],
        assistance: Set<Assistance> = []
    ) -> FlowDriver {
        var pad = FlowDriver(fields: fields)
        pad.handle(.speech(.ready(true, isPlugged: false)))
        pad.call(flow, prompt: ["Order 7"], signer: "Ada", assistance: assistance, alternatives: alternatives)
        return pad
    }

    /// - Returns: the error; nil for none.
    private func type(
        _ typed: TypedName, _ pad: inout FlowDriver, id: CaptureID? = nil, reach: CaptureReach = .all
    ) -> PanelError? {
        let count = pad.replies.count
        pad.handle(.call(CallID(2), .typeName(id, typed), reach))
        return error(pad.replies.dropFirst(count))
    }

    private func accept(_ pad: inout FlowDriver) -> PanelError? {
        let count = pad.replies.count
        pad.handle(.call(CallID(3), .accept(nil), .all))
        return error(pad.replies.dropFirst(count))
    }

    private func error(_ replies: ArraySlice<PadReply>) -> PanelError? {
        for case .failed(let error) in replies { return error }
        #expect(replies.contains(.done))
        return nil
    }

    private func record(_ pad: FlowDriver) throws -> CaptureRecord {
        let record = CaptureRecord(header: try #require(pad.header), entries: pad.entries, end: pad.end)
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record)
        #expect(record.unmetDemands == [])
        return record
    }

    @Test("the person accepts a name that staff typed, with its reason on the page")
    func onThePad() throws {
        var pad = called()
        #expect(pad.page?.element(of: .instead) == nil)
        #expect(type(Self.byStaff, &pad) == nil)
        #expect(pad.step == .instead(Self.name, .typed) && pad.last?.state == .answering)
        let words = Self.messages.words(of: Self.byStaff)
        let description = pad.pad.description
        let reason = Self.messages.text(.typedReason, of: "Her arm is in plaster")
        #expect(description.texts.contains("Order 7") && description.texts.contains(reason))
        #expect(description.controls.contains { $0.label == words })
        // The box is empty: nothing is accepted by one touch.
        pad.press(.next)
        #expect(pad.outcome == nil && pad.banner != nil)
        pad.press(.option(0))
        pad.press(.next)
        #expect(pad.outcome == .accepted)
        let field = try #require(try record(pad).fields.first)
        #expect(field.instead == .typed && field.typed == Self.byStaff && field.words == words)
        #expect(field.strokes.isEmpty && !field.isAcceptedByHost && !field.heard)
        #expect(pad.last?.instead == [GivenInstead(name: Self.name, alternative: .typed)])
    }

    @Test("the host accepts what its staff typed, and never what the person typed")
    func byTheHost() throws {
        var pad = called()
        #expect(type(Self.byPerson, &pad) == nil)
        #expect(accept(&pad) == .notSigning && pad.outcome == nil)
        #expect(type(Self.byStaff, &pad) == nil)
        #expect(accept(&pad) == nil)
        #expect(pad.outcome == .accepted)
        let field = try #require(try record(pad).fields.first)
        #expect(field.typed == Self.byStaff && field.isAcceptedByHost)
        #expect(
            field.insteadWords
                == "signature has a name that staff entered in place of a signature, accepted by the host: "
                + #""Ada Müller", because "Her arm is in plaster""#)
    }

    @Test("a name is corrected by the next one, and Back leads to the page to sign on")
    func corrected() throws {
        var pad = called()
        #expect(type(Self.byStaff, &pad) == nil)
        pad.press(.option(0))
        #expect(type(Self.byPerson, &pad) == nil)
        // The tick was for another name.
        pad.press(.next)
        #expect(pad.outcome == nil)
        pad.press(.back)
        #expect(pad.step == .signature)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        #expect(try record(pad).fields.first?.instead == nil && pad.last?.instead == nil)
    }

    @Test("the ink on the page goes when a name takes its place")
    func inkGoes() throws {
        var pad = called()
        pad.sign()
        #expect(type(Self.byStaff, &pad) == nil)
        #expect(accept(&pad) == nil)
        let field = try #require(try record(pad).fields.first)
        #expect(field.instead == .typed && field.strokes.isEmpty)
    }

    @Test("no name where the host did not allow it, nobody signs, or the capture is another's")
    func refused() {
        var pad = called([.confirmed])
        guard case .invalidParameter? = type(Self.byStaff, &pad) else {
            Issue.record("a name that was not allowed")
            return
        }
        #expect(pad.step == .signature)
        var other = called()
        #expect(type(Self.byStaff, &other, reach: .askedBy(.gateway)) == .notRunning)
        #expect(type(Self.byStaff, &other, id: CaptureID("20261130-000000-0000000000000000")) == .notRunning)
        var asking = called(
            Self.allowed, CaptureFlow(questions: [CaptureQuestion(name: "Q", kind: .check, text: "Yes?")]))
        #expect(type(Self.byStaff, &asking) == .notSigning)
        var idle = FlowDriver()
        #expect(type(Self.byStaff, &idle) == .notRunning)
    }

    @Test("a page that is not there yet is not shown when the person has gone on, or the host")
    func races() {
        func errors(_ pad: FlowDriver) -> [PanelError] {
            pad.replies.compactMap { if case .failed(let error) = $0 { error } else { nil } }
        }
        let people = [CapturePerson(role: "A"), CapturePerson(role: "B")]
        // The person signs meanwhile: the next one's page asks for another signature of the same name.
        var pad = called(Self.allowed, CaptureFlow(people: people))
        pad.holdsLayouts = true
        pad.handle(.call(CallID(2), .typeName(nil, Self.byStaff), .all))
        pad.signAndAccept()
        pad.press(.next)
        #expect(pad.step == .signature && pad.pad.running?.flow.person == 1)
        pad.answerLayouts()
        #expect(errors(pad) == [.notSigning] && pad.step == .signature)

        // Another name comes meanwhile: only that one is shown.
        pad = called()
        pad.holdsLayouts = true
        pad.handle(.call(CallID(2), .typeName(nil, Self.byStaff), .all))
        pad.handle(.call(CallID(3), .typeName(nil, Self.byPerson), .all))
        #expect(errors(pad) == [.notSigning])
        pad.answerLayouts()
        #expect(errors(pad) == [.notSigning] && pad.pad.running?.typedName == Self.byPerson)

        // The capture ends.
        pad = called()
        pad.holdsLayouts = true
        pad.handle(.call(CallID(2), .typeName(nil, Self.byStaff), .all))
        pad.press(.cancel)
        #expect(errors(pad) == [.notRunning])
        pad.answerLayouts()
        #expect(errors(pad) == [.notRunning] && pad.step == nil)

        // The host goes: nobody is answered, and nothing is shown.
        pad = called()
        pad.holdsLayouts = true
        pad.handle(.call(CallID(2), .typeName(nil, Self.byStaff), .all))
        pad.handle(.hostGone(CallID(2)))
        let count = pad.replies.count
        pad.answerLayouts()
        #expect(pad.replies.count == count && pad.step == .signature)
    }

    @Test("a name that fonts do not have is refused, whatever the capture's rule")
    func missingGlyphs() {
        var pad = called()
        let missing = ["U+10FFFD"]
        pad.missingGlyphs = [MissingGlyphs(text: PageText.Field.choices, characters: missing)]
        #expect(
            type(Self.byPerson, &pad) == .missingGlyphs([MissingGlyphs(text: "name", characters: missing)]))
        pad.missingGlyphs = [MissingGlyphs(text: PageText.Field.typedReason.rawValue, characters: missing)]
        #expect(
            type(Self.byStaff, &pad) == .missingGlyphs([MissingGlyphs(text: "reason", characters: missing)]))
        // So many that no more are named.
        let many = (0..<MissingGlyphs.characterLimit).map { "U+\($0)" }
        pad.missingGlyphs = [MissingGlyphs(text: "prompt[0]", characters: many)]
        #expect(type(Self.byStaff, &pad) == .missingGlyphs(pad.missingGlyphs))
        #expect(pad.step == .signature)
        pad.missingGlyphs = [MissingGlyphs(text: "prompt[0]", characters: missing)]
        #expect(type(Self.byStaff, &pad) == nil)
    }

    @Test("names are allowed by the configuration where the button for other ways has no room")
    func withoutRoom() {
        var policy = PadDriver.policy
        policy.alternatives = [.confirmed, .typed]
        var pad = FlowDriver(policy: policy)
        pad.tooLarge = { $0.elements.contains { if case .button(.instead, _) = $0 { true } else { false } } }
        pad.call(CaptureFlow(), prompt: ["Order 7"])
        #expect(pad.step == .signature && pad.header?.flow?.alternatives == [.typed])
        #expect(type(Self.byStaff, &pad) == nil)
    }

    @Test("what a host sends is in quotes: it cannot say what the record does not")
    func words() {
        func words(_ name: String, _ reason: String?) -> String {
            TypedName(name: name, by: .staff, reason: reason).words("")
        }
        #expect(
            words(#"Ada", accepted by the host: "B"#, nil)
                == #"a name that staff entered in place of a signature: "Ada\", accepted by the host: \"B""#)
        #expect(words("A", #"\"#) == #"a name that staff entered in place of a signature: "A", because "\\""#)
    }

    @Test("the pages of a capture have a loudspeaker while they are read aloud")
    func sign() {
        func signs(_ pad: FlowDriver) -> [Bool] {
            pad.actions.compactMap { if case .render(.sign(.speaks, let isShown)) = $0 { isShown } else { nil } }
        }
        #expect(signs(called()) == [])
        var pad = called(assistance: [.speech])
        #expect(signs(pad) == [true])
        pad.press(.cancel)
        pad.handle(.call(CallID(9), .cancel(nil), .all))
        #expect(pad.outcome != nil && signs(pad) == [true, false])
    }

    @Test("a name that does not fit is refused, and signing goes on")
    func tooLong() {
        var pad = called()
        pad.tooLarge = { _ in true }
        guard case .tooSmallScreen? = type(Self.byStaff, &pad) else {
            Issue.record("a page that does not fit")
            return
        }
        #expect(pad.step == .signature)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
    }

    @Test("whoever has the page read aloud accepts the name only when it was read to its end")
    func heard() throws {
        var pad = called(assistance: [.speech])
        func press(_ names: String...) {
            for name in names {
                let description = pad.pad.description
                let control = description.controls.first { $0.name == name }
                pad.handle(.act(.press(page: description.number, control: control?.id ?? -1)))
            }
        }
        pad.speaks = false
        #expect(type(Self.byPerson, &pad) == nil)
        press("option", "next")
        #expect(pad.outcome == nil && pad.banner == Self.messages[.listenFirst])
        pad.spoken = []
        pad.speaks = true
        press("next")
        #expect(pad.spoken.contains { $0.contains("Ada Müller") })
        press("next")
        #expect(pad.outcome == .accepted)
        #expect(try record(pad).fields.first?.heard == true)
    }

    @Test("a name in a field of a document: the glass says it there, and a mark before it goes with its witnesses")
    func document() throws {
        let fields = [Field.made(.signature, "S")]
        var pad = called([.mark, .typed], CaptureFlow(document: FlowDriver.read()), fields: fields)
        pad.wait(.seconds(1))
        pad.press(.lead)
        #expect(pad.step == .field("S"))
        pad.press(.instead)
        pad.press(.option(0))
        pad.press(.next)
        pad.signAndAccept()
        #expect(pad.step == .instead("S", .witness1))
        #expect(type(Self.byStaff, &pad) == nil)
        #expect(accept(&pad) == nil)
        guard case .instead(let words, let inks)? = pad.scene?.marks.first?.state else {
            Issue.record("the field has no name")
            return
        }
        #expect(words == Self.messages.words(of: Self.byStaff) && inks.isEmpty)
        pad.press(.lead)
        #expect(pad.outcome == .accepted)
        #expect(try record(pad).fields.map(\.instead) == [.typed])
    }
}
