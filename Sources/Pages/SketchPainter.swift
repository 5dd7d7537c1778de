// SPDX-License-Identifier: Apache-2.0
public import Pad
import Geometry
public import Raster

extension PagePainter {
    /// Side of an icon, as a share of that of its button.
    private static let iconShare = 0.5
    /// Share of the face in the colour of a disabled icon.
    private static let disabledShare = 0.7
    /// Distance that an icon with dots below it is raised, as a share of its height.
    private static let raisedShare = 0.15

    /// Draws the sketch page without ink.
    /// - Parameter states: of the buttons; missing ones have the initial state.
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

    /// Draws a button.
    public mutating func draw(
        _ button: PlacedButton, _ state: ButtonState, _ layout: SketchLayout, _ tools: SketchTools,
        on surface: Surface
    ) {
        surface.fill(button.rect, with: theme.background)
        // A button has 9 mm, and more on large pages.
        let unit = Double(button.rect.width) / 9
        // Touch targets adjoin; their faces do not.
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
    /// - Parameter surface: has the size of ``SketchLayout/noticeArea``.
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
        // Undo points to the start of lines.
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
        // On paper, with a rim, because the paper may have the colour of the button.
        let rim = (icon.maxX - icon.minX) / 16
        fill(.disc(icon.insetBy(-2 * rim)), color, on: surface)
        fill(.disc(icon.insetBy(-rim)), theme.paper, on: surface)
        fill(.disc(icon), tools.colors[index], on: surface)
    }

    private mutating func drawWidth(
        _ index: Int, _ icon: Rect, _ color: Color, _ layout: SketchLayout, _ tools: SketchTools, on surface: Surface
    ) {
        guard tools.widths.indices ~= index else { return }
        // The real width, as far as the button has room.
        let room = (icon.maxY - icon.minY) * 0.7
        let width = min(max(tools.widths[index] * layout.density.pixelsPerMillimetre, 1), room)
        fill(.risingLine(icon, thickness: width), color, on: surface)
    }

    /// A row of dots with the chosen one larger.
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

    /// The edge of the tool bar towards the drawing area.
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
        let distance = (maxY - minY) * share
        return Rect(minX: minX, minY: minY - distance, maxX: maxX, maxY: maxY - distance)
    }
}
