// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("Any flow, whatever people touch")
struct FlowPropertyTests {
    /// A person who presses and draws anywhere, with one or two fingers, and sometimes waits.
    private struct Person {
        var random: SeededGenerator

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        /// A key, which seldom cancels.
        private mutating func press(_ key: PageKey, _ pad: inout FlowDriver) {
            let control = pad.pad.description.controls.first { $0.id == pad.pad.focus?.control }
            if key == .press, ["cancel", "decline"].contains(control?.name), number(0..<20) > 0 { return }
            pad.handle(.key(key))
            // The ring on the glass is that of a control which can be pressed.
            guard let focus = pad.pad.focus else { return }
            let reachable = pad.pad.description.controls.filter(\.isEnabled).map(\.id)
            #expect(reachable.contains(focus.control) && focus.page == pad.pad.description.number)
        }

        mutating func act(_ pad: inout FlowDriver) {
            switch number(0..<15) {
            case 0..<5:
                // What is on the page, most of all what leads on.
                let buttons = pad.page?.buttons.compactMap(\.button) ?? []
                let likely = buttons.filter { $0 != .cancel && $0 != .decline }
                let all = number(0..<40) == 0 ? buttons : likely
                if !all.isEmpty { pad.press(all[number(0..<all.count)]) }
            case 5..<8: if pad.pad.running?.takesInk == true { pad.sign() }
            case 8: if let marks = pad.scene?.marks, !marks.isEmpty { pad.tap(marks[number(0..<marks.count)]) }
            case 9: pad.drag(by: Double(number(-200..<200)))
            case 10: pad.wait(.milliseconds(number(0..<3000)))
            case 11, 12:
                let description = pad.pad.description
                if number(0..<2) == 0 {
                    pad.handle(.act(.move(ViewStep.allCases[number(0..<ViewStep.allCases.count)])))
                } else if let control = description.controls.randomElement(using: &random) {
                    if control.name == "cancel" || control.name == "decline", number(0..<20) > 0 { break }
                    // Now and then for the page before.
                    let page = description.number &- (number(0..<9) == 0 ? 1 : 0)
                    pad.handle(.act(.press(page: page, control: control.id)))
                }
            case 13: press(PageKey.allCases[number(0..<PageKey.allCases.count)], &pad)
            default:
                let phases: [Contact.Phase] = [.began, .moved, .moved, .ended, .cancelled, .retired, .resumed]
                for _ in 0..<number(1..<30) {
                    let place = Point(x: Double(number(0..<400)), y: Double(number(0..<300)))
                    pad.touch(phases[number(0..<phases.count)], at: place, contact: Int32(number(1..<4)))
                }
            }
        }
    }

    private static func flow(_ person: inout Person, _ fields: [Field]) -> CaptureFlow {
        let hasPeople = fields.contains { $0.person > 0 }
        let people = hasPeople ? [CapturePerson(role: "A", name: "Ada"), CapturePerson(role: "B", sees: "A")] : []
        var questions: [CaptureQuestion] = []
        let kinds = CaptureQuestion.Kind.allCases + [.check, .check, .check]
        for (index, kind) in kinds.enumerated() where person.number(0..<2) == 0 {
            let isTogether = kind == .check && person.number(0..<4) > 0
            questions.append(
                CaptureQuestion(
                    name: "q\(index)", kind: kind, heading: isTogether ? "!" : nil, text: "?",
                    choices: kind == .choice ? ["x", "y"] : nil,
                    required: person.number(0..<2) == 0, person: hasPeople && index > 1 ? "B" : nil))
        }
        let policy = ReadingPolicy(
            mustSeeAllPages: person.number(0..<2) == 0, requireAnswers: person.number(0..<2) == 0)
        let hasDocument = person.number(0..<4) > 0 || questions.isEmpty
        return CaptureFlow(
            document: hasDocument ? FlowDriver.read(policy) : nil, questions: questions, people: people,
            declineReasons: person.number(0..<2) == 0 ? ["why"] : nil)
    }

    private static func fields(_ person: inout Person) -> [Field] {
        let all: [Field] = [
            .made(.signature, "S01", required: person.number(0..<2) == 0),
            .made(.signature, "S02", page: 2, person: 1, required: person.number(0..<2) == 0),
            .made(.initials, "I01", at: 500),
            .made(.initials, "I02", page: 2, at: 300), .made(.check, "c", at: 400, required: false),
            .made(.choice, "r", at: 300, value: "a"), .made(.choice, "r", at: 300, value: "b", x: 300),
            .made(.date, "d", at: 100, required: false),
        ]
        let isTwo = person.number(0..<2) == 0
        return all.filter { field in
            if field.person > 0 { return isTwo }
            return field.kind == .choice || person.number(0..<3) > 0
        }
    }

    @Test(
        "what is accepted can be recorded and is complete, and each call ends once",
        arguments: Breadth.seeds(20, long: 600))
    func rules(seed: UInt64) throws {
        var person = Person(random: SeededGenerator(seed: seed))
        let fields = Self.fields(&person)
        // On a small screen with large letters, texts come before most pages.
        let isLarge = person.number(0..<3) == 0
        var pad = FlowDriver(fields: fields, screen: isLarge ? LargeTextsTests.five : nil)
        let flow = Self.flow(&person, fields)
        let alternatives = Alternative.allCases.filter { _ in person.number(0..<3) == 0 }
        pad.call(
            flow, prompt: isLarge ? LargeTextsTests.prompt : ["Sign"], signer: "Ada", letters: isLarge ? 4.9 : nil,
            alternatives: alternatives)
        var acts = 0
        while pad.outcome == nil, acts < 1500 {
            person.act(&pad)
            acts += 1
        }
        if pad.outcome == nil { pad.wait(.seconds(3600)) }
        let ends = pad.replies.count { if case .capture(let reply) = $0 { reply.outcome != nil } else { false } }
        #expect(ends == 1 && !pad.isOpen, "seed \(seed)")
        let header = try #require(pad.header)
        var record = CaptureRecord(header: header, entries: pad.entries, end: pad.end)
        let isAccepted = pad.outcome == .accepted
        #expect((pad.end != nil) == isAccepted, "seed \(seed)")
        let bytes = try CaptureEncoder.encode(record)
        #expect(try CaptureDecoder.decode(bytes) == record, "seed \(seed)")
        guard isAccepted else { return }
        #expect(record.unmetDemands.isEmpty, "seed \(seed): \(record.unmetDemands)")
        let signed = Set(record.fields.map(\.name))
        record.end = nil
        let accepted = Set(pad.events.compactMap { if case .accepted(let field) = $0 { field.name } else { nil } })
        if flow.document == nil {
            #expect(signed.contains("signature"), "seed \(seed)")
        } else {
            for field in fields where field.isRequired && (field.kind == .signature || field.kind == .initials) {
                #expect(signed.contains(field.name), "seed \(seed): \(field.name)")
            }
        }
        let answered = pad.events.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
        for question in flow.questions where question.required == true {
            let last = answered.last { $0.name == question.name }
            #expect(
                question.kind == .note ? accepted.contains(question.name) : last != nil && last?.checked != false,
                "seed \(seed): \(question.name)")
        }
        if flow.document?.policy.mustSeeAllPages == true {
            #expect(pad.end?.reading?.allSatisfy(\.toEnd) == true, "seed \(seed)")
        }
        if flow.document != nil {
            #expect(record.seen?.map(\.toEnd) == pad.end?.reading?.map(\.toEnd), "seed \(seed)")
            #expect(record.seen?.map(\.pages) == pad.end?.reading?.map(\.pages), "seed \(seed)")
        }
    }
}
