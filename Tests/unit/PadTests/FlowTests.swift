// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import HostAPI
import PadFixtures
import Record
import Testing
import Touch

@testable import Pad

@Suite("A capture with several pages")
struct FlowTests {
    @Test("a person reads a document and signs in it")
    func document() throws {
        var pad = FlowDriver(fields: [.made(.signature, "S01", page: 2)])
        pad.call(CaptureFlow(document: FlowDriver.read()))
        #expect(pad.step == .reading && pad.pad.page == .reading && pad.isOpen)
        #expect(pad.header?.version == 2 && pad.header?.flow?.document?.pages == 2)
        #expect(pad.lead?.hasPrefix("1/1 · Signature") == true)
        // The first press leads there, the second opens the page.
        pad.press(.lead)
        #expect(pad.step == .reading && pad.scene?.marks.count == 1)
        pad.wait(.seconds(1))
        pad.press(.lead)
        #expect(pad.step == .field("S01") && pad.pad.page == .signing)
        pad.signAndAccept()
        #expect(pad.step == .reading && pad.lead == "Done")
        guard case .ink? = pad.scene?.marks.first?.state else {
            Issue.record("the ink is not in the document: \(String(describing: pad.scene?.marks))")
            return
        }
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.last?.signed == true && !pad.isOpen)
        let names = pad.events.map(\.name)
        #expect(names.first == "person" && names.contains("page") && names.contains("view"))
        #expect(names.filter { ["field", "accepted"].contains($0) } == ["field", "accepted"])
        #expect(pad.end?.reading?.count == 1)
    }

    @Test("nobody signs or finishes before all pages are compared")
    func comparison() throws {
        let check = DocumentCheck(
            second: "mupdf 1", differences: [.init(page: 2, rectangle: [1, 2, 3, 4])],
            notDrawn: [.init(page: 1, text: "font")])
        for signs in [true, false] {
            var pad = FlowDriver(pages: 1, fields: [.made(.signature, "S01", required: false)])
            pad.comparison = nil
            pad.call(CaptureFlow(document: FlowDriver.read()))
            let id = try #require(pad.compared)
            pad.wait(.seconds(1))
            if signs { pad.tap(pad.scene?.marks.first) } else { pad.press(.lead) }
            #expect(pad.step == .reading && pad.outcome == nil && pad.banner == "One moment, please…")
            // Another capture's pages do not count.
            pad.handle(.document(.compared(CaptureID("other")!, check)))
            if signs { pad.tap(pad.scene?.marks.first) } else { pad.press(.lead) }
            #expect(pad.step == .reading && pad.outcome == nil)
            pad.handle(.document(.compared(id, check)))
            if signs {
                pad.tap(pad.scene?.marks.first)
                #expect(pad.step == .field("S01"))
                pad.signAndAccept()
            }
            pad.press(.lead)
            #expect(pad.outcome == .accepted)
            var expected = check
            expected.redrawn = signs ? true : nil
            #expect(pad.end?.check == expected)
        }
    }

    @Test("a document that must not be signed ends the capture, with its fault for hosts")
    func differentDocument() throws {
        var pad = FlowDriver(pages: 1, fields: [.made(.signature, "S01")])
        pad.comparison = nil
        pad.call(CaptureFlow(document: FlowDriver.read()))
        pad.handle(.document(.failed(try #require(pad.compared), reason: "page 1", fault: "drawnDifferently")))
        #expect(pad.outcome == .failed(reason: "page 1", fault: "drawnDifferently"))
        #expect(!pad.isOpen && pad.end == nil)
    }

    @Test("the document is read to its end before it can be finished")
    func mustSee() {
        var pad = FlowDriver(pages: 3)
        pad.call(CaptureFlow(document: FlowDriver.read(ReadingPolicy(mustSeeAllPages: true))))
        #expect(pad.lead == "1/1 · Read on")
        var presses = 0
        while pad.lead != "Done", presses < 40 {
            pad.wait(.milliseconds(400))
            pad.press(.lead)
            presses += 1
            pad.wait(.milliseconds(400))
        }
        #expect(pad.lead == "Done" && presses > 3 && pad.outcome == nil)
        pad.press(.lead)
        #expect(pad.outcome == .accepted)
        #expect(
            pad.end?.reading == [
                ReadingResult(pages: [1, 2, 3], toEnd: true, seconds: pad.end?.reading?.first?.seconds ?? 0)
            ])
        let pages = pad.events.compactMap { if case .page(let page) = $0 { page.number } else { nil } }
        #expect(pages == [1, 2, 3])
    }

    @Test("all pages of a capture have the letters that it asks for, and the idle page after it has not")
    func letters() {
        for isSigned in [true, false] {
            var pad = FlowDriver(pages: 1, fields: [.made(.signature, "S01")])
            pad.call(CaptureFlow(document: FlowDriver.read(), declineReasons: []), letters: 4.9)
            if isSigned {
                pad.tap(pad.scene?.marks[0])
                pad.signAndAccept()
                pad.wait(.milliseconds(300))
                pad.press(.lead)
            } else {
                pad.press(.decline)
                pad.wait(.milliseconds(600))
                pad.press(.next)
            }
            pad.wait(.seconds(60))
            let shown = pad.actions.compactMap { if case .render(.show(let page)) = $0 { page } else { nil } }
            let laidOut = pad.actions.compactMap { if case .render(.layOut(_, let page)) = $0 { page } else { nil } }
            #expect(!laidOut.isEmpty && laidOut.allSatisfy { $0.letters == 4.9 })
            #expect(shown.count >= 4 && shown.last?.letters == nil)
            #expect(shown.dropLast().allSatisfy { $0.letters == 4.9 }, "\(shown)")
        }
    }

    @Test("the last page says what the last person did: signed, initialled, answered or read")
    func acts() {
        let messages = MessageTable.shipped[.english]!
        let lines = PersonAct.allCases.map { act in
            messages.thanksPage(act).elements.compactMap { if case .text(let text) = $0 { text.text } else { nil } }
        }
        #expect(
            lines.map { $0.dropFirst().joined() } == [
                "Your signature has been saved.", "Your initials have been saved.", "Your answers have been saved.", "",
            ])
        let people = [CapturePerson(role: "Customer"), CapturePerson(role: "Witness", sees: "Customer")]
        let signature = Field.made(.signature, "S01")
        for (fields, act) in [
            ([], PersonAct.read), ([Field.made(.initials, "I01", at: 600, person: 1)], .initialled),
            ([Field.made(.signature, "S02", at: 600, person: 1)], .signed),
        ] as [([Field], PersonAct)] {
            var pad = FlowDriver(pages: 1, fields: [signature] + fields)
            pad.call(CaptureFlow(document: FlowDriver.read(), people: people))
            pad.tap(pad.scene?.marks[0])
            pad.signAndAccept()
            pad.wait(.milliseconds(300))
            pad.press(.lead)
            #expect(pad.step == .handOver)
            // Now the witness, who reads, and perhaps writes.
            pad.wait(.milliseconds(300))
            pad.press(.next)
            pad.wait(.milliseconds(300))
            if !fields.isEmpty {
                pad.tap(pad.scene?.marks[1])
                pad.signAndAccept()
            }
            pad.wait(.milliseconds(260))
            pad.press(.lead)
            #expect(pad.outcome == .accepted, "\(act)")
            let shown = pad.actions.compactMap { if case .render(.show(let page)) = $0 { page } else { nil } }
            #expect(shown.last == messages.thanksPage(act), "\(act)")
        }
    }

    @Test("who only reads and notes is thanked, and told of no signature", arguments: [false, true])
    func thanks(signs: Bool) {
        let messages = MessageTable.shipped[.english]!
        var pad = FlowDriver(pages: 1, fields: signs ? [.made(.signature, "S01")] : [])
        let note = CaptureQuestion(name: "damage", kind: .note, text: "Damage?", required: true)
        pad.call(CaptureFlow(document: FlowDriver.read(), questions: [note]))
        pad.wait(.seconds(1))
        pad.press(.lead)
        pad.press(.accept)
        // There is no line to sign on.
        #expect(pad.step == .note(0) && pad.last?.state == .refused(.noInk) && pad.banner == messages[.pleaseAnswer])
        pad.signAndAccept()
        if signs {
            pad.press(.lead)
            pad.press(.accept)
            #expect(pad.banner == messages[.refusedNoInk])
            pad.signAndAccept()
        }
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.pad.page == .thanks)
        let shown = pad.actions.compactMap { if case .render(.show(let page)) = $0 { page } else { nil } }
        #expect(shown.last == messages.thanksPage(signs ? .signed : .answered))
    }

    @Test("a document that flies past was not read")
    func flick() {
        var pad = FlowDriver(pages: 9)
        pad.call(CaptureFlow(document: FlowDriver.read(ReadingPolicy(mustSeeAllPages: true))))
        pad.wait(.milliseconds(300))
        for _ in 0..<6 {
            pad.touch(.began, at: Point(x: 200, y: 200))
            for step in 1...5 { pad.touch(.moved, at: Point(x: 200, y: 200 - Double(step) * 36)) }
            pad.touch(.ended, at: Point(x: 200, y: 20))
        }
        pad.wait(.seconds(5))
        #expect(pad.pad.running?.flow.reading?.view.currentPage ?? 0 > 3)
        #expect(pad.lead?.hasPrefix("1/1") == true)
        pad.press(.lead)
        // It leads to the first part that was not seen.
        pad.wait(.milliseconds(400))
        #expect(pad.pad.running?.flow.reading?.view.currentPage ?? 9 < 3)
    }

    @Test("check boxes and choices are ticked by a tap, and each change is recorded")
    func answers() {
        var pad = FlowDriver(fields: [
            .made(.check, "consent", value: "Yes"), .made(.choice, "mail", at: 650, required: false, value: "no"),
            .made(.choice, "mail", at: 650, required: false, value: "yes", x: 200),
        ])
        pad.call(CaptureFlow(document: FlowDriver.read()))
        #expect(
            pad.scene?.marks.map(\.state) == [
                .open(isRequired: true), .open(isRequired: false), .open(isRequired: false),
            ])
        pad.press(.lead)
        #expect(pad.banner == "Please answer first." && pad.outcome == nil)
        pad.tap(pad.scene?.marks[0])
        pad.tap(pad.scene?.marks[2])
        pad.tap(pad.scene?.marks[1])
        #expect(pad.scene?.marks.map(\.state) == [.ticked, .ticked, .empty])
        let answers = pad.events.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
        #expect(
            answers == [
                CaptureAnswer(name: "consent", checked: true), CaptureAnswer(name: "mail", choice: "yes"),
                CaptureAnswer(name: "mail", choice: "no"),
            ])
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.replies.count > 3)
    }

    @Test("two boxes beside each other are ticked by quick taps; two taps at one place enlarge")
    func quickTaps() throws {
        var pad = FlowDriver(fields: [
            .made(.check, "mail", required: false), .made(.check, "call", required: false, x: 150),
        ])
        pad.call(CaptureFlow(document: FlowDriver.read()))
        let marks = try #require(pad.scene?.marks)
        let width = marks[0].place.maxX - marks[0].place.minX
        let middles = marks.map { Point(x: $0.place.minX + width / 2, y: $0.place.minY + width / 2) }
        for middle in middles {
            pad.touch(.began, at: middle)
            pad.touch(.ended, at: middle)
        }
        #expect(pad.scene?.marks.map(\.state) == [.ticked, .ticked])
        pad.wait(.seconds(1))
        for _ in 0..<2 {
            pad.touch(.began, at: middles[0])
            pad.touch(.ended, at: middles[0])
        }
        let place = try #require(pad.scene?.marks.first?.place)
        #expect(pad.scene?.marks.first?.state != .ticked && place.maxX - place.minX > 1.5 * width)
    }

    @Test("questions are asked one after the other, and never answered before")
    func questions() {
        var pad = FlowDriver()
        pad.call(
            CaptureFlow(questions: [
                CaptureQuestion(name: "terms", kind: .check, text: "I agree", required: true),
                CaptureQuestion(name: "size", kind: .choice, text: "Which?", choices: ["S", "M"]),
                CaptureQuestion(name: "stars", kind: .rating, text: "How was it?"),
                CaptureQuestion(name: "damage", kind: .note, text: "Damage?"),
            ]))
        #expect(pad.step == .question(0) && pad.pad.page == .question && pad.last?.state == .answering)
        pad.press(.next)
        #expect(pad.step == .question(0) && pad.banner == "Please answer first.")
        pad.press(.option(0))
        pad.press(.option(0))
        pad.press(.next)
        #expect(pad.step == .question(0))
        pad.press(.option(0))
        pad.press(.next)
        pad.press(.option(1))
        pad.press(.back)
        #expect(pad.step == .question(0))
        pad.press(.next)
        pad.press(.next)
        pad.press(.option(3))
        pad.press(.next)
        #expect(pad.step == .note(3))
        pad.press(.accept)
        #expect(pad.step == .signature && pad.last?.state == .signing)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted && pad.header?.version == 2)
        let last = pad.replies.compactMap { if case .capture(let reply) = $0 { reply.answers } else { nil } }.last
        #expect(
            last == [
                CaptureAnswer(name: "terms", checked: true), CaptureAnswer(name: "size", choice: "M"),
                CaptureAnswer(name: "stars", rating: 4),
            ])
    }

    @Test("a note that nobody needs is withdrawn by an empty page")
    func withdrawnNote() throws {
        var pad = FlowDriver()
        pad.call(CaptureFlow(questions: [CaptureQuestion(name: "damage", kind: .note, text: "Damage?")]))
        pad.signAndAccept()
        #expect(pad.step == .signature)
        func notes() throws -> [String] {
            let record = CaptureRecord(header: try #require(pad.header), entries: pad.entries, end: nil)
            return record.fields.map(\.name)
        }
        #expect(try notes() == ["damage"])
        pad.press(.back)
        #expect(pad.step == .note(0))
        pad.press(.accept)
        #expect(pad.step == .signature && pad.pad.running?.flow.inks.isEmpty == true)
        #expect(try notes() == [])
        pad.press(.back)
        pad.signAndAccept()
        pad.signAndAccept()
        #expect(try notes() == ["damage", "signature"] && pad.outcome == .accepted)
    }

    @Test("with all answers required, a choice that may stay empty is open until it is answered")
    func requiredChoices() {
        for isRequired in [false, true] {
            var pad = FlowDriver(fields: [
                .made(.choice, "way", required: false, value: "mail"), .made(.check, "news", at: 660, required: false),
                .made(.signature, "S01", at: 590),
            ])
            pad.call(CaptureFlow(document: FlowDriver.read(ReadingPolicy(requireAnswers: isRequired))))
            pad.wait(.seconds(1))
            #expect(pad.scene?.marks[0].state == .open(isRequired: isRequired))
            #expect(pad.scene?.marks[1].state == .open(isRequired: false))
            #expect(pad.pad.description.controls.map(\.isRequired).prefix(3) == [isRequired, false, true])
        }
    }

    @Test("check boxes with one heading stand on one page, each an answer of its own, and only some required")
    func boxes() {
        var pad = FlowDriver()
        func box(_ name: String, _ heading: String? = "We may", required: Bool? = nil) -> CaptureQuestion {
            CaptureQuestion(name: name, kind: .check, heading: heading, text: name, required: required)
        }
        pad.call(
            CaptureFlow(questions: [
                box("mail"), box("call", required: true), box("letter"), box("visit"), box("other", "Else"),
            ]))
        #expect(pad.step == .question(0) && pad.last?.field == "mail")
        var labels: [String] = []
        for case .option(_, let label, .check) in pad.page?.page.elements ?? [] { labels.append(label) }
        #expect(labels == ["mail", "call *", "letter", "visit"])
        #expect(pad.page?.page.allTexts.contains("1/2") == true)
        pad.press(.option(0))
        pad.press(.option(3))
        pad.press(.next)
        #expect(pad.step == .question(0) && pad.banner == "Please answer first.")
        pad.press(.option(1))
        pad.press(.option(0))
        pad.press(.next)
        #expect(pad.step == .question(4))
        pad.press(.back)
        #expect(pad.step == .question(0))
        pad.press(.next)
        pad.press(.next)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        let answers = pad.events.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
        #expect(answers.map(\.name) == ["mail", "visit", "call", "mail"])
        #expect(answers.map(\.checked) == [true, true, true, false])
    }

    @Test("each question adds a minute to the total time, up to a limit that is never below it")
    func totalTime() {
        let questions = (0..<4).map { CaptureQuestion(name: "\($0)", kind: .check, text: "?") }
        for (limit, total) in [(3600, 300 + 4 * 60), (400, 400), (60, 300)] {
            let policy = CapturePolicy(totalLimit: .seconds(300))
            var pad = FlowDriver(policy: policy, limit: .seconds(limit))
            let begin = pad.now
            pad.call(CaptureFlow(questions: questions))
            #expect(pad.pad.running?.totalEnd == begin + .seconds(total))
        }
    }

    @Test("the time that a host demands with a document comes on top, for each person and above the limit")
    func demandedTime() {
        let people = ["Customer", "Clerk"].map { CapturePerson(role: $0) }
        for (limit, total) in [(3600, 300 + 3 * 60 + 2 * 600), (60, 300 + 2 * 600)] {
            var pad = FlowDriver(
                fields: [.made(.signature, "S01")], policy: CapturePolicy(totalLimit: .seconds(300)),
                limit: .seconds(limit))
            let begin = pad.now
            pad.call(CaptureFlow(document: FlowDriver.read(ReadingPolicy(minimumSeconds: 600)), people: people))
            #expect(pad.pad.running?.totalEnd == begin + .seconds(total))
        }
    }

    @Test("the button below a document leads to the page with a box that is missing, and not to the others of its page")
    func boxesBelowADocument() {
        var pad = FlowDriver(fields: [.made(.signature, "S01")])
        let names = ["mail", "call", "letter", "visit"]
        let boxes = names.map {
            CaptureQuestion(name: $0, kind: .check, heading: "We may", text: $0, required: $0 == "letter" ? true : nil)
        }
        pad.call(CaptureFlow(document: FlowDriver.read(), questions: boxes))
        pad.press(.lead)
        #expect(pad.step == .question(0))
        pad.press(.back)
        pad.press(.lead)
        pad.press(.option(2))
        pad.press(.next)
        #expect(pad.step == .reading)
        pad.tap(pad.scene?.marks.first)
        pad.signAndAccept()
        pad.wait(.milliseconds(260))
        pad.press(.lead)
        #expect(pad.outcome == .accepted)
    }

    @Test("people sign one after the other, each with a page that asks for them")
    func people() {
        var pad = FlowDriver(fields: [.made(.signature, "S01"), .made(.signature, "S02", at: 600, person: 1)])
        let people = [
            CapturePerson(role: "Customer", name: "Anna"),
            CapturePerson(role: "Witness", name: "Ben", sees: "Customer"),
        ]
        pad.call(CaptureFlow(document: FlowDriver.read(), people: people))
        #expect(pad.last?.person == "Customer")
        pad.tap(pad.scene?.marks[1])
        #expect(pad.step == .reading)
        pad.tap(pad.scene?.marks[0])
        pad.signAndAccept()
        pad.press(.lead)
        #expect(pad.step == .handOver && pad.pad.page == .handOver && pad.last?.person == "Witness")
        pad.press(.next)
        #expect(pad.step == .reading && pad.scene?.marks[1].state == .open(isRequired: true))
        pad.tap(pad.scene?.marks[1])
        #expect(pad.page?.page.allTexts.contains { $0.contains("Anna") } == true)
        pad.signAndAccept()
        pad.wait(.milliseconds(260))
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.end?.reading?.count == 2)
        #expect(pad.events.filter { $0.name == "person" } == [.person(0), .person(1)])
    }

    @Test("initials are written once and used again by a tap, each time as an act of its own")
    func initials() {
        var pad = FlowDriver(fields: [.made(.initials, "I01"), .made(.initials, "I02", at: 600)])
        pad.call(CaptureFlow(document: FlowDriver.read()))
        pad.tap(pad.scene?.marks[0])
        #expect(pad.step == .field("I01"))
        pad.press(.again)
        #expect(pad.step == .field("I01"))
        pad.signAndAccept()
        // They are not those of the field that has them.
        pad.tap(pad.scene?.marks[0])
        pad.press(.again)
        #expect(pad.step == .field("I01"))
        pad.press(.back)
        pad.tap(pad.scene?.marks[1])
        pad.press(.again)
        #expect(pad.step == .reading && pad.lead == "Done")
        pad.wait(.milliseconds(260))
        pad.press(.lead)
        let accepted = pad.events.compactMap { if case .accepted(let field) = $0 { field } else { nil } }
        #expect(accepted == [AcceptedField(name: "I01"), AcceptedField(name: "I02", same: "I01")])
        #expect(pad.outcome == .accepted)
    }

    @Test("who declines may say why, and nothing is kept")
    func decline() {
        var pad = FlowDriver(fields: [.made(.signature, "S01")])
        pad.call(CaptureFlow(document: FlowDriver.read(), declineReasons: ["Too expensive"]))
        pad.press(.decline)
        #expect(pad.step == .declining && pad.pad.page == .declining)
        pad.press(.back)
        #expect(pad.step == .reading)
        // A double tap on Back does not cancel the page that follows.
        pad.press(.cancel)
        #expect(pad.step == .reading && pad.outcome == nil)
        pad.press(.decline)
        // A touch alone ends nothing: a reason is chosen, and confirmed.
        pad.press(.next)
        #expect(pad.step == .declining && pad.banner == MessageTable(.english)[.pleaseAnswer])
        pad.press(.option(1))
        pad.press(.option(0))
        #expect(pad.step == .declining && pad.outcome == nil)
        pad.press(.next)
        #expect(pad.outcome == .declined(reason: "Too expensive") && pad.pad.page == .declined && !pad.isOpen)
        #expect(pad.actions.contains { if case .store(.discard) = $0 { true } else { false } })
        #expect(pad.end == nil)
    }

    @Test("Decline asks before it ends all, also without reasons, and a reason may be kept for oneself")
    func declineAsks() {
        var pad = FlowDriver(fields: [.made(.signature, "S01")])
        pad.call(CaptureFlow(document: FlowDriver.read(), declineReasons: []))
        pad.press(.decline)
        #expect(pad.step == .declining && pad.outcome == nil)
        pad.press(.back)
        #expect(pad.step == .reading)
        pad.press(.decline)
        pad.press(.next)
        #expect(pad.outcome == .declined(reason: nil))
        var other = FlowDriver(fields: [.made(.signature, "S01")])
        other.call(CaptureFlow(document: FlowDriver.read(), declineReasons: ["Too expensive"]))
        other.press(.decline)
        other.press(.option(1))
        other.press(.next)
        #expect(other.outcome == .declined(reason: nil))
    }

    @Test("accept and clear of a host are refused by name while somebody reads")
    func notSigning() {
        var pad = FlowDriver(fields: [.made(.signature, "S01")])
        pad.call(CaptureFlow(document: FlowDriver.read()))
        for operation in [PadCall.accept, PadCall.clear] {
            pad.handle(.call(CallID(77), operation(nil), .all))
            #expect(pad.replies.last == .failed(.notSigning))
        }
        #expect(pad.step == .reading && pad.outcome == nil)
    }

    @Test("the first page of a capture can be cancelled at once: no page was before it")
    func cancelAtOnce() {
        var pad = FlowDriver()
        pad.call(CaptureFlow(questions: [CaptureQuestion(name: "news", kind: .check, text: "Send me news")]))
        pad.press(.cancel)
        #expect(pad.outcome == .cancelled(by: .person))
    }

    @Test("nobody sees a page of a document that is refused, or of a flow that does not fit")
    func refused() {
        var pad = FlowDriver()
        pad.refusal = .documentRefused(fault: "encrypted", reason: "it is encrypted")
        pad.call(CaptureFlow(document: FlowDriver.read()))
        #expect(pad.replies.last == .failed(.documentRefused(fault: "encrypted", reason: "it is encrypted")))
        #expect(!pad.isOpen && pad.header == nil)
        var small = FlowDriver()
        small.tooLarge = { $0.elements.contains { if case .option = $0 { true } else { false } } }
        small.call(
            CaptureFlow(
                document: FlowDriver.read(),
                questions: [CaptureQuestion(name: "a", kind: .check, text: "I agree")]))
        #expect(small.replies.last == .failed(.tooSmallScreen(field: "prompt")) && small.header == nil)
        #expect(!small.isOpen)
    }

    @Test("two fingers enlarge, a double tap goes back, and the part is drawn anew at rest")
    func zoom() {
        var pad = FlowDriver()
        pad.call(CaptureFlow(document: FlowDriver.read()))
        pad.wait(.milliseconds(300))
        pad.touch(.began, at: Point(x: 180, y: 100), contact: 1)
        pad.touch(.began, at: Point(x: 220, y: 100), contact: 2)
        for step in 1...10 { pad.touch(.moved, at: Point(x: Double(220 + step * 8), y: 100), contact: 2) }
        pad.touch(.ended, at: Point(x: 300, y: 100), contact: 2)
        pad.touch(.ended, at: Point(x: 180, y: 100), contact: 1)
        #expect(pad.pad.running?.flow.reading?.view.zoom ?? 1 > 2)
        #expect(pad.scene?.sheets.first?.detail == nil)
        pad.wait(.seconds(1))
        #expect(pad.scene?.sheets.first?.detail != nil)
        for _ in 0..<2 {
            pad.touch(.began, at: Point(x: 200, y: 100))
            pad.touch(.ended, at: Point(x: 200, y: 100))
        }
        #expect(pad.pad.running?.flow.reading?.view.zoom == 1)
    }

    @Test("a very long page is narrower, and the others stay as they are")
    func oddPages() {
        let sizes = [
            DocumentFacts.PageSize(width: 595, height: 842), DocumentFacts.PageSize(width: 1, height: 14_173),
            DocumentFacts.PageSize(width: 14_173, height: 100),
        ]
        let view = ReadingView(sizes, in: FlowDriver.viewport, widest: 2000, gap: 4)
        #expect(view.pages.map(\.width) == [392, 1, 392] && view.pages.allSatisfy { $0.height > 0 })
        #expect(view.pages[0].height == 555)
    }

    @Test("a view counts from when its pictures are there, and nothing spins until then")
    func slowPictures() {
        var pad = FlowDriver()
        pad.draws = false
        pad.call(CaptureFlow(document: FlowDriver.read()))
        pad.wait(.seconds(3))
        #expect(!pad.events.map(\.name).contains("view"))
        #expect(pad.pad.deadline ?? .distantFuture > pad.now)
        pad.answerDraws()
        #expect(!pad.events.map(\.name).contains("view"))
        pad.wait(.milliseconds(260))
        #expect(pad.events.map(\.name).suffix(2) == ["page", "view"])
    }

    @Test("the time to read is at least what the host asks")
    func minimumTime() {
        var pad = FlowDriver(pages: 1)
        pad.call(CaptureFlow(document: FlowDriver.read(ReadingPolicy(minimumSeconds: 5))))
        pad.press(.lead)
        #expect(pad.banner == "Please take a moment to read." && pad.outcome == nil)
        pad.wait(.seconds(6))
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.end?.reading?.first?.seconds ?? 0 >= 5)
    }

    @Test("a document that was not on the screen yet cannot be finished")
    func notYetSeen() {
        var pad = FlowDriver(pages: 1)
        pad.draws = false
        pad.call(CaptureFlow(document: FlowDriver.read()))
        pad.wait(.seconds(2))
        pad.press(.lead)
        #expect(pad.banner == "Please take a moment to read." && pad.outcome == nil)
        pad.answerDraws()
        pad.press(.lead)
        #expect(pad.outcome == nil)
        pad.wait(.milliseconds(260))
        pad.press(.lead)
        #expect(pad.outcome == .accepted && pad.end?.reading?.first?.pages == [1])
    }
}

extension FlowEvent {
    var name: String {
        switch self {
        case .person: "person"
        case .page: "page"
        case .view: "view"
        case .answer: "answer"
        case .field: "field"
        case .accepted: "accepted"
        case .confirmed(let field): field.entered == nil ? "confirmed" : "typed"
        case .glass: "glass"
        }
    }
}
