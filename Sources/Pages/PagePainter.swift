// SPDX-License-Identifier: Apache-2.0
public import Pad
public import Geometry
public import Raster

/// Draws the pages that ``SignatureLayout`` and ``SketchLayout`` lay out, in the colours of a ``PageTheme``.
///
/// One thread at a time. Keeps no state of a page.
public struct PagePainter: ~Copyable {
    public var theme: PageTheme
    private let fonts: Fonts
    var rasterizer: Rasterizer

    public init(theme: PageTheme, fonts: consuming Fonts) {
        self.theme = theme
        self.fonts = fonts
        rasterizer = Rasterizer()
    }

    /// Lays out the signature page for its texts.
    public func layout(
        size: PixelSize, density: PixelDensity?, direction: LayoutDirection, texts: PageTexts
    ) throws(PageTooSmall) -> SignatureLayout {
        try SignatureLayout(
            size: size, density: density, direction: direction, texts: texts,
            measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
    }

    /// The size of a line of text at the given em, in pixels. Text too long for a line is wider than any page.
    func size(of text: String, em: Double) -> PixelSize {
        let isLong = text.unicodeScalars.count > TextLine.maximumLength
        guard let line = line(text, em: em, color: theme.text) else {
            return PixelSize(width: 1 << 20, height: Int((em * 1.4).rounded(.up)))
        }
        return PixelSize(width: isLong ? 1 << 20 : line.bounds.width, height: line.bounds.height)
    }

    /// Draws the signature page without ink.
    /// - Parameters:
    ///   - message: replaces prompt and reason.
    ///   - hasButtons: false while the record is being stored.
    /// - Returns: the visible part of the signing area, which a message may cover partly.
    @discardableResult
    public mutating func draw(
        _ layout: SignatureLayout, message: String? = nil, pressed: PageButton? = nil, hasButtons: Bool = true,
        on surface: Surface
    ) -> PixelRect {
        var inkArea = layout.signingArea
        surface.fill(surface.bounds, with: theme.background)
        drawSigningArea(layout, on: surface)
        for text in [layout.signer, layout.date] {
            if let text { draw(text, theme.text, on: surface) }
        }
        if let message {
            let placed = layout.message(
                message, measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
            if placed.rect == layout.messageArea, let last = placed.lines.last {
                // Keeps border and ink out of the words.
                let area = layout.signingArea
                surface.fill(
                    PixelRect(minX: area.minX, minY: placed.rect.minY, maxX: area.maxX, maxY: last.rect.maxY),
                    with: theme.background)
                inkArea.minY = min(max(area.minY, last.rect.maxY), area.maxY)
            }
            draw(placed, theme.text, on: surface)
        } else {
            draw(layout.prompt, theme.text, on: surface)
            if let reason = layout.reason { draw(reason, theme.text, on: surface) }
        }
        if !hasButtons { return inkArea }
        for button in layout.buttons { draw(button, isPressed: button.button == pressed, layout, on: surface) }
        return inkArea
    }

    /// Draws a button anew, for a press or a release.
    public mutating func draw(
        _ button: PlacedButton, isPressed: Bool, _ layout: SignatureLayout, on surface: Surface
    ) {
        let colors = button.button == .accept ? theme.acceptButton : theme.button
        surface.fill(button.rect, with: theme.background)
        let unit = layout.density.pixelsPerMillimetre
        let border = max(1, (0.25 * unit).rounded())
        let rect = Rect(button.rect)
        fill(.roundedRect(rect, radius: 1.5 * unit), colors.border, on: surface)
        fill(
            .roundedRect(rect.insetBy(border), radius: max(0, 1.5 * unit - border)),
            isPressed ? colors.pressedFace : colors.face, on: surface)
        if let label = button.label { draw(label, colors.text, on: surface) }
    }

    /// Draws a page with a text in its middle, such as the idle page.
    /// - Parameter text: has line feeds between lines. Text that does not fit at the smallest readable size is cut.
    public func drawMessage(_ text: String, density: PixelDensity?, on surface: Surface) {
        surface.fill(surface.bounds, with: theme.background)
        let (width, height) = (surface.size.width, surface.size.height)
        let shorter = Double(min(width, height))
        let unit = density?.pixelsPerMillimetre ?? shorter / 60
        let room = PixelRect(minX: width / 20, minY: height / 20, maxX: width - width / 20, maxY: height - height / 20)
        let em = min(9 * unit, shorter / 5)
        let placed = PlacedText(
            message: text, in: room, largestEm: em,
            smallestEm: min(em, PlacedText.smallestEm(pixelsPerMillimetre: unit)), isInMiddle: true,
            measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
        draw(placed, theme.text, on: surface)
    }

    /// Draws a page with a picture, as large as fits.
    /// - Parameter picture: is scaled each time unless it was fitted to the surface (``Picture/fitted(in:)``).
    public func drawPicture(_ picture: Picture, on surface: Surface) {
        surface.fill(surface.bounds, with: theme.background)
        let fitted = picture.fitted(in: surface.size)
        surface.blend(
            fitted, x: (surface.size.width - fitted.size.width) / 2, y: (surface.size.height - fitted.size.height) / 2)
    }

    private mutating func drawSigningArea(_ layout: SignatureLayout, on surface: Surface) {
        let border = max(1, Int((0.2 * layout.density.pixelsPerMillimetre).rounded()))
        let area = layout.signingArea
        surface.fill(area, with: theme.paperBorder)
        surface.fill(
            PixelRect(
                minX: area.minX + border, minY: area.minY + border, maxX: area.maxX - border,
                maxY: area.maxY - border), with: theme.paper)
        surface.fill(layout.signingLine, with: theme.signingLine)
        fill(.cross(Rect(layout.mark), thickness: Double(layout.signingLine.height)), theme.signingLine, on: surface)
    }

    mutating func fill(_ path: Path, _ color: Color, on surface: Surface) {
        rasterizer.begin(clip: surface.bounds)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: color, into: surface)
    }

    func draw(_ text: PlacedText, _ color: Color, on surface: Surface) {
        for line in text.lines {
            // Cut text ends in an ellipsis, also if only further lines are missing.
            let words = line.isCut ? line.text + "…" : line.text
            let room = line.isCut ? text.rect.width : nil
            guard let shaped = self.line(words, em: text.em, color: color, maximumWidth: room) else { continue }
            shaped.draw(
                on: surface, x: line.rect.minX - shaped.bounds.minX,
                baseline: line.rect.minY + (line.rect.height - shaped.bounds.height) / 2 - shaped.bounds.minY)
        }
    }

    private func line(_ text: String, em: Double, color: Color, maximumWidth: Int? = nil) -> TextLine? {
        // Truncated to what a line can have.
        let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(TextLine.maximumLength)))
        return try? TextLine(
            text, style: TextStyle(size: em, color: color), maximumWidth: maximumWidth, fonts: fonts)
    }
}

