// SPDX-License-Identifier: Apache-2.0
public import Geometry

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
