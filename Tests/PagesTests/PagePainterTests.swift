// SPDX-License-Identifier: Apache-2.0
import Pad
import Geometry
import Pages
import Raster
import Testing

/// Text is drawn with the fonts of the machine, so pictures are not compared with stored ones, but with what the layout
/// says.
@Suite("Page painter", .serialized)
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

    @Test("texts are drawn in their places and nowhere else", arguments: screens)
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

    @Test("the paper is empty except for border, line and cross", arguments: screens)
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

    @Test("a pressed button changes only that button, and releasing it restores every pixel", arguments: screens)
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

    @Test("a message replaces the prompt; buttons can be hidden")
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

    @Test("any text of any length fits on any page", arguments: [8, 240, 3000])
    func long(side: Int) throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let buffer = PixelBuffer(size: PixelSize(width: side, height: side / 2 + 1))
        painter.drawMessage(String(repeating: "Welcome ", count: 2000), density: nil, on: buffer.surface)
        painter.drawMessage("", density: nil, on: buffer.surface)
        painter.drawMessage("Thank you", density: nil, on: buffer.surface)
    }
}

@Suite("Idle pages", .serialized)
struct IdlePageTests {
    private func page(_ width: Int, _ height: Int) -> PixelBuffer {
        PixelBuffer(size: PixelSize(width: width, height: height))
    }

    @Test("a picture is centred and as large as fits, on the background of the theme")
    func picture() throws {
        let painter = PagePainter(theme: .dark, fonts: try Fonts())
        let picture = Picture(
            size: PixelSize(width: 20, height: 10), pixels: [UInt32](repeating: 0xFF40_8020, count: 200))
        for (width, height) in [(100, 100), (300, 60), (7, 9), (20, 10)] {
            let buffer = page(width, height)
            painter.drawPicture(picture, on: buffer.surface)
            let scale = min(Double(width) / 20, Double(height) / 10)
            let (wide, high) = (Int((20 * scale).rounded()), Int((10 * scale).rounded()))
            let (x, y) = ((width - wide) / 2, (height - high) / 2)
            let room = PixelRect(minX: x, minY: y, maxX: x + wide, maxY: y + high)
            for row in 0..<height {
                for column in 0..<width {
                    let isInside = column >= room.minX && column < room.maxX && row >= room.minY && row < room.maxY
                    let expected = isInside ? 0xFF40_8020 : PageTheme.dark.background.xrgb8888
                    #expect(buffer.surface.row(row)[column] == expected, "\(width)x\(height) \(column) \(row)")
                }
            }
        }
    }

    @Test("a fitted picture looks the same; transparent parts show the background")
    func fitted() throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let pixels = (0..<64 * 48).map { index -> UInt32 in
            let blue = UInt32(index & 0xFF)
            let isOpaque = index % 64 >= 32
            return isOpaque ? 0xFF00_0000 + blue : blue
        }
        let picture = Picture(size: PixelSize(width: 64, height: 48), pixels: pixels)
        let one = page(200, 120)
        let other = page(200, 120)
        painter.drawPicture(picture, on: one.surface)
        painter.drawPicture(picture.fitted(in: other.surface.size), on: other.surface)
        for y in 0..<120 { for x in 0..<200 { #expect(one.surface.row(y)[x] == other.surface.row(y)[x]) } }
        #expect(one.surface.row(60)[50] == PageTheme.light.background.xrgb8888)
        #expect(one.surface.row(60)[150] != PageTheme.light.background.xrgb8888)
        painter.drawPicture(Picture(size: PixelSize(width: 0, height: 0), pixels: []), on: one.surface)
        #expect(one.surface.row(60)[150] == PageTheme.light.background.xrgb8888)
    }

    /// Rows that have ink, as runs.
    private func lines(_ surface: Surface) -> Int {
        let background = surface.row(0)[0]
        let inked = (0..<surface.size.height).map { y in
            (0..<surface.size.width).contains { surface.row(y)[$0] != background }
        }
        return zip([false] + inked, inked).filter { !$0 && $1 }.count
    }

    @Test("the lines of a text are below each other")
    func text() throws {
        let painter = PagePainter(theme: .light, fonts: try Fonts())
        let buffer = page(800, 480)
        // No letter has a part apart from the rest.
        for (text, count) in [("HEN", 1), ("HEN\nHEN", 2), ("HEN\n\nHEN\nHEN", 3)] {
            painter.drawMessage(text, density: nil, on: buffer.surface)
            #expect(lines(buffer.surface) == count, "\(text)")
        }
    }
}

@Suite("Calibration page", .serialized)
struct CalibrationPageTests {
    /// Pixels that differ from those of the same page without a text.
    private func inked(_ surface: Surface, unlike other: Surface) -> [(x: Int, y: Int)] {
        (0..<surface.size.height).flatMap { y in
            (0..<surface.size.width).compactMap { x in
                surface.row(y)[x] == other.row(y)[x] ? nil : (x, y)
            }
        }
    }

