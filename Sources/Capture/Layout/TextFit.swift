// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How large the page's texts are, and how many lines of the prompt there is room for.
///
/// The prompt shrinks first, then with it the lines around the signing area, so that they are not the larger ones; then
/// the prompt loses lines.
struct TextFit {
    let promptEm: Double
    let promptLines: Int
    let promptHeight: Int
    let detailEm: Double
    /// Above the signing area; 0 without a reason.
    let reasonHeight: Int
    /// Signer and date, below it; 0 without either.
    let footerHeight: Int

    /// What the prompt's place is made for when there is no prompt: messages stand there.
    private static let someText = "Xg"

    /// nil when not even small letters leave room for one line of the prompt.
    /// - Parameters:
    ///   - height: for all texts together.
    ///   - width: of the page without its margins.
    init?(texts: PageTexts, height: Int, width: Int, scale: LayoutScale, measure: TextMeasure) {
        let prompt = texts.prompt.isEmpty ? [Self.someText] : texts.prompt
        func lineHeight(_ lines: [String], _ em: Double) -> Int {
            lines.map { measure($0, em).height }.max() ?? 0
        }
        /// For the prompt.
        func room(_ detail: Double) -> Int {
            height - lineHeight([texts.reason].compactMap { $0 }, detail)
                - lineHeight([texts.signer, texts.date].compactMap { $0 }, detail)
        }
        func isLow(_ em: Double, _ detail: Double) -> Bool {
            prompt.count * max(1, lineHeight(prompt, em)) <= room(detail)
        }
        func isNarrow(_ em: Double) -> Bool { prompt.allSatisfy { measure($0, em).width <= width } }
        let (details, smallest) = (scale.detailEms, scale.promptEms.last!)
        let chosen: (prompt: Double, detail: Double, lines: Int)?
        if let em = scale.promptEms.first(where: { isNarrow($0) && isLow($0, min(details[0], $0)) }) {
            chosen = (em, min(details[0], em), prompt.count)
        } else if let detail = details.first(where: { isLow(smallest, $0) }) {
            // Too wide even so, or too high otherwise.
            chosen = (smallest, detail, prompt.count)
        } else {
            let lines = room(details.last!) / max(1, lineHeight(prompt, smallest))
            chosen = lines > 0 ? (smallest, details.last!, lines) : nil
        }
        guard let chosen else { return nil }
        promptEm = chosen.prompt
        promptLines = chosen.lines
        promptHeight = chosen.lines * max(1, lineHeight(prompt, chosen.prompt))
        detailEm = chosen.detail
        reasonHeight = lineHeight([texts.reason].compactMap { $0 }, chosen.detail)
        footerHeight = lineHeight([texts.signer, texts.date].compactMap { $0 }, chosen.detail)
    }
}
