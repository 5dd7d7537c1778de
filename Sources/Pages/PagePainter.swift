// SPDX-License-Identifier: Apache-2.0
public import Geometry
import HostAPI
public import Pad
public import Raster
import Record

/// Lays pages out and draws them in the colours of a ``PageTheme``.
///
/// One thread at a time. Keeps no state of a page.
public struct PagePainter: ~Copyable {
    public var theme: PageTheme
    let fonts: Fonts
    var rasterizer: Rasterizer

    public init(theme: PageTheme, fonts: consuming Fonts) {
        self.theme = theme
        self.fonts = fonts
        rasterizer = Rasterizer()
    }

    /// Places the elements of a page, measured with the painter's fonts.
    public func place(
        _ page: Page, size: PixelSize, density: PixelDensity?, gloves: Bool = false, letters: Double? = nil
    ) throws(PageTooSmall) -> PlacedPage {
        var placed = try PlacedPage(
            page, size: size, density: density, gloves: gloves, letters: letters,
            measure: { fonts.measure($0, $1, $2) })
        placed.missingGlyphs = missingGlyphs(of: page)
        return placed
    }

    /// Places the elements of a page, and those of the pages with its texts in large letters.
    public func placeWithTexts(
        _ page: Page, size: PixelSize, density: PixelDensity?, gloves: Bool = false, letters: Double? = nil
    ) throws(PageTooSmall) -> PlacedPage {
        var placed = try PlacedPage.withTexts(
            page, size: size, density: density, gloves: gloves, letters: letters,
            measure: { fonts.measure($0, $1, $2) }, lines: { fonts.lines($0, $1, $2) })
        // The texts are the same on all of these, and the buttons are not.
        var all = placed.page
        all.elements += placed.largeTexts.flatMap(\.page.elements).filter {
            if case .button = $0 { true } else { false }
        }
        placed.missingGlyphs = missingGlyphs(of: all)
        return placed
    }

    /// The characters of a page that the fonts do not show as they are. The size of the text does not matter.
    private func missingGlyphs(of page: Page) -> [MissingGlyphs] {
        var all: [MissingGlyphs] = []
        var room = MissingGlyphs.characterLimit
        var (lines, rows) = (0, 0)
        func check(_ text: String, _ role: PageText.Role, _ name: String) {
            let style = TextStyle(em: 16, weight: PageDesign.weight(role), face: PageDesign.face(role))
            guard room > 0, let block = try? TextBlock(text, style: style, fonts: fonts) else { return }
            var missing = block.missingCharacters
            if !block.fontNames.allSatisfy({ style.face.isFace(ofFont: $0) }) {
                missing = Set(missing + text.unicodeScalars.filter { "0OIl1".unicodeScalars.contains($0) }).sorted()
            }
            if missing.isEmpty { return }
            let index = all.firstIndex { $0.text == name } ?? all.count
            if index == all.count { all.append(MissingGlyphs(text: name, characters: [])) }
            let new = missing.map(\.codePoint).filter { !all[index].characters.contains($0) }.prefix(room)
            all[index].characters += new
            room -= new.count
        }
        for element in page.elements {
            switch element {
            case .text(let text) where text.field == .prompt:
                check(text.text, text.role, "prompt[\(lines)]")
                lines += 1
            case .text(let text): check(text.text, text.role, text.field?.rawValue ?? MissingGlyphs.page)
            case .row(let label, let value, .prompt):
                check(label, .detail, "rows[\(rows)].label")
                check(value, .body, "rows[\(rows)].value")
                rows += 1
            case .row(let label, let value, let field):
                check(label, .detail, PageText.Field.labels.rawValue)
                check(value, .body, field.rawValue)
            case .button(_, let label?): check(label, .body, PageText.Field.labels.rawValue)
            case .option(_, let label, _): check(label, .body, PageText.Field.choices)
            case .inkField(.signing(let hint)), .inkField(.note(let hint)):
                check(hint, .detail, PageText.Field.labels.rawValue)
            case .button, .inkField, .picture, .logo, .tick, .warningSign, .sign, .target, .line, .document: break
            }
        }
        return all
    }

