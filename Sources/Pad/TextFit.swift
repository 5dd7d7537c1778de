// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Sizes and line breaks of the page's texts.
///
/// The prompt keeps the host's lines while it shrinks to a size that still reads well; below that, lines that are too
/// wide are broken. The lines around the signing area shrink with it, so that they are never larger than the prompt;
/// they are broken at any size. Texts are never cut: a page that does not fit at the smallest sizes is refused.
struct TextFit {
    let promptEm: Double
    let prompt: [String]
    let promptHeight: Int
    let detailEm: Double
    let reason: [String]
    /// The height of the reason above the signing area; 0 without a reason.
    let reasonHeight: Int
    /// The lines below the signing area.
    let footer: TextFooter

    /// Sizes the prompt's place if there is no prompt, because messages replace it.
    private static let someText = "Xg"
    /// More lines than any page has room for. Bounds the work for a host that sends very many.
    private static let mostLines = 200

    /// - Parameters:
    ///   - height: the room for all texts together.
    ///   - width: the width of the page without its margins.
    /// - Throws: ``PageTooSmall``, without a field if one line of each text does not fit at the smallest sizes.
    init(
        texts: PageTexts, height: Int, width: Int, scale: LayoutScale, measure: TextMeasure,
        pieces: TextPieces
    ) throws(PageTooSmall) {
        let prompt = texts.prompt.isEmpty ? [Self.someText] : Array(texts.prompt.prefix(Self.mostLines))
        func lineHeight(_ lines: [String], _ em: Double) -> Int {
            lines.map { measure($0, em).height }.max() ?? 0
        }
        func areWordsNarrow(_ texts: [String], _ em: Double) -> Bool {
            texts.allSatisfy {
                LineWrap.areWordsNarrow($0, width: width, em: em, measure: measure, pieces: pieces)
            }
        }
        /// - Parameter limit: the result has at most one line more than this.
        func broken(_ texts: [String], _ em: Double, _ limit: Int) -> [String] {
            var lines: [String] = []
            for text in texts where lines.count <= limit {
                lines += LineWrap.lines(
                    of: text, width: width, em: em, limit: limit + 1 - lines.count, measure: measure, pieces: pieces)
            }
            return lines
        }
        let details = scale.detailEms
        let detailTexts = [texts.reason, texts.signer, texts.date].compactMap { $0 }
        /// The lines around the signing area at this size, and the number of prompt lines that fit above them.
        func around(_ detail: Double, _ em: Double) -> (reason: [String], footer: TextFooter, room: Int) {
            let mostLines = max(0, height) / max(1, lineHeight([Self.someText], detail))
            let reason = broken([texts.reason].compactMap { $0 }, detail, mostLines)
            let footer = TextFooter(
                texts: texts, width: width, gap: scale.gap, em: detail, limit: mostLines + 1, measure: measure,
                pieces: pieces)
            // `broken` stops at its limit, so longer texts are incomplete.
            let isWhole = max(reason.count, footer.signer.count, footer.date.count) <= mostLines
            let left = isWhole ? height - reason.count * lineHeight(reason, detail) - footer.height : 0
            return (reason, footer, max(0, left) / max(1, lineHeight(prompt, em)))
        }
        var chosen: (promptEm: Double, prompt: [String], detailEm: Double)?
        for em in scale.promptEms where chosen == nil {
            let largest = min(details[0], em)
            let possible = [largest] + details.filter { $0 < largest }
            let detail = possible.first { areWordsNarrow(detailTexts, $0) } ?? possible.last!
            let room = around(detail, em).room
            if prompt.count > room { continue }
            if prompt.allSatisfy({ measure($0, em).width <= width }) {
                chosen = (em, prompt, detail)
            } else if em <= scale.readableEm, areWordsNarrow(prompt, em) {
                let lines = broken(prompt, em, room)
                if lines.count <= room { chosen = (em, lines, detail) }
            }
        }
        let smallest = (prompt: scale.promptEms.last!, detail: details.last!)
        if chosen == nil {
            // Breaks words that are too wide even at the smallest size.
            let room = around(smallest.detail, smallest.prompt).room
            let lines = broken(prompt, smallest.prompt, room)
            if lines.count <= room { chosen = (smallest.prompt, lines, smallest.detail) }
        }
        guard let chosen, texts.prompt.count <= Self.mostLines else {
            let least = lineHeight(prompt, smallest.prompt)
                + lineHeight([texts.reason].compactMap { $0 }, smallest.detail)
                + lineHeight([texts.signer, texts.date].compactMap { $0 }, smallest.detail)
            throw PageTooSmall(field: least > height ? nil : Self.longest(texts))
        }
        let (reason, footer, _) = around(chosen.detailEm, chosen.promptEm)
        // A single grapheme cluster may be wider than the page, and cannot be broken.
        let placed: [(field: PageTexts.Field, lines: [String], em: Double)] = [
            (.prompt, chosen.prompt, chosen.promptEm), (.reason, reason, chosen.detailEm),
            (.signer, footer.signer, chosen.detailEm), (.date, footer.date, chosen.detailEm),
        ]
        for (field, lines, em) in placed
        where !lines.allSatisfy({ $0.count > 1 || measure($0, em).width <= width }) {
            throw PageTooSmall(field: field)
        }
        promptEm = chosen.promptEm
        self.prompt = texts.prompt.isEmpty ? [] : chosen.prompt
        promptHeight = chosen.prompt.count * max(1, lineHeight(prompt, chosen.promptEm))
        detailEm = chosen.detailEm
        self.reason = reason
        reasonHeight = reason.count * lineHeight(reason, chosen.detailEm)
        self.footer = footer
    }

