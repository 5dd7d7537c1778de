// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import PadFixtures
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("Messages on pages")
struct MessageLayoutTests {
    private static let tall = PlainMeasure(lineHeight: 1.4)

    private static func banner(
        _ text: String, on page: PlacedPage, _ measure: PlainMeasure = PlainMeasure()
    ) -> (place: PlacedElement, isWhole: Bool) {
        let place = page.placed(Banner(text), measure: { measure.measure($0, $1, $2) })
        var room = place.rect
        room.maxX -= page.bannerInset.text + page.bannerInset.end
        return (place, place.style.map { measure.isWhole(text, $0, in: room) } ?? false)
    }

    private static func place(
        _ page: Page, _ width: Int, _ height: Int, _ density: PixelDensity? = nil
    ) throws -> PlacedPage {
        try SigningPageTests.place(page, PixelSize(width: width, height: height), density)
    }

    @Test("every shipped message is complete on its page", arguments: MessageTable.Language.allCases)
    func shipped(language: MessageTable.Language) throws {
        let messages = try #require(MessageTable.shipped[language])
        let warnings: [Message] = [
            .refusedNoInk, .refusedFewStrokes, .refusedSmall, .refusedStraight, .refusedQuick, .stillThere,
        ]
        let notices: [Message] = [.sketchSaving, .sketchSaved, .sketchNotSaved, .sketchNotKept, .notRecording]
        let words: [Message] = [.saving, .starting]
        let faults: [Message] = [.outOfOrderLine, .notRecording]
        let pages =
            [messages.idlePage(), messages.thanksPage(), messages.failedPage] + words.map { messages.page($0) }
            + faults.map { messages.faultPage($0) }
        let (empty, tools) = (SigningPageTests.page(language: language), try ToolBarTests.tools())
        for panel in SigningPageTests.panels {
            for size in [panel, panel.transposed] {
                let signing = try SigningPageTests.place(empty, size, nil, Self.tall)
                let sketch = try ToolBarTests.place(tools, size, nil, messages.direction)
                for (page, shown) in [(signing, warnings), (sketch, notices)] {
                    for message in shown {
                        let (place, isWhole) = Self.banner(messages[message], on: page, Self.tall)
                        #expect(isWhole && page.inkField.contains(place.rect), "\(size) \(message)")
                        #expect(place.rect.height <= page.inkField.height * 7 / 10, "\(size) \(message)")
                    }
                }
                let hint = try #require(signing.hint)
                #expect(Self.tall.isWhole(hint), "\(size) \(hint)")
                for page in pages {
                    let placed = try SigningPageTests.place(page, size, nil, Self.tall)
                    let faults = placed.faults(Self.tall, density: nil)
                    #expect(faults.isEmpty && placed.elements.count == page.elements.count, "\(size)")
                }
            }
        }
    }

    @Test(
        "the longest text of a calibration is on the page, and not on the cross",
        arguments: SigningPageTests.panels)
    func crosses(panel: PixelSize) throws {
        for size in [panel, panel.transposed] {
            for place in CalibrationProcedure.places {
                let target = Point(x: place.x * Double(size.width), y: place.y * Double(size.height))
                let text =
                    "These touches do not fit together. All of them once more:\nTouch the middle of the cross and "
                    + "lift (4 of 4)"
                let page = Page([.target(target), .text(PageText(text, .headline))])
                let placed = try SigningPageTests.place(page, size, nil, Self.tall)
                #expect(placed.faults(Self.tall, density: nil) == [], "\(size) \(place)")
                let cross = try #require(placed.elements.first).rect
                #expect(abs(Double(cross.minX + cross.maxX) / 2 - target.x) <= 1, "\(size) \(place)")
            }
        }
    }

