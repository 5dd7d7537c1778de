// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
import Record

/// A page whose elements have their places, in pixels of the picture after rotation. Every text is complete, except on
/// pages without an ink field that are too small for it.
public struct PlacedPage: Equatable, Sendable {
    public var page: Page
    public var size: PixelSize
    /// The screen's density, or the density assumed for the page if the screen states none.
    public var density: PixelDensity
    public var design: PageDesign
    public var elements: [PlacedElement]
    /// The card around the signing field, the bar of tools, or the foot below a document.
    public var frame: PixelRect
    /// Texts that the fonts do not show as they are.
    public var missingGlyphs: [MissingGlyphs] = []
    /// The pages with its texts in large letters, which come before it; empty if it has room for them.
    public var largeTexts: [PlacedPage] = []

    public init(
        _ page: Page, size: PixelSize, density: PixelDensity, elements: [PlacedElement], frame: PixelRect = .empty
    ) {
        self.init(
            page, size: size, density: density, design: PageDesign(unit: density.pixelsPerMillimetre, size: size),
            elements: elements, frame: frame)
    }

    init(
        _ page: Page, size: PixelSize, density: PixelDensity, design: PageDesign, elements: [PlacedElement],
        frame: PixelRect
    ) {
        self.page = page
        self.size = size
        self.density = density
        self.design = design
        self.elements = elements
        self.frame = frame
    }

    /// The place of the signing line, the hint and banners, within ``inkArea``; empty for a page without an ink field.
    /// No button overlaps it.
    public var inkField: PixelRect {
        elements.first { if case .inkField = $0.element { true } else { false } }?.rect ?? .empty
    }

    /// The area that takes ink: all of a card but its icons, because people write on whatever is white. No button
    /// overlaps it.
    public var inkArea: InkArea {
        let hasCard =
            switch page.inkField {
            case .signing, .note: !frame.isEmpty
            case .drawing, nil: false
            }
        guard hasCard else { return InkArea(inkField) }
        let bounds = frame.insetBy(design.cardInset)
        let icons = buttons.reduce(PixelRect.empty) { $0.union($1.rect.intersection(bounds)) }
        return InkArea(bounds, except: icons)
    }

    /// The part of the screen that shows a document; empty for other pages.
    public var documentArea: PixelRect { elements.first { $0.element == .document }?.rect ?? .empty }

    /// The buttons, and the answers to choose.
    public var buttons: [PlacedElement] { elements.filter { $0.button != nil } }

    public func element(of button: PageButton) -> PlacedElement? { elements.first { $0.button == button } }

    /// The place of a button's label: off the sides of the button, or in line with the texts of the page.
    public func label(of button: PlacedElement) -> PlacedElement {
        var label = button
        if case .option(_, _, let style) = button.element {
            if style == .rating { return button }
            let inset = design.optionInset
            let (before, after) =
                page.direction == .leftToRight ? (inset.label, inset.end) : (inset.end, inset.label)
            label.rect.minX += before
            label.rect.maxX -= after
            return label
        }
        let outset = button.alignment == .start ? design.labelOutset : design.labelInset
        let (before, after) =
            page.direction == .leftToRight ? (outset, design.labelInset) : (design.labelInset, outset)
        label.rect.minX += before
        label.rect.maxX -= after
        return label
    }

    /// The place of the box or the ring of an answer: a square at the start, in the middle of the height.
    public func mark(of option: PlacedElement) -> PixelRect {
        let (rect, side, inset) = (option.rect, Int(design.largestIcon.rounded()), design.optionInset.mark)
        let x = page.direction == .leftToRight ? rect.minX + inset : rect.maxX - inset - side
        let y = rect.minY + (rect.height - side) / 2
        return PixelRect(minX: x, minY: y, maxX: x + side, maxY: y + side)
    }

    /// The place of a sign: in the margin, above all texts, or beside the buttons below a document. At the end of the
    /// lines is the sign that somebody watches, at their start the one for speech.
    public func place(of sign: CaptureSign) -> PixelRect {
        let side = design.margin * 4 / 5
        let isMirrored = (page.direction == .rightToLeft) != (sign == .speaks)
        var x = isMirrored ? design.margin : size.width - design.margin - side
        var y = (design.margin - side) / 2
        if page.hasDocument {
            let inset = (design.margin - side) / 2
            x = isMirrored ? inset : size.width - inset - side
            y = (frame.minY + frame.maxY - side) / 2
        }
        return PixelRect(minX: x, minY: y, maxX: x + side, maxY: y + side)
    }

