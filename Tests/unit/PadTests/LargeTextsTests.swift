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

/// For people who see little, what EN 301 549, 5.1.4 asks for on small panels: texts that have no room in large letters
/// come before their page.
@Suite("Texts in large letters before a page")
struct LargeTextsTests {
    /// A panel of 5 inches, 108 x 65 mm.
    static let five = PadScreen(
        name: "screen", panelSize: PixelSize(width: 800, height: 480), rotation: .none,
        density: PixelDensity(dotsPerInch: 187), pageDensity: PixelDensity(dotsPerInch: 187))
    static let prompt = [
        "Delivery 4711-0815",
        "I have received twelve parcels in good order. The driver has shown me each of them, and I have compared their "
            + "numbers with the list. Two of them are for my neighbour, and I will hand them over today.",
    ]
    private static let wanted = 4.9

    private func called(
        _ flow: CaptureFlow = CaptureFlow(), prompt: [String] = Self.prompt, fields: [Field] = [],
        letters: Double? = Self.wanted, assistance: Set<Assistance> = [], alternatives: [Alternative]? = nil
    ) -> FlowDriver {
        var pad = FlowDriver(fields: fields, screen: Self.five)
        pad.handle(.speech(.ready(true, isPlugged: false)))
        pad.call(
            flow, prompt: prompt, signer: "Ada Lovelace", letters: letters, assistance: assistance,
            alternatives: alternatives)
        return pad
    }

    /// The pages with texts from the one that is shown, as Next turns them.
    private func turn(_ pad: inout FlowDriver) -> [PlacedPage] {
        var pages: [PlacedPage] = []
        while let page = pad.page, page.page.isLargeTexts, pages.count < 100 {
            pages.append(page)
            // Not the second tap of two.
            pad.now += .seconds(1)
            pad.press(.next)
        }
        return pages
    }

    /// Not the second tap of two.
    private func next(_ pad: inout FlowDriver) {
        pad.now += .seconds(1)
        pad.press(.next)
    }

    private func expectTexts(of page: PlacedPage?, on pages: [PlacedPage]) throws {
        let page = try #require(page)
        #expect(!pages.isEmpty && !page.page.isLargeTexts)
        #expect(pages.flatMap(\.page.words) == page.page.words)
        for placed in pages {
            #expect(placed.faults(PlainMeasure(), density: Self.five.pageDensity) == [])
            for element in placed.elements {
                guard let style = element.style else { continue }
                #expect(style.em * 0.7 / Self.five.density.pixelsPerMillimetre >= Self.wanted - 1e-9, "\(element)")
            }
        }
    }

    @Test("a person reads all texts in large letters, goes back and forth, and signs")
    func signing() throws {
        var pad = called()
        #expect(pad.step == .texts(.signature, 0) && pad.last?.state == .reading && pad.pad.page == .reading)
        #expect(pad.page?.element(of: .cancel) != nil && pad.page?.element(of: .back) == nil)
        let pages = turn(&pad)
        #expect(pages.count > 2 && pad.step == .signature && pad.last?.state == .signing && pad.pad.page == .signing)
        #expect(pages.dropFirst().allSatisfy { $0.element(of: .cancel) == nil && $0.element(of: .back) != nil })
        try expectTexts(of: pad.page, on: pages)
        #expect(pad.page?.element(of: .cancel) == nil)
        for index in pages.indices.reversed() {
            pad.press(.back)
            #expect(pad.step == .texts(.signature, index) && pad.page == pages[index])
        }
        pad.now += .seconds(1)
        #expect(turn(&pad) == pages)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        // The record is that of a signature with usual letters.
        var usual = called(letters: nil)
        #expect(usual.step == .signature)
        usual.signAndAccept()
        var header = try #require(pad.header)
        header.screen.signingArea = try #require(usual.header?.screen.signingArea)
        #expect(header == usual.header && header.version == 1 && header.flow == nil)
        #expect(pad.entries.map(\.isStroke) == usual.entries.map(\.isStroke))
        #expect(pad.end?.outcome == usual.end?.outcome && pad.end?.quality.ignoredContacts == 0)
    }

