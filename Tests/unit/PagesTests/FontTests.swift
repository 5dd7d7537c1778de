// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Pad
import Raster
import Record
import TestSupport
import Testing

@testable import Pages

@Suite("Fonts", .serialized)
struct FontTests {
    /// Emoji alone, with selectors, joined, with skin, as flags and on a keycap.
    private static let samples = [
        "😀", "❤\u{FE0F}", "👩\u{200D}👩\u{200D}👧", "👍🏽", "🇩🇪", "1\u{FE0F}\u{20E3}", "🏴\u{200D}☠\u{FE0F}",
    ]

    /// Whether or not the machine has a font of colours, such as fonts-noto-color-emoji.
    @Test(
        "emoji are drawn with outlines, in the size of the text, and do not move the words beside them",
        arguments: samples)
    func emoji(text: String) throws {
        let fonts = try Fonts()
        for em in [12.0, 20, 64] {
            let style = TextStyle(em: em)
            let block = try TextBlock("Pay \(text) 12.00 EUR", style: style, fonts: fonts)
            let plain = try TextBlock("Pay  12.00 EUR", style: style, fonts: fonts)
            #expect(!block.fontNames.contains { $0.contains("Color") }, "\(block.fontNames)")
            #expect(Double(block.size.height) < 2 * em && Double(block.inkBounds.height) < 2 * em, "\(block.inkBounds)")
            #expect(block.inkBounds.minX >= 0 && block.inkBounds.maxX <= block.size.width + Int(em / 4))
            #expect(block.size.width > plain.size.width)
        }
    }

    @Test("the text before an emoji is the same picture with it as without it")
    func neighbours() throws {
        let fonts = try Fonts()
        func columns(_ text: String, _ count: Int) throws -> [[UInt32]] {
            let buffer = PixelBuffer(size: PixelSize(width: 400, height: 60))
            try TextBlock(text, style: TextStyle(em: 20), fonts: fonts).draw(
                on: buffer.surface, x: 10, y: 20, color: .white)
            return (0..<60).map { y in (0..<count).map { buffer.surface.row(y)[$0] } }
        }
        let width = try TextBlock("Pay 12.00", style: TextStyle(em: 20), fonts: fonts).size.width + 10
        let plain = try columns("Pay 12.00", width)
        let inked = plain.joined().contains { $0 != 0 }
        #expect(inked)
        for emoji in Self.samples {
            let drawn = try columns("Pay 12.00 \(emoji)", width)
            // The line may be higher with another font, which moves the letters down.
            let rows = drawn.filter { $0.contains { $0 != 0 } }
            #expect(rows == plain.filter { $0.contains { $0 != 0 } }, "\(emoji)")
        }
    }

    /// Compares shapes without their sizes: I and l of Inter are one shape.
    @Test("0, O, I, l and 1 are five shapes in codes, but not in other texts")
    func codes() throws {
        let fonts = try Fonts()
        func shape(_ text: String, _ face: TextStyle.Face) throws -> [Bool] {
            let block = try TextBlock(text, style: TextStyle(em: 96, face: face), fonts: fonts)
            #expect(block.fontNames.allSatisfy { face.isFace(ofFont: $0) }, "\(block.fontNames)")
            let ink = block.inkBounds
            let buffer = PixelBuffer(size: PixelSize(width: ink.width, height: ink.height))
            block.draw(on: buffer.surface, x: -ink.minX, y: -ink.minY, color: .white)
            // Some rows and columns at the edges may have no ink.
            let inked: [(x: Int, y: Int)] = (0..<ink.height).flatMap { y in
                (0..<ink.width).filter { buffer.surface.row(y)[$0] & 0xFF > 127 }.map { (x: $0, y: y) }
            }
            let (left, right) = (inked.map(\.x).min() ?? 0, inked.map(\.x).max() ?? 0)
            let (top, bottom) = (inked.map(\.y).min() ?? 0, inked.map(\.y).max() ?? 0)
            return (0..<24).flatMap { row in
                (0..<24).map { column in
                    let x = left + (2 * column + 1) * (right - left + 1) / 48
                    let y = top + (2 * row + 1) * (bottom - top + 1) / 48
                    return buffer.surface.row(y)[x] & 0xFF > 127
                }
            }
        }
        func difference(_ one: [Bool], _ other: [Bool]) -> Double {
            Double(zip(one, other).count(where: { $0 != $1 })) / Double(one.count)
        }
        let shapes = try ["0", "O", "I", "l", "1"].map { try shape($0, .code) }
        for (index, one) in shapes.enumerated() {
            for other in shapes[..<index] { #expect(difference(one, other) > 0.04) }
        }
        #expect(difference(try shape("I", .text), try shape("l", .text)) < 0.02)
    }

    @Test("the characters that a page does not show are told with their texts")
    func page() throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let page = Page([
            .text(PageText("Pay", .heading, of: .prompt)),
            .text(PageText("\u{10FFFE} now \u{1DFF0}", .body, of: .prompt)),
            .row(label: "Sum", value: "12 \u{1DFFF}"), .row(label: "\u{1DFFE}", value: "x"),
            .row(label: "Reason", value: "\u{1DFFB}", of: .reason),
            .text(PageText("\u{2068}\u{1DFFF}\u{2069}", .detail, of: .reason)),
            .inkField(.signing(hint: "Sign \u{1DFFD}")),
            .text(PageText("A\u{1DFFF}da", .detail, of: .signer)), .text(PageText("2026", .trailingDetail, of: .date)),
            .button(.cancel, label: "Cancel \u{1DFFC}"), .button(.accept, label: "Accept"), .button(.clear, label: nil),
        ])
        let placed = try painter.place(page, size: PixelSize(width: 800, height: 480), density: nil)
        #expect(
            placed.missingGlyphs == [
                MissingGlyphs(text: "prompt[1]", characters: ["U+1DFF0", "U+10FFFE"]),
                MissingGlyphs(text: "rows[0].value", characters: ["U+1DFFF"]),
                MissingGlyphs(text: "rows[1].label", characters: ["U+1DFFE"]),
                MissingGlyphs(text: "reason", characters: ["U+1DFFB", "U+1DFFF"]),
                MissingGlyphs(text: "labels", characters: ["U+1DFFD", "U+1DFFC"]),
                MissingGlyphs(text: "signer", characters: ["U+1DFFF"]),
            ])
        #expect(try painter.place(.words("Willkommen"), size: placed.size, density: nil).missingGlyphs.isEmpty)
        // Many are cut, for the header of the record.
        let many = String(String.UnicodeScalarView((0x1DF00...0x1DFFF).compactMap { Unicode.Scalar($0) }))
        let full = try painter.place(.words(many), size: placed.size, density: nil).missingGlyphs
        #expect(full.map(\.characters.count) == [MissingGlyphs.characterLimit])
    }
}
