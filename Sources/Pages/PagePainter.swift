// SPDX-License-Identifier: Apache-2.0
public import Pad
public import Geometry
public import Raster
public import Text

/// Draws the pad's pages: what ``SignatureLayout`` says is where, in the colours of a ``PageTheme``, with Pango's text.
///
/// One thread at a time; several painters take turns where they write (``Fonts``). Keeps nothing of a page.
public struct PagePainter: ~Copyable {
    public var theme: PageTheme
    private let fonts: Fonts
    var rasterizer: Rasterizer

    public init(theme: PageTheme, fonts: consuming Fonts) {
        self.theme = theme
        self.fonts = fonts
        rasterizer = Rasterizer()
    }

    /// Lays the signature page out for texts as they will be drawn.
    public func layout(
        size: PixelSize, density: PixelDensity?, direction: LayoutDirection, texts: PageTexts
    ) throws(PageTooSmall) -> SignatureLayout {
        try SignatureLayout(
            size: size, density: density, direction: direction, texts: texts,
            measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
    }

    /// The place of a text on one line. One too long for a line is wider than any page.
    func size(of text: String, em: Double) -> PixelSize {
        let isLong = text.unicodeScalars.count > TextLine.maximumLength
        guard let line = line(text, em: em, color: theme.text) else {
            return PixelSize(width: 1 << 20, height: Int((em * 1.4).rounded(.up)))
        }
        return PixelSize(width: isLong ? 1 << 20 : line.bounds.width, height: line.bounds.height)
    }

    /// Draws all of the signature page but ink.
    /// - Parameters:
    ///   - message: in the place of prompt and reason, or nil.
    ///   - pressed: the button that is being pressed.
    ///   - hasButtons: false while the record is being stored.
    /// - Returns: where ink is seen: the signing area, but for what a message takes of it.
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
                // No border or ink runs through the words.
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

    /// Draws a page with a few words in its middle: what the pad shows while nobody signs, and afterwards.
    /// - Parameter text: line feeds in it end lines. What does not fit in the smallest letters that can be read is cut.
    public func drawMessage(_ text: String, density: PixelDensity?, on surface: Surface) {
        surface.fill(surface.bounds, with: theme.background)
        let (width, height) = (surface.size.width, surface.size.height)
        let shorter = Double(min(width, height))
        let unit = density?.pixelsPerMillimetre ?? shorter / 60
        let room = PixelRect(minX: width / 20, minY: height / 20, maxX: width - width / 20, maxY: height - height / 20)
        // A headline.
        let em = min(9 * unit, shorter / 5)
        let placed = PlacedText(
            message: text, in: room, largestEm: em, smallestEm: min(em, PlacedText.smallestEm(pixelsPerMillimetre: unit)),
            isInMiddle: true,
            measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
        draw(placed, theme.text, on: surface)
    }

    /// Draws a page that is a picture, as large as fits: what the pad may show while nobody signs.
    /// - Parameter picture: one that has been fitted to the surface (``Picture/fitted(in:)``) is drawn at once, another
    ///   one is scaled each time.
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
            // What is cut ends in an ellipsis, also where only lines after it are missing.
            let words = line.isCut ? line.text + "…" : line.text
            let room = line.isCut ? text.rect.width : nil
            guard let shaped = self.line(words, em: text.em, color: color, maximumWidth: room) else { continue }
            shaped.draw(
                on: surface, x: line.rect.minX - shaped.bounds.minX,
                baseline: line.rect.minY + (line.rect.height - shaped.bounds.height) / 2 - shaped.bounds.minY)
        }
    }

    private func line(_ text: String, em: Double, color: Color, maximumWidth: Int? = nil) -> TextLine? {
        // Longer than a line can be: as much of it as can.
        let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(TextLine.maximumLength)))
        return try? TextLine(
            text, style: TextStyle(size: em, color: color), maximumWidth: maximumWidth, fonts: fonts)
    }
}
