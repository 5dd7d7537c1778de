// SPDX-License-Identifier: Apache-2.0
public import Pad
import Geometry
public import Raster
import Text

/// Draws the sketch page: what ``SketchLayout`` says is where. Icons instead of words: there are many buttons, and
/// little room for each.
extension PagePainter {
    /// Of a button's side, that its icon takes.
    private static let iconShare = 0.5
    /// Of the button's face, in the colour of an icon where a press does nothing.
    private static let disabledShare = 0.7
    /// Of an icon's height, that it is raised for the dots below it.
    private static let raisedShare = 0.15

    /// Draws all of the sketch page but ink.
    /// - Parameter states: of its buttons; those that are missing are as they are at first.
    public mutating func draw(
        _ layout: SketchLayout, _ tools: SketchTools, states: [PageButton: ButtonState], on surface: Surface
    ) {
        surface.fill(surface.bounds, with: theme.background)
        surface.fill(layout.drawingArea, with: theme.paper)
        surface.fill(edge(of: layout), with: theme.paperBorder)
        for button in layout.buttons {
            draw(button, states[button.button] ?? ButtonState(), layout, tools, on: surface)
        }
    }

    /// Draws a button anew, where its state is another.
    public mutating func draw(
        _ button: PlacedButton, _ state: ButtonState, _ layout: SketchLayout, _ tools: SketchTools,
        on surface: Surface
    ) {
        surface.fill(button.rect, with: theme.background)
        // As large as the button, which is more than 9 mm on a large page.
        let unit = Double(button.rect.width) / 9
        // Touch targets lie side by side; what is seen of them does not.
        let inset = max(1, (0.4 * unit).rounded())
        let border = max(1, ((state.isChosen ? 0.7 : 0.25) * unit).rounded())
        let face = Rect(button.rect).insetBy(inset)
        let colors = theme.button
        fill(.roundedRect(face, radius: 1.5 * unit), state.isChosen ? colors.text : colors.border, on: surface)
        fill(
            .roundedRect(face.insetBy(border), radius: max(0, 1.5 * unit - border)),
            state.isPressed ? colors.pressedFace : colors.face, on: surface)
        let icon = face.insetBy((face.maxX - face.minX) * (1 - Self.iconShare) / 2)
        let color =
            state.isEnabled
            ? colors.text
            : colors.text.mixed(with: state.isPressed ? colors.pressedFace : colors.face, Self.disabledShare)
        drawIcon(button.button, state, in: icon, color, layout, tools, on: surface)
    }

    /// Draws a notice over the top of the drawing area.
    /// - Parameter surface: as large as ``SketchLayout/noticeArea``, which it will cover.
    public mutating func drawNotice(_ text: String, _ layout: SketchLayout, on surface: Surface) {
        let border = max(1, Int((0.2 * layout.unit).rounded()))
        surface.fill(surface.bounds, with: theme.paperBorder)
        surface.fill(
            PixelRect(minX: 0, minY: 0, maxX: surface.size.width, maxY: surface.size.height - border),
            with: theme.background)
        let placed = layout.notice(
            text, measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
        draw(placed, theme.text, on: surface)
    }

    private mutating func drawIcon(
        _ button: PageButton, _ state: ButtonState, in icon: Rect, _ color: Color, _ layout: SketchLayout,
        _ tools: SketchTools, on surface: Surface
    ) {
        let isMirrored = layout.direction == .rightToLeft
        switch button {
        // Back is where lines start.
        case .undo: fill(.turningArrow(icon, pointsRight: isMirrored), color, on: surface)
        case .redo: fill(.turningArrow(icon, pointsRight: !isMirrored), color, on: surface)
        case .clear: fill(.bin(icon), color, on: surface)
        case .save: fill(.arrowIntoTray(icon), color, on: surface)
        case .color: drawColor(state.tool, icon, color, tools, on: surface)
        case .width: drawWidth(state.tool, icon, color, layout, tools, on: surface)
        case .nextColor:
            drawColor(state.tool, icon.raised(by: Self.raisedShare), color, tools, on: surface)
            drawSteps(state.tool, of: tools.colors.count, below: icon, color, on: surface)
        case .nextWidth:
            drawWidth(state.tool, icon.raised(by: Self.raisedShare), color, layout, tools, on: surface)
            drawSteps(state.tool, of: tools.widths.count, below: icon, color, on: surface)
        case .accept, .cancel: break
        }
    }

    private mutating func drawColor(
        _ index: Int, _ icon: Rect, _ color: Color, _ tools: SketchTools, on surface: Surface
    ) {
        guard tools.colors.indices ~= index else { return }
        // On the paper, as it will be seen, and with a rim, because the paper may have the button's colour.
        let rim = (icon.maxX - icon.minX) / 16
        fill(.disc(icon.insetBy(-2 * rim)), color, on: surface)
        fill(.disc(icon.insetBy(-rim)), theme.paper, on: surface)
        fill(.disc(icon), tools.colors[index], on: surface)
    }

    private mutating func drawWidth(
        _ index: Int, _ icon: Rect, _ color: Color, _ layout: SketchLayout, _ tools: SketchTools, on surface: Surface
    ) {
        guard tools.widths.indices ~= index else { return }
        // As wide as it draws, as far as that can be told apart from the others on a button.
        let room = (icon.maxY - icon.minY) * 0.7
        let width = min(max(tools.widths[index] * layout.density.pixelsPerMillimetre, 1), room)
        fill(.risingLine(icon, thickness: width), color, on: surface)
    }

    /// A row of dots, one of them larger: which of how many is shown.
    private mutating func drawSteps(
        _ index: Int, of count: Int, below icon: Rect, _ color: Color, on surface: Surface
    ) {
        let side = icon.maxX - icon.minX
        let pitch = min(side / 4, side * 1.4 / Double(count))
        let y = icon.maxY + side * 0.18
        for number in 0..<count {
            let x = (icon.minX + icon.maxX) / 2 + (Double(number) - Double(count - 1) / 2) * pitch
            let radius = pitch * (number == index ? 0.4 : 0.2)
            let dot = Rect(minX: x - radius, minY: y - radius, maxX: x + radius, maxY: y + radius)
            fill(.disc(dot), color, on: surface)
        }
    }

    /// Of the bar, beside the drawing area.
    private func edge(of layout: SketchLayout) -> PixelRect {
        let thickness = max(1, Int((0.2 * layout.unit).rounded()))
        let (bar, area) = (layout.toolBar, layout.drawingArea)
        if bar.minY > area.minY {
            return PixelRect(minX: bar.minX, minY: bar.minY, maxX: bar.maxX, maxY: bar.minY + thickness)
        }
        return bar.minX < area.minX
            ? PixelRect(minX: bar.maxX - thickness, minY: bar.minY, maxX: bar.maxX, maxY: bar.maxY)
            : PixelRect(minX: bar.minX, minY: bar.minY, maxX: bar.minX + thickness, maxY: bar.maxY)
    }
}

extension Rect {
    /// Moved up by a share of the height.
    fileprivate func raised(by share: Double) -> Rect {
        let way = (maxY - minY) * share
        return Rect(minX: minX, minY: minY - way, maxX: maxX, maxY: maxY - way)
    }
}
