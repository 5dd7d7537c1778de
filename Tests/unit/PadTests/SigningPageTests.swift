// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import TestSupport
import Testing

@testable import Pad

@Suite("The layout of the signing page")
struct SigningPageTests {
    /// Common panel sizes in landscape; each is also tested in portrait.
    static let panels = [
        PixelSize(width: 320, height: 240), PixelSize(width: 480, height: 320), PixelSize(width: 800, height: 480),
        PixelSize(width: 720, height: 720), PixelSize(width: 1024, height: 600), PixelSize(width: 1280, height: 800),
        PixelSize(width: 1920, height: 1080), PixelSize(width: 3840, height: 2160),
    ]
    static let densities: [PixelDensity?] = [nil] + [60, 110, 167, 226, 326].map { PixelDensity(dotsPerInch: $0) }
    private static let small = (size: PixelSize(width: 480, height: 320), density: PixelDensity(dotsPerInch: 165))

    /// The pad's page for a request.
    static func page(
        prompt: [String] = [], rows: [CaptureRequest.Row]? = nil, signer: String? = nil, reason: String? = nil,
        date: String? = nil, language: MessageTable.Language = .german, showsPrompt: Bool = true
    ) -> Page {
        let pad = Pad(PadDriver.settings(policy: .standard), screen: PadDriver.screen(PadDriver.size))
        let request = CaptureRequest(prompt: prompt, rows: rows, signer: signer, reason: reason)
        let shows = ShownFields(prompt: showsPrompt, signer: true, reason: true, date: date != nil)
        let requested = RequestedCapture(
            call: CallID(1), capture: CaptureCall(request: request, shows: shows), id: CaptureID("a")!,
            messages: MessageTable.shipped[language]!)
        return pad.pages(
            for: requested, document: nil, date: LocalDate(text: date ?? "", offsetSeconds: 0))[0].page
    }

    static func place(
        _ page: Page, _ size: PixelSize, _ density: PixelDensity?, _ measure: PlainMeasure = PlainMeasure(),
        gloves: Bool = false, letters: Double? = nil
    ) throws(PageTooSmall) -> PlacedPage {
        try PlacedPage(
            page, size: size, density: density, gloves: gloves, letters: letters,
            measure: { measure.measure($0, $1, $2) })
    }

    private static func text(of field: PageText.Field, on placed: PlacedPage) throws -> PlacedElement {
        try #require(placed.elements.first { $0.text?.field == field })
    }

    private static func em(of field: PageText.Field, on placed: PlacedPage) throws -> Double {
        try #require(text(of: field, on: placed).style).em
    }

    private static func lineCount(_ element: PlacedElement) throws -> Int {
        let style = try #require(element.style)
        return element.rect.height / PlainMeasure().measure("x", style, 1000).height
    }

    /// A page of any texts and buttons that a host, a language or the program may give it.
    static func randomPage(_ random: inout SeededGenerator) -> Page {
        let long = Int.random(in: 0..<5, using: &random) == 0 ? 400 : 60
        func text(_ longest: Int) -> String {
            // Words, and sometimes one that is longer than a line.
            let word = Int.random(in: 1...40, using: &random)
            return String((0..<Int.random(in: 1...longest, using: &random)).map { $0 % word == word - 1 ? " " : "x" })
        }
        func isChosen(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        let messages = MessageTable.shipped[MessageTable.Language.allCases.randomElement(using: &random)!]!
        var elements: [PageElement] = []
        for index in 0..<Int.random(in: 0...6, using: &random) {
            elements.append(.text(PageText(text(long), index == 0 ? .heading : .body, of: .prompt)))
        }
        if isChosen(4) {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                elements.append(.row(label: text(20), value: text(30)))
            }
        }
        if isChosen(2) {
            elements.append(.text(PageText(messages.text(.reason, of: text(long)), .detail, of: .reason)))
        }
        elements.append(.inkField(.signing(hint: messages[.signHere])))
        if isChosen(2) {
            elements.append(.text(PageText(messages.text(.signer, of: text(long)), .detail, of: .signer)))
        }
        if isChosen(2) { elements.append(.text(PageText(text(40), .trailingDetail, of: .date))) }
        for button in PageButton.signing where !isChosen(6) {
            let hasIcon = button == .undo || button == .clear
            let label = isChosen(3) ? text(20) : messages[Message(labelOf: button)!]
            elements.append(.button(button, label: hasIcon ? nil : label))
        }
        return Page(elements)
    }