    @Test("ink on a page that was left is not signed")
    func leftInk() throws {
        var pad = called()
        _ = turn(&pad)
        pad.sign()
        pad.press(.back)
        next(&pad)
        #expect(pad.pad.running?.strokeCount == 0)
        pad.press(.accept)
        #expect(pad.outcome == nil)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
        let record = CaptureRecord(header: try #require(pad.header), entries: pad.entries, end: pad.end)
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record)
        #expect(record.visibleStrokes.count == 1 && record.entries.count(where: \.isStroke) == 2)
    }

    @Test("a page with room for its texts has no pages before it")
    func room() {
        for letters in [nil, 2.0, Self.wanted] {
            var pad = called(prompt: ["Sign"], letters: letters)
            #expect(pad.step == .signature && pad.page?.largeTexts == [] && pad.page?.element(of: .cancel) != nil)
            pad.signAndAccept()
            #expect(pad.outcome == .accepted)
        }
        #expect(called(letters: nil).step == .signature)
    }

    @Test("the screen's letters count, too")
    func screen() {
        var screen = Self.five
        screen.letters = Self.wanted
        var pad = FlowDriver(screen: screen)
        pad.call(CaptureFlow(), prompt: Self.prompt)
        #expect(pad.step == .texts(.signature, 0))
        #expect(turn(&pad).count > 2 && pad.step == .signature)
    }

    @Test("Cancel and Decline are on the first page")
    func leaving() {
        var pad = called(CaptureFlow(declineReasons: [String(repeating: "I do not agree with this. ", count: 3)]))
        #expect(pad.page?.element(of: .decline) != nil)
        pad.press(.decline)
        #expect(pad.step == .texts(.declining, 0) && pad.last?.state == .reading && pad.pad.page == .declining)
        pad.press(.back)
        #expect(pad.step == .texts(.signature, 0))
        pad.now += .seconds(1)
        pad.press(.decline)
        _ = turn(&pad)
        #expect(pad.step == .declining)
        pad.press(.option(0))
        next(&pad)
        guard case .declined? = pad.outcome else {
            Issue.record("\(String(describing: pad.outcome))")
            return
        }
        pad = called()
        pad.press(.cancel)
        #expect(pad.outcome == .cancelled(by: .person))
    }

