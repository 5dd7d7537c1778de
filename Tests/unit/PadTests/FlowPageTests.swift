// SPDX-License-Identifier: Apache-2.0
import Geometry
import PadFixtures
import TestSupport
import Testing

@testable import Pad

@Suite("The layout of the pages for documents and questions")
struct FlowPageTests {
    private static let seven = (size: PixelSize(width: 1024, height: 600), density: PixelDensity(dotsPerInch: 170))
    private static let small = (size: PixelSize(width: 320, height: 240), density: PixelDensity(dotsPerInch: 143))

    private static func place(
        _ page: Page, _ size: PixelSize, _ density: PixelDensity?, _ measure: PlainMeasure = PlainMeasure(),
        gloves: Bool = false
    ) throws(PageTooSmall) -> PlacedPage {
        try SigningPageTests.place(page, size, density, measure, gloves: gloves)
    }

    static func reading(_ lead: String = "2/3 · Signature · Page 3", declines: Bool = true) -> Page {
        Page(
            [.document, .button(.cancel, label: "Cancel")] + (declines ? [.button(.decline, label: "Decline")] : [])
                + [.button(.lead, label: lead)])
    }

    static func question(
        _ labels: [String], _ style: OptionStyle = .choice, text: String = "How would you like to get your receipt?",
        number: String? = "2/5"
    ) -> Page {
        var elements: [PageElement] = [.text(PageText(text, .heading, of: .prompt))]
        if let number { elements.append(.text(PageText(number, .trailingDetail))) }
        for (index, label) in labels.enumerated() { elements.append(.option(index, label: label, style)) }
        for (button, label) in [(PageButton.cancel, "Cancel"), (.back, "Back"), (.next, "Next")] {
            elements.append(.button(button, label: label))
        }
        return Page(elements)
    }

    private static func words(_ longest: Int, _ random: inout SeededGenerator) -> String {
        let word = Int.random(in: 1...20, using: &random)
        return String((0..<Int.random(in: 1...longest, using: &random)).map { $0 % word == word - 1 ? " " : "x" })
    }

    static func randomPage(_ random: inout SeededGenerator) -> Page {
        if Bool.random(using: &random) {
            return reading(words(40, &random), declines: Bool.random(using: &random))
        }
        let longest = [10, 30, 80].randomElement(using: &random)!
        let count = Int.random(in: 1...8, using: &random)
        let style = [OptionStyle.check, .choice].randomElement(using: &random)!
        if Int.random(in: 0..<4, using: &random) == 0 {
            return question((1...5).map { "\($0)" }, .rating, text: words(200, &random))
        }
        return question(
            (0..<count).map { _ in words(longest, &random) }, style,
            text: words([20, 60, 300].randomElement(using: &random)!, &random),
            number: Bool.random(using: &random) ? "12/16" : nil)
    }

    @Test(
        "on any page everything is on it, nothing overlaps or is cut, and targets are large; else a text is too long",
        arguments: Breadth.seeds(8, long: 40))
    func anyPage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var refused: [PageTooSmall] = []
        for step in 0..<40 {
            let (size, density) = (
                SigningPageTests.randomSize(&random), SigningPageTests.randomDensity(&random)
            )
            var page = Self.randomPage(&random)
            let measure = PlainMeasure(lineHeight: PlainMeasure.lineHeights.randomElement(using: &random)!)
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            do throws(PageTooSmall) {
                let placed = try Self.place(page, size, density, measure)
                let faults = placed.faults(measure, density: density)
                #expect(faults.isEmpty, comment)
                page.direction = .rightToLeft
                #expect(try Self.place(page, size, density, measure).rects == placed.mirroredRects, comment)
                let gloved = try Self.place(page, size, density, measure, gloves: true)
                let glovedFaults = gloved.faults(measure, density: density)
                #expect(glovedFaults.isEmpty, comment)
            } catch {
                // The error names a text, unless the answers are what has no room.
                let hasAnswers = page.elements.contains { if case .option = $0 { true } else { false } }
                if error.field == nil { #expect(hasAnswers, comment) }
                refused.append(error)
            }
        }
        #expect(refused.count < 25, "\(refused)")
    }

