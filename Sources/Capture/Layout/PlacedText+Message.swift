// SPDX-License-Identifier: Apache-2.0
public import Geometry

extension PlacedText {
    /// Of the largest em, the smallest that a message shrinks to: as the page's smallest text to its prompt.
    private static let smallestShare = 0.4

    /// A message of any length, on as many centred lines as it needs: broken at spaces, and within a word only where
    /// that is wider than the room. As large as it fits, down to two fifths of `largestEm`; then it is cut.
    /// - Parameters:
    ///   - rect: the room; the lines begin at its top, or are in its middle.
    ///   - largestEm: in pixels; that of the page's prompt looks right.
    public init(
        message: String, in rect: PixelRect, largestEm: Double, isInMiddle: Bool, measure: TextMeasure
    ) {
        var em = largestEm
        var lines = Self.wrapped(message, rect.width, em, measure)
        func height(_ em: Double) -> Int { max(1, measure(message, em).height) }
        func fits(_ lines: [String], _ em: Double) -> Bool {
            lines.count * height(em) <= rect.height && lines.allSatisfy { measure($0, em).width <= rect.width }
        }
        while !fits(lines, em), em > largestEm * Self.smallestShare {
            em = max(em * 0.9, largestEm * Self.smallestShare)
            lines = Self.wrapped(message, rect.width, em, measure)
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

    /// As many words on each line as go there.
    private static func wrapped(_ text: String, _ width: Int, _ em: Double, _ measure: TextMeasure) -> [String] {
        func fits(_ line: String) -> Bool { measure(line, em).width <= width }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if fits(longer) {
                line = longer
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = ""
            for character in word {
                if !line.isEmpty, !fits(line + String(character)) {
                    lines.append(line)
                    line = ""
                }
                line.append(character)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

extension SignatureLayout {
    /// Where a message goes while people sign: over the prompt and, where that is too little, the signing area down to
    /// the line. The next touch takes it away.
    public var messageArea: PixelRect {
        PixelRect(
            minX: prompt.rect.minX, minY: prompt.rect.minY, maxX: prompt.rect.maxX, maxY: signingLine.minY)
    }
}
