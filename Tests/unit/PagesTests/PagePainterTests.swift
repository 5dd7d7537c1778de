// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Pages
import Raster
import TestSupport
import Testing

/// Text is drawn with the fonts of the machine, so pictures are not compared with stored ones, but with what the layout
/// says.
@Suite("Page painter", .serialized)
struct PagePainterTests {
    private static let themes = [PageTheme.light, .dark, .highContrast]

    private func placed(_ screen: SigningScreen, _ painter: borrowing PagePainter) throws -> PlacedPage {
        try painter.place(screen.page, size: screen.size, density: nil)
    }

    @Test("elements are drawn in their places and nowhere else", arguments: SigningScreen.all)
    func places(screen: SigningScreen) throws {
        let theme = PageTheme.light
        var painter = PagePainter(theme: theme, fonts: try Fonts())
        let page = try placed(screen, painter)
        let buffer = PixelBuffer(size: page.size)
        painter.draw(page, on: buffer.surface)
        #expect(page.elements.count == screen.page.elements.count)
        for element in page.elements {
            let backdrop = page.frame.contains(element.rect) ? theme.paper : theme.background
            #expect(buffer.surface.rows(element.rect).joined().contains { $0 != backdrop.rgb }, "\(element)")
        }
        // Letters may reach out of their line's place by a little, as an f does; the card's shadow reaches further.
        let shadow = Int(page.design.radius) + 1
        let places = page.elements.map { ($0.rect, 2) } + [(page.frame, shadow)]
        var stray = 0
        for y in 0..<page.size.height {
            for x in 0..<page.size.width where buffer.surface.row(y)[x] & 0xFF_FFFF != theme.background.rgb {
                let isInPlace = places.contains { rect, slack in
                    x >= rect.minX - slack && x < rect.maxX + slack && y >= rect.minY - slack && y < rect.maxY + slack
                }
                if !isInPlace { stray += 1 }
            }
        }
        #expect(stray == 0)
    }

