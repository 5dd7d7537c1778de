// SPDX-License-Identifier: Apache-2.0
import Capture
import Geometry
import TestSupport
import Testing

@Suite("Messages on the page")
struct MessageLayoutTests {
    @Test("every shipped message fits the page that it stands on", arguments: MessageTable.Language.allCases)
    func shipped(language: MessageTable.Language) throws {
        for panel in SignatureLayoutTests.panels {
            for size in [panel, panel.transposed] {
                let texts = PageTexts(prompt: [], labels: SignatureLayoutTests.labels(PageButton.allCases))
                let layout = try SignatureLayoutTests.layout(size, nil, texts, lineHeight: 1.4)
                for message in Message.allCases {
                    let placed = PlacedText(
                        message: MessageTable(language)[message], in: layout.messageArea, largestEm: layout.prompt.em,
                        isInMiddle: false, measure: PlainMeasure(lineHeight: 1.4).measure)
                    #expect(!placed.isCut && !placed.lines.isEmpty, "\(size) \(message)")
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

    @Test("it shrinks before it is cut, and breaks at spaces")
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
        #expect(cut.lines.map(\.isCut) == [false, true])
    }
}