    /// The line to sign on, within the signing field and below the ink; empty for other pages.
    public var signingLine: PixelRect {
        guard case .signing = page.inkField else { return .empty }
        let field = inkField
        let y = field.minY + Int((Double(field.height) * PageDesign.lineShare).rounded())
        let inset = min(design.gap, field.width / 8)
        return PixelRect(
            minX: field.minX + inset, minY: y, maxX: field.maxX - inset, maxY: min(y + design.line, field.maxY))
    }

    /// The hint on the signing line, or at the beginning of the field for a note; nil for other pages.
    public var hint: PlacedElement? {
        if case .note(let hint) = page.inkField { return noteHint(hint) }
        guard case .signing(let hint) = page.inkField else { return nil }
        let (field, line) = (inkField, signingLine)
        let above = line.minY - field.minY
        // Thirty letters fit.
        let em = min(design.hintEm, Double(above) * 0.5, Double(line.width) * 0.06)
        let height = min(above, Int((em * 1.6).rounded(.up)))
        return PlacedElement(
            .text(PageText(hint, .detail)),
            PixelRect(minX: line.minX, minY: line.minY - height, maxX: line.maxX, maxY: line.minY),
            style: TextStyle(em: em))
    }

    private func noteHint(_ hint: String) -> PlacedElement {
        let (field, inset) = (inkField, min(design.gap, inkField.width / 8))
        let em = min(design.hintEm, Double(field.height) * 0.3, Double(field.width) * 0.05)
        let rect = PixelRect(
            minX: field.minX + inset, minY: field.minY + inset / 2, maxX: field.maxX - inset,
            maxY: min(field.maxY, field.minY + inset / 2 + Int((em * 1.6).rounded(.up))))
        return PlacedElement(.text(PageText(hint, .detail)), rect, style: TextStyle(em: em))
    }

    /// The part of the page in which banners stand: the ink field, the document, or what is above the buttons of a
    /// question or of large texts; empty for other pages.
    private var bannerArea: PixelRect {
        if !inkField.isEmpty { return inkField }
        if !documentArea.isEmpty { return documentArea }
        guard page.hasOptions || page.isLargeTexts else { return .empty }
        let feet = elements.filter { if case .button = $0.element { true } else { false } }.map(\.rect.minY)
        return PixelRect(
            minX: design.margin, minY: design.margin, maxX: size.width - design.margin,
            maxY: (feet.min() ?? size.height) - design.smallGap)
    }

    /// Places a banner in the ink field: at the lower edge, at the upper one, or beside the ink there, where it covers
    /// neither ink nor the signing line. It is as wide as its text, which shrinks before it covers ink or is cut. It
    /// covers ink rather than the line.
    /// - Parameter hasInk: whether there is ink in a part of the field.
    public func placed(
        _ banner: Banner, avoiding hasInk: (PixelRect) -> Bool = { _ in false }, measure: TextMeasure
    ) -> PlacedElement {
        // The drawing area and the document reach to the edges of the screen.
        let area = bannerArea
        let inset = if case .drawing = page.inkField { design.gap } else { documentArea.isEmpty ? 0 : design.gap }
        let field = area.insetBy(min(inset, area.width / 8, area.height / 8))
        let covered = page.hasOptions || page.isLargeTexts ? elements.map(\.rect) : []
        func hasContent(_ rect: PixelRect) -> Bool {
            hasInk(rect) || covered.contains { !$0.intersection(rect).isEmpty }
        }
        let around = bannerInset
        let room = max(1, field.width - around.text - around.end)
        // Leaves some of the ink visible.
        let most = max(1, field.height * 7 / 10 - 2 * design.smallGap)
        func places(em: Double) -> (all: [PlacedElement], areWhole: Bool) {
            let style = TextStyle(em: em, weight: .medium)
            let size = measure(banner.text, style, room)
            let isWhole = size.fits(room, most, wholeWords: true)
            let text = isWhole ? balancedWidth(of: banner.text, style, room, measure) : room
            let (width, height) = (
                text + around.text + around.end, min(field.height, size.height + 2 * design.smallGap)
            )
            let xs = [field.minX + (field.width - width) / 2, field.minX, field.maxX - width]
            let places = [field.maxY - height, field.minY].flatMap { y in
                xs.map { x in
                    PlacedElement(
                        .text(PageText(banner.text, .body)),
                        PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + height), style: style)
                }
            }
            return (places, isWhole)
        }
        let smallest = design.smallestBannerEm
        let line = signingLine
        func coversLine(_ rect: PixelRect) -> Bool { rect.minY < line.maxY && rect.maxY > line.minY }
        var (overInk, overLine): (PlacedElement?, PlacedElement?)
        for factor in PageDesign.shrinking {
            let em = max(design.bannerEm * factor, smallest)
            let places = places(em: em)
            for place in places.all where places.areWhole {
                if coversLine(place.rect) {
                    overLine = overLine ?? place
                } else if hasContent(place.rect) {
                    overInk = overInk ?? place
                } else {
                    return place
                }
            }
            if em == smallest { return overInk ?? overLine ?? places.all[0] }
        }
        return places(em: smallest).all[0]
    }

    /// The room for the icon before the text of a banner, and after the text.
    public var bannerInset: (text: Int, end: Int) {
        (2 * design.smallGap + Int(design.bannerEm * 1.5), 2 * design.smallGap)
    }
}

