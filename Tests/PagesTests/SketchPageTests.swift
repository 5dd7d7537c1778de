// SPDX-License-Identifier: Apache-2.0
import Pad
import Geometry
import Pages
import Raster
import Testing

@Suite("Sketch page", .serialized)
struct SketchPageTests {
    static let sizes = [
        PixelSize(width: 320, height: 240), PixelSize(width: 800, height: 480), PixelSize(width: 800, height: 1280),
    ]

    private static func page(
        _ theme: PageTheme, _ size: PixelSize, _ direction: LayoutDirection = .leftToRight
    ) throws -> (layout: SketchLayout, tools: SketchTools) {
        let tools = try #require(SketchTools(colors: theme.sketchColors))
        return (
            try #require(SketchLayout(size: size, density: nil, direction: direction, tools: tools)), tools
        )
    }

    private func rows(_ surface: Surface, _ rect: PixelRect) -> [[UInt32]] {
        (rect.minY..<rect.maxY).map { y in (rect.minX..<rect.maxX).map { surface.row(y)[$0] & 0xFF_FFFF } }
    }

    private static func rgb(_ color: Color) -> UInt32 { color.xrgb8888 & 0xFF_FFFF }

    @Test("has empty paper and an icon within each button", arguments: [false, true], sizes)
    func places(isDark: Bool, size: PixelSize) throws {
        let theme = isDark ? PageTheme.dark : .light
        let (layout, tools) = try Self.page(theme, size)
        var painter = PagePainter(theme: theme, fonts: try Fonts())
        let plain = PixelBuffer(size: size)
        painter.draw(layout, tools, states: [:], on: plain.surface)
        let paper = Self.rgb(theme.paper)
        #expect(rows(plain.surface, layout.drawingArea).joined().allSatisfy { $0 == paper })
        var bar = rows(plain.surface, PixelRect(size: size))
        for button in layout.buttons {
            let picture = Set(rows(plain.surface, button.rect).joined())
            #expect(picture.count > 3, "\(button.button)")
            for y in button.rect.minY..<button.rect.maxY {
                for x in button.rect.minX..<button.rect.maxX { bar[y][x] = Self.rgb(theme.background) }
            }
        }
        let others = Set([theme.paper, theme.background, theme.paperBorder].map { Self.rgb($0) })
        #expect(Set(bar.joined()).isSubset(of: others))
    }

    @Test("a state changes only its button, and the initial state restores every pixel", arguments: sizes)
    func states(size: PixelSize) throws {
        let (layout, tools) = try Self.page(.light, size)
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let plain = PixelBuffer(size: size)
        let other = PixelBuffer(size: size)
        painter.draw(layout, tools, states: [:], on: plain.surface)
        painter.draw(layout, tools, states: [:], on: other.surface)
        let all = PixelRect(size: size)
        for button in layout.buttons {
            let before = rows(plain.surface, button.rect)
            var seen = [before]
            var states = [
                ButtonState(isPressed: true), ButtonState(isEnabled: false),
                ButtonState(isChosen: true),
            ]
            switch button.button {
            case .nextColor, .nextWidth, .color, .width:
                states.remove(at: 1)
                states.append(ButtonState(tool: 1))
            default: break
            }
            for state in states {
                painter.draw(button, state, layout, tools, on: other.surface)
                let now = rows(other.surface, button.rect)
                #expect(!seen.contains(now), "\(button.button) \(state)")
                seen.append(now)
            }
            painter.draw(button, ButtonState(), layout, tools, on: other.surface)
            #expect(rows(other.surface, all) == rows(plain.surface, all))
        }
        // A tool that does not exist has no icon.
        painter.draw(layout.buttons[0], ButtonState(tool: 99), layout, tools, on: other.surface)
        let color = PlacedButton(button: .color(99), rect: layout.buttons[0].rect)
        painter.draw(color, ButtonState(tool: 99), layout, tools, on: other.surface)
    }

    @Test("buttons show their colours, and arrows are mirrored from right to left")
    func icons() throws {
        let size = PixelSize(width: 800, height: 480)
        let (layout, tools) = try Self.page(.light, size)
        let right = try Self.page(.light, size, .rightToLeft).layout
        var painter = PagePainter(theme: .light, fonts: try Fonts())
        let buffer = PixelBuffer(size: size)
        let states = Dictionary(uniqueKeysWithValues: tools.colors.indices.map {
            (PageButton.color($0), ButtonState(tool: $0))
        })
        painter.draw(layout, tools, states: states, on: buffer.surface)
        for (index, color) in tools.colors.enumerated() {
            let rect = try #require(layout.buttons.first { $0.button == .color(index) }).rect
            let middle = buffer.surface.row((rect.minY + rect.maxY) / 2)[(rect.minX + rect.maxX) / 2]
            #expect(middle & 0xFF_FFFF == Self.rgb(color))
        }
        let mirrored = PixelBuffer(size: size)
        painter.draw(right, tools, states: states, on: mirrored.surface)
        func picture(_ surface: Surface, _ layout: SketchLayout, _ button: PageButton) throws -> [[UInt32]] {
            rows(surface, try #require(layout.buttons.first { $0.button == button }).rect)
        }
        let undo = try picture(buffer.surface, layout, .undo)
        #expect(try picture(mirrored.surface, right, .redo) == undo)
        #expect(try picture(mirrored.surface, right, .undo) != undo)
    }

    @Test(
        "a notice fits into a strip at the top of the drawing area in each language",
        arguments: sizes, [MessageTable.Language.english, .german])
    func notices(size: PixelSize, language: MessageTable.Language) throws {
        let theme = PageTheme.light
        let layout = try Self.page(theme, size).layout
        var painter = PagePainter(theme: theme, fonts: try Fonts())
        let area = layout.noticeArea
        #expect(layout.drawingArea.contains(area) && area.minY == layout.drawingArea.minY && area.height >= 2)
        #expect(area.width == layout.drawingArea.width && area.height * 4 <= layout.drawingArea.height + 2)
        let messages = MessageTable(language)
        var seen: [[[UInt32]]] = []
        for message in [
            Message.sketchSaving, .sketchSaved, .sketchNotSaved, .sketchNotKept, .notRecording,
        ] {
            let buffer = PixelBuffer(size: PixelSize(width: area.width, height: area.height))
            painter.drawNotice(messages[message], layout, on: buffer.surface)
            let picture = rows(buffer.surface, buffer.surface.bounds)
            #expect(picture.joined().contains(Self.rgb(theme.text)), "\(message)")
            #expect(Set(picture.last ?? []) == [Self.rgb(theme.paperBorder)])
            #expect(!seen.contains(picture))
            seen.append(picture)
            // Six tenths of an em is a wide letter.
            let placed = layout.notice(messages[message]) { text, em in
                PixelSize(width: Int(Double(text.count) * em * 0.6), height: Int((em * 1.4).rounded(.up)))
            }
            #expect(!placed.isCut && placed.lines.allSatisfy { placed.rect.contains($0.rect) }, "\(message)")
        }
    }
}