    static func randomSize(_ random: inout SeededGenerator) -> PixelSize {
        let size = PixelSize(
            width: Int.random(in: 240...3840, using: &random), height: Int.random(in: 240...2160, using: &random))
        return Bool.random(using: &random) ? size : size.transposed
    }

    /// Includes densities that displays state if they do not know their own.
    static func randomDensity(_ random: inout SeededGenerator) -> PixelDensity? {
        let dots = Double.random(in: 1...4, using: &random)
        return Bool.random(using: &random)
            ? nil : PixelDensity(dotsPerInch: (0..<Int(dots)).reduce(dots * 4) { value, _ in value * 8 })
    }

    @Test(
        "on any page everything is on it, nothing overlaps or is cut, and buttons are large; else a text is too long",
        arguments: Breadth.seeds(8, long: 40))
    func anyPage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var refused: [PageText.Field] = []
        for step in 0..<25 {
            let (size, density) = (Self.randomSize(&random), Self.randomDensity(&random))
            var page = Self.randomPage(&random)
            let measure = PlainMeasure(lineHeight: PlainMeasure.lineHeights.randomElement(using: &random)!)
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            do throws(PageTooSmall) {
                let placed = try Self.place(page, size, density, measure)
                let faults = placed.faults(measure, density: density)
                #expect(faults.isEmpty, comment)
                page.direction = .rightToLeft
                #expect(try Self.place(page, size, density, measure).rects == placed.mirroredRects, comment)
            } catch {
                // The error must name a text.
                refused.append(try #require(error.field, comment))
            }
        }
        #expect(refused.count < 15, "\(refused)")
    }

    @Test("the pages of real panels, in landscape and portrait, with usual texts", arguments: panels, densities)
    func realPanel(panel: PixelSize, density: PixelDensity?) throws {
        for (index, language) in MessageTable.Language.allCases.enumerated() {
            let page = Self.page(
                prompt: ["Please sign here for your delivery"], rows: [.init(label: "Number", value: "4711")],
                signer: "Ada Lovelace",
                reason: "received in good order", date: "2026-11-21 14:26", language: language)
            let measure = PlainMeasure(lineHeight: PlainMeasure.lineHeights[index % 3])
            for size in [panel, panel.transposed] {
                let comment: Comment = "\(size) \(language)"
                let shorterSide = Double(min(size.width, size.height)) / PageDesign.unit(size: size, density: density)
                guard let placed = try? Self.place(page, size, density, measure) else {
                    // Millimetres for this text.
                    #expect(shorterSide < (measure.lineHeight > 1.5 ? 47 : 43), comment)
                    continue
                }
                let faults = placed.faults(measure, density: density)
                #expect(faults.isEmpty, comment)
                #expect(placed.density == density || density == nil)
                for button in placed.buttons {
                    guard case .button(_, let label?) = button.element, let style = button.style else { continue }
                    let line = measure.measure("x", style, 1000).height
                    #expect(measure.measure(label, style, button.rect.width).height == line, comment)
                }
                let hint = try #require(placed.hint)
                #expect(measure.isWhole(hint), comment)
                if shorterSide < 36 { continue }
                let shorter = Double(min(size.width, size.height))
                let least = density.map { 9 * $0.pixelsPerMillimetre } ?? max(48, shorter / 10)
                for button in placed.buttons {
                    #expect(Double(min(button.rect.width, button.rect.height)) >= least, comment)
                }
            }
        }
    }

    @Test(
        "for gloves, any page has larger buttons apart from each other, or is as usual",
        arguments: Breadth.seeds(6, long: 20))
    func anyGloves(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var count = 0
        for step in 0..<25 {
            let (size, density) = (Self.randomSize(&random), Self.randomDensity(&random))
            let page = Self.randomPage(&random)
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            let usual = try? Self.place(page, size, density)
            guard let gloved = try? Self.place(page, size, density, gloves: true) else {
                #expect(usual == nil, comment)
                continue
            }
            #expect(gloved.faults(PlainMeasure(), density: density).isEmpty, comment)
            if gloved.design.targetGap == 0 {
                #expect(gloved == usual, comment)
            } else {
                count += 1
                #expect(Double(gloved.design.target) >= 18 * PageDesign.unit(size: size, density: density), comment)
            }
        }
        #expect(count > 3)
    }