    @Test("has its cross at the target and text away from it, on small and large screens")
    func crosses() throws {
        for (width, height, dpi) in [(320, 240, 140.0), (480, 320, 165), (800, 480, 133), (720, 1280, 290)] {
            let size = PixelSize(width: width, height: height)
            let density = PixelDensity(dotsPerInch: dpi)
            var painter = PagePainter(theme: .light, fonts: try Fonts())
            for place in [(0.12, 0.12), (0.88, 0.12), (0.88, 0.88), (0.12, 0.88), (0.5, 0.3)] {
                let target = Point(
                    x: (place.0 * Double(width)).rounded(.down) + 0.5,
                    y: (place.1 * Double(height)).rounded(.down) + 0.5)
                let page = PixelBuffer(size: size)
                let bare = PixelBuffer(size: size)
                let text = "This touch does not fit the others. Once more:\nTouch the middle of the cross (2 of 5)"
                painter.drawCalibration(target: target, text: text, density: density, on: page.surface)
                painter.drawCalibration(target: target, text: "", density: density, on: bare.surface)
                let words = inked(page.surface, unlike: bare.surface)
                #expect(words.count > 100, "no words on \(size)")
                let reach = min(6 * density.pixelsPerMillimetre, Double(min(width, height)) / 10) + 1
                let isNear = words.contains {
                    abs(Double($0.x) - target.x) < reach && abs(Double($0.y) - target.y) < reach
                }
                #expect(!isNear, "words at the cross \(place) on \(size)")
                // Only the cross is left without them, around its middle to the pixel.
                let paper = bare.surface.row(height - 1)[width / 2]
                var box: (left: Int, top: Int, right: Int, bottom: Int)?
                for y in 0..<height {
                    for x in 0..<width where bare.surface.row(y)[x] != paper {
                        let old = box ?? (x, y, x, y)
                        box = (min(old.left, x), min(old.top, y), max(old.right, x), max(old.bottom, y))
                    }
                }
                let cross = try #require(box)
                #expect(Double(cross.left + cross.right) / 2 + 0.5 == target.x)
                #expect(Double(cross.top + cross.bottom) / 2 + 0.5 == target.y)
            }
        }
    }
}

@Suite("Themes")
struct PageThemeTests {
    /// WCAG 2.2, relative luminance and contrast ratio.
    private func contrast(_ one: Color, _ other: Color) -> Double {
        func luminance(_ color: Color) -> Double {
            func linear(_ channel: UInt8) -> Double {
                let value = Double(channel) / 255
                return value <= 0.04045 ? value / 12.92 : Self.power((value + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
        }
        let (light, dark) = (max(luminance(one), luminance(other)), min(luminance(one), luminance(other)))
        return (light + 0.05) / (dark + 0.05)
    }

    /// x to the 2.4th as the fifth root of x to the 12th, by Newton's method: no library for one number.
    private static func power(_ x: Double, _ exponent: Double) -> Double {
        precondition(exponent == 2.4, "the only one there is")
        let target = (0..<12).reduce(1.0) { product, _ in product * x }
        var root = max(x, 0.01)
        for _ in 0..<60 {
            let fourth = root * root * root * root
            root -= (root * fourth - target) / (5 * fourth)
        }
        return root
    }

    @Test("contrast is that of WCAG")
    func formula() {
        #expect(abs(contrast(.black, .white) - 21) < 0.001)
        // WCAG's own example of the least grey that reads on white.
        #expect(abs(contrast(Color(red: 0x76, green: 0x76, blue: 0x76), .white) - 4.54) < 0.01)
    }

    @Test("texts and buttons have enough contrast", arguments: [PageTheme.light, .dark])
    func contrast(theme: PageTheme) {
        #expect(contrast(theme.text, theme.background) >= 7)
        #expect(contrast(theme.ink, theme.paper) >= 7)
        #expect(contrast(theme.signingLine, theme.paper) >= 3)
        #expect(contrast(theme.paperBorder, theme.background) >= 3)
        for button in [theme.button, theme.acceptButton] {
            #expect(contrast(button.text, button.face) >= 7)
            #expect(contrast(button.border, theme.background) >= 3)
            #expect(button.face != button.pressedFace)
            #expect(contrast(button.text, button.pressedFace) >= 4.5)
        }
    }

    @Test("drawing colours have a contrast of 3 to 1 with the paper", arguments: [PageTheme.light, .dark])
    func sketchColors(theme: PageTheme) {
        #expect(theme.sketchColors.count == 5 && Set(theme.sketchColors).count == 5)
        for color in theme.sketchColors { #expect(contrast(color, theme.paper) >= 3, "\(color)") }
    }
}