extension PagePainter {
    /// Draws a page with a cross to touch and a text.
    /// - Parameters:
    ///   - target: in pixels of the picture.
    ///   - text: has line feeds between lines. It is below the middle, away from the crosses.
    public mutating func drawCalibration(
        target: Point, text: String, density: PixelDensity?, on surface: Surface
    ) {
        surface.fill(surface.bounds, with: theme.background)
        let (width, height) = (surface.size.width, surface.size.height)
        let shorter = Double(min(width, height))
        let unit = density?.pixelsPerMillimetre ?? shorter / 60
        // Limited by the room of targets near corners.
        let arm = min(6 * unit, shorter / 10)
        let half = max(0.5, 0.2 * unit)
        for bar in [
            Rect(minX: target.x - arm, minY: target.y - half, maxX: target.x + arm, maxY: target.y + half),
            Rect(minX: target.x - half, minY: target.y - arm, maxX: target.x + half, maxY: target.y + arm),
        ] {
            fill(.roundedRect(bar, radius: 0), theme.text, on: surface)
        }
        let dot = max(1.5, 0.8 * unit)
        fill(
            .disc(Rect(minX: target.x - dot, minY: target.y - dot, maxX: target.x + dot, maxY: target.y + dot)),
            theme.text, on: surface)
        let room = PixelRect(
            minX: width / 20, minY: height * 42 / 100, maxX: width - width / 20, maxY: height * 76 / 100)
        let placed = PlacedText(
            message: text, in: room, largestEm: min(6 * unit, shorter / 9), isInMiddle: true,
            measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
        draw(placed, theme.text, on: surface)
    }
}
