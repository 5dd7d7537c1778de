// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Pages
import Raster
import TestSupport
import Testing

@Suite("Sketch page", .serialized)
struct SketchPageTests {
    static let sizes = [
        PixelSize(width: 320, height: 240), PixelSize(width: 800, height: 480), PixelSize(width: 800, height: 1280),
    ]

    private static func page(
        _ theme: PageTheme, _ size: PixelSize, _ painter: borrowing PagePainter,
        _ direction: LayoutDirection = .leftToRight
    ) throws -> (page: PlacedPage, tools: SketchTools) {
        let tools = try #require(SketchTools(colors: theme.sketchColors))
        let buttons: [PageButton] = [.undo, .redo, .clear, .save]
        let page = Page(
            [.inkField(.drawing(tools))] + buttons.map { .button($0, label: nil) }, direction: direction)
        return (try painter.place(page, size: size, density: nil), tools)
    }

    @Test("has empty paper and an icon within each button", arguments: [PageTheme.light, .dark, .highContrast], sizes)
    func places(theme: PageTheme, size: PixelSize) throws {
        var painter = PagePainter(theme: theme, fonts: try Fonts())
        let page = try Self.page(theme, size, painter).page
        let plain = PixelBuffer(size: size)
        painter.draw(page, on: plain.surface)
        #expect(!page.inkField.isEmpty && !page.frame.isEmpty && page.inkField.intersection(page.frame).isEmpty)
        #expect(plain.surface.colors(page.inkField) == [theme.paper.rgb])
        for element in page.buttons {
            #expect(plain.surface.colors(element.rect).count > 3, "\(element)")
            #expect(page.frame.contains(element.rect))
            plain.surface.fill(element.rect, with: theme.background)
        }
        #expect(plain.surface.colors(page.frame) == [theme.background.rgb, theme.border.rgb])
    }

    @Test("a state changes only its button, and the initial state restores every pixel", arguments: sizes)
    func states(size: PixelSize) throws {
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let page = try Self.page(.light, size, painter).page
        let plain = PixelBuffer(size: size)
        let other = PixelBuffer(size: size)
        painter.draw(page, on: plain.surface)
        painter.draw(page, on: other.surface)
        for element in page.buttons {
            var seen = [plain.surface.rows(element.rect)]
            var states = [ButtonState(isPressed: true), ButtonState(isEnabled: false), ButtonState(isChosen: true)]
            switch element.button {
            case .nextColor, .nextWidth, .color, .width:
                states.remove(at: 1)
                states.append(ButtonState(tool: 1))
            default: break
            }
            for state in states {
                painter.draw(element, state, page, on: other.surface)
                let now = other.surface.rows(element.rect)
                #expect(!seen.contains(now), "\(element) \(state)")
                seen.append(now)
                #expect(element.rect.contains(plain.surface.differences(from: other.surface)))
            }
            painter.draw(element, ButtonState(), page, on: other.surface)
            #expect(plain.surface.differences(from: other.surface).isEmpty)
        }
        // A tool that does not exist has no icon.
        let place = page.buttons[0].rect
        for button in [PageButton.color(99), .width(99), .nextColor, .nextWidth] {
            let element = PlacedElement(.button(button, label: nil), place)
            painter.draw(element, ButtonState(tool: 99), page, on: other.surface)
            #expect(other.surface.colors(place) == [PageTheme.light.background.rgb])
        }
    }

    @Test("buttons show their colours, and arrows are mirrored from right to left")
    func icons() throws {
        let size = PixelSize(width: 800, height: 480)
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let (page, tools) = try Self.page(.light, size, painter)
        let right = try Self.page(.light, size, painter, .rightToLeft).page
        let buffer = PixelBuffer(size: size)
        let mirrored = PixelBuffer(size: size)
        painter.draw(page, on: buffer.surface)
        painter.draw(right, on: mirrored.surface)
        for (index, color) in tools.colors.enumerated() {
            let element = try #require(page.element(of: .color(index)))
            painter.draw(element, ButtonState(tool: index), page, on: buffer.surface)
            let (x, y) = ((element.rect.minX + element.rect.maxX) / 2, (element.rect.minY + element.rect.maxY) / 2)
            #expect(buffer.surface.row(y)[x] & 0xFF_FFFF == color.rgb)
        }
        func icon(_ surface: Surface, _ page: PlacedPage, _ button: PageButton) throws -> [[UInt32]] {
            surface.rows(try #require(page.element(of: button)).rect)
        }
        let undo = try icon(buffer.surface, page, .undo)
        #expect(try icon(mirrored.surface, right, .redo) == undo)
        #expect(try icon(mirrored.surface, right, .undo) != undo)
    }

    @Test(
        "a banner takes part of the drawing area and has its text complete, in each language",
        arguments: sizes, MessageTable.Language.allCases)
    func notices(size: PixelSize, language: MessageTable.Language) throws {
        let theme = PageTheme.light
        var painter = PagePainter(theme: theme, fonts: try Fonts())
        let fonts = try Fonts()
        let page = try Self.page(theme, size, painter).page
        let messages = MessageTable(language)
        for message in [Message.sketchSaving, .sketchSaved, .sketchNotSaved, .sketchNotKept, .notRecording] {
            let banner = Banner(messages[message])
            let place = painter.place(banner, over: page)
            #expect(page.inkField.contains(place.rect))
            #expect(place.rect.height * 4 <= page.inkField.height * 3, "\(message)")
            let buffer = PixelBuffer(size: PixelSize(width: place.rect.width, height: place.rect.height))
            painter.draw(banner, place, page, on: buffer.surface)
            #expect(buffer.surface.rows(buffer.surface.bounds).joined().contains(theme.notice.text.rgb), "\(message)")
            let inset = page.bannerInset
            let text = try TextBlock(
                banner.text, style: try #require(place.style), width: place.rect.width - inset.text - inset.end,
                fonts: fonts)
            let (height, breaks) = (text.size.height, text.breaksWords)
            #expect(height <= place.rect.height && !breaks, "\(message)")
        }
    }
}