    @Test("a document has most of the screen on real panels", arguments: SigningPageTests.panels)
    func document(panel: PixelSize) throws {
        for density in SigningPageTests.densities {
            for size in [panel, panel.transposed] {
                guard let placed = try? Self.place(Self.reading(), size, density) else {
                    // Millimetres for these labels.
                    let shorter = Double(min(size.width, size.height)) / PageDesign.unit(size: size, density: density)
                    #expect(shorter < 36, "\(size) \(density as Any)")
                    continue
                }
                let faults = placed.faults(PlainMeasure(), density: density)
                #expect(faults.isEmpty, "\(size)")
                #expect(Double(placed.documentArea.height) >= 0.5 * Double(size.height), "\(size) \(density as Any)")
            }
        }
    }

    @Test("the button that leads on has its own row where the labels do not fit beside each other")
    func rows() throws {
        let (size, density) = (PixelSize(width: 480, height: 800), PixelDensity(dotsPerInch: 187))
        let tall = try Self.place(Self.reading(), size, density)
        let (lead, cancel) = (try #require(tall.element(of: .lead)), try #require(tall.element(of: .cancel)))
        #expect(lead.rect.maxY <= cancel.rect.minY)
        #expect(lead.rect.width > size.width * 3 / 4)
        let wide = try Self.place(Self.reading(), Self.seven.size, Self.seven.density)
        #expect(wide.element(of: .lead)?.rect.minY == wide.element(of: .cancel)?.rect.minY)
        // A short label leaves room for longer ones.
        let short = try Self.place(Self.reading("Done"), Self.seven.size, Self.seven.density)
        let width = try #require(short.element(of: .lead)).rect.width
        #expect(width * 5 >= short.size.width * 2)
    }

    @Test("eight choices of 80 characters fit on a panel of 7 inches, in two columns")
    func manyChoices() throws {
        let label = String(repeating: "condition ", count: 8)
        #expect(label.count == 80)
        for size in [Self.seven.size, Self.seven.size.transposed] {
            let page = Self.question([String](repeating: label, count: 8))
            let placed = try Self.place(page, size, Self.seven.density)
            #expect(placed.faults(PlainMeasure(), density: Self.seven.density).isEmpty)
            let columns = Set(placed.buttons.filter { $0.option != nil }.map(\.rect.minX))
            #expect(columns.count == (size.width > size.height ? 2 : 1))
        }
    }

    @Test("a few short answers have one column, and each is as wide as the page")
    func fewChoices() throws {
        let placed = try Self.place(Self.question(["Yes", "No"]), Self.seven.size, Self.seven.density)
        let options = placed.buttons.filter { $0.option != nil }
        #expect(Set(options.map(\.rect.minX)).count == 1)
        #expect(options.allSatisfy { $0.rect.width == placed.size.width - 2 * placed.design.margin })
    }

    @Test("the numbers of a rating stand in one row, with equal targets", arguments: SigningPageTests.panels)
    func rating(panel: PixelSize) throws {
        for density in SigningPageTests.densities {
            for size in [panel, panel.transposed] {
                let page = Self.question((1...5).map { "\($0)" }, .rating)
                let placed = try Self.place(page, size, density)
                let numbers = placed.buttons.filter { $0.option != nil }.map(\.rect)
                #expect(numbers.count == 5 && Set(numbers.map(\.minY)).count == 1)
                #expect(Set(numbers.map { PixelSize(width: $0.width, height: $0.height) }).count == 1)
            }
        }
    }

    @Test("a question that is too long for the page is refused, with what fits of it")
    func tooLong() throws {
        let text = String(repeating: "question ", count: 100)
        let error =
            thrownError {
                try Self.place(Self.question(["Yes", "No"], text: text), Self.small.size, Self.small.density)
            } as? PageTooSmall
        #expect(error?.field == .prompt)
        let fits = try #require(error?.fits)
        let shorter = String(text.prefix(fits))
        let placed = try Self.place(
            Self.question(["Yes", "No"], text: shorter), Self.small.size, Self.small.density)
        #expect(placed.faults(PlainMeasure(), density: Self.small.density).isEmpty)
    }

    @Test("answers without room are not the fault of a short question")
    func tooManyAnswers() {
        let answers = (1...8).map { "Answer \($0)" }
        let error =
            thrownError {
                try Self.place(Self.question(answers, text: "Which?"), Self.small.size, Self.small.density)
            } as? PageTooSmall
        #expect(error == PageTooSmall())
    }

    @Test("Back stands beside the button that leads on, and where no page has Cancel")
    func back() throws {
        let question = try Self.place(Self.question(["Yes", "No"]), Self.seven.size, Self.seven.density)
        let (back, next) = (
            try #require(question.element(of: .back)).rect, try #require(question.element(of: .next)).rect
        )
        #expect(back.maxX < next.minX && next.minX - back.maxX <= 2 * question.design.gap)
        let signing = try Self.place(
            Page([
                .text(PageText("Sign", .heading, of: .prompt)), .inkField(.signing(hint: "Sign here")),
                .button(.back, label: "Back"), .button(.undo, label: nil), .button(.clear, label: nil),
                .button(.accept, label: "Accept"),
            ]), Self.seven.size, Self.seven.density)
        #expect(signing.faults(PlainMeasure(), density: Self.seven.density).isEmpty)
        let cancel = try #require(question.element(of: .cancel)).rect
        let other = try #require(signing.element(of: .back)).rect
        #expect(other.intersection(cancel).isEmpty)
    }

    @Test("the initials can be used again on every panel", arguments: SigningPageTests.panels)
    func initials(panel: PixelSize) throws {
        for density in SigningPageTests.densities {
            for size in [panel, panel.transposed] {
                let page = Page([
                    .text(PageText("Page 3", .heading, of: .prompt)), .inkField(.signing(hint: "Initial here")),
                    .text(PageText("Ada Lovelace", .detail, of: .signer)), .button(.back, label: "Back"),
                    .button(.again, label: "Use my initials again"), .button(.undo, label: nil),
                    .button(.clear, label: nil), .button(.accept, label: "Accept"),
                ])
                guard let placed = try? Self.place(page, size, density) else {
                    let shorter = Double(min(size.width, size.height)) / PageDesign.unit(size: size, density: density)
                    #expect(shorter < 47, "\(size) \(density as Any)")
                    continue
                }
                let faults = placed.faults(PlainMeasure(), density: density)
                #expect(faults.isEmpty, "\(size)")
            }
        }
    }

    @Test("a field for a note has no line, and is higher than a field for a signature")
    func note() throws {
        func page(_ field: InkField) -> Page {
            Page([
                .text(PageText("What is damaged?", .heading, of: .prompt)), .inkField(field),
                .button(.back, label: "Back"), .button(.undo, label: nil), .button(.clear, label: nil),
                .button(.accept, label: "Next"),
            ])
        }
        for panel in SigningPageTests.panels {
            for size in [panel, panel.transposed] {
                let note = try Self.place(page(.note(hint: "Write here")), size, nil)
                #expect(note.faults(PlainMeasure(), density: nil).isEmpty && note.signingLine.isEmpty)
                let hint = try #require(note.hint)
                #expect(note.inkField.contains(hint.rect) && PlainMeasure().isWhole(hint))
                let signature = try Self.place(page(.signing(hint: "Sign here")), size, nil)
                #expect(note.inkField.height >= signature.inkField.height)
            }
        }
    }

    @Test("a banner over a question or a document covers neither answers nor buttons, if there is room")
    func banner() throws {
        let measure = PlainMeasure()
        for page in [Self.reading(), Self.question(["Yes", "No"])] {
            let placed = try Self.place(page, Self.seven.size, Self.seven.density)
            let banner = placed.placed(
                Banner("Please read all pages first.", isWarning: true), measure: { measure.measure($0, $1, $2) })
            #expect(PixelRect(size: placed.size).contains(banner.rect) && !banner.rect.isEmpty)
            for button in placed.buttons { #expect(button.rect.intersection(banner.rect).isEmpty) }
        }
    }
}