    /// Draws a page without ink, with its buttons in their initial state.
    public mutating func draw(_ page: PlacedPage, on surface: Surface) {
        surface.fill(surface.bounds, with: theme.background)
        switch page.page.inkField {
        case .signing, .note:
            drawCard(page, on: surface)
            drawGuide(page, showsHint: true, on: surface)
        case .drawing:
            surface.fill(page.inkField, with: theme.paper)
            surface.fill(page.toolBarEdge, with: theme.border)
        case nil:
            if page.documentArea.isEmpty { break }
            surface.fill(page.documentArea, with: theme.desk)
            surface.fill(page.footEdge, with: theme.border)
        }
        for element in page.elements {
            switch element.element {
            case .text(let text):
                let isMuted = text.role == .detail || text.role == .trailingDetail
                drawText(text.text, element, page, isMuted ? theme.mutedText : theme.text, on: surface)
            case .picture(let picture), .logo(let picture): draw(picture, in: element.rect, on: surface)
            case .tick: drawTick(element, progress: 1, on: surface)
            case .warningSign: drawWarningSign(element, on: surface)
            case .sign(let sign): draw(sign, element, page, on: surface)
            case .button, .option: draw(element, ButtonState(), page, on: surface)
            case .target: drawTarget(element, page, on: surface)
            case .line(let start, let end): drawLine(from: start, to: end, page, on: surface)
            case .row, .inkField, .document: break
            }
        }
    }

    /// The fonts of a page's texts, sorted, such as `Inter Regular 3.019`.
    func fontNames(of page: PlacedPage) -> [String] {
        var names: Set<String> = []
        for element in page.elements {
            let text: String? =
                switch element.element {
                case .text(let text): text.text
                case .button(_, let label): label
                case .option(_, let label, _): label
                default: nil
                }
            guard let style = element.style, let text,
                let block = try? TextBlock(text, style: style, width: element.rect.width, fonts: fonts)
            else { continue }
            names.formUnion(block.fontNames)
        }
        return names.sorted()
    }

    /// Draws a sign, or nothing in its place.
    public mutating func draw(_ sign: CaptureSign, _ page: PlacedPage, isShown: Bool, on surface: Surface) {
        let place = page.place(of: sign)
        surface.fill(place, with: theme.background)
        if !isShown { return }
        let icon: Path =
            switch sign {
            case .watched: .eye(place.rect)
            case .speaks: .loudspeaker(place.rect, isMirrored: page.page.direction == .rightToLeft)
            }
        fill(icon, theme.mutedText, on: surface)
    }

    // MARK: the ink field

    /// Draws the signing line, with the hint or without, over the whole signing field.
    public mutating func drawGuide(_ page: PlacedPage, showsHint: Bool, on surface: Surface) {
        surface.fill(page.inkField, with: theme.paper)
        surface.fill(page.signingLine, with: theme.guide)
        guard showsHint, let hint = page.hint, let style = hint.style, case .text(let text) = hint.element else {
            return
        }
        let side = style.em
        let isMirrored = page.page.direction == .rightToLeft
        let x = isMirrored ? Double(hint.rect.maxX) - side : Double(hint.rect.minX)
        let middle = Double(hint.rect.minY + hint.rect.maxY) / 2
        let icon = Rect(minX: x, minY: middle - side / 2, maxX: x + side, maxY: middle + side / 2)
        fill(.pen(icon.insetBy(side * 0.08), isMirrored: isMirrored), theme.guide, on: surface)
        var words = hint
        let shift = Int(side * 1.3)
        if isMirrored { words.rect.maxX -= shift } else { words.rect.minX += shift }
        drawText(text.text, words, page, theme.guide, isCentred: true, on: surface)
    }