    @Test("counter panels have buttons of 18 mm for gloves; smaller ones keep the usual buttons")
    func gloves() throws {
        let page = Self.page(prompt: ["Please sign here", "No. 4711"], signer: "Ada", reason: "r", date: "2026-11-21")
        for (width, height, dots, isGloved) in [
            (1024, 600, 170, true), (800, 480, 133, true), (1280, 800, 149, true), (800, 1280, 149, true),
            (3840, 2160, 163, true), (480, 320, 165, false), (320, 240, 143, false),
        ] as [(Int, Int, Double, Bool)] {
            let (size, density) = (PixelSize(width: width, height: height), PixelDensity(dotsPerInch: dots))
            let usual = try Self.place(page, size, density)
            let placed = try Self.place(page, size, density, gloves: true)
            #expect(usual.design.targetGap == 0 && (placed != usual) == isGloved, "\(size)")
            #expect(placed.faults(PlainMeasure(), density: density) == [], "\(size)")
            guard isGloved else { continue }
            for (index, button) in placed.buttons.enumerated() {
                let least = Double(min(button.rect.width, button.rect.height)) / density.pixelsPerMillimetre
                #expect(least >= 18, "\(size) \(button)")
                for other in placed.buttons[..<index] {
                    let gaps = [
                        other.rect.minX - button.rect.maxX, button.rect.minX - other.rect.maxX,
                        other.rect.minY - button.rect.maxY, button.rect.minY - other.rect.maxY,
                    ]
                    #expect(Double(gaps.max()!) / density.pixelsPerMillimetre >= 3, "\(size) \(button) \(other)")
                }
            }
        }
    }

    @Test("a page from right to left is the mirror image of one from left to right", arguments: panels)
    func mirrored(size: PixelSize) throws {
        let page = Self.page(prompt: ["abc", "defghi"], signer: "s", reason: "r", date: "d")
        let left = try Self.place(page, size, nil)
        var other = page
        other.direction = .rightToLeft
        let right = try Self.place(other, size, nil)
        #expect(right.rects == left.mirroredRects && right.rects != left.rects)
        #expect(right.elements.map(\.alignment) == left.elements.map(\.alignment))
        // Accept is at the end of the line, apart from the others.
        let accept = try #require(left.element(of: .accept))
        #expect(accept.rect.maxX == size.width - left.design.margin)
        for button in left.buttons where button.button != .accept && button.rect.minY == accept.rect.minY {
            #expect(button.rect.maxX < accept.rect.minX)
        }
    }

    @Test("on panels with room, Undo and Clear are on the card; on small ones they are in the row of buttons")
    func icons() throws {
        let page = Self.page(prompt: ["Sign"], signer: "Ada", date: "21.11.2026")
        for (size, density, isOnCard) in [
            (PixelSize(width: 800, height: 480), 133, true), (PixelSize(width: 320, height: 240), 143, false),
        ] as [(PixelSize, Double, Bool)] {
            let placed = try Self.place(page, size, PixelDensity(dotsPerInch: density))
            for button in [PageButton.undo, .clear] {
                #expect(try placed.frame.contains(#require(placed.element(of: button)).rect) == isOnCard, "\(size)")
            }
        }
    }