    @Test("the label of a row is muted, and stands on a line with its value", arguments: LayoutDirection.allCases)
    func rows(direction: LayoutDirection) throws {
        let theme = PageTheme.light
        var painter = PagePainter(theme: theme, fonts: try Fonts())
        let elements: [PageElement] = [
            .row(label: "HHH", value: "HHHH"), .row(label: "H", value: "H"), .inkField(.signing(hint: "h")),
        ]
        for size in [PixelSize(width: 320, height: 240), PixelSize(width: 1280, height: 800)] {
            let page = try painter.place(Page(elements, direction: direction), size: size, density: nil)
            let buffer = PixelBuffer(size: size)
            painter.draw(page, on: buffer.surface)
            /// The box of the letters, and their darkest pixel.
            func ink(_ element: PlacedElement) -> (box: PixelRect, darkest: UInt32) {
                var (box, darkest) = (PixelRect.empty, UInt32.max)
                for y in element.rect.minY..<element.rect.maxY {
                    for x in element.rect.minX..<element.rect.maxX {
                        let color = buffer.surface.row(y)[x] & 0xFF_FFFF
                        if color == theme.background.rgb { continue }
                        box = box.union(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
                        darkest = min(darkest, color >> 16)
                    }
                }
                return (box, darkest)
            }
            let inks = page.elements.filter { $0.text != nil }.map(ink)
            let (labels, values) = ([inks[0].box, inks[2].box], [inks[1].box, inks[3].box])
            let muted = UInt32(theme.mutedText.red)
            #expect(inks[0].darkest >= muted && inks[2].darkest >= muted, "\(size)")
            #expect(inks[1].darkest < muted && inks[3].darkest < muted, "\(size)")
            for (label, value) in zip(labels, values) {
                #expect(!label.isEmpty && !value.isEmpty && abs(label.maxY - value.maxY) <= 1, "\(size)")
                #expect(label.height <= value.height)
                let isBefore = direction == .leftToRight ? label.maxX < value.minX : label.minX > value.maxX
                #expect(isBefore, "\(size)")
            }
            // In columns.
            let isLeft = direction == .leftToRight
            for column in [labels, values] {
                #expect(abs(isLeft ? column[0].minX - column[1].minX : column[0].maxX - column[1].maxX) <= 1)
            }
        }
    }

    @Test("the paper is empty except for the line and the hint", arguments: SigningScreen.all)
    func paper(screen: SigningScreen) throws {
        for theme in Self.themes {
            var painter = PagePainter(theme: theme, fonts: try Fonts())
            let page = try placed(screen, painter)
            let buffer = PixelBuffer(size: page.size)
            painter.draw(page, on: buffer.surface)
            let (field, line, hint) = (page.inkField, page.signingLine, try #require(page.hint).rect)
            #expect(field.contains(line) && field.contains(hint) && hint.maxY <= line.minY)
            let above = PixelRect(minX: field.minX, minY: field.minY, maxX: field.maxX, maxY: hint.minY)
            let below = PixelRect(minX: field.minX, minY: line.maxY, maxX: field.maxX, maxY: field.maxY)
            for part in [above, below] {
                #expect(!part.isEmpty && buffer.surface.colors(part) == [theme.paper.rgb])
            }
            #expect(buffer.surface.colors(line) == [theme.guide.rgb])
            #expect(buffer.surface.rows(hint).joined().contains(theme.guide.rgb))
        }
    }

    @Test("the hint goes and comes without changing anything else", arguments: SigningScreen.all)
    func hint(screen: SigningScreen) throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let page = try placed(screen, painter)
        let plain = PixelBuffer(size: page.size)
        let other = PixelBuffer(size: page.size)
        painter.draw(page, on: plain.surface)
        painter.draw(page, on: other.surface)
        painter.drawGuide(page, showsHint: false, on: other.surface)
        let hint = try #require(page.hint).rect
        let box = plain.surface.differences(from: other.surface)
        #expect(!box.isEmpty && hint.contains(box))
        #expect(other.surface.colors(hint) == [PageTheme.light.paper.rgb])
        painter.drawGuide(page, showsHint: true, on: other.surface)
        #expect(plain.surface.differences(from: other.surface).isEmpty)
    }

    @Test(
        "a state changes only its button and looks unlike others, and the initial state restores every pixel",
        arguments: SigningScreen.all)
    func states(screen: SigningScreen) throws {
        for theme in Self.themes {
            var painter = PagePainter(theme: theme, fonts: try Fonts())
            let page = try placed(screen, painter)
            let plain = PixelBuffer(size: page.size)
            let other = PixelBuffer(size: page.size)
            painter.draw(page, on: plain.surface)
            painter.draw(page, on: other.surface)
            #expect(page.buttons.count == 4)
            for element in page.buttons {
                var seen = [plain.surface.rows(element.rect)]
                var states = [ButtonState(isPressed: true), ButtonState(isEnabled: false)]
                if element.button == .accept { states.append(ButtonState(isBusy: true)) }
                for state in states {
                    painter.draw(element, state, page, on: other.surface)
                    let box = plain.surface.differences(from: other.surface)
                    #expect(!box.isEmpty && element.rect.contains(box), "\(element) \(state)")
                    let now = other.surface.rows(element.rect)
                    #expect(!seen.contains(now), "\(element) \(state)")
                    seen.append(now)
                }
                painter.draw(element, ButtonState(), page, on: other.surface)
                #expect(plain.surface.differences(from: other.surface).isEmpty)
            }
        }
    }

    @Test("Accept is the one button with a face, of the primary colour")
    func primary() throws {
        for theme in Self.themes {
            var painter = PagePainter(theme: theme, fonts: try Fonts())
            for screen in SigningScreen.all {
                let page = try placed(screen, painter)
                let buffer = PixelBuffer(size: page.size)
                painter.draw(page, on: buffer.surface)
                for element in page.buttons {
                    // Inside the rounded corner, left of the label.
                    let pixel = buffer.surface.row((element.rect.minY + element.rect.maxY) / 2)[element.rect.minX + 2]
                    let isOnCard = page.frame.contains(element.rect)
                    let backdrop = isOnCard ? theme.paper : theme.background
                    let expected = element.button == .accept ? theme.primary.face : backdrop
                    #expect(pixel & 0xFF_FFFF == expected.rgb, "\(screen.testDescription) \(element)")
                }
            }
        }
    }

    @Test("the icon of undo is mirrored on pages from right to left")
    func mirrored() throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        var screen = SigningScreen.all[0]
        func icon(_ button: PageButton) throws -> [[UInt32]] {
            let page = try placed(screen, painter)
            let buffer = PixelBuffer(size: page.size)
            painter.draw(page, on: buffer.surface)
            return buffer.surface.rows(try #require(page.element(of: button)).rect)
        }
        let (undo, clear) = (try icon(.undo), try icon(.clear))
        screen.direction = .rightToLeft
        #expect(try icon(.undo) != undo)
        #expect(try icon(.clear) == clear)
    }

    @Test(
        "a banner lies at an edge of the ink field, with its text complete", arguments: SigningScreen.all,
        [false, true])
    func banner(screen: SigningScreen, isWarning: Bool) throws {
        for theme in Self.themes {
            var painter = PagePainter(theme: theme, fonts: try Fonts())
            let page = try placed(screen, painter)
            let colors = isWarning ? theme.warning : theme.notice
            var seen: [[[UInt32]]] = []
            for message in [
                Message.refusedNoInk, .refusedFewStrokes, .refusedSmall, .refusedStraight, .refusedQuick, .failed,
                .notRecording, .sketchNotKept,
            ] {
                let banner = Banner(MessageTable(.english)[message], isWarning: isWarning)
                let place = painter.place(banner, over: page)
                let (field, rect) = (page.inkField, place.rect)
                #expect(field.contains(rect) && (rect.minY == field.minY || rect.maxY == field.maxY))
                #expect(place.rect.height * 10 <= page.inkField.height * 8, "ink stays visible")
                let buffer = PixelBuffer(size: PixelSize(width: place.rect.width, height: place.rect.height))
                painter.draw(banner, place, page, on: buffer.surface)
                let rows = buffer.surface.rows(buffer.surface.bounds)
                #expect(rows.joined().contains(colors.face.rgb) && rows.joined().contains(colors.text.rgb))
                #expect(!seen.contains(rows), "\(message)")
                seen.append(rows)
                // Complete: as the fonts set it, it has the room of the banner.
                let inset = page.bannerInset
                let text = try TextBlock(
                    banner.text, style: try #require(place.style), width: place.rect.width - inset.text - inset.end,
                    fonts: try Fonts())
                let (size, breaks) = (text.size, text.breaksWords)
                #expect(size.height <= place.rect.height && !breaks, "\(message)")
            }
        }
    }

    @Test("any text of any length fits on any page that has 240 pixels, and is cut", arguments: [8, 240, 3000])
    func long(side: Int) throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let buffer = PixelBuffer(size: PixelSize(width: side, height: max(side / 2 + 1, min(side, 240))))
        for text in [String(repeating: "Welcome ", count: 2000), "", "Thank you"] {
            do throws(PageTooSmall) {
                let page = try painter.place(.words(text), size: buffer.surface.size, density: nil)
                painter.draw(page, on: buffer.surface)
                #expect(page.elements.allSatisfy { buffer.surface.bounds.contains($0.rect) })
            } catch {
                #expect(side < 240 && error == PageTooSmall())
            }
        }
    }
}