    private mutating func drawCard(_ page: PlacedPage, on surface: Surface) {
        let (frame, design) = (Rect(page.frame), page.design)
        // Steps of a soft shadow, which falls down a little; more on a fine screen, where each would be seen.
        let reach = design.radius * 0.6
        let steps = max(4, Int(reach / 2))
        for step in 0..<steps {
            let share = Double(steps - step) / Double(steps)
            let outset = frame.insetBy(-reach * share)
            let shadow = Rect(
                minX: outset.minX, minY: outset.minY + reach * 0.5, maxX: outset.maxX, maxY: outset.maxY + reach * 0.5)
            let color = theme.shadow.mixed(with: theme.background, share)
            fill(.roundedRect(shadow, radius: design.radius + reach * share), color, on: surface)
        }
        fill(.roundedRect(frame, radius: design.radius), theme.border, on: surface)
        fill(
            .roundedRect(frame.insetBy(Double(design.hairline)), radius: design.radius - Double(design.hairline)),
            theme.paper, on: surface)
    }

    /// Draws a message over the ink field.
    /// - Parameters:
    ///   - place: from ``place(_:over:)``.
    ///   - surface: has the size of the place.
    public mutating func draw(_ banner: Banner, _ place: PlacedElement, _ page: PlacedPage, on surface: Surface) {
        let colors = banner.isWarning ? theme.warning : theme.notice
        let design = page.design
        let bounds = PixelRect(size: surface.size)
        surface.fill(bounds, with: theme.paper)
        let face = Rect(bounds).insetBy(Double(design.hairline))
        let radius = design.radius * 0.7
        fill(.roundedRect(face, radius: radius), colors.face.mixed(with: colors.text, 0.4), on: surface)
        let edge = Double(design.hairline)
        fill(.roundedRect(face.insetBy(edge), radius: radius - edge), colors.face, on: surface)
        let side = min(design.bannerEm * 1.3, face.maxY - face.minY)
        let isMirrored = page.page.direction == .rightToLeft
        let x = isMirrored ? face.maxX - Double(design.smallGap) - side : face.minX + Double(design.smallGap)
        let middle = (face.minY + face.maxY) / 2
        let icon = Rect(minX: x, minY: middle - side / 2, maxX: x + side, maxY: middle + side / 2)
        fill(.disc(icon), colors.text, on: surface)
        fill(banner.isWarning ? .exclamationMark(icon) : .letterI(icon), colors.face, on: surface)
        var words = place
        let inset = page.bannerInset
        words.rect = PixelRect(
            minX: isMirrored ? inset.end : inset.text, minY: 0,
            maxX: bounds.maxX - (isMirrored ? inset.text : inset.end), maxY: bounds.maxY)
        drawText(banner.text, words, page, colors.text, isCentred: true, on: surface)
    }

    /// Places a banner over the ink field of a page.
    /// - Parameter hasInk: whether there is ink in a part of the field.
    public func place(
        _ banner: Banner, over page: PlacedPage, avoiding hasInk: (PixelRect) -> Bool = { _ in false }
    ) -> PlacedElement {
        page.placed(banner, avoiding: hasInk, measure: { fonts.measure($0, $1, $2) })
    }

    // MARK: pictures and texts

    private func draw(_ picture: Picture, in rect: PixelRect, on surface: Surface) {
        let fitted = picture.fitted(in: PixelSize(width: rect.width, height: rect.height))
        surface.blend(
            fitted, x: rect.minX + (rect.width - fitted.size.width) / 2,
            y: rect.minY + (rect.height - fitted.size.height) / 2)
    }

    /// Draws the check mark in the middle of its place.
    /// - Parameter progress: the drawn share of the mark, 0...1.
    public mutating func drawTick(_ element: PlacedElement, progress: Double, on surface: Surface) {
        surface.fill(element.rect, with: theme.background)
        let square = Rect(element.rect).centredSquare(Double(min(element.rect.width, element.rect.height)))
        fill(.disc(square), theme.success, on: surface)
        fill(.tick(square.insetBy((square.maxX - square.minX) * 0.26), share: progress), theme.background, on: surface)
    }

    private mutating func drawWarningSign(_ element: PlacedElement, on surface: Surface) {
        let square = Rect(element.rect).centredSquare(Double(min(element.rect.width, element.rect.height)))
        fill(.disc(square), theme.warning.face, on: surface)
        fill(.exclamationMark(square), theme.warning.text, on: surface)
    }