    /// The longest text, which the host should shorten.
    private static func longest(_ texts: PageTexts) -> PageTexts.Field {
        let lengths: [(field: PageTexts.Field, length: Int)] = [
            (.prompt, texts.prompt.reduce(texts.prompt.count) { $0 + $1.unicodeScalars.count }),
            (.reason, texts.reason?.unicodeScalars.count ?? 0), (.signer, texts.signer?.unicodeScalars.count ?? 0),
            (.date, texts.date?.unicodeScalars.count ?? 0),
        ]
        return lengths.max { $0.length < $1.length }!.field
    }
}

/// Signer and date below the signing area: side by side, or the date below the signer if that takes no more lines and
/// breaks fewer.
struct TextFooter {
    let signer: [String]
    let date: [String]
    /// The width of the date beside the signer.
    let dateWidth: Int
    let isStacked: Bool
    let lineHeight: Int

    var height: Int { (isStacked ? signer.count + date.count : max(signer.count, date.count)) * lineHeight }

    /// - Parameters:
    ///   - gap: the distance between signer and date.
    ///   - limit: the maximum number of lines of each; further ones are left out.
    init(
        texts: PageTexts, width: Int, gap: Int, em: Double, limit: Int, measure: TextMeasure, pieces: TextPieces
    ) {
        func broken(_ text: String?, _ width: Int) -> [String] {
            text.map {
                LineWrap.lines(of: $0, width: width, em: em, limit: limit, measure: measure, pieces: pieces)
            } ?? []
        }
        let signerWidth = texts.signer.map { measure($0, em).width } ?? 0
        let dateWidth = texts.date.map { measure($0, em).width } ?? 0
        // A date of more than half the width leaves too little room beside it.
        let beside = dateWidth > width / 2 ? 0 : width - dateWidth - gap
        let (signer, date) = (broken(texts.signer, width), broken(texts.date, width))
        var besideLines = signer
        if signer.isEmpty || date.isEmpty {
            isStacked = date.count > 1
        } else if signerWidth <= beside {
            isStacked = false
        } else if LineWrap.areWordsNarrow(
            texts.signer ?? "", width: beside, em: em, measure: measure, pieces: pieces)
        {
            besideLines = broken(texts.signer, beside)
            isStacked = signer.count + date.count <= besideLines.count
        } else {
            isStacked = true
        }
        self.signer = isStacked ? signer : besideLines
        self.date = date
        self.dateWidth = min(dateWidth, width)
        lineHeight = (self.signer + date).map { measure($0, em).height }.max() ?? 0
    }
}
