// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
public import Pad
public import Raster
import Record

/// Buttons, answers to choose, and the tools of the sketch page.
extension PagePainter {
    /// The button with another label, whose letters shrink as far as they must to fit.
    func relabelled(_ element: PlacedElement, _ text: String, on page: PlacedPage) -> PlacedElement {
        guard case .button(let button, .some) = element.element, var style = element.style else { return element }
        var element = element
        element.element = .button(button, label: text)
        let room = page.label(of: element).rect
        for (lines, least) in [(1, 0.8), (2, 0.0)] {
            for factor in PageDesign.shrinking where factor >= least {
                var smaller = style
                smaller.em = style.em * factor
                let size = fonts.measure(text, smaller, lines == 1 ? .max : room.width)
                guard size.width <= room.width, size.height <= room.height, lines == 1 || !size.breaksWords else {
                    continue
                }
                element.style = smaller
                return element
            }
        }
        style.em *= PageDesign.shrinking.last ?? 1
        element.style = style
        return element
    }

    /// Draws a button anew.
    /// - Parameter step: the number of ``Path/turnSteps`` that the ring of a busy button has turned.
    public mutating func draw(
        _ element: PlacedElement, _ state: ButtonState, turned step: Int = 0, _ page: PlacedPage, on surface: Surface
    ) {
        if case .option(_, let label, let style) = element.element {
            return drawOption(label, style, element, state, page, on: surface)
        }
        guard case .button(let button, let label) = element.element else { return }
        let isOnCard =
            page.page.inkField != nil && label == nil && page.frame.contains(element.rect) && !page.hasToolBar
        let backdrop = isOnCard ? theme.paper : theme.background
        surface.fill(element.rect, with: backdrop)
        guard let label else {
            return drawIconButton(button, element, state, page, backdrop: backdrop, isOnCard, on: surface)
        }
        let isPrimary = button.isPrimary
        let isMuted = !state.isEnabled && !state.isBusy
        let colors = isMuted && isPrimary ? theme.disabled : isPrimary ? theme.primary : theme.quiet
        let face = Rect(element.rect)
        // Without a border, the words would not look like a button above others.
        if button == .again, !state.isPressed {
            let (radius, edge) = (page.design.radius, Double(page.design.hairline))
            let color = isMuted ? theme.border.mixed(with: backdrop, 0.5) : theme.border
            fill(.roundedRect(face, radius: radius), color, on: surface)
            fill(.roundedRect(face.insetBy(edge), radius: radius - edge), backdrop, on: surface)
        }
        if isPrimary || state.isPressed {
            let radius = page.design.radius
            let color = state.isPressed ? colors.pressedFace : colors.face
            if isMuted && isPrimary {
                fill(.roundedRect(face, radius: radius), color.mixed(with: colors.text, 0.25), on: surface)
                let edge = Double(page.design.hairline)
                fill(.roundedRect(face.insetBy(edge), radius: radius - edge), color, on: surface)
            } else {
                fill(.roundedRect(face, radius: radius), color, on: surface)
            }
        }
        if state.isBusy {
            let side = (face.maxY - face.minY) * 0.5
            fill(.openRing(face.centredSquare(side), turned: step), colors.text, on: surface)
        } else {
            drawText(
                label, page.label(of: element), page, isMuted ? theme.disabled.text : colors.text, isCentred: true,
                on: surface)
        }
    }

    /// A row with a box or a ring, or a number. What is chosen has a tick, a dot or a full face, and a stronger edge.
    private mutating func drawOption(
        _ label: String, _ style: OptionStyle, _ element: PlacedElement, _ state: ButtonState, _ page: PlacedPage,
        on surface: Surface
    ) {
        surface.fill(element.rect, with: theme.background)
        let design = page.design
        let (face, isMuted) = (Rect(element.rect), !state.isEnabled)
        let chosen = isMuted ? theme.border : theme.chosen
        let isFull = style == .rating && state.isChosen
        let paper = state.isPressed ? theme.paper.mixed(with: theme.paperText, 0.14) : theme.paper
        let (hairline, ring) = (Double(design.hairline), Double(design.chosenEdge))
        let inner = face.insetBy(hairline)
        fill(.roundedRect(face, radius: design.radius), theme.border, on: surface)
        let chosenFace = state.isPressed && isFull ? chosen.mixed(with: theme.paper, 0.25) : chosen
        fill(.roundedRect(inner, radius: design.radius - hairline), state.isChosen ? chosenFace : paper, on: surface)
        if state.isChosen, !isFull {
            // The ring is within the border, which may have the contrast with the page that its colour lacks.
            let radius = design.radius - hairline - ring
            fill(.roundedRect(inner.insetBy(ring), radius: radius), paper.mixed(with: chosen, 0.07), on: surface)
        }
        var color = isMuted ? theme.paperText.mixed(with: theme.paper, 0.38) : theme.paperText
        if isFull { color = theme.paper }
        if style != .rating {
            drawMark(style, isChosen: state.isChosen, in: page.mark(of: element).rect, chosen, color, page, on: surface)
        }
        drawText(label, page.label(of: element), page, color, isCentred: true, on: surface)
    }

