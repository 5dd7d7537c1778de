// SPDX-License-Identifier: Apache-2.0
import Pad
import Geometry
import Pages
import Raster
import Testing
import Text

/// Text is drawn with the fonts of the machine, so pictures are not compared with stored ones, but with what the layout
/// says.
@Suite("The pad's pages", .serialized)
struct PagePainterTests {
    struct Screen: Sendable {
        var width, height: Int
        var language: [String]
        var direction: LayoutDirection
    }

    static let screens = [
        Screen(
            width: 800, height: 480,
            language: ["Please sign here", "Max Example", "Delivery 4711", "Accept", "Clear", "Cancel", "Undo"],
            direction: .leftToRight),
        Screen(
            width: 480, height: 320,
            language: ["يرجى التوقيع هنا", "محمد", "تسليم ٤٧١١", "قبول", "مسح", "إلغاء", "تراجع"],
            direction: .rightToLeft),
        Screen(
            width: 800, height: 1280, language: ["请在此处签名", "王小明", "交货 4711", "确认", "清除", "取消", "撤销"],
            direction: .leftToRight),
        Screen(
            width: 1280, height: 800,
            language: [
                "कृपया यहाँ हस्ताक्षर करें", "राम कुमार", "डिलीवरी ४७११", "स्वीकार", "मिटाएँ", "रद्द करें", "पीछे",
            ],
            direction: .leftToRight),
    ]

    private func layout(_ screen: Screen, _ painter: borrowing PagePainter) throws -> SignatureLayout {
        let words = screen.language
        let texts = PageTexts(
            prompt: [words[0]], signer: words[1], reason: words[2], date: "2026-11-21",
            labels: [.accept: words[3], .clear: words[4], .cancel: words[5], .undo: words[6]])
        return try painter.layout(
            size: PixelSize(width: screen.width, height: screen.height), density: nil, direction: screen.direction,
            texts: texts)
    }

    private func pixels(_ surface: Surface, _ rect: PixelRect) -> [UInt32] {
        (rect.minY..<rect.maxY).flatMap { y in (rect.minX..<rect.maxX).map { surface.row(y)[$0] & 0xFF_FFFF } }
    }

    private func differing(_ one: Surface, _ other: Surface) -> PixelRect? {
        var box: PixelRect?
        for y in 0..<one.size.height {
            for x in 0..<one.size.width where one.row(y)[x] != other.row(y)[x] {
                let pixel = PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)
                box = box.map {
                    PixelRect(
                        minX: min($0.minX, x), minY: min($0.minY, y), maxX: max($0.maxX, x + 1),
                        maxY: max($0.maxY, y + 1))
                } ?? pixel
            }
        }
        return box
    }

    @Test("have ink in every text's place and nowhere else", arguments: screens)
    func places(screen: Screen) throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let layout = try layout(screen, painter)
        let buffer = PixelBuffer(size: layout.size)
        painter.draw(layout, on: buffer.surface)
        let background = PageTheme.light.background.xrgb8888 & 0xFF_FFFF
        var places = [layout.signingArea]
        for text in [layout.prompt, layout.reason, layout.signer, layout.date] {
            guard let text else { continue }
            #expect(pixels(buffer.surface, text.rect).contains { $0 != background }, "\(text)")
            places.append(text.rect)
        }
        places += layout.buttons.map(\.rect)
        // Letters may reach out of their line's place by a little, as an f does.
        let slack = 2
        var stray = 0
        for y in 0..<layout.size.height {
            for x in 0..<layout.size.width where buffer.surface.row(y)[x] & 0xFF_FFFF != background {
                let isInPlace = places.contains {
                    x >= $0.minX - slack && x < $0.maxX + slack && y >= $0.minY - slack && y < $0.maxY + slack
                }
                if !isInPlace { stray += 1 }
            }
        }
        #expect(stray == 0)
    }

    @Test("leave the paper to the ink but for its border, line and cross", arguments: screens)
    func paper(screen: Screen) throws {
        var painter = PagePainter(theme: .dark, fonts: try Fonts())
        let layout = try layout(screen, painter)
        let buffer = PixelBuffer(size: layout.size)
        painter.draw(layout, on: buffer.surface)
        let paper = PageTheme.dark.paper.xrgb8888 & 0xFF_FFFF
        let above = PixelRect(
            minX: layout.signingArea.minX + 4, minY: layout.signingArea.minY + 4, maxX: layout.signingArea.maxX - 4,
            maxY: layout.mark.minY)
        #expect(!above.isEmpty && pixels(buffer.surface, above).allSatisfy { $0 == paper })
        #expect(pixels(buffer.surface, layout.mark).contains { $0 != paper })
    }

    @Test("show a press on the button alone, and take it back to the bit", arguments: screens)
    func press(screen: Screen) throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let layout = try layout(screen, painter)
        let plain = PixelBuffer(size: layout.size)
        let other = PixelBuffer(size: layout.size)
        painter.draw(layout, on: plain.surface)
        for button in layout.buttons {
            painter.draw(layout, on: other.surface)
            painter.draw(button, isPressed: true, layout, on: other.surface)
            let box = try #require(differing(plain.surface, other.surface), "a press is seen")
            #expect(box.intersection(button.rect) == box)
            painter.draw(button, isPressed: false, layout, on: other.surface)
            #expect(differing(plain.surface, other.surface) == nil)
        }
    }

    @Test("put a message over the prompt, and can do without buttons")
    func message() throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let layout = try layout(Self.screens[0], painter)
        let plain = PixelBuffer(size: layout.size)
        let other = PixelBuffer(size: layout.size)
        painter.draw(layout, on: plain.surface)
        painter.draw(layout, message: "Please write your full signature.", on: other.surface)
        let box = try #require(differing(plain.surface, other.surface))
        #expect(box.intersection(layout.messageArea) == box)
        painter.draw(layout, hasButtons: false, on: other.surface)
        let background = PageTheme.light.background.xrgb8888 & 0xFF_FFFF
        for button in layout.buttons { #expect(pixels(other.surface, button.rect).allSatisfy { $0 == background }) }
    }

    @Test("any text, however long, on any page", arguments: [8, 240, 3000])
    func long(side: Int) throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let buffer = PixelBuffer(size: PixelSize(width: side, height: side / 2 + 1))
        painter.drawMessage(String(repeating: "Welcome ", count: 2000), density: nil, on: buffer.surface)
        painter.drawMessage("", density: nil, on: buffer.surface)
        painter.drawMessage("Thank you", density: nil, on: buffer.surface)
    }
}
