// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How large the page's texts are, and how the prompt is broken into lines.
///
/// The prompt shrinks first: on the host's lines to a size that still reads well, then broken, where a line is too wide
/// or there are too many. With it shrink the lines around the signing area, so that they are not the larger ones; then
/// the prompt loses lines.
struct TextFit {
    let promptEm: Double
    /// What there is room for, and one line more when that is not all.
    let prompt: [String]
    /// Lines that there is room for.
    let promptLines: Int
    let promptHeight: Int
    let detailEm: Double
    /// Above the signing area; 0 without a reason.
    let reasonHeight: Int
    /// Signer and date, below it; 0 without either.
    let footerHeight: Int

    /// What the prompt's place is made for when there is no prompt: messages stand there.
    private static let someText = "Xg"
    /// No page shows more, and a host may send very many.
    private static let mostLines = 200

    /// nil when not even small letters leave room for one line of the prompt.
    /// - Parameters:
    ///   - height: for all texts together.
    ///   - width: of the page without its margins.
    init?(
        texts: PageTexts, height: Int, width: Int, scale: LayoutScale, measure: TextMeasure,
        pieces: TextPieces
    ) {
        let prompt = texts.prompt.isEmpty ? [Self.someText] : Array(texts.prompt.prefix(Self.mostLines))
        func lineHeight(_ lines: [String], _ em: Double) -> Int {
            lines.map { measure($0, em).height }.max() ?? 0
        }
        /// Lines of the prompt that there is room for.
        func room(_ em: Double, _ detail: Double) -> Int {
            let left = height - lineHeight([texts.reason].compactMap { $0 }, detail)
                - lineHeight([texts.signer, texts.date].compactMap { $0 }, detail)
            return max(0, left) / max(1, lineHeight(prompt, em))
        }
        func isNarrow(_ em: Double) -> Bool { prompt.allSatisfy { measure($0, em).width <= width } }
        func areWordsNarrow(_ em: Double) -> Bool {
            prompt.allSatisfy {
                LineWrap.areWordsNarrow($0, width: width, em: em, measure: measure, pieces: pieces)
            }
        }
        func broken(_ em: Double, _ count: Int) -> [String] {
            var lines: [String] = []
            for line in prompt where lines.count <= count {
                lines += LineWrap.lines(
                    of: line, width: width, em: em, limit: count + 1 - lines.count, measure: measure, pieces: pieces)
            }
            return lines
        }
        let details = scale.detailEms
        var chosen: (prompt: Double, lines: [String], detail: Double, count: Int)?
        for em in scale.promptEms where chosen == nil {
            let detail = min(details[0], em)
            let room = room(em, detail)
            if prompt.count > room { continue }
            if isNarrow(em) {
                chosen = (em, prompt, detail, prompt.count)
            } else if em <= scale.readableEm, areWordsNarrow(em) {
                let lines = broken(em, room)
                if lines.count <= room { chosen = (em, lines, detail, lines.count) }
            }
        }
        // Too many lines even so.
        let smallest = scale.promptEms.last!
        for detail in details where chosen == nil {
            let room = room(smallest, detail)
            let lines = broken(smallest, room)
            if lines.count <= room { chosen = (smallest, lines, detail, lines.count) }
        }
        if chosen == nil {
            let room = room(smallest, details.last!)
            if room > 0 { chosen = (smallest, broken(smallest, room), details.last!, room) }
        }
        guard let chosen else { return nil }
        promptEm = chosen.prompt
        self.prompt = texts.prompt.isEmpty ? [] : chosen.lines
        promptLines = chosen.count
        promptHeight = chosen.count * max(1, lineHeight(prompt, chosen.prompt))
        detailEm = chosen.detail
        reasonHeight = lineHeight([texts.reason].compactMap { $0 }, chosen.detail)
        footerHeight = lineHeight([texts.signer, texts.date].compactMap { $0 }, chosen.detail)
    }
}