    @Test(
        "pages without an ink field have everything on them; texts are complete unless the page is full",
        arguments: Breadth.seeds(8, long: 50))
    func centred(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for step in 0..<20 {
            let texts = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.randomText(&random) }
            var elements: [PageElement] = Bool.random(using: &random) ? [.tick] : []
            for (index, text) in texts.enumerated() {
                elements.append(.text(PageText(text, index == 0 ? .headline : .body)))
            }
            let (size, density) = (SigningPageTests.randomSize(&random), SigningPageTests.randomDensity(&random))
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-")"
            let placed = try SigningPageTests.place(Page(elements), size, density)
            let faults = placed.faults(PlainMeasure(), density: density)
            if !faults.isEmpty || placed.elements.count < elements.count {
                // The smallest size, and no room left.
                #expect(faults.allSatisfy { $0.hasPrefix("a cut text") }, comment)
                #expect(placed.elements.compactMap(\.style).allSatisfy { $0.em == placed.design.smallestEm }, comment)
                #expect(placed.elements.last?.rect.maxY ?? 0 >= size.height - 2 * placed.design.margin, comment)
            }
            var bottom = 0
            for element in placed.elements {
                #expect(element.rect.minY >= bottom, comment)
                bottom = element.rect.maxY
            }
        }
    }

    private static func randomText(_ random: inout SeededGenerator) -> String {
        let words = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
            String(repeating: "w", count: Int.random(in: 1..<30, using: &random))
        }
        return words.joined(separator: " ")
    }

    @Test(
        "a banner is at the lower edge of the ink field, or at the upper one, and whole unless that would hide the ink",
        arguments: Breadth.seeds(8, long: 50))
    func banners(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let page = SigningPageTests.page()
        for step in 0..<20 {
            let (size, density) = (SigningPageTests.randomSize(&random), SigningPageTests.randomDensity(&random))
            let placed = try SigningPageTests.place(page, size, density)
            let text = Self.randomText(&random)
            let comment: Comment = "seed \(seed), step \(step): \(size), \(density.map { "\($0)" } ?? "-"), \(text)"
            let (banner, isWhole) = Self.banner(text, on: placed)
            let (field, rect) = (placed.inkField, banner.rect)
            #expect(!rect.isEmpty && field.contains(rect), comment)
            #expect(rect.maxY == field.maxY || rect.minY == field.minY, comment)
            #expect(abs((rect.minX - field.minX) - (field.maxX - rect.maxX)) <= 1, comment)
            let em = try #require(banner.style).em
            #expect(em >= placed.design.smallestEm * 0.8 && em <= placed.design.bannerEm, comment)
            #expect(isWhole || em == placed.design.smallestEm * 0.8, comment)
            // It shrinks before it takes more.
            if em > placed.design.smallestEm * 0.8 { #expect(rect.height <= max(field.height * 7 / 10, 1), comment) }
        }
    }

    @Test("a banner is as large with a long prompt as with none, and leaves ink visible")
    func overField() throws {
        let text = "Please sign on the line first."
        let long = try Self.place(
            SigningPageTests.page(prompt: [String](repeating: "A long prompt, line after line", count: 5)), 800, 480)
        let short = try Self.place(SigningPageTests.page(), 800, 480)
        let (one, other) = (Self.banner(text, on: long), Self.banner(text, on: short))
        #expect(one.isWhole && other.isWhole && one.place.style == other.place.style)
        #expect(other.place.style?.em == short.design.bannerEm)
        #expect(one.place.rect.height < long.inkField.height / 2)
        // A long message shrinks, and is cut at the smallest size only.
        let wide = Self.banner(String(repeating: "Please sign ", count: 40), on: short)
        #expect(wide.isWhole && wide.place.style!.em < short.design.bannerEm)
        let cut = Self.banner(String(repeating: "Please sign ", count: 900), on: short)
        #expect(!cut.isWhole && cut.place.style?.em == short.design.smallestEm * 0.8)
        #expect(cut.place.rect == short.inkField)
    }

    @Test("a banner keeps off ink: it goes to the upper edge, then shrinks")
    func avoidsInk() throws {
        let page = try Self.place(SigningPageTests.page(), 1280, 800)
        let field = page.inkField
        func place(_ ink: PixelRect...) -> PlacedElement {
            page.placed(
                Banner("too small"), avoiding: { part in ink.contains { !$0.intersection(part).isEmpty } },
                measure: { PlainMeasure().measure($0, $1, $2) })
        }
        func strip(_ rows: Range<Int>) -> PixelRect {
            PixelRect(minX: field.minX, minY: rows.lowerBound, maxX: field.maxX, maxY: rows.upperBound)
        }
        let usual = place()
        #expect(usual.rect.maxY == field.maxY && usual.rect.minY >= page.signingLine.maxY)
        #expect(place(strip(field.minY..<field.minY + 5)) == usual)
        let upper = place(strip(field.maxY - 5..<field.maxY))
        #expect(upper.rect.minY == field.minY && upper.style == usual.style)
        let middle = (field.minX + field.maxX) / 2
        let beside = place(PixelRect(minX: middle - 5, minY: field.minY, maxX: middle + 5, maxY: field.maxY))
        #expect(beside.rect.minX == field.minX && beside.rect.maxY == field.maxY && beside.style == usual.style)
        let small = place(strip(field.minY..<usual.rect.minY + 5))
        #expect(small.rect.maxY == field.maxY && small.style!.em < usual.style!.em)
        // There is no place without ink.
        #expect(place(strip(field.minY..<field.maxY)) == usual)
    }

    @Test(
        "no refusal covers the signing line, in any language on any panel of 320 pixels or more",
        arguments: MessageTable.Language.allCases)
    func keepsOffLine(language: MessageTable.Language) throws {
        let messages = try #require(MessageTable.shipped[language])
        let refusals: [Message] = [.refusedNoInk, .refusedFewStrokes, .refusedSmall, .refusedStraight, .refusedQuick]
        let rows = [CaptureRequest.Row(label: "Amount", value: "12.50"), .init(label: "Order", value: "4711")]
        let pages = [
            SigningPageTests.page(language: language),
            SigningPageTests.page(prompt: ["Please sign"], rows: rows, signer: "s", reason: "r", language: language),
        ]
        for panel in SigningPageTests.panels {
            for (page, size) in pages.flatMap({ page in [(page, panel), (page, panel.transposed)] })
            where size.width >= 320 {
                let placed = try SigningPageTests.place(page, size, nil, Self.tall)
                let (field, line) = (placed.inkField, placed.signingLine)
                // A dash in the middle, just above the line.
                let (x, y) = ((field.minX + field.maxX) / 2, line.minY - field.height / 10)
                let ink = PixelRect(minX: x - field.width / 50, minY: y - 4, maxX: x + field.width / 50, maxY: y)
                for refusal in refusals {
                    let banner = placed.placed(
                        Banner(messages[refusal]), avoiding: { !$0.intersection(ink).isEmpty },
                        measure: { Self.tall.measure($0, $1, $2) })
                    #expect(banner.rect.intersection(line).isEmpty, "\(size) \(refusal)")
                }
            }
        }
    }

    @Test("a message shrinks before a word is broken, and keeps line feeds")
    func words() throws {
        func place(_ text: String) throws -> (element: PlacedElement, size: TextSize, page: PlacedPage) {
            let placed = try Self.place(.words(text), 240, 320)
            let element = try #require(placed.elements.first)
            let style = try #require(element.style)
            return (element, PlainMeasure().measure(text, style, element.rect.width), placed)
        }
        let word = try place("Willkommensgruß")
        let headline = word.page.design.em(.headline)
        #expect(word.element.style!.em < headline && !word.size.breaksWords)
        let line = try place("a").element.rect.height
        #expect(try place("a\n\nb c").element.rect.height == 3 * line)
        // Too wide even at the smallest size.
        let long = try place(String(repeating: "Donaudampfschifffahrts", count: 3) + "gesellschaft")
        #expect(long.size.breaksWords && long.size.height <= long.element.rect.height)
    }

    @Test("a message shrinks before it is cut, and breaks at spaces")
    func wrapping() throws {
        let short = try Self.place(.words("one two three"), 800, 480)
        #expect(short.elements[0].style == TextStyle(em: short.design.em(.headline), weight: .semibold))
        let small = try Self.place(.words(String(repeating: "one two three ", count: 20)), 800, 480)
        #expect(small.elements[0].style!.em < small.design.em(.headline))
        #expect(small.faults(PlainMeasure(), density: nil) == [])
        let cut = try Self.place(.words(String(repeating: "long ", count: 900)), 320, 240)
        #expect(cut.elements[0].style?.em == cut.design.smallestEm)
        #expect(PixelRect(size: cut.size).contains(cut.elements[0].rect))
        #expect(cut.elements[0].rect.height == 240 - 2 * cut.design.margin)
    }

    @Test("a picture without text fills the page; with a caption it is above it")
    func figures() throws {
        let alone = try Self.place(Page([.tick]), 800, 480)
        #expect(alone.elements.map(\.rect) == [PixelRect(minX: 0, minY: 0, maxX: 800, maxY: 480)])
        let thanks = try Self.place(MessageTable.shipped[.english]!.thanksPage(), 800, 480)
        #expect(thanks.elements.map(\.element) == thanks.page.elements)
        #expect(thanks.elements[0].rect.maxY < thanks.elements[1].rect.minY)
    }
}
