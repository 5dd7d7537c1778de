// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How large the page's texts are, and how they are broken into lines.
///
/// The prompt shrinks first: on the host's lines to a size that still reads well, then broken, where a line is too wide
/// or there are too many. With it shrink the lines around the signing area, so that they are not the larger ones; these
/// are broken at any size. Nothing is left out: what the smallest letters do not make fit is refused.
struct TextFit {
    let promptEm: Double
    let prompt: [String]
    let promptHeight: Int
    let detailEm: Double
    let reason: [String]
    /// Above the signing area; 0 without a reason.
    let reasonHeight: Int
    /// Below it.
    let footer: TextFooter

    /// What the prompt's place is made for when there is no prompt: messages stand there.
    private static let someText = "Xg"
    /// No page shows more, and a host may send very many.
    private static let mostLines = 200

    /// - Parameters:
    ///   - height: for all texts together.
    ///   - width: of the page without its margins.
    /// - Throws: ``PageTooSmall``: without a field when not even small letters leave room for a line of each text.
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
        /// - Parameter limit: no more lines than this and one.
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
        /// The lines around the signing area at that size, and how many of the prompt's there is room for.
        func around(_ detail: Double, _ em: Double) -> (reason: [String], footer: TextFooter, room: Int) {
            let mostLines = max(0, height) / max(1, lineHeight([Self.someText], detail))
            let reason = broken([texts.reason].compactMap { $0 }, detail, mostLines)
            let footer = TextFooter(
                texts: texts, width: width, gap: scale.gap, em: detail, limit: mostLines + 1, measure: measure,
                pieces: pieces)
            // Of more lines some are left out.
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
            // Words that are too wide even so are broken.
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
        // What people take for one character may be wider than the page, and is not broken.
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

    /// What to shorten.
    private static func longest(_ texts: PageTexts) -> PageTexts.Field {
        let lengths: [(field: PageTexts.Field, length: Int)] = [
            (.prompt, texts.prompt.reduce(texts.prompt.count) { $0 + $1.unicodeScalars.count }),
            (.reason, texts.reason?.unicodeScalars.count ?? 0), (.signer, texts.signer?.unicodeScalars.count ?? 0),
            (.date, texts.date?.unicodeScalars.count ?? 0),
        ]
        return lengths.max { $0.length < $1.length }!.field
    }
}

/// Signer and date, below the signing area: beside each other, or the date below the signer where that takes no more
/// lines and breaks fewer.
struct TextFooter {
    let signer: [String]
    let date: [String]
    /// Of the date where it stands beside the signer.
    let dateWidth: Int
    let isStacked: Bool
    let lineHeight: Int

    var height: Int { (isStacked ? signer.count + date.count : max(signer.count, date.count)) * lineHeight }

    /// - Parameters:
    ///   - gap: between signer and date.
    ///   - limit: no more lines of either than this; what follows is left out.
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
        // A date that takes more than half of a line leaves too little of it.
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
