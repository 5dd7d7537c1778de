// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Lines of one size, and where they go.
public struct PlacedText: Equatable, Sendable {
    public struct Line: Equatable, Sendable {
        public var text: String
        /// At the side where the page's lines start, and no wider than there is room.
        public var rect: PixelRect
        /// The text is wider than the room, or further lines of it have none: to be drawn with an ellipsis at its end.
        public var isCut: Bool
    }

    /// All that the text may take; the lines are within.
    public var rect: PixelRect
    /// In pixels.
    public var em: Double
    public var lines: [Line]

    /// Whether something of it is not to be seen.
    public var isCut: Bool { lines.contains(where: \.isCut) }
}

/// The place that a text takes on one line, in pixels, with an em of so many pixels. A larger em must not take less.
public typealias TextMeasure = (_ text: String, _ em: Double) -> PixelSize

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

extension PlacedText {
    /// Of the largest em, the smallest that a message shrinks to where nothing else is said: as the page's smallest text
    /// to its prompt.
    private static let smallestShare = 0.4

    /// The smallest em that can be read, in pixels, on a screen of so many pixels per millimetre.
    public static func smallestEm(pixelsPerMillimetre unit: Double) -> Double { LayoutScale.smallestEm(unit: unit) }

    /// A message of any length, on as many centred lines as it needs: broken where lines may be, and within a word only
    /// where that is wider than the room. As large as it fits, down to `smallestEm`; then it is cut.
    /// - Parameters:
    ///   - message: line feeds in it end lines, too.
    ///   - rect: the room; the lines begin at its top, or are in its middle.
    ///   - largestEm: in pixels; that of the page's prompt looks right.
    ///   - smallestEm: in pixels; nil is two fifths of `largestEm`.
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
    /// Where a message goes while people sign, in letters as large as a short prompt's: over prompt and reason where
    /// they read well there, else over the signing area down to the line, too. The next touch takes it away.
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

    /// All that a message may take.
    public var messageArea: PixelRect {
        PixelRect(
            minX: prompt.rect.minX, minY: prompt.rect.minY, maxX: prompt.rect.maxX, maxY: signingLine.minY)
    }
}