    @Test("the card takes no more than its proportion, and everything else keeps to the edges")
    func proportion() throws {
        for size in [PixelSize(width: 800, height: 1280), PixelSize(width: 1080, height: 1920)] {
            let placed = try Self.place(Self.page(prompt: ["Sign"], signer: "Ada"), size, nil)
            let proportion = Double(placed.inkField.height) / Double(placed.inkField.width)
            #expect(proportion < 0.5, "\(size)")
            // The card is near the buttons at the foot, and what is left is above and below the texts.
            let accept = try #require(placed.element(of: .accept)).rect
            let heading = try #require(placed.elements.first).rect
            #expect(
                heading.minY > placed.design.margin && heading.maxY < placed.frame.minY - placed.design.margin,
                "\(size)")
            #expect(accept.minY - placed.frame.maxY <= 2 * accept.height, "\(size)")
        }
    }

    @Test("on a wide page texts are beside the card, unless a word is too wide")
    func beside() throws {
        let (size, density) = (PixelSize(width: 1280, height: 400), PixelDensity(dotsPerInch: 170))
        let short = try Self.place(Self.page(prompt: ["Delivery 4711"]), size, density)
        let text = try Self.text(of: .prompt, on: short).rect
        #expect(text.maxX <= short.frame.minX && abs(text.minY - short.frame.minY) <= 1)
        let long = try Self.place(Self.page(prompt: [String(repeating: "Delivery", count: 10)]), size, density)
        #expect(try Self.text(of: .prompt, on: long).rect.maxY <= long.frame.minY)
    }

    @Test("on a large screen everything is within a column in the middle")
    func column() throws {
        let placed = try Self.place(
            Self.page(prompt: ["Delivery 4711"]), PixelSize(width: 3840, height: 2160), PixelDensity(dotsPerInch: 163))
        let (left, right) = (placed.frame.minX, placed.frame.maxX)
        #expect(right - left == placed.design.widestColumn && left == placed.size.width - right)
        let outside = placed.elements.filter {
            $0.button != .cancel && !($0.rect.minX >= left && $0.rect.maxX <= right)
        }
        #expect(outside.isEmpty)
    }

    @Test("a longer prompt shrinks before it is refused; all texts shrink together, none below the legible size")
    func shrinking() throws {
        let size = PixelSize(width: 800, height: 480)
        var ems: [Double] = []
        var (bodies, details): ([Double], [Double]) = ([], [])
        var smallest = 0.0
        var wasRefused = false
        for count in 1...40 {
            let page = Self.page(prompt: (1...count).map { "line \($0)" }, reason: "r")
            do {
                let placed = try Self.place(page, size, PixelDensity(dotsPerInch: 133))
                #expect(!wasRefused)
                ems.append(try Self.em(of: .prompt, on: placed))
                bodies.append(try #require(placed.elements.last { $0.text?.field == .prompt }?.style).em)
                details.append(try Self.em(of: .reason, on: placed))
                smallest = placed.design.smallestEm
            } catch let error as PageTooSmall {
                #expect(error.field == .prompt)
                wasRefused = true
            }
        }
        #expect(zip(ems, ems.dropFirst()).allSatisfy { $0 >= $1 } && Set(ems).count > 3 && wasRefused)
        #expect(bodies.last == smallest && details.last == smallest && details[0] > smallest)
        // The order of sizes stays.
        let ratio = details[0] / ems[0]
        for (em, detail) in zip(ems, details) {
            #expect(detail <= em && abs(detail - max(em * ratio, smallest)) < 1e-9)
        }
    }

    @Test("lines that are too wide are broken at spaces, at the usual size if there is room")
    func wide() throws {
        let prompt = [String(repeating: "word ", count: 14) + "end", "short"]
        let page = Self.page(prompt: prompt, signer: String(repeating: "s", count: 90), date: "2026-11-21")
        let placed = try Self.place(page, Self.small.size, Self.small.density)
        #expect(placed.faults(PlainMeasure(), density: Self.small.density) == [])
        let lines = placed.elements.filter { $0.text?.field == .prompt }
        #expect(try Self.lineCount(lines[0]) > 1 && Self.lineCount(lines[1]) == 1)
        let (signer, date) = (try Self.text(of: .signer, on: placed), try Self.text(of: .date, on: placed))
        #expect(try Self.lineCount(signer) > 1 && signer.rect.maxY <= date.rect.minY)

        let roomy = try Self.place(Self.page(prompt: prompt), PixelSize(width: 800, height: 480), nil)
        #expect(try Self.em(of: .prompt, on: roomy) == roomy.design.em(.heading))
        #expect(try Self.lineCount(Self.text(of: .prompt, on: roomy)) > 1)
    }

    @Test("signer and date share a line if both fit on it; otherwise the date is below")
    func footer() throws {
        func footer(_ signer: String, _ date: String) throws -> (signer: PlacedElement, date: PlacedElement) {
            let page = Self.page(prompt: ["p"], signer: signer, date: date)
            let placed = try Self.place(page, Self.small.size, Self.small.density)
            #expect(placed.faults(PlainMeasure(), density: Self.small.density) == [], "\(signer) \(date)")
            return (try Self.text(of: .signer, on: placed), try Self.text(of: .date, on: placed))
        }
        let short = try footer("Ada Lovelace", "2026-11-21")
        #expect(short.signer.rect.minY == short.date.rect.minY && short.signer.rect.maxX < short.date.rect.minX)
        #expect(try Self.lineCount(short.signer) == 1 && Self.lineCount(short.date) == 1)
        #expect(short.signer.alignment == .start && short.date.alignment == .end)
        let below = try footer("Ada King, Countess of Lovelace, of London", "2026-11-21")
        #expect(try Self.lineCount(below.signer) == 1 && below.signer.rect.maxY <= below.date.rect.minY)
        let broken = try footer("Ada King, Countess of Lovelace, writer of the first program", "2026-11-21")
        #expect(try Self.lineCount(broken.signer) == 2 && broken.signer.rect.maxY <= broken.date.rect.minY)
        let long = try footer("Ada Lovelace", "Saturday, the 21st of November 2026, at noon")
        #expect(long.signer.rect.maxY <= long.date.rect.minY)
    }

    private static let rows = [
        CaptureRequest.Row(label: "Amount", value: "12.50 €"), .init(label: "Order number", value: "4711"),
    ]

    @Test("rows are below the prompt's lines, with the reason as the last one, and hidden with the prompt")
    func rowsOfRequest() {
        let page = Self.page(prompt: ["p", "q"], rows: Self.rows, signer: "s", reason: "r")
        #expect(
            page.elements.prefix(4) == [
                .text(PageText("p", .heading, of: .prompt)), .text(PageText("q", .body, of: .prompt)),
                .row(label: "Amount", value: "12.50 €"), .row(label: "Order number", value: "4711"),
            ])
        #expect(page.elements[4] == .row(label: "Grund", value: "r", of: .reason))
        let hidden = Self.page(prompt: ["p", "q"], rows: Self.rows, signer: "s", reason: "r", showsPrompt: false)
        #expect(hidden == Self.page(signer: "s", reason: "r"))
        let alone = Self.page(rows: Self.rows)
        #expect(alone.elements.prefix(2) == page.elements[2..<4] && alone != Self.page(rows: nil))
    }

    @Test("rows are in two columns, as wide as the widest label; label and value share a baseline", arguments: panels)
    func rowColumns(size: PixelSize) throws {
        let measure = PlainMeasure()
        let page = Self.page(prompt: ["Sign"], rows: Self.rows, reason: "r")
        let placed = try Self.place(page, size, nil)
        #expect(placed.faults(measure, density: nil) == [])
        let texts = Array(placed.elements.filter { $0.text?.field == .prompt }.dropFirst())
        #expect(texts.map(\.text?.text) == ["Amount", "12.50 €", "Order number", "4711"])
        let labelStyle = try #require(texts[0].style)
        let widest = measure.measure("Order number", labelStyle, size.width)
        for (label, value) in [(texts[0], texts[1]), (texts[2], texts[3])] {
            #expect(label.text?.role == .detail && value.text?.role == .body)
            #expect(label.rect.minX == placed.design.margin && label.rect.width == widest.width)
            let gap = value.rect.minX - label.rect.maxX
            #expect(gap == max(placed.design.gap, Int(labelStyle.em)))
            #expect(value.rect.maxX == size.width - placed.design.margin)
            let valueStyle = try #require(value.style)
            #expect(valueStyle.weight == .medium && valueStyle.em >= labelStyle.em)
            let baselines = [(label, labelStyle), (value, valueStyle)].map { element, style in
                element.rect.minY + measure.measure("x", style, size.width).baseline
            }
            #expect(baselines[0] == baselines[1])
        }
        #expect(texts[1].rect.maxY <= texts[2].rect.minY && texts[1].rect.minX == texts[3].rect.minX)
        var other = page
        other.direction = .rightToLeft
        #expect(try Self.place(other, size, nil).rects == placed.mirroredRects)
    }

    @Test(
        "in every language the reason has a label for its row, without a colon",
        arguments: MessageTable.Language.allCases)
    func reasonLabel(language: MessageTable.Language) throws {
        let label = try #require(MessageTable.shipped[language]?.label(.reason))
        #expect(!label.isEmpty && !label.contains { $0.isWhitespace || $0 == ":" || $0 == "：" || $0 == "{" })
    }

    @Test("a reason without rows, or in a message with words after it, is a text of its own")
    func reasonText() throws {
        #expect(Self.page(reason: "r").elements[0] == .text(PageText("Grund: \u{2068}r\u{2069}", .detail, of: .reason)))
        let german = try #require(MessageTable.shipped[.german])
        #expect(try MessageTable(parsing: "reason = wegen {text} hier", fallback: german).label(.reason) == nil)
        #expect(try MessageTable(parsing: "reason = {text}", fallback: german).label(.reason) == nil)
    }

    @Test("more than three rows go into two columns before letters shrink, from the top of one to that of the next")
    func manyRows() throws {
        let six = (1...6).map { CaptureRequest.Row(label: "Label \($0)", value: "Value \($0)") }
        let size = PixelSize(width: 1280, height: 800)
        func values(_ rows: [CaptureRequest.Row]) throws -> [PlacedElement] {
            let placed = try Self.place(Self.page(prompt: ["Sign"], rows: rows), size, nil)
            #expect(placed.faults(PlainMeasure(), density: nil) == [])
            return placed.elements.filter { $0.text?.text.hasPrefix("Value") == true }
        }
        let (three, many) = (try values(Array(six.prefix(3))), try values(six))
        #expect(many.map(\.style) == [TextStyle?](repeating: three[0].style, count: 6))
        #expect(many.prefix(3).map(\.rect.minY) == three.map(\.rect.minY))
        #expect(many.suffix(3).map(\.rect.minY) == three.map(\.rect.minY))
        #expect(Set(many.suffix(3).map(\.rect.minX)).count == 1 && many[3].rect.minX > size.width / 2)
        // A value that is too long for half of the page has several lines there.
        var long = six
        long[1].value = "Value " + String(repeating: "long ", count: 12)
        let lines = try values(long)
        #expect(Set(lines.map(\.rect.minX)).count == 2)
        #expect(lines[1].rect.height > lines[0].rect.height)
    }

    @Test("the buttons are at the foot of every page, however much is on it", arguments: panels, [false, true])
    func foot(panel: PixelSize, isTall: Bool) throws {
        let size = isTall ? PixelSize(width: panel.height, height: panel.width) : panel
        let pages = [Self.page(), Self.page(prompt: ["Sign"], rows: Self.rows, signer: "s", date: "d")]
        let confirm = Page([
            .text(PageText("x", .headline)), .button(.cancel, label: "Cancel"), .button(.accept, label: "A"),
        ])
        for page in pages + [confirm] {
            let placed = try Self.place(page, size, nil)
            for button in [PageButton.cancel, .accept] {
                #expect(placed.element(of: button)?.rect.maxY == size.height - placed.design.margin)
            }
        }
    }

    @Test("labels keep off the sides of their buttons; that of Cancel is in line with the texts", arguments: panels)
    func labelSides(size: PixelSize) throws {
        for language in [MessageTable.Language.dutch, .german, .russian] {
            for gloves in [false, true] {
                let page = Self.page(prompt: ["Sign"], signer: "s", language: language)
                let placed = try Self.place(page, size, nil, gloves: gloves)
                let accept = try #require(placed.element(of: .accept))
                guard case .button(_, let label?) = accept.element, let style = accept.style else { continue }
                let width = PlainMeasure().measure(label, style, 1 << 20).width
                #expect(accept.rect.width - width >= Int(style.em), "\(language), gloves \(gloves)")
                let cancel = try #require(placed.element(of: .cancel))
                guard case .button(_, let word?) = cancel.element, let quiet = cancel.style else { continue }
                let place = placed.label(of: cancel).rect
                let rest = place.width - PlainMeasure().measure(word, quiet, 1 << 20).width
                let start = place.minX + (cancel.alignment == .start ? 0 : rest / 2)
                #expect(abs(start - placed.frame.minX) <= 2, "\(language), gloves \(gloves)")
            }
        }
    }

    @Test(
        "signer and date are at least seven tenths of the size of the buttons' labels, with gloves too",
        arguments: panels)
    func footerSize(size: PixelSize) throws {
        for gloves in [false, true] {
            let page = Self.page(prompt: ["Sign"], rows: Self.rows, signer: "s", date: "d")
            let placed = try Self.place(page, size, PixelDensity(dotsPerInch: 160), gloves: gloves)
            let label = try #require(placed.element(of: .accept)?.style).em
            #expect(try Self.em(of: .signer, on: placed) >= label * 0.69)
        }
    }

    @Test("long labels and values wrap within their columns, and shrink before they are refused; none is cut")
    func longRows() throws {
        let size = PixelSize(width: 800, height: 480)
        var (ems, lineCounts): ([Double], [Int]) = ([], [])
        var wasRefused = false
        for count in stride(from: 1, to: 140, by: 4) {
            let text = (0..<count).map { "word\($0)" }.joined(separator: " ")
            let rows = [CaptureRequest.Row(label: "Amount", value: text), .init(label: text, value: "x")]
            do {
                let placed = try Self.place(Self.page(rows: rows), size, PixelDensity(dotsPerInch: 133))
                #expect(placed.faults(PlainMeasure(), density: PixelDensity(dotsPerInch: 133)) == [], "\(count)")
                #expect(!wasRefused)
                let texts = placed.elements.filter { $0.text?.field == .prompt }
                ems.append(try #require(texts[1].style).em)
                lineCounts.append(try Self.lineCount(texts[1]))
                let (label, inner) = (texts[2].rect, size.width - 2 * placed.design.margin)
                #expect(label.width <= inner * 2 / 5 && texts[3].rect.minX == texts[1].rect.minX)
            } catch let error as PageTooSmall {
                #expect(error.field == .rows && error.fits! < 2)
                wasRefused = true
            }
        }
        #expect(zip(ems, ems.dropFirst()).allSatisfy { $0 >= $1 } && Set(ems).count > 2 && wasRefused)
        #expect(lineCounts[0] == 1 && lineCounts.last! > 3)
        // Of many rows the error says how many fit.
        var fits: Set<Int> = []
        for count in [60, 100, 200] {
            func rows(_ count: Int) -> Page {
                Self.page(rows: [CaptureRequest.Row](repeating: Self.rows[0], count: count), reason: "r")
            }
            let error = try #require(Self.refusal(rows(count), size))
            let fitting = try #require(error.fits)
            #expect(error.field == .rows)
            fits.insert(fitting)
            _ = try Self.place(rows(fitting), size, nil)
            #expect(Self.refusal(rows(fitting + 1), size)?.field == .rows)
        }
        #expect(fits.count == 1 && fits.first! > 3)
    }

    /// Why a page does not fit; nil if it does.
    private static func refusal(_ page: Page, _ size: PixelSize) -> PageTooSmall? {
        do throws(PageTooSmall) { _ = try place(page, size, nil) } catch { return error }
        return nil
    }

    /// Not those of other pages.
    private static let texts = PageText.Field.allCases.filter { $0 != .rows && $0 != .typedReason }

    @Test(
        "the error names the text that is too long, and how much of it fits",
        arguments: texts)
    func named(field: PageText.Field) throws {
        let long = String(repeating: "word ", count: 800)
        func text(_ other: PageText.Field) -> String { field == other ? long : "x" }
        var page = Self.page(
            prompt: [text(.prompt)], signer: text(.signer), reason: text(.reason), date: text(.date))
        if field == .labels {
            page.elements = page.elements.map { element in
                if case .button(.cancel, _) = element { .button(.cancel, label: long) } else { element }
            }
        }
        for size in [PixelSize(width: 320, height: 240), PixelSize(width: 480, height: 800)] {
            let error = try #require(Self.refusal(page, size))
            #expect(error.field == field)
            guard let fits = error.fits else {
                #expect(field == .labels)
                continue
            }
            // That much does fit, and not much more.
            func shortened(_ length: Int) -> Page {
                func text(_ other: PageText.Field) -> String { field == other ? String(long.prefix(length)) : "x" }
                return Self.page(
                    prompt: [text(.prompt)], signer: text(.signer), reason: text(.reason), date: text(.date))
            }
            #expect(fits > 10 && Self.refusal(shortened(fits), size) == nil)
            #expect(Self.refusal(shortened(fits + 2 * long.count / 100), size)?.field == field)
        }
    }

    @Test("if two texts are too long each by itself, the error names the longer one without a number")
    func twoTexts() throws {
        let long = String(repeating: "word ", count: 800)
        let page = Self.page(prompt: [long + long], signer: "s", reason: long, date: "d")
        #expect(Self.refusal(page, PixelSize(width: 480, height: 800)) == PageTooSmall(field: .prompt))
    }

    @Test("a long reason shrinks with the prompt and takes as many lines as it needs")
    func reason() throws {
        var ems: [Double] = []
        var counts: [Int] = []
        for count in stride(from: 1, to: 100, by: 3) {
            let page = Self.page(
                prompt: ["Please sign"], reason: (0..<count).map { "word\($0)" }.joined(separator: " "))
            guard let placed = try? Self.place(page, Self.small.size, PixelDensity(dotsPerInch: 110)) else { break }
            #expect(placed.faults(PlainMeasure(), density: PixelDensity(dotsPerInch: 110)) == [], "\(count)")
            let em = try Self.em(of: .reason, on: placed)
            #expect(try em <= Self.em(of: .prompt, on: placed))
            ems.append(em)
            counts.append(try Self.lineCount(Self.text(of: .reason, on: placed)))
        }
        #expect(zip(ems, ems.dropFirst()).allSatisfy { $0 >= $1 } && Set(ems).count > 1)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 } && counts.last! > 3, "\(counts) \(ems)")
    }

    @Test("a label that is too long for a line is broken, between words if they are narrow enough")
    func labels() throws {
        func size(_ label: String) throws -> (label: TextSize, button: PixelRect) {
            let page = Page([
                .inkField(.signing(hint: "Sign here")), .button(.cancel, label: label),
                .button(.accept, label: "Accept"),
            ])
            let placed = try Self.place(page, PixelSize(width: 320, height: 240), nil)
            #expect(placed.faults(PlainMeasure(), density: nil) == [], "\(label)")
            #expect(placed.buttons.allSatisfy { $0.alignment == .center })
            let button = try #require(placed.element(of: .cancel))
            return (PlainMeasure().measure(label, try #require(button.style), button.rect.width), button.rect)
        }
        let words = try size("Cancel all that has been written here, and everything")
        #expect(words.label.height > words.button.height / 2 && !words.label.breaksWords)
        #expect(try size(String(repeating: "x", count: 40)).label.breaksWords)
    }

    @Test("a long prompt is broken, then shrinks, then is refused")
    func longer() throws {
        var ems: [Double] = []
        var smallest = 0.0
        var wasBroken = false
        var wasRefused = false
        for count in 1...120 {
            let page = Self.page(prompt: [(0..<count).map { "word\($0)" }.joined(separator: " ")])
            do {
                let placed = try Self.place(page, Self.small.size, Self.small.density)
                #expect(!wasRefused && placed.faults(PlainMeasure(), density: Self.small.density) == [])
                let lines = try Self.lineCount(Self.text(of: .prompt, on: placed))
                let em = try Self.em(of: .prompt, on: placed)
                // It is broken before it shrinks.
                #expect(lines > 1 || em == placed.design.em(.heading))
                wasBroken = wasBroken || lines > 1 && em == placed.design.em(.heading)
                ems.append(em)
                smallest = placed.design.smallestEm
            } catch let error as PageTooSmall {
                #expect(error.field == .prompt)
                wasRefused = true
            }
        }
        #expect(wasBroken && wasRefused && ems.last == smallest)
        #expect(zip(ems, ems.dropFirst()).allSatisfy { $0 >= $1 } && Set(ems).count > 2, "\(ems)")
    }

    @Test("a word that is wider than the page is broken, and a host's line feeds and many lines are harmless")
    func unbreakable() throws {
        let word = String(repeating: "x", count: 200)
        let placed = try Self.place(Self.page(prompt: [word]), Self.small.size, PixelDensity(dotsPerInch: 110))
        #expect(placed.faults(PlainMeasure(), density: PixelDensity(dotsPerInch: 110)) == [])
        let fed = try Self.place(Self.page(prompt: ["a\n\nb c", "d"]), PixelSize(width: 800, height: 480), nil)
        #expect(fed.faults(PlainMeasure(), density: nil) == [])
        #expect(try Self.lineCount(Self.text(of: .prompt, on: fed)) == 3)
        // The largest number that a host can send. Lines beyond the limit are not measured.
        var measured = 0
        var error: PageTooSmall?
        do throws(PageTooSmall) {
            _ = try PlacedPage(
                Self.page(prompt: [String](repeating: word + " " + word, count: 10_000)), size: Self.small.size,
                density: nil,
                measure: { text, style, width in
                    measured += 1
                    return PlainMeasure().measure(text, style, width)
                })
        } catch let refusal {
            error = refusal
        }
        #expect(error?.field == .prompt && measured < 10_000)
    }

    @Test("a single character that is wider than the page is refused, not shrunk until illegible")
    func wideCharacter() {
        // 301 emoji joined into one grapheme cluster.
        let family = String(repeating: "\u{1F469}\u{200D}", count: 300) + "\u{1F469}"
        #expect(family.count == 1)
        #expect(Self.refusal(Self.page(prompt: ["p"], signer: family), Self.small.size)?.field == .signer)
    }

    @Test("a picture of very few pixels has no page and causes no trap", arguments: [0, 1, 3, 10])
    func tiny(side: Int) {
        #expect(throws: PageTooSmall(field: nil)) {
            try Self.place(Self.page(prompt: ["a"]), PixelSize(width: side, height: side), nil)
        }
    }
}
