// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The places of the signature page's parts, in pixels of the picture after rotation. From top to bottom: prompt,
/// reason, signing area, signer and date, buttons. Every text is complete: the person must have seen what they sign.
public struct SignatureLayout: Equatable, Sendable {
    /// Minimum share of the page that the signing area takes. It gets all the room that the other parts leave.
    public static let leastSigningShare = 0.25

    public var size: PixelSize
    /// Has room for at least one line, even without a prompt, because messages replace it.
    public var prompt: PlacedText
    public var reason: PlacedText?
    public var signer: PlacedText?
    public var date: PlacedText?
    public var signingArea: PixelRect
    /// Within the signing area, below the ink.
    public var signingLine: PixelRect
    /// A cross at the start of the line, within the signing area.
    public var mark: PixelRect
    public var buttons: [PlacedButton]
    /// The em of short messages, in pixels.
    public var messageEm: Double
    /// The screen's density, or the density assumed for the layout if the screen states none.
    public var density: PixelDensity

    public var geometry: PageGeometry { PageGeometry(inkField: signingArea, buttons: buttons, density: density) }

    /// Buttons are at least 9 mm wide and high. On a screen that is too small for that (shorter side below about
    /// 36 mm), the whole page is scaled down until it fits.
    /// - Parameters:
    ///   - size: the size of the picture after rotation.
    ///   - density: nil if the screen does not state its size; then 48 pixels count as 9 mm, or a tenth of the shorter
    ///     side if that is more.
    ///   - direction: a page from right to left is mirrored.
    ///   - pieces: splits texts where lines may break.
    /// - Throws: ``PageTooSmall``: without a field if the picture has too few pixels (240 on the shorter side are
    ///   always enough), with a field if a text is too long.
    public init(
        size: PixelSize, density: PixelDensity?, direction: LayoutDirection, texts: PageTexts,
        measure: TextMeasure, pieces: TextPieces = SignatureLayout.words
    ) throws(PageTooSmall) {
        let wanted = LayoutScale.wantedUnit(size: size, density: density)
        // Steps of 5 %: few on a real screen, and the loop ends for any size. The coarsest density is 0.4 pixels per
        // millimetre.
        var unit = wanted
        while unit > 0.4 {
            let scale = LayoutScale(unit: unit, size: size)
            let density = density ?? PixelDensity(dotsPerInch: wanted * 25.4)
            do throws(PageTooSmall) {
                let arrangement = try PageArrangement(
                    size: size, texts: texts, scale: scale, measure: measure, pieces: pieces)
                self = arrangement.layout(texts: texts, density: density, measure: measure)
                if direction == .rightToLeft { mirror() }
                return
            } catch {
                // Scaling further to fit a long text would make letters illegible.
                if error.field != nil { throw error }
            }
            unit *= 0.95
        }
        throw PageTooSmall()
    }

    init(
        size: PixelSize, prompt: PlacedText, reason: PlacedText?, signer: PlacedText?, date: PlacedText?,
        signingArea: PixelRect, signingLine: PixelRect, mark: PixelRect, buttons: [PlacedButton],
        messageEm: Double, density: PixelDensity
    ) {
        self.size = size
        self.prompt = prompt
        self.reason = reason
        self.signer = signer
        self.date = date
        self.signingArea = signingArea
        self.signingLine = signingLine
        self.mark = mark
        self.buttons = buttons
        self.messageEm = messageEm
        self.density = density
    }
}

/// The page, laid out from left to right at one scale.
struct PageArrangement {
    private let size: PixelSize
    private let scale: LayoutScale
    private let rows: ButtonRows
    private let fit: TextFit

    /// - Throws: ``PageTooSmall``, without a field if the page may fit at a smaller scale.
    init(
        size: PixelSize, texts: PageTexts, scale: LayoutScale, measure: TextMeasure,
        pieces: TextPieces
    ) throws(PageTooSmall) {
        let innerWidth = size.width - 2 * scale.gap
        guard innerWidth > 0 else { throw PageTooSmall() }
        let rows = try ButtonRows(
            texts: texts, innerWidth: innerWidth, pageHeight: size.height, scale: scale, measure: measure,
            pieces: pieces)
        let share = SignatureLayout.leastSigningShare * Double(size.width) / Double(innerWidth)
        let leastSigning = Int((share * Double(size.height)).rounded(.up))
        // Gaps: above and below the page, above and below the signing area, and above the buttons.
        let left = size.height - 5 * scale.gap - rows.height - leastSigning
        fit = try TextFit(
            texts: texts, height: left, width: innerWidth, scale: scale, measure: measure, pieces: pieces)
        self.size = size
        self.scale = scale
        self.rows = rows
    }

