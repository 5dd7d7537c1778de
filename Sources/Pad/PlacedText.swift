// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Lines of one size, with their places.
public struct PlacedText: Equatable, Sendable {
    public struct Line: Equatable, Sendable {
        public var text: String
        /// At the side where lines of the page start; no wider than the room.
        public var rect: PixelRect
        /// The text is wider than the room, or further lines do not fit. It is drawn with an ellipsis at its end.
        public var isCut: Bool
    }

    /// The room for the text. All lines are within it.
    public var rect: PixelRect
    /// The em in pixels.
    public var em: Double
    public var lines: [Line]

    /// Whether part of the text is not visible.
    public var isCut: Bool { lines.contains(where: \.isCut) }
}

/// Measures a text on one line, in pixels. A larger em must not give a smaller size.
public typealias TextMeasure = (_ text: String, _ em: Double) -> PixelSize

/// Splits a text where lines may end. The joined pieces are the text.
public typealias TextPieces = (_ text: String) -> [String]

/// Breaks texts into lines no wider than a given width.
enum LineWrap {
    /// Puts as many pieces on each line as fit. A piece that is wider than the room is broken between characters.
    /// - Parameter limit: the maximum number of lines; further text is left out.
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
            // At least one, so that the loop ends. A character that is still too wide is cut when it is drawn.
            let fitting = max(1, fitting(letters, fits))
            lines.append(trimmed(letters.prefix(fitting).joined()))
            rest = rest.dropFirst()
            if fitting < letters.count { rest = [letters.dropFirst(fitting).joined()] + rest }
        }
        return lines
    }

    /// The same for a text in which line feeds also end lines.
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

    /// Whether every word fits on a line.
    static func areWordsNarrow(
        _ text: String, width: Int, em: Double, measure: TextMeasure, pieces: TextPieces
    ) -> Bool {
        if measure(text, em).width <= width { return true }
        // The widest word is probably among the longest. Measuring all of them could take too long.
        let words = pieces(text).map(trimmed).sorted { $0.utf8.count > $1.utf8.count }
        return words.prefix(8).allSatisfy { measure($0, em).width <= width }
    }

    /// The number of leading parts that fit on one line. A search by doubling, then bisection, avoids measuring texts
    /// much longer than a line.
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

    /// Removes the spaces at which a line was broken.
    private static func trimmed(_ line: String) -> String {
        var line = line[...]
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
    }

    /// Words, each with the spaces after it.
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
    /// Breaks a text into lines no wider than `width`.
    /// - Parameters:
    ///   - em: in pixels.
    ///   - limit: the maximum number of lines; further text is left out.
    public static func lines(
        of text: String, width: Int, em: Double, limit: Int = .max, measure: TextMeasure,
        pieces: TextPieces = SignatureLayout.words
    ) -> [String] {
        LineWrap.lines(of: text, width: width, em: em, limit: limit, measure: measure, pieces: pieces)
    }
}

extension SignatureLayout {
    /// Splits a text at its spaces. These ``TextPieces`` do not suit scripts without spaces.
    public static func words(of text: String) -> [String] { LineWrap.words(of: text) }
}

extension PlacedText {
    /// Default for the smallest em of a message, as a share of the largest: about the ratio of the page's smallest text
    /// to its largest.
    private static let smallestShare = 0.4

    /// The smallest legible em, in pixels.
    public static func smallestEm(pixelsPerMillimetre unit: Double) -> Double { LayoutScale.smallestEm(unit: unit) }

    /// Places a message of any length on as many centred lines as it needs. Words are broken only if they are wider
    /// than the room. The em is the largest that fits, down to `smallestEm`; then the message is cut.
    /// - Parameters:
    ///   - message: line feeds end lines, too.
    ///   - rect: the room for the message.
    ///   - largestEm: in pixels; the page's prompt size is a good choice.
    ///   - smallestEm: in pixels; nil means two fifths of `largestEm`.
    ///   - isInMiddle: centres the lines vertically; otherwise they start at the top.
    public init(
        message: String, in rect: PixelRect, largestEm: Double, smallestEm: Double? = nil, isInMiddle: Bool,
        measure: TextMeasure, pieces: TextPieces = SignatureLayout.words
    ) {
        var em = largestEm
        let smallestEm = smallestEm ?? largestEm * Self.smallestShare
        func height(_ em: Double) -> Int { max(1, measure("Xg", em).height, measure(message, em).height) }
        func wrapped(_ em: Double) -> [String] {
            LineWrap.lines(
                ofAll: message, width: rect.width, em: em, limit: max(1, rect.height / height(em)) + 1,
                measure: measure, pieces: pieces)
        }
        func fits(_ lines: [String], _ em: Double) -> Bool {
            lines.count * height(em) <= rect.height && lines.allSatisfy { measure($0, em).width <= rect.width }
                && LineWrap.areWordsNarrow(message, width: rect.width, em: em, measure: measure, pieces: pieces)
        }
        var lines = wrapped(em)
        while !fits(lines, em), em > smallestEm {
            em = max(em * 0.9, smallestEm)
            lines = wrapped(em)
        }
        let lineHeight = min(height(em), rect.height)
        let count = min(lines.count, lineHeight > 0 ? rect.height / lineHeight : 0)
        let top = rect.minY + (isInMiddle ? (rect.height - count * lineHeight) / 2 : 0)
        self.rect = rect
        self.em = em
        self.lines = lines.prefix(count).enumerated().map { index, text in
            let wanted = measure(text, em).width
            let width = min(wanted, rect.width)
            let (x, y) = (rect.minX + (rect.width - width) / 2, top + index * lineHeight)
            return Line(
                text: text, rect: PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + lineHeight),
                isCut: wanted > rect.width || (index == count - 1 && count < lines.count))
        }
    }
}

extension SignatureLayout {
    /// Places a message shown during signing, at most as large as a short prompt. It covers prompt and reason if it
    /// reads well there, otherwise also the signing area down to the line. The next touch removes it.
    public func message(
        _ text: String, measure: TextMeasure, pieces: TextPieces = SignatureLayout.words
    ) -> PlacedText {
        let above = PixelRect(
            minX: prompt.rect.minX, minY: prompt.rect.minY, maxX: prompt.rect.maxX,
            maxY: (reason?.rect ?? prompt.rect).maxY)
        func placed(in rect: PixelRect) -> PlacedText {
            PlacedText(
                message: text, in: rect, largestEm: messageEm, isInMiddle: false, measure: measure, pieces: pieces)
        }
        let text = placed(in: above)
        return !text.isCut && text.em >= LayoutScale.readableShare * messageEm ? text : placed(in: messageArea)
    }

    /// The largest area that a message may cover.
    public var messageArea: PixelRect {
        PixelRect(
            minX: prompt.rect.minX, minY: prompt.rect.minY, maxX: prompt.rect.maxX, maxY: signingLine.minY)
    }
}
