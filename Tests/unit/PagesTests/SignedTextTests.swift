// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Raster
import TestSupport
import Testing

@testable import Pages

/// Uses the fonts of the machine and Pango's line breaks; `PadTests` checks the rules of the layout.
@Suite("Texts of the signing page", .serialized)
struct SignedTextTests {
    private static let sizes = [(320, 240), (480, 320), (800, 480), (1024, 600), (1920, 1080)]
    private static let densities: [Double?] = [nil, nil, 110, 165]
    /// Scripts with spaces, without them, from right to left, with marks, and one without a place to break.
    private static let sources = [
        "I have received twelve parcels in good order and without any damage that could be seen from outside. ",
        "Die Haftpflichtversicherungsgesellschaft bestätigt die Übernahme der Krankenhausaufenthaltskosten. ",
        "استلمت اثني عشر طرداً بحالة جيدة وبدون أي ضرر ظاهر من الخارج. ",
        "我已收到十二件包裹，外观完好无损，并同意按照合同约定的条件付款。",
        "मुझे बारह पार्सल अच्छी हालत में मिले हैं और बाहर से कोई नुकसान दिखाई नहीं देता। ",
        "ข้าพเจ้าได้รับพัสดุสิบสองชิ้นในสภาพดี",
        "0123456789abcdef",
    ]

    private static func text(_ length: Int, of sources: [String], _ random: inout SeededGenerator) -> String {
        let source = sources.randomElement(using: &random)!
        return String(String(repeating: source, count: length / source.count + 1).prefix(max(1, length)))
    }

    private static func page(of sources: [String], _ random: inout SeededGenerator) -> Page {
        let longest = [20, 60, 200, 800].randomElement(using: &random)!
        let table = MessageTable(MessageTable.Language.allCases.randomElement(using: &random)!)
        func some(_ longest: Int) -> String { text(.random(in: 1...longest, using: &random), of: sources, &random) }
        var elements: [PageElement] = []
        for index in 0..<Int.random(in: 0...4, using: &random) {
            elements.append(.text(PageText(some(longest), index == 0 ? .heading : .body, of: .prompt)))
        }
        for _ in 0..<[0, 0, 3].randomElement(using: &random)! {
            elements.append(.row(label: some(min(longest, 30)), value: some(min(longest, 60))))
        }
        if Bool.random(using: &random) {
            elements.append(.text(PageText(table.text(.reason, of: some(longest)), .detail, of: .reason)))
        }
        elements.append(.inkField(.signing(hint: table[.signHere])))
        if Bool.random(using: &random) {
            elements.append(.text(PageText(table.text(.signer, of: some(longest / 2)), .detail, of: .signer)))
        }
        if Bool.random(using: &random) {
            elements.append(.text(PageText("2026-11-21 14:26", .trailingDetail, of: .date)))
        }
        return Page(elements + buttons(table), direction: Bool.random(using: &random) ? .leftToRight : .rightToLeft)
    }

    private static func buttons(_ table: MessageTable) -> [PageElement] {
        [
            .button(.cancel, label: table[.cancel]), .button(.undo, label: nil), .button(.clear, label: nil),
            .button(.accept, label: table[.accept]),
        ]
    }

    /// The texts of elements, a row's two texts apart.
    private static func texts(_ elements: [PageElement]) -> [String] {
        elements.flatMap { element -> [String] in
            switch element {
            case .text(let text): [text.text]
            case .row(let label, let value, _): [label, value]
            case .button(_, let label): label.map { [$0] } ?? []
            case .option(_, let label, _): [label]
            case .picture, .logo, .tick, .warningSign, .sign, .inkField, .target, .line, .document: []
            }
        }
    }

    @Test(
        "are complete and in place in every script, or the page is refused because of a text",
        arguments: Breadth.seeds(3, long: 8))
    func whole(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let fonts = try Fonts()
        // Boxes, which stand for characters of no font, have no width of their own.
        let sources = try Self.sources.filter {
            try TextBlock($0, style: TextStyle(em: 20), fonts: fonts).missingCharacters.isEmpty
        }
        var madeCount = 0
        for step in 0..<12 {
            var (width, height) = Self.sizes.randomElement(using: &random)!
            if Bool.random(using: &random) { swap(&width, &height) }
            let density = Self.densities.randomElement(using: &random)!
            let page = Self.page(of: sources, &random)
            let comment: Comment = "seed \(seed), step \(step): \(width)x\(height)"
            let placed: PlacedPage
            do throws(PageTooSmall) {
                placed = try painter.place(
                    page, size: PixelSize(width: width, height: height),
                    density: density.map(PixelDensity.init(dotsPerInch:)))
            } catch {
                #expect(error.field != nil, comment)
                continue
            }
            madeCount += 1
            #expect(Self.texts(placed.elements.map(\.element)).sorted() == Self.texts(page.elements).sorted(), comment)
            for (index, element) in placed.elements.enumerated() {
                #expect(PixelRect(size: placed.size).contains(element.rect), comment)
                for other in placed.elements[..<index] {
                    #expect(element.rect.intersection(other.rect).isEmpty, comment)
                }
                guard let text = Self.texts([element.element]).first else { continue }
                let style = try #require(element.style)
                let shaped = try TextBlock(text, style: style, width: element.rect.width, fonts: fonts).size
                #expect(shaped.width <= element.rect.width && shaped.height <= element.rect.height, comment)
                // A label is one word, recognized by its place.
                let least = placed.design.smallestEm * (element.button == nil ? 1 : 0.8)
                #expect(style.em >= least - 1e-9, comment)
            }
        }
        #expect(madeCount > 3)
    }

    @Test(
        "labels of all languages fit on one line", arguments: MessageTable.Language.allCases,
        Breadth.share(of: Array(sizes.indices), part: 4))
    func labels(language: MessageTable.Language, index: Int) throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let fonts = try Fonts()
        let table = MessageTable(language)
        let (width, height) = Self.sizes[index]
        for size in [PixelSize(width: width, height: height), PixelSize(width: height, height: width)] {
            let page = Page(
                [
                    .text(PageText("p", .heading, of: .prompt)), .inkField(.signing(hint: table[.signHere])),
                ] + Self.buttons(table), direction: table.direction)
            let placed = try painter.place(page, size: size, density: nil)
            for case .button(let button, let label?) in placed.elements.map(\.element) {
                let element = try #require(placed.element(of: button))
                let block = try TextBlock(
                    label, style: try #require(element.style), width: element.rect.width, fonts: fonts)
                #expect(block.lineCount == 1 && block.size.width <= element.rect.width, "\(size) \(button)")
            }
        }
    }

    @Test(
        "hints of all languages fit on the signing line", arguments: MessageTable.Language.allCases,
        Breadth.share(of: Array(sizes.indices), part: 4))
    func hints(language: MessageTable.Language, index: Int) throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let fonts = try Fonts()
        let table = MessageTable(language)
        let (width, height) = Self.sizes[index]
        for size in [PixelSize(width: width, height: height), PixelSize(width: height, height: width)] {
            let page = Page(
                [
                    .text(PageText("p", .heading, of: .prompt)), .inkField(.signing(hint: table[.signHere])),
                ] + Self.buttons(table), direction: table.direction)
            let hint = try #require(try painter.place(page, size: size, density: nil).hint)
            let style = try #require(hint.style)
            // The pen before the hint takes 1.3 em.
            let block = try TextBlock(
                table[.signHere], style: style, width: hint.rect.width - Int(style.em * 1.3), fonts: fonts)
            #expect(block.lineCount == 1 && block.size.height <= hint.rect.height, "\(size)")
        }
    }
}
