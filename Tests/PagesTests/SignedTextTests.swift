// SPDX-License-Identifier: Apache-2.0
import Pad
import Geometry
import Pages
import Raster
import TestSupport
import Testing

/// Uses the fonts of the machine and Pango's line breaks; `SignatureLayoutTests` checks the rules.
@Suite("Texts of the signature page", .serialized)
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

    private static func texts(of sources: [String], _ random: inout SeededGenerator) -> PageTexts {
        let longest = [20, 60, 200, 800].randomElement(using: &random)!
        let table = MessageTable(Bool.random(using: &random) ? .german : .english)
        func some(_ longest: Int) -> String { text(.random(in: 1...longest, using: &random), of: sources, &random) }
        return PageTexts(
            prompt: (0..<Int.random(in: 0...4, using: &random)).map { _ in some(longest) },
            signer: Bool.random(using: &random) ? table.text(.signer, of: some(longest / 2)) : nil,
            reason: Bool.random(using: &random) ? table.text(.reason, of: some(longest)) : nil,
            date: Bool.random(using: &random) ? "2026-11-21 14:26" : nil,
            labels: Dictionary(uniqueKeysWithValues: PageButton.signing.map { ($0, table[Message(labelOf: $0)!]) }))
    }

    @Test(
        "are complete and in place in every script, or the page is refused because of a text",
        arguments: 0..<8 as Range<UInt64>)
    func whole(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let fonts = try Fonts()
        // Boxes, which stand for characters of no font, have no width of their own.
        let style = TextStyle(size: 20, color: .black)
        let sources = try Self.sources.filter { try TextLine($0, style: style, fonts: fonts).unknownGlyphCount == 0 }
        var madeCount = 0
        for step in 0..<12 {
            var (width, height) = Self.sizes.randomElement(using: &random)!
            if Bool.random(using: &random) { swap(&width, &height) }
            let density = Self.densities.randomElement(using: &random)!
            let texts = Self.texts(of: sources, &random)
            let comment: Comment = "seed \(seed), step \(step): \(width)x\(height)"
            let layout: SignatureLayout
            do throws(PageTooSmall) {
                layout = try painter.layout(
                    size: PixelSize(width: width, height: height), density: density.map(PixelDensity.init(dotsPerInch:)),
                    direction: Bool.random(using: &random) ? .leftToRight : .rightToLeft, texts: texts)
            } catch {
                #expect(error.field != nil, comment)
                continue
            }
            madeCount += 1
            func check(_ placed: PlacedText?, _ wanted: [String]?) throws {
                func letters(_ texts: [String]) -> String { texts.joined().filter { !$0.isWhitespace } }
                #expect(placed.map { letters($0.lines.map(\.text)) } == wanted.map(letters), comment)
                guard let placed else { return }
                #expect(!placed.isCut, comment)
                for line in placed.lines {
                    let shaped = try TextLine(line.text, style: TextStyle(size: placed.em, color: .black), fonts: fonts)
                    #expect(shaped.bounds.width <= line.rect.width, comment)
                    #expect(placed.rect.contains(line.rect), comment)
                    #expect(shaped.bounds.height <= line.rect.height, comment)
                }
            }
            try check(layout.prompt, texts.prompt)
            try check(layout.signer, texts.signer.map { [$0] })
            try check(layout.reason, texts.reason.map { [$0] })
            try check(layout.date, texts.date.map { [$0] })
            for button in layout.buttons { try check(button.label, [texts.labels[button.button] ?? ""]) }
        }
        #expect(madeCount > 3)
    }

    @Test("labels of all languages fit on one line", arguments: MessageTable.Language.allCases, sizes.indices)
    func labels(language: MessageTable.Language, index: Int) throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let table = MessageTable(language)
        let (width, height) = Self.sizes[index]
        for size in [PixelSize(width: width, height: height), PixelSize(width: height, height: width)] {
            let layout = try painter.layout(
                size: size, density: nil, direction: .leftToRight,
                texts: PageTexts(
                    prompt: ["p"],
                    labels: Dictionary(
                        uniqueKeysWithValues: PageButton.signing.map { ($0, table[Message(labelOf: $0)!]) })))
            for button in layout.buttons { #expect(button.label?.lines.count == 1, "\(size) \(button.button)") }
        }
    }
}
