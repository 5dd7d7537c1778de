// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A text cut where a line of it may end: joined, the parts are the text.
public typealias TextPieces = (_ text: String) -> [String]

/// Breaks texts into lines that are no wider than there is room.
enum LineWrap {
    /// As many pieces on each line as go there; a piece that is wider than the room is broken between its characters.
    /// - Parameter limit: no more lines than this; what follows is left out.
    static func lines(
        of text: String, width: Int, em: Double, limit: Int = .max, measure: TextMeasure, pieces: TextPieces
    ) -> [String] {
        func fits(_ line: String) -> Bool { measure(line, em).width <= width }
        if limit <= 0 { return [] }
        if fits(text) { return [text] }
        var lines: [String] = []
        var rest = pieces(text)[...]
        while let first = rest.first, lines.count < limit {
            let count = fitting(rest, fits)
            if count > 0 {
                lines.append(trimmed(rest.prefix(count).joined()))
                rest = rest.dropFirst(count)
                continue
            }
            let letters = Array(first).map(String.init)[...]
            // One at least, or it would never end; what is too wide even so is cut when it is drawn.
            let fitting = max(1, fitting(letters, fits))
            lines.append(trimmed(letters.prefix(fitting).joined()))
            rest = rest.dropFirst()
            if fitting < letters.count { rest = [letters.dropFirst(fitting).joined()] + rest }
        }
        return lines
    }

    /// The same for a text with line feeds, which end lines.
    static func lines(
        ofAll text: String, width: Int, em: Double, limit: Int, measure: TextMeasure, pieces: TextPieces
    ) -> [String] {
        var lines: [String] = []
        let given = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for line in given where lines.count < limit {
            lines += self.lines(
                of: trimmed(String(line)), width: width, em: em, limit: limit - lines.count, measure: measure,
                pieces: pieces)
        }
        return lines
    }

    /// Whether no word has to be broken within.
    static func areWordsNarrow(
        _ text: String, width: Int, em: Double, measure: TextMeasure, pieces: TextPieces
    ) -> Bool {
        if measure(text, em).width <= width { return true }
        // The widest word is among the longest ones; not all are measured, there may be very many.
        let words = pieces(text).map(trimmed).sorted { $0.utf8.count > $1.utf8.count }
        return words.prefix(8).allSatisfy { measure($0, em).width <= width }
    }

    /// How many of the parts fit on a line together: doubled until it is too many, then halved, so that no text is
    /// measured that is much longer than a line.
    private static func fitting(_ parts: ArraySlice<String>, _ fits: (String) -> Bool) -> Int {
        func isFitting(_ count: Int) -> Bool { fits(trimmed(parts.prefix(count).joined())) }
        var (most, tooMany) = (0, 1)
        while tooMany <= parts.count, isFitting(tooMany) { (most, tooMany) = (tooMany, tooMany * 2) }
        tooMany = min(tooMany, parts.count + 1)
        while tooMany - most > 1 {
            let middle = (most + tooMany) / 2
            if isFitting(middle) { most = middle } else { tooMany = middle }
        }
        return most
    }

    /// Spaces at which a line was broken do not count.
    private static func trimmed(_ line: String) -> String {
        var line = line[...]
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
    }

    /// Words with the spaces after them: where nobody knows better.
    static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in text {
            if word.last == " ", character != " " {
                words.append(word)
                word = ""
            }
            word.append(character)
        }
        return word.isEmpty ? words : words + [word]
    }
}

extension PlacedText {
    /// A text broken into lines no wider than `width`, where it may be.
    /// - Parameters:
    ///   - em: what the text is measured with, in pixels.
    ///   - limit: no more lines than this; what follows is left out.
    public static func lines(
        of text: String, width: Int, em: Double, limit: Int = .max, measure: TextMeasure,
        pieces: TextPieces = SignatureLayout.words
    ) -> [String] {
        LineWrap.lines(of: text, width: width, em: em, limit: limit, measure: measure, pieces: pieces)
    }
}

extension SignatureLayout {
    /// Cuts a text at its spaces: ``TextPieces`` where nobody knows better, which no script without spaces has.
    public static func words(of text: String) -> [String] { LineWrap.words(of: text) }
}
