// SPDX-License-Identifier: Apache-2.0
@testable import Pad
import Geometry
import TestSupport
import Testing

@Suite("Messages on the page")
struct MessageLayoutTests {
    @Test("every shipped message fits its page", arguments: MessageTable.Language.allCases)
    func shipped(language: MessageTable.Language) throws {
        for panel in SignatureLayoutTests.panels {
            for size in [panel, panel.transposed] {
                let texts = PageTexts(prompt: [], labels: SignatureLayoutTests.labels(PageButton.signing))
                let layout = try SignatureLayoutTests.layout(size, nil, texts, lineHeight: 1.4)
                for message in Message.allCases {
                    let placed = layout.message(
                        MessageTable(language)[message], measure: PlainMeasure(lineHeight: 1.4).measure)
                    #expect(!placed.isCut && !placed.lines.isEmpty, "\(size) \(message)")
                    #expect(layout.messageArea.contains(placed.rect))
                }
            }
        }
    }

    @Test(
        "lines are in the room, below each other, and say the message unless it is cut",
        arguments: 0..<50 as Range<UInt64>)
    func lines(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let words = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                String(repeating: "w", count: Int.random(in: 1..<30, using: &random))
            }
            let text = words.joined(separator: " ")
            let width = Int.random(in: 0..<600, using: &random)
            let height = Int.random(in: 0..<300, using: &random)
            let room = PixelRect(minX: 7, minY: 9, maxX: 7 + width, maxY: 9 + height)
            let placed = PlacedText(
                message: text, in: room, largestEm: Double.random(in: 5..<60, using: &random),
                isInMiddle: Bool.random(using: &random), measure: PlainMeasure().measure)
            for line in placed.lines { #expect(room.contains(line.rect), "seed \(seed)") }
            for (a, b) in zip(placed.lines, placed.lines.dropFirst()) { #expect(a.rect.maxY <= b.rect.minY) }
            let said = placed.lines.map(\.text).joined().filter { $0 != " " }
            let wanted = text.filter { $0 != " " }
            #expect(placed.isCut || placed.lines.isEmpty ? wanted.hasPrefix(said) : said == wanted, "seed \(seed)")
        }
    }

    @Test("a message is as large as a short prompt, covers a long one, and avoids the signing area if it can")
    func overPrompt() throws {
        let size = PixelSize(width: 800, height: 480)
        func layout(_ prompt: [String]) throws -> SignatureLayout {
            try SignatureLayoutTests.layout(
                size, nil, PageTexts(prompt: prompt, labels: SignatureLayoutTests.labels(PageButton.signing)))
        }
        let long = try layout([String](repeating: "A long prompt, line after line", count: 9))
        let message = long.message("Please sign on the line first.", measure: PlainMeasure().measure)
        #expect(message.em > long.prompt.em && message.rect.intersection(long.signingArea).isEmpty)
        let short = try layout([])
        let wide = short.message(String(repeating: "Please sign ", count: 20), measure: PlainMeasure().measure)
        #expect(!wide.isCut && wide.rect == short.messageArea)
    }

    @Test("a message shrinks before a word is broken, and keeps line feeds")
    func words() {
        let room = PixelRect(minX: 0, minY: 0, maxX: 100, maxY: 200)
        func place(_ text: String) -> PlacedText {
            PlacedText(
                message: text, in: room, largestEm: 30, isInMiddle: true, measure: PlainMeasure().measure)
        }
        let word = place("Willkommen")
        #expect(word.em < 30 && word.lines.map(\.text) == ["Willkommen"])
        #expect(place("a\n\nb c").lines.map(\.text) == ["a", "", "b c"])
        // Too wide even at the smallest size.
        #expect(place("Donaudampfschifffahrtsgesellschaft").lines.count > 1)
    }

    @Test("a message shrinks before it is cut, and breaks at spaces")
    func wrapping() {
        func place(_ text: String, _ width: Int, _ height: Int) -> PlacedText {
            PlacedText(
                message: text, in: PixelRect(minX: 0, minY: 0, maxX: width, maxY: height), largestEm: 20,
                isInMiddle: true, measure: PlainMeasure().measure)
        }
        let wide = place("one two three", 400, 24)
        #expect(wide.em == 20 && wide.lines.map(\.text) == ["one two three"])
        #expect(place("one two three", 80, 100).lines.map(\.text) == ["one two", "three"])
        let small = place("one two three", 80, 24)
        #expect(small.em < 20 && !small.isCut)
        let cut = place(String(repeating: "long ", count: 50), 80, 24)
        #expect(cut.em == 8 && cut.isCut && cut.lines.count == 2)
        let whole = PlacedText(
            message: String(repeating: "long ", count: 50), in: PixelRect(minX: 0, minY: 0, maxX: 200, maxY: 40),
            largestEm: 20, smallestEm: 3, isInMiddle: true, measure: PlainMeasure().measure)
        #expect(whole.em < 8 && !whole.isCut)
        #expect(cut.lines.map(\.isCut) == [false, true])
    }
}