/// An element and its place.
public struct PlacedElement: Equatable, Sendable {
    public enum Alignment: Sendable { case start, center, end }

    public var element: PageElement
    /// All of a button's rectangle accepts touches.
    public var rect: PixelRect
    /// The style of the text or the label; nil without one. The text is wrapped to the width of `rect`.
    public var style: TextStyle?
    public var alignment: Alignment

    public init(_ element: PageElement, _ rect: PixelRect, style: TextStyle? = nil, alignment: Alignment = .start) {
        self.element = element
        self.rect = rect
        self.style = style
        self.alignment = alignment
    }

    public var button: PageButton? {
        switch element {
        case .button(let button, _): button
        case .option(let index, _, _): .option(index)
        default: nil
        }
    }
    public var text: PageText? { if case .text(let text) = element { text } else { nil } }
}

/// The size of a text that is wrapped to a width, in pixels.
public struct TextSize: Equatable, Sendable {
    /// The width of the widest line, which exceeds the wanted width if a single character does.
    public var width: Int
    public var height: Int
    /// The distance from the top to the baseline of the first line.
    public var baseline: Int
    /// Whether a line ends within a word.
    public var breaksWords: Bool

    public init(width: Int, height: Int, baseline: Int = 0, breaksWords: Bool = false) {
        self.width = width
        self.height = height
        self.baseline = baseline
        self.breaksWords = breaksWords
    }

    func fits(_ width: Int, _ height: Int, wholeWords: Bool) -> Bool {
        self.width <= width && self.height <= height && !(wholeWords && breaksWords)
    }
}

/// Measures a text, wrapped to a width in pixels, as the painter draws it. A larger em must not give a smaller size.
public typealias TextMeasure = (_ text: String, _ style: TextStyle, _ width: Int) -> TextSize

/// The smallest width in which a text has no more lines, so that no word stands alone on the last one.
func balancedWidth(of text: String, _ style: TextStyle, _ width: Int, _ measure: TextMeasure) -> Int {
    let height = measure(text, style, width).height
    var (narrow, wide) = (width / 8, width)
    // Seven halvings leave less than a percent of the width.
    for _ in 0..<7 where narrow < wide {
        let middle = (narrow + wide) / 2
        let size = measure(text, style, middle)
        if size.height <= height, size.fits(middle, height, wholeWords: true) {
            wide = middle
        } else {
            narrow = middle + 1
        }
    }
    return wide
}

/// A page does not fit on the picture.
public struct PageTooSmall: Error, Equatable, Sendable {
    /// The field to shorten: the page fits without most of it. If no field is enough, the one that needs the most room,
    /// and nil if the page does not fit without that either.
    public var field: PageText.Field?
    /// How much of it fits, with all the rest: the first rows, or the first characters (Unicode scalars) of a text. nil
    /// if unknown, because several texts are too long.
    public var fits: Int?

    public init(field: PageText.Field? = nil, fits: Int? = nil) {
        self.field = field
        self.fits = fits
    }
}

extension PixelRect {
    func insetBy(_ distance: Int) -> PixelRect {
        PixelRect(minX: minX + distance, minY: minY + distance, maxX: maxX - distance, maxY: maxY - distance)
    }

    /// Whether the point is on one of its pixels.
    func contains(_ point: Point) -> Bool {
        point.x >= Double(minX) && point.x < Double(maxX) && point.y >= Double(minY) && point.y < Double(maxY)
    }
}