    func layout(texts: PageTexts, density: PixelDensity, measure: TextMeasure) -> SignatureLayout {
        let (minX, maxX) = (scale.gap, size.width - scale.gap)
        func row(_ y: Int, _ height: Int, from start: Int? = nil, to end: Int? = nil) -> PixelRect {
            PixelRect(minX: start ?? minX, minY: y, maxX: end ?? maxX, maxY: y + height)
        }
        let promptRect = row(scale.gap, fit.promptHeight)
        let reasonRect = row(promptRect.maxY, fit.reasonHeight)
        let buttonTop = size.height - scale.gap - rows.height
        let footer = fit.footer
        let footerTop = buttonTop - scale.gap - footer.height
        let signingTop = reasonRect.maxY + scale.gap
        let signing = row(signingTop, footerTop - scale.gap - signingTop)

        // A short date goes at the end of the signer's line, a long one below it.
        let dateTop = footerTop + (footer.isStacked ? footer.signer.count * footer.lineHeight : 0)
        let dateRect = row(
            dateTop, footer.date.count * footer.lineHeight, from: footer.isStacked ? minX : maxX - footer.dateWidth)
        let signerRect = row(
            footerTop, footer.signer.count * footer.lineHeight,
            to: footer.isStacked || footer.date.isEmpty ? maxX : dateRect.minX - scale.gap)
        func detail(_ text: String?, _ lines: [String], _ rect: PixelRect) -> PlacedText? {
            text == nil ? nil : placed(lines, fit.detailEm, in: rect, measure)
        }
        let mark = markRect(in: signing)
        return SignatureLayout(
            size: size, prompt: placed(fit.prompt, fit.promptEm, in: promptRect, measure),
            reason: detail(texts.reason, fit.reason, reasonRect), signer: detail(texts.signer, footer.signer, signerRect),
            date: detail(texts.date, footer.date, dateRect), signingArea: signing,
            signingLine: lineRect(in: signing, after: mark), mark: mark,
            buttons: rows.placed(top: buttonTop, minX: minX, maxX: maxX, measure: measure),
            messageEm: scale.promptEms[0], density: density)
    }

    /// Stacks the lines at the left edge of `rect`.
    private func placed(_ texts: [String], _ em: Double, in rect: PixelRect, _ measure: TextMeasure) -> PlacedText {
        let height = rect.height / max(1, texts.count)
        let lines = texts.enumerated().map { index, text in
            let width = measure(text, em).width
            let y = rect.minY + index * height
            return PlacedText.Line(
                text: text,
                rect: PixelRect(minX: rect.minX, minY: y, maxX: rect.minX + min(width, rect.width), maxY: y + height),
                isCut: width > rect.width)
        }
        return PlacedText(rect: rect, em: em, lines: lines)
    }

    /// Three quarters down, as on paper: letters extend further above the line than below it.
    private func lineRow(in signing: PixelRect) -> Int { signing.minY + signing.height * 3 / 4 }

    private func markRect(in signing: PixelRect) -> PixelRect {
        let side = max(1, min(scale.mark, signing.height / 3, signing.width / 4))
        let (x, y) = (signing.minX + min(scale.gap, signing.width / 8), lineRow(in: signing))
        return PixelRect(minX: x, minY: y - side, maxX: x + side, maxY: y)
    }

    private func lineRect(in signing: PixelRect, after mark: PixelRect) -> PixelRect {
        let gap = min(scale.gap, signing.width / 8)
        let y = lineRow(in: signing)
        return PixelRect(
            minX: mark.maxX + gap, minY: y, maxX: signing.maxX - gap,
            maxY: y + min(scale.lineThickness, signing.maxY - y))
    }
}

extension SignatureLayout {
    /// Swaps left and right.
    mutating func mirror() {
        let width = size.width
        prompt.mirror(width)
        reason?.mirror(width)
        signer?.mirror(width)
        date?.mirror(width)
        signingArea.mirror(width)
        signingLine.mirror(width)
        mark.mirror(width)
        for index in buttons.indices {
            buttons[index].rect.mirror(width)
            buttons[index].label?.mirror(width)
        }
    }
}

extension PlacedText {
    fileprivate mutating func mirror(_ width: Int) {
        rect.mirror(width)
        for index in lines.indices { lines[index].rect.mirror(width) }
    }
}

extension PixelRect {
    fileprivate mutating func mirror(_ width: Int) { (minX, maxX) = (width - maxX, width - minX) }
}