@Suite("Idle pages", .serialized)
struct IdlePageTests {
    private func drawn(_ page: Page, _ size: PixelSize, _ theme: PageTheme = .light) throws -> PixelBuffer {
        var painter = PagePainter(theme: theme, fonts: try Fonts())
        let buffer = PixelBuffer(size: size)
        painter.draw(try painter.place(page, size: size, density: nil), on: buffer.surface)
        return buffer
    }

    @Test("a picture is centred and as large as fits, on the background of the theme")
    func picture() throws {
        let picture = Picture(
            size: PixelSize(width: 20, height: 10), pixels: [UInt32](repeating: 0xFF40_8020, count: 200))
        for (width, height) in [(100, 100), (300, 60), (27, 29), (20, 40)] {
            let buffer = try drawn(Page([.picture(picture)]), PixelSize(width: width, height: height), .dark)
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
        let pixels = (0..<64 * 48).map { index -> UInt32 in
            let blue = UInt32(index & 0xFF)
            let isOpaque = index % 64 >= 32
            return isOpaque ? 0xFF00_0000 + blue : blue
        }
        let picture = Picture(size: PixelSize(width: 64, height: 48), pixels: pixels)
        let size = PixelSize(width: 200, height: 120)
        let one = try drawn(Page([.picture(picture)]), size)
        let other = try drawn(Page([.picture(picture.fitted(in: size))]), size)
        #expect(one.surface.differences(from: other.surface).isEmpty)
        #expect(one.surface.row(60)[50] == PageTheme.light.background.xrgb8888)
        #expect(one.surface.row(60)[150] != PageTheme.light.background.xrgb8888)
        let none = try drawn(Page([.picture(Picture(size: PixelSize(width: 0, height: 0), pixels: []))]), size)
        #expect(none.surface.row(60)[150] == PageTheme.light.background.xrgb8888)
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
        // No letter has a part apart from the rest.
        for (text, count) in [("HEN", 1), ("HEN\nHEN", 2), ("HEN\n\nHEN\nHEN", 3)] {
            let buffer = try drawn(.words(text), PixelSize(width: 800, height: 480))
            #expect(lines(buffer.surface) == count, "\(text)")
        }
    }

    @Test("the idle page has its text in the middle of the width")
    func idle() throws {
        for language in [MessageTable.Language.english, .arabic, .simplifiedChinese] {
            let size = PixelSize(width: 800, height: 480)
            let buffer = try drawn(MessageTable(language).idlePage(), size)
            let blank = try drawn(Page([]), size)
            let box = buffer.surface.differences(from: blank.surface)
            #expect(box.height > 20 && abs(box.minX + box.maxX - 800) <= 8, "\(language)")
        }
    }
}

@Suite("The tick", .serialized)
struct TickTests {
    @Test("is drawn from its start to its end, within its place")
    func progress() throws {
        for theme in [PageTheme.light, .dark, .highContrast] {
            var painter = PagePainter(theme: theme, fonts: try Fonts())
            let size = PixelSize(width: 480, height: 320)
            let page = try painter.place(
                Page([.tick, .text(PageText("Thank you", .headline))]), size: size, density: nil)
            let tick = try #require(page.elements.first { $0.element == .tick })
            let plain = PixelBuffer(size: size)
            painter.draw(page, on: plain.surface)
            #expect(plain.surface.colors(tick.rect).isSuperset(of: [theme.success.rgb, theme.background.rgb]))
            let buffer = PixelBuffer(size: size)
            painter.draw(page, on: buffer.surface)
            var last = -1
            for progress in [0.0, 0.2, 0.4, 0.6, 0.8, 1] {
                painter.drawTick(tick, progress: progress, on: buffer.surface)
                let box = buffer.surface.differences(from: plain.surface)
                #expect(box.isEmpty == (progress == 1) && (box.isEmpty || tick.rect.contains(box)))
                // The mark is a gap in the disc.
                let mark = buffer.surface.rows(tick.rect).joined().count { $0 == theme.background.rgb }
                #expect(mark > last, "\(progress)")
                last = mark
            }
        }
    }
}

@Suite("The warning sign", .serialized)
struct WarningSignTests {
    @Test("is a mark on a disc in its place, above the text, in colours that differ", arguments: SigningScreen.all)
    func sign(screen: SigningScreen) throws {
        for theme in [PageTheme.light, .dark, .highContrast] {
            #expect(theme.warning.text.contrast(with: theme.warning.face) >= 4.5)
            var painter = PagePainter(theme: theme, fonts: try Fonts())
            let words: [PageElement] = [
                .text(PageText("Out of order", .headline)), .text(PageText("Please ask the staff.", .body)),
            ]
            let page = try painter.place(Page([.warningSign] + words), size: screen.size, density: nil)
            let sign = try #require(page.elements.first { $0.element == .warningSign }).rect
            let headline = try #require(page.elements.first { $0.text?.role == .headline }).rect
            #expect(sign.maxY <= headline.minY)
            let buffer = PixelBuffer(size: screen.size)
            painter.draw(page, on: buffer.surface)
            let colors = buffer.surface.colors(sign)
            #expect(colors.isSuperset(of: [theme.warning.face.rgb, theme.warning.text.rgb, theme.background.rgb]))
        }
    }
}

@Suite("Calibration page", .serialized)
struct CalibrationPageTests {
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
                func draw(_ elements: [PageElement], on buffer: borrowing PixelBuffer) throws {
                    painter.draw(try painter.place(Page(elements), size: size, density: density), on: buffer.surface)
                }
                try draw([.target(target), .text(PageText(text, .headline))], on: page)
                try draw([.target(target)], on: bare)
                var (count, near) = (0, 0)
                let reach = min(6 * density.pixelsPerMillimetre, Double(min(width, height)) / 10) + 1
                for y in 0..<height {
                    for x in 0..<width where page.surface.row(y)[x] != bare.surface.row(y)[x] {
                        count += 1
                        if abs(Double(x) - target.x) < reach && abs(Double(y) - target.y) < reach { near += 1 }
                    }
                }
                #expect(count > 100, "no words on \(size)")
                #expect(near == 0, "words at the cross \(place) on \(size)")
                // Only the cross is left without them, around its middle to the pixel.
                let blank = PixelBuffer(size: size)
                try draw([], on: blank)
                let cross = bare.surface.differences(from: blank.surface)
                #expect(!cross.isEmpty)
                #expect(Double(cross.minX + cross.maxX) / 2 == target.x)
                #expect(Double(cross.minY + cross.maxY) / 2 == target.y)
            }
        }
    }
}