    private mutating func draw(_ sign: PageSign, _ element: PlacedElement, _ page: PlacedPage, on surface: Surface) {
        let square = Rect(element.rect).centredSquare(Double(min(element.rect.width, element.rect.height)))
        let inner = square.insetBy((square.maxX - square.minX) * 0.25)
        fill(.disc(square), theme.disabled.face, on: surface)
        switch sign {
        case .nextPerson:
            fill(.arrow(inner, isMirrored: page.page.direction == .rightToLeft), theme.text, on: surface)
        case .declined: fill(.dash(inner), theme.text, on: surface)
        }
    }

    private mutating func drawTarget(_ element: PlacedElement, _ page: PlacedPage, on surface: Surface) {
        guard case .target(let center) = element.element else { return }
        let unit = page.design.unit
        let arm = Double(element.rect.width) / 2
        let half = max(0.5, 0.2 * unit)
        for (x, y) in [(arm, half), (half, arm)] {
            fill(
                .roundedRect(
                    Rect(minX: center.x - x, minY: center.y - y, maxX: center.x + x, maxY: center.y + y), radius: 0),
                theme.text, on: surface)
        }
        let dot = max(1.5, 0.8 * unit)
        fill(
            .disc(Rect(minX: center.x - dot, minY: center.y - dot, maxX: center.x + dot, maxY: center.y + dot)),
            theme.text, on: surface)
    }

    private mutating func drawLine(from start: Point, to end: Point, _ page: PlacedPage, on surface: Surface) {
        let dot = max(3, 2 * page.design.unit)
        var path = Path()
        path.addLine([start, end], thickness: max(1, 0.4 * page.design.unit))
        path.append(.disc(Rect(minX: start.x - dot, minY: start.y - dot, maxX: start.x + dot, maxY: start.y + dot)))
        fill(path, theme.text, on: surface)
    }

    /// Draws the text of an element at the top of its place, or in the middle.
    func drawText(
        _ text: String, _ element: PlacedElement, _ page: PlacedPage, _ color: Color, isCentred: Bool = false,
        on surface: Surface
    ) {
        guard let style = element.style else { return }
        let isMirrored = page.page.direction == .rightToLeft
        let alignment: TextBlock.Alignment =
            switch element.alignment {
            case .center: .center
            case .start: isMirrored ? .right : .left
            case .end: isMirrored ? .left : .right
            }
        let rect = element.rect
        func block(height: Int?) -> TextBlock? {
            let text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(TextBlock.maximumLength)))
            return try? TextBlock(
                text, style: style, width: rect.width, height: height, alignment: alignment, fonts: fonts)
        }
        guard var whole = block(height: nil) else { return }
        // Only pages that are too small for their text cut it.
        if whole.size.height > rect.height, let cut = block(height: rect.height) { whole = cut }
        let y = isCentred ? rect.minY + (rect.height - whole.size.height) / 2 : rect.minY
        whole.draw(on: surface, x: rect.minX, y: y, color: color)
    }

    mutating func fill(_ path: Path, _ color: Color, on surface: Surface) {
        rasterizer.begin(clip: surface.bounds)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: color, into: surface)
    }
}

extension PlacedPage {
    /// The edge of the foot towards the document.
    fileprivate var footEdge: PixelRect {
        PixelRect(minX: frame.minX, minY: frame.minY, maxX: frame.maxX, maxY: frame.minY + design.hairline)
    }

    /// The edge of the tool bar towards the drawing area.
    fileprivate var toolBarEdge: PixelRect {
        let (bar, area, thickness) = (frame, inkField, design.hairline)
        if bar.minY > area.minY {
            return PixelRect(minX: bar.minX, minY: bar.minY, maxX: bar.maxX, maxY: bar.minY + thickness)
        }
        return bar.minX < area.minX
            ? PixelRect(minX: bar.maxX - thickness, minY: bar.minY, maxX: bar.maxX, maxY: bar.maxY)
            : PixelRect(minX: bar.minX, minY: bar.minY, maxX: bar.minX + thickness, maxY: bar.maxY)
    }
}

extension Rect {
    func centredSquare(_ side: Double) -> Rect {
        let (x, y) = ((minX + maxX) / 2, (minY + maxY) / 2)
        return Rect(minX: x - side / 2, minY: y - side / 2, maxX: x + side / 2, maxY: y + side / 2)
    }
}
