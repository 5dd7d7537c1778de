// SPDX-License-Identifier: Apache-2.0
import Geometry
public import Pad

/// A stand-in for fonts: letters of one width, lines of one height. Lines end at spaces, within words only if a word is
/// wider than the line, and never within a character.
public struct PlainMeasure: Sendable {
    /// The line height as a share of the em: from Latin to the tall lines of Devanagari and Arabic.
    public static let lineHeights = [1.2, 1.4, 1.7]

    public var lineHeight: Double

    public init(lineHeight: Double = 1.2) { self.lineHeight = lineHeight }

    public func measure(_ text: String, _ style: TextStyle, _ width: Int) -> TextSize {
        let letter = style.em * 0.55
        let room = Double(width)
        var (lines, widest, breaksWords) = (0, 0.0, false)
        for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines += 1
            let whole = Double(paragraph.unicodeScalars.count) * letter
            if whole <= room {
                widest = max(widest, whole)
                continue
            }
            var line = 0.0
            for word in paragraph.split(separator: " ") {
                let length = Double(word.unicodeScalars.count) * letter
                if line > 0, line + letter + length <= room {
                    line += letter + length
                } else {
                    if line > 0 { lines += 1 }
                    line = length
                    if length > room {
                        breaksWords = breaksWords || word.count > 1
                        line = 0
                        for character in word {
                            let next = Double(character.unicodeScalars.count) * letter
                            if line > 0, line + next > room {
                                widest = max(widest, line)
                                lines += 1
                                line = 0
                            }
                            line += next
                        }
                    }
                }
                widest = max(widest, line)
            }
        }
        return TextSize(
            width: Int(widest.rounded(.up)), height: lines * Int((style.em * lineHeight).rounded(.up)),
            baseline: Int((style.em * (lineHeight + 0.6) / 2).rounded()), breaksWords: breaksWords)
    }

    /// The lines of a text, as they are measured.
    public func lines(_ text: String, _ style: TextStyle, _ width: Int) -> [TextLine] {
        let most = max(1, Int(Double(width) / (style.em * 0.55)))
        var (lines, line): ([TextLine], String) = ([], "")
        func count(_ text: String) -> Int { text.unicodeScalars.count }
        for (index, paragraph) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if index > 0 {
                lines.append(TextLine(line + "\n", isWhole: true))
                line = ""
            }
            for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
                let word = String(word)
                if !line.isEmpty, count(line) + count(word) > most {
                    lines.append(TextLine(line, isWhole: true))
                    line = ""
                }
                for character in word {
                    if !line.isEmpty, count(line) + count(String(character)) > most {
                        lines.append(TextLine(line, isWhole: false))
                        line = ""
                    }
                    line.append(character)
                }
                line.append(" ")
            }
            if line.hasSuffix(" ") { line.removeLast() }
        }
        return lines + [TextLine(line, isWhole: true)]
    }
}
