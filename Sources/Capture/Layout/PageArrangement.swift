// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The page from left to right at one scale.
struct PageArrangement {
    private let size: PixelSize
    private let scale: LayoutScale
    private let rows: ButtonRows
    private let fit: TextFit

    /// nil when the page does not fit at that scale.
    init?(
        size: PixelSize, texts: PageTexts, scale: LayoutScale, measure: TextMeasure,
        pieces: TextPieces
    ) {
        let innerWidth = size.width - 2 * scale.gap
        guard innerWidth > 0,
            let rows = ButtonRows(
                texts: texts, innerWidth: innerWidth, pageHeight: size.height, scale: scale, measure: measure)
        else { return nil }
        let share = SignatureLayout.leastSigningShare * Double(size.width) / Double(innerWidth)
        let leastSigning = Int((share * Double(size.height)).rounded(.up))
        // A gap above and below the page, the signing area and the lines under it.
        let left = size.height - 5 * scale.gap - rows.height - leastSigning
        guard
            let fit = TextFit(
                texts: texts, height: left, width: innerWidth, scale: scale, measure: measure, pieces: pieces)
        else { return nil }
        self.size = size
        self.scale = scale
        self.rows = rows
        self.fit = fit
    }

    func layout(texts: PageTexts, density: PixelDensity, measure: TextMeasure) -> SignatureLayout {
        let (minX, maxX) = (scale.gap, size.width - scale.gap)
        func row(_ y: Int, _ height: Int, from start: Int? = nil, to end: Int? = nil) -> PixelRect {
            PixelRect(minX: start ?? minX, minY: y, maxX: end ?? maxX, maxY: y + height)
        }
        let promptRect = row(scale.gap, fit.promptHeight)
        let reasonRect = row(promptRect.maxY, fit.reasonHeight)
        let buttonTop = size.height - scale.gap - rows.height
        let footerTop = buttonTop - scale.gap - fit.footerHeight
        let signingTop = reasonRect.maxY + scale.gap
        let signing = row(signingTop, footerTop - scale.gap - signingTop)

        // The date is short: what it leaves of the line is the signer's.
        let dateWidth = texts.date.map { min(measure($0, fit.detailEm).width, (maxX - minX) / 2) } ?? 0
        let dateRect = row(footerTop, fit.footerHeight, from: maxX - dateWidth)
        let signerRect = row(footerTop, fit.footerHeight, to: dateWidth > 0 ? dateRect.minX - scale.gap : maxX)
        func detail(_ text: String?, _ rect: PixelRect) -> PlacedText? {
            text.map { placed([$0], fit.detailEm, of: 1, in: rect, measure) }
        }
        let mark = markRect(in: signing)
        return SignatureLayout(
            size: size, prompt: placed(fit.prompt, fit.promptEm, of: fit.promptLines, in: promptRect, measure),
            reason: detail(texts.reason, reasonRect), signer: detail(texts.signer, signerRect),
            date: detail(texts.date, dateRect), signingArea: signing, signingLine: lineRect(in: signing, after: mark),
            mark: mark, buttons: rows.placed(top: buttonTop, minX: minX, maxX: maxX, measure: measure),
            messageEm: scale.promptEms[0], density: density)
    }

    /// Lines below each other at the left, as many as there is room for.
    private func placed(
        _ texts: [String], _ em: Double, of count: Int, in rect: PixelRect, _ measure: TextMeasure
    ) -> PlacedText {
        let height = rect.height / max(1, count)
        let lines = texts.prefix(count).enumerated().map { index, text in
            let width = measure(text, em).width
            let y = rect.minY + index * height
            let isLast = index == count - 1
            return PlacedText.Line(
                text: text,
                rect: PixelRect(minX: rect.minX, minY: y, maxX: rect.minX + min(width, rect.width), maxY: y + height),
                isCut: width > rect.width || (isLast && texts.count > count))
        }
        return PlacedText(rect: rect, em: em, lines: Array(lines))
    }

    /// Three quarters down, as on paper: letters rise further above the line than they go below.
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