    /// The box or the ring of an answer.
    private mutating func drawMark(
        _ style: OptionStyle, isChosen: Bool, in square: Rect, _ chosen: Color, _ text: Color, _ page: PlacedPage,
        on surface: Surface
    ) {
        let side = square.maxX - square.minX
        let edge = max(2, (side * 0.09).rounded())
        let color = isChosen ? chosen : text.mixed(with: theme.paper, 0.3)
        let radius = style == .check ? min(page.design.radius * 0.5, side * 0.2) : .infinity
        fill(.roundedRect(square, radius: radius), color, on: surface)
        let inner = square.insetBy(edge)
        switch (style, isChosen) {
        case (.check, true): fill(.tick(square.insetBy(side * 0.24), share: 1), theme.paper, on: surface)
        case (_, true):
            fill(.disc(inner), theme.paper, on: surface)
            fill(.disc(square.insetBy(side * 0.25)), color, on: surface)
        case (_, false): fill(.roundedRect(inner, radius: max(0, radius - edge)), theme.paper, on: surface)
        }
    }

    private mutating func drawIconButton(
        _ button: PageButton, _ element: PlacedElement, _ state: ButtonState, _ page: PlacedPage, backdrop: Color,
        _ isOnCard: Bool, on surface: Surface
    ) {
        let side = Double(element.rect.width)
        let face = Rect(element.rect).insetBy((side * 0.07).rounded(.up))
        // The card may have other colours than the page.
        let isLegible = theme.quiet.text.contrast(with: backdrop) >= PageTheme.textContrast
        let text = isLegible ? theme.quiet.text : theme.ink
        let pressed = isOnCard ? theme.paper.mixed(with: text, 0.8) : theme.quiet.pressedFace
        let radius = page.design.radius * 0.8
        if state.isChosen {
            // A ring and a face, so that the state is not colour alone.
            fill(.roundedRect(face, radius: radius), text, on: surface)
            let ring = max(2, (side * 0.05).rounded())
            fill(
                .roundedRect(face.insetBy(ring), radius: max(0, radius - ring)), state.isPressed ? pressed : backdrop,
                on: surface)
        } else if state.isPressed {
            fill(.roundedRect(face, radius: radius), pressed, on: surface)
        }
        let color = state.isEnabled ? text : text.mixed(with: backdrop, 0.38)
        // Larger targets for gloves have the usual icons.
        let icon = face.centredSquare(min((face.maxX - face.minX) * 0.5, page.design.largestIcon))
        let isMirrored = page.page.direction == .rightToLeft
        switch button {
        // Undo points to the start of lines.
        case .undo: fill(.turningArrow(icon, pointsRight: isMirrored), color, on: surface)
        case .redo: fill(.turningArrow(icon, pointsRight: !isMirrored), color, on: surface)
        case .clear: fill(.bin(icon), color, on: surface)
        case .save: fill(.arrowIntoTray(icon), color, on: surface)
        case .color, .width, .nextColor, .nextWidth:
            if case .drawing(let tools) = page.page.inkField {
                drawTool(button, state.tool, tools, icon, color, page, on: surface)
            }
        case .accept, .cancel, .next, .back, .decline, .instead, .lead, .again, .option: break
        }
    }

    private mutating func drawTool(
        _ button: PageButton, _ index: Int, _ tools: SketchTools, _ icon: Rect, _ color: Color, _ page: PlacedPage,
        on surface: Surface
    ) {
        let side = icon.maxX - icon.minX
        let isStep = button == .nextColor || button == .nextWidth
        let place =
            isStep
            ? Rect(minX: icon.minX, minY: icon.minY - side * 0.15, maxX: icon.maxX, maxY: icon.maxY - side * 0.15)
            : icon
        var count = 0
        switch button {
        case .color, .nextColor:
            guard tools.colors.indices ~= index else { return }
            count = tools.colors.count
            // On a sheet of paper with a rim, because the colour may be that of the bar, and the paper too.
            let rim = side / 16
            fill(.roundedRect(place.insetBy(-2 * rim), radius: 5 * rim), color, on: surface)
            fill(.roundedRect(place.insetBy(-rim), radius: 4 * rim), theme.paper, on: surface)
            fill(.disc(place.insetBy(rim)), tools.colors[index], on: surface)
        case .width, .nextWidth:
            guard tools.widths.indices ~= index else { return }
            count = tools.widths.count
            // The real width, as far as the button has room.
            let width = min(max(tools.widths[index] * page.density.pixelsPerMillimetre, 1), side * 0.7)
            fill(.risingLine(place, thickness: width), color, on: surface)
        default: return
        }
        guard isStep else { return }
        // A row of dots with the chosen one larger.
        let pitch = min(side / 3, side * 1.6 / Double(count))
        let y = icon.maxY + side * 0.22
        for number in 0..<count {
            let x = (icon.minX + icon.maxX) / 2 + (Double(number) - Double(count - 1) / 2) * pitch
            let radius = pitch * (number == index ? 0.42 : 0.22)
            fill(
                .disc(Rect(minX: x - radius, minY: y - radius, maxX: x + radius, maxY: y + radius)), color, on: surface)
        }
    }
}

extension PlacedPage {
    fileprivate var hasToolBar: Bool { if case .drawing = page.inkField { true } else { false } }
}
