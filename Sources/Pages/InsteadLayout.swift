// SPDX-License-Identifier: Apache-2.0
package import Geometry

/// The places of words and ink that a field has in place of a signature, on the screen and in the signed document.
package struct InsteadLayout {
    /// The em of the words, at most, and the space at their sides, in points.
    package static let (usualEm, margin) = (9.0, 2.0)

    package let words: Rect
    /// One for each ink: a mark is at the left, its witnesses are below the words.
    package let inks: [Rect]

    /// - Parameter field: y down.
    package init(inkCount: Int, in field: Rect) {
        func part(_ x: ClosedRange<Double>, _ y: ClosedRange<Double>) -> Rect {
            Rect(
                minX: field.minX + x.lowerBound * field.width, minY: field.minY + y.lowerBound * field.height,
                maxX: field.minX + x.upperBound * field.width, maxY: field.minY + y.upperBound * field.height)
        }
        // Marks above and below Arabic letters extend beyond the line: a field would cut them at its edge.
        let top = 0.06
        switch inkCount {
        case 0: (words, inks) = (part(0...1, top...1 - top), [])
        case 1: (words, inks) = (part(0...1, top...0.38), [part(0...1, 0.38...1)])
        default:
            let width = 0.68 / Double(inkCount - 1)
            let witnesses = (0..<inkCount - 1).map { index in
                let left = 0.32 + width * Double(index)
                return part(left...min(left + width * 0.95, 1), 0.4...1)
            }
            (words, inks) = (part(0.32...1, top...0.38), [part(0...0.3, 0...1)] + witnesses)
        }
    }

    /// The words in lines of about one length, as many as fill their room: the same on the screen and in the file,
    /// where programs read each line as it is drawn.
    package func lines(of text: String) -> String {
        let count = max(1, (Self.width(of: text) * words.height / max(words.width, 1) / 1.25).squareRoot().rounded())
        let length = Self.width(of: text) / count
        var (lines, used) = ([""], 0.0)
        for part in Self.parts(of: text) {
            let width = Self.width(of: part)
            if used > 0, used + width / 2 > length, Double(lines.count) < count {
                lines.append("")
                used = 0
            }
            lines[lines.count - 1] += part
            used += width
        }
        return lines.map { String($0.reversed().drop(while: \.isWhitespace).reversed()) }.joined(separator: "\n")
    }

    /// The width in ems: about half an em for a letter, and one for an ideograph. A line is 1.25 ems high.
    private static func width(of text: String) -> Double {
        text.unicodeScalars.reduce(0) { $0 + (isWide($1) ? 1 : 0.5) }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        isIdeograph(scalar) || 0xAC00...0xD7A3 ~= scalar.value || 0xFF01...0xFF60 ~= scalar.value
    }

    /// Chinese and Japanese have no spaces between words.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool { 0x2E80...0x9FFF ~= scalar.value }

    /// A name that a host sends may be one word. It is broken rather than drawn too small to be read.
    private static let longestWord = 32

    /// Parts between which a line may end: words with the space after them, and ideographs.
    private static func parts(of text: String) -> [String] {
        var parts: [String] = []
        var (ends, isFirst) = (false, true)
        for character in text {
            let wide = character.unicodeScalars.first.map(isIdeograph) ?? false
            let isMark = character.isPunctuation
            if isFirst || ends && !isMark && !character.isWhitespace {
                parts.append("")
                isFirst = false
            }
            parts[parts.count - 1].append(character)
            ends = character.isWhitespace || wide || ends && isMark
        }
        return parts.flatMap { $0.count > longestWord ? $0.map(String.init) : [$0] }
    }
}
