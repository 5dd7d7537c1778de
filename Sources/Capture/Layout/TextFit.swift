// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How large the page's texts are, and how many lines of the prompt there is room for.
///
/// The prompt shrinks first, then the lines around the signing area do, then the prompt loses lines.
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
        var chosen: (detail: Double, prompt: Double, lines: Int)?
        for detail in scale.detailEms where chosen == nil {
            let left =
                height - lineHeight([texts.reason].compactMap { $0 }, detail)
                - lineHeight([texts.signer, texts.date].compactMap { $0 }, detail)
            let high = scale.promptEms.filter { prompt.count * max(1, lineHeight(prompt, $0)) <= left }
            let wide = high.first { em in prompt.allSatisfy { measure($0, em).width <= width } }
            if let em = wide ?? high.last {
                chosen = (detail, em, prompt.count)
            } else if detail == scale.detailEms.last {
                let em = scale.promptEms.last!
                let lines = left / max(1, lineHeight(prompt, em))
                if lines > 0 { chosen = (detail, em, lines) }
            }
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