    @Test("a host cannot accept before the page to sign on is shown")
    func host() throws {
        var pad = called()
        pad.handle(.call(CallID(2), .accept(nil), .all))
        #expect(pad.outcome == nil && pad.step == .texts(.signature, 0))
        guard case .failed(.notSigning)? = pad.replies.last else {
            Issue.record("\(pad.replies)")
            return
        }
        _ = turn(&pad)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted)
    }

    @Test("each page with texts that was shown adds to the time for all, once")
    func time() throws {
        var pad = called(alternatives: Alternative.allCases)
        let usual = try #require(called(letters: nil).pad.running)
        func added() -> Duration { (pad.pad.running?.totalEnd ?? .distantPast) - usual.totalEnd }
        #expect(added() == .seconds(60))
        let count = turn(&pad).count
        #expect(count > 2 && added() == .seconds(60) * count)
        for _ in 0..<3 {
            pad.press(.back)
            _ = turn(&pad)
        }
        #expect(added() == .seconds(60) * count)
    }

    @Test("the second tap of two turns no page, declines nothing, and leaves no note empty")
    func secondTap() {
        var pad = called()
        pad.now += .seconds(1)
        pad.press(.next)
        pad.press(.next)
        #expect(pad.step == .texts(.signature, 1))
        // Declining is asked for, after its texts.
        pad = called(CaptureFlow(declineReasons: []))
        pad.press(.decline)
        _ = turn(&pad)
        if pad.step == .declining {
            pad.press(.next)
            #expect(pad.outcome == nil)
        }
        let note = CaptureQuestion(name: "c", kind: .note, text: Self.prompt[1])
        pad = called(CaptureFlow(questions: [note]))
        _ = turn(&pad)
        #expect(pad.step == .note(0))
        pad.press(.accept)
        #expect(pad.step == .note(0))
        pad.now += .seconds(1)
        pad.press(.accept)
        #expect(pad.step != .note(0))
    }

    @Test("a typed name has its texts before it, too, and only then its box")
    func typedName() {
        var pad = called(alternatives: [.typed])
        let typed = TypedName(name: "Ada Lovelace", by: .staff, reason: Self.prompt[1])
        // Also from a page with texts.
        pad.handle(.call(CallID(2), .typeName(nil, typed), .all))
        let step = FlowStep.instead(RecordedFlow.signatureName, .typed)
        #expect(pad.step == .texts(step, 0))
        pad.handle(.call(CallID(3), .accept(nil), .all))
        #expect(pad.outcome == nil && pad.step == .texts(step, 0))
        let words = turn(&pad).flatMap(\.page.words)
        #expect(pad.step == step && words == pad.page?.page.words)
        pad.press(.option(0))
        next(&pad)
        #expect(pad.outcome == .accepted && pad.last?.instead?.first?.alternative == .typed)
    }

    @Test("a box that was ticked is ticked after its texts were read again")
    func ticked() {
        var pad = called(alternatives: [.confirmed])
        _ = turn(&pad)
        pad.press(.instead)
        _ = turn(&pad)
        pad.press(.option(0))
        pad.now += .seconds(1)
        next(&pad)
        _ = turn(&pad)
        #expect(pad.step == .instead(RecordedFlow.signatureName, .confirmed))
        pad.press(.option(0))
        pad.press(.back)
        _ = turn(&pad)
        #expect(pad.pad.description.controls.first { $0.isChosen != nil }?.isChosen == true)
        pad.now += .seconds(1)
        next(&pad)
        #expect(pad.outcome == .accepted)
    }

    @Test("a keyboard turns the pages")
    func keyboard() {
        var pad = called()
        for name in ["next", "next", "back", "next", "next", "next", "next", "next", "next"] {
            if pad.step == .signature { break }
            for _ in 0..<5 {
                let focus = pad.pad.focus?.control
                if pad.pad.description.controls.first(where: { $0.id == focus })?.name == name { break }
                pad.handle(.key(.next))
            }
            pad.now += .seconds(1)
            pad.handle(.key(.press))
        }
        #expect(pad.step == .signature)
    }

    @Test("one switch turns the pages, and speech reads them")
    func oneSwitch() throws {
        var pad = called(assistance: [.speech])
        pad.pad.settings.keys.use = .oneSwitch
        let pages = try #require(pad.pad.running?.flow.pages[FlowPage(person: 0, step: .signature)]).largeTexts
        // Each text takes some seconds.
        pad.speaks = false
        for _ in 0..<400 where pad.step != .signature {
            if let number = pad.pad.speech?.number, pad.pad.speech?.isSpeaking == true {
                pad.wait(.seconds(4))
                pad.handle(.speech(.spoken(number)))
                continue
            }
            let focus = pad.pad.focus?.control
            let control = pad.pad.description.controls.first { $0.id == focus }
            if focus == nil || control?.name == "next" { pad.handle(.key(.press)) }
            pad.wait(.milliseconds(500))
        }
        #expect(pad.step == .signature)
        // What was read to its end.
        let heard = pad.entries.compactMap { if case .spoken(let text, _) = $0 { text } else { nil } }
        let spoken = heard.joined(separator: " ").words
        // Speech leaves out the marks around names.
        func said(_ words: [String]) -> [String] { words.map { $0.filter { !"\u{2068}\u{2069}".contains($0) } } }
        for page in pages { #expect(spoken.contains(said(page.page.words))) }
    }

    @Test("questions, a document and its fields have their texts before them")
    func document() throws {
        let long = Self.prompt[1]
        let questions = [
            CaptureQuestion(name: "a", kind: .choice, text: long, choices: ["Yes, all of this is right", "No"]),
            CaptureQuestion(name: "b", kind: .check, text: long), CaptureQuestion(name: "c", kind: .note, text: long),
        ]
        var field = Field.made(.signature, "S01")
        field.label = long
        var pad = called(CaptureFlow(document: FlowDriver.read(), questions: questions), fields: [field])
        pad.wait(.seconds(1))
        #expect(pad.step == .reading)
        for step in [FlowStep.question(0), .question(1), .note(2)] {
            if pad.step == .reading { pad.press(.lead) }
            #expect(pad.step == .texts(step, 0))
            let isNote = step == .note(2)
            #expect(pad.last?.state == (isNote ? .reading : .answering) && pad.last?.field != nil)
            pad.press(.back)
            #expect(pad.step == .reading)
            pad.press(.lead)
            let pages = turn(&pad)
            #expect(pad.step == step)
            try expectTexts(of: pad.page, on: pages)
            pad.press(.back)
            #expect(pad.step == .texts(step, pages.count - 1))
            next(&pad)
            if isNote {
                pad.signAndAccept()
            } else {
                pad.press(.option(0))
                next(&pad)
            }
        }
        #expect(pad.step == .reading)
        pad.press(.lead)
        #expect(pad.step == .texts(.field("S01"), 0) && pad.last?.field == "S01")
        try expectTexts(of: pad.pad.running?.flow.pages[FlowPage(person: 0, step: .field("S01"))], on: turn(&pad))
        pad.signAndAccept()
        pad.press(.lead)
        #expect(pad.outcome == .accepted)
        let record = CaptureRecord(header: try #require(pad.header), entries: pad.entries, end: pad.end)
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record && record.unmetDemands == [])
    }

    @Test("without a document, questions follow one another, and Back shows the page before")
    func questions() throws {
        let questions = [
            CaptureQuestion(name: "a", kind: .choice, text: Self.prompt[1], choices: ["Yes", "No"]),
            CaptureQuestion(name: "b", kind: .rating, text: Self.prompt[1]),
        ]
        let people = [CapturePerson(role: "A", name: "Ada"), CapturePerson(role: "Witness of the delivery", sees: "A")]
        var pad = called(CaptureFlow(questions: questions, people: people))
        #expect(pad.step == .texts(.question(0), 0) && pad.page?.element(of: .cancel) != nil)
        try expectTexts(of: pad.pad.running?.flow.pages[FlowPage(person: 0, step: .question(0))], on: turn(&pad))
        pad.press(.option(1))
        next(&pad)
        #expect(pad.step == .texts(.question(1), 0))
        pad.press(.back)
        #expect(pad.step == .question(0) && pad.page.map { $0.page.hasOptions } == true)
        next(&pad)
        _ = turn(&pad)
        pad.press(.option(4))
        next(&pad)
        #expect(pad.step == .texts(.signature, 0))
        _ = turn(&pad)
        pad.signAndAccept()
        // The page that asks for the next person.
        #expect(pad.last?.state == .handingOver && pad.pad.page == .handOver)
        _ = turn(&pad)
        #expect(pad.step == .handOver)
        next(&pad)
        _ = turn(&pad)
        pad.signAndAccept()
        #expect(pad.outcome == .accepted && pad.last?.answers?.count == 2)
        let record = CaptureRecord(header: try #require(pad.header), entries: pad.entries, end: pad.end)
        #expect(record.unmetDemands == [])
    }

    @Test("in place of a signature, too")
    func instead() throws {
        var pad = called(alternatives: Alternative.allCases)
        _ = turn(&pad)
        pad.press(.instead)
        _ = turn(&pad)
        #expect(pad.step == .choosing(RecordedFlow.signatureName))
        pad.press(.option(0))
        next(&pad)
        #expect(pad.step == .texts(.instead(RecordedFlow.signatureName, .confirmed), 0))
        #expect(pad.last?.state == .answering && pad.pad.page == .question)
        let pages = turn(&pad)
        try expectTexts(of: pad.page, on: pages)
        pad.press(.option(0))
        next(&pad)
        #expect(pad.outcome == .accepted)
        let record = CaptureRecord(header: try #require(pad.header), entries: pad.entries, end: pad.end)
        #expect(record.unmetDemands == [])
    }

    @Test("a word that is wider than the page does not make the other ones smaller")
    func wideWord() throws {
        let word = "https://example.org/terms/of/delivery"
        let page = try Self.withTexts(["Please read \(word) before you sign here today, and ask the driver."])
        let parts = page.largeTexts
        let letters = parts.map { $0.leastLetters(unit: Self.five.density.pixelsPerMillimetre) ?? 0 }
        #expect(parts.count > 2 && letters.count { $0 < Self.wanted - 1e-9 } == 1)
        let index = try #require(letters.firstIndex { $0 < Self.wanted - 1e-9 })
        #expect(parts[index].page.words.contains(word))
        #expect(parts.flatMap(\.page.words) == page.page.words)
    }

    private static func withTexts(_ prompt: [String]) throws -> PlacedPage {
        var page = SigningPageTests.page(prompt: prompt)
        (page.letters, page.turning) = (wanted, PageTurning(next: "Next", back: "Back"))
        return try page.placed(on: five)
    }

    @Test(
        "all words of any page come before it, in the letters that were asked for if one word has room in them",
        arguments: Breadth.seeds(8, long: 40))
    func anyPage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var count = 0
        for step in 0..<20 {
            let (size, density) = (SigningPageTests.randomSize(&random), SigningPageTests.randomDensity(&random))
            let isFlow = Bool.random(using: &random)
            var page = isFlow ? FlowPageTests.randomPage(&random) : SigningPageTests.randomPage(&random)
            if Bool.random(using: &random) { page.direction = .rightToLeft }
            let letters = Double.random(in: 1...8, using: &random)
            (page.letters, page.turning) = (letters, PageTurning(next: "Weiter", back: "Zurück"))
            let gloves = Bool.random(using: &random)
            let measure = PlainMeasure(lineHeight: PlainMeasure.lineHeights.randomElement(using: &random)!)
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            func place(_ page: Page) throws -> PlacedPage {
                try PlacedPage.withTexts(
                    page, size: size, density: density, gloves: gloves,
                    measure: { measure.measure($0, $1, $2) }, lines: { measure.lines($0, $1, $2) })
            }
            guard let placed = try? place(page) else { continue }
            let unit = PageDesign.unit(size: size, density: density)
            var alone = page
            alone.turning = nil
            guard let own = try place(alone).leastLetters(unit: unit), !placed.largeTexts.isEmpty else {
                #expect(placed.page == page, comment)
                guard let own = placed.leastLetters(unit: unit), own < letters - 1e-6 else { continue }
                // Not even one letter has room on such a page in larger letters.
                var least = Page(page.elements.filter(\.leaves) + [.button(.next, label: "Weiter")])
                (least.isLargeTexts, least.letters) = (true, letters)
                least.elements.insert(.text(PageText("x", .body)), at: 0)
                let height = (try? place(least))?.design.letters
                #expect(height ?? 0 <= own * 1.001, comment)
                continue
            }
            count += 1
            #expect(own < letters, comment)
            #expect(placed.faults(measure, density: density) == [], comment)
            let parts = placed.largeTexts
            #expect(parts.map(\.page.unbroken).joined() == page.unbroken, comment)
            let height = try #require(parts[0].page.letters)
            #expect(height <= letters && height > own, comment)
            for (index, part) in parts.enumerated() {
                #expect(part.faults(measure, density: density) == [], comment)
                // As the render thread shows it.
                #expect(try place(part.page) == part, comment)
                #expect(part.page.direction == page.direction && part.page.letters == height, comment)
                #expect(part.element(of: .next) != nil && (index == 0 || part.element(of: .back) != nil), comment)
                guard let least = part.leastLetters(unit: unit), least < height - 1e-9 else { continue }
                // Its first word is wider than a page with these letters.
                let word = part.page.words.first ?? ""
                let design = PageDesign(unit: unit, size: size, letters: height)
                let room = min(size.width - 2 * design.margin, design.widestColumn)
                let style = TextStyle(em: height / 0.7 * unit)
                #expect(measure.measure(word, style, 1 << 20).width > room, comment)
            }
            for button in [PageButton.cancel, .decline] where page.buttons.contains(button) {
                #expect(parts[0].element(of: button) != nil && placed.element(of: button) == nil, comment)
            }
        }
        #expect(count > 0)
    }
}

extension String {
    fileprivate var words: [String] { split { $0 == " " || $0 == "\n" }.map(String.init) }
}

extension Page {
    /// What people read on the page, but for its number, hints and buttons.
    fileprivate var readTexts: [String] {
        elements.compactMap { element in
            switch element {
            case .text(let text): text.role == .corner ? nil : text.text
            case .row(let label, let value, _): "\(label): \(value)"
            case .option(_, let label, let style): style == .rating ? nil : label
            default: nil
            }
        }
    }

    fileprivate var words: [String] { readTexts.flatMap(\.words) }
    fileprivate var unbroken: String { words.joined() }
}

extension PageElement {
    fileprivate var leaves: Bool {
        switch self {
        case .button(.cancel, _), .button(.decline, _), .button(.back, _): true
        default: false
        }
    }
}

extension CaptureEntry {
    fileprivate var isStroke: Bool { if case .stroke = self { true } else { false } }
}
