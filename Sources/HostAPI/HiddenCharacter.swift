// SPDX-License-Identifier: Apache-2.0

/// A character that keeps people from reading a text as it is stored: they cannot see it, it changes the order of what
/// they see, or fonts differ on what it is. No text that a host or the configuration supplies may have one.
///
/// Such characters are accepted where a script needs them: joiners in Arabic and Indic words, marks of direction in
/// texts with letters from right to left, variants of ideographs, emoji and Mongolian letters, and places for line ends
/// in scripts without spaces, such as Khmer.
public struct HiddenCharacter: Error, Equatable, Sendable {
    /// The fault of a character. The raw value says it to people.
    public enum Fault: String, Sendable {
        case control = "it is a control character"
        case invisible = "people cannot see it"
        case order = "it changes the order of what people read"
        case ambiguous = "fonts differ on what it is"
        case mark = "a mark needs a letter, with at most four others, all different"
    }

    public let scalar: Unicode.Scalar
    /// The number of the Unicode scalar in the text, from 1.
    public let place: Int
    public let fault: Fault

    /// Finds the first one; nil if the text has none.
    public init?(in text: String, acceptingLineFeeds lineFeeds: Bool = false) {
        let reader = ScalarReader(text)
        for (index, scalar) in reader.scalars.enumerated() where !(lineFeeds && scalar == "\n") {
            guard let fault = reader.fault(at: index) else { continue }
            (self.scalar, place, self.fault) = (scalar, index + 1, fault)
            return
        }
        return nil
    }
}

extension HiddenCharacter: CustomStringConvertible {
    /// Such as "U+202E RIGHT-TO-LEFT OVERRIDE at character 5: it changes the order of what people read".
    public var description: String {
        scalar.codePoint + (scalar.properties.name.map { " " + $0 } ?? "") + " at character \(place): \(fault.rawValue)"
    }
}

extension Unicode.Scalar {
    /// The code point in Unicode's notation, such as `U+202E`.
    public var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether a font that has the character leaves ink for it.
    public var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
        case .format: Scripts.visibleFormats.contains(value)
        default: !properties.isDefaultIgnorableCodePoint && !Scripts.blanks.contains(value)
        }
    }
}

extension String {
    /// Whether nothing of the text is visible.
    public var isBlank: Bool { !unicodeScalars.contains(where: \.isVisible) }

    /// The text with U+FFFD in place of each ``HiddenCharacter`` but control characters: older records may have some.
    public var withoutHiddenCharacters: String {
        let reader = ScalarReader(self)
        let scalars = reader.scalars.indices.map { index in
            [nil, .control].contains(reader.fault(at: index)) ? reader.scalars[index] : "\u{FFFD}"
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// Tells which characters of a text are hidden, by what is beside them.
private struct ScalarReader {
    /// UTS #39, 5.4, suggests four; syllables in Burmese have five.
    private static let longestMarks = 5

    let scalars: [Unicode.Scalar]
    /// Whether the first letter is of a script from right to left; nil without letters. Arabic digits count as letters
    /// where there are no others.
    private let isRightToLeft: Bool?

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        func isOfRightToLeft(_ scalar: Unicode.Scalar) -> Bool { Scripts.rightToLeft.contains(scalar.value) }
        let first = scalars.first(where: \.isLetter) ?? scalars.first { $0.isDigit && isOfRightToLeft($0) }
        isRightToLeft = first.map(isOfRightToLeft)
    }

    private subscript(index: Int) -> Unicode.Scalar? { scalars.indices ~= index ? scalars[index] : nil }

    func fault(at index: Int) -> HiddenCharacter.Fault? {
        let scalar = scalars[index]
        switch scalar.value {
        case 0x200C, 0x200D: return joins(index) ? nil : .invisible
        case 0x200B: return endsLine(index) ? nil : .invisible
        case 0x200E, 0x200F, 0x061C: return directs(index) ? nil : .order
        case 0x202A...0x202E, 0x2066...0x2069: return .order
        case 0x180B...0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: return varies(index) ? nil : .invisible
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return .control
        case .privateUse: return .ambiguous
        case .unassigned where scalar.properties.isNoncharacterCodePoint: return .ambiguous
        case .spaceSeparator: return nil
        case .nonspacingMark, .enclosingMark, .spacingMark:
            if !scalar.isVisible { return .invisible }
            return hasBase(index) ? nil : .mark
        // Newer characters than this program knows are up to the fonts.
        default: return scalar.isVisible ? nil : .invisible
        }
    }

    /// U+200C and U+200D choose the forms of letters: RFC 5892, A.1 and A.2, where they are in domain names, and the
    /// Unicode Standard, 23.2. They also join emoji.
    private func joins(_ index: Int) -> Bool {
        guard let before = self[index - 1] else { return false }
        let next = self[index + 1]
        if scalars[index].value == 0x200D, let next, next.isEmoji {
            return before.isEmoji || before.value == 0xFE0F && self[index - 2]?.isEmoji == true
        }
        guard before.isLetterOrMark, Scripts.joining.contains(before.value) else { return false }
        // A joiner at the end of a word shows the last letter as within one; after a virama U+200C keeps it visible.
        let isVirama = before.properties.canonicalCombiningClass == .virama
        if scalars[index].value == 0x200D || isVirama { return next.map { !$0.isJoiner } ?? true }
        return next.map { $0.isLetterOrMark && Scripts.joining.contains($0.value) } ?? false
    }

    /// U+200B only allows a line end, and only between characters of a script that has no spaces between words.
    private func endsLine(_ index: Int) -> Bool {
        guard let before = self[index - 1], let next = self[index + 1] else { return false }
        return [before, next].allSatisfy { $0.isLetterOrMark && Scripts.spaceless.contains($0.value) }
    }

    /// Marks of direction put punctuation and signs of currencies into their places in Arabic and Hebrew. Where several
    /// numbers have no letter between them, a mark may exchange these, or parts of a number (UAX #9). A text that is
    /// read from left to right needs none.
    private func directs(_ index: Int) -> Bool {
        if self[index + 1]?.isDirectionMark == true { return false }
        let start = scalars[..<index].lastIndex(where: \.isLetter) ?? 0
        let end = scalars[index...].firstIndex(where: \.isLetter) ?? scalars.count
        switch isRightToLeft {
        case true?: return isInDate(index) || numberCount(in: start..<end) < 2
        case false?: return false
        // An amount with its currency, as in Hebrew. A sign would move to the other end of the number.
        case nil:
            let hasCurrency = scalars.contains { $0.properties.generalCategory == .currencySymbol }
            let hasSign = scalars.contains { $0 == "-" || $0 == "+" || $0.value == 0x2212 }
            return hasCurrency && !hasSign && numberCount(in: start..<end) < 2
        }
    }

    /// A separator within a number does not begin another one.
    private func numberCount(in range: Range<Int>) -> Int {
        let digits = range.filter { scalars[$0].isDigit }
        return zip([-2] + digits, digits).count { last, next in
            next - last > 2 || next - last == 2 && !(last >= 0 && scalars[last + 1].isNumberSeparator)
        }
    }

    /// Whether the character is in a date as Unicode CLDR has it for Arabic: a mark before each slash.
    private func isInDate(_ index: Int) -> Bool {
        func isPart(_ scalar: Unicode.Scalar) -> Bool { scalar.isDigit || scalar.value == 0x200F || scalar == "/" }
        let start = scalars[..<index].lastIndex { !isPart($0) }.map { $0 + 1 } ?? 0
        let end = scalars[index...].firstIndex { !isPart($0) } ?? scalars.count
        let parts = scalars[start..<end].split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.indices.allSatisfy { place in
                let digits = place < 2 && parts[place].last?.value == 0x200F ? parts[place].dropLast() : parts[place]
                return 1...4 ~= digits.count && digits.allSatisfy(\.isDigit)
            }
    }

    /// Selectors of variants count for the character before them.
    private func varies(_ index: Int) -> Bool {
        guard let before = self[index - 1] else { return false }
        switch scalars[index].value {
        case 0x180B...0x180F: return before.isLetterOrMark && Scripts.mongolian.contains(before.value)
        case 0xFE0E, 0xFE0F: return before.isEmoji || before.isKeycap && self[index + 1]?.value == 0x20E3
        case 0xFE00...0xFE0D:
            return switch before.properties.generalCategory {
            case .otherLetter, .mathSymbol, .otherSymbol: true
            default: false
            }
        // Ideographic Variation Database, UTS #37.
        default: return before.properties.isIdeographic
        }
    }

    /// Whether a mark has something that it is on, and does not hide other marks or lines.
    private func hasBase(_ index: Int) -> Bool {
        func isStacked(_ scalar: Unicode.Scalar) -> Bool {
            let category = scalar.properties.generalCategory
            return category == .nonspacingMark || category == .enclosingMark
        }
        let marks = scalars[...index].reversed().prefix { isStacked($0) || $0.properties.isVariationSelector }
        if marks.count > Self.longestMarks { return false }
        guard let before = self[index - 1], before.isVisible || before.properties.isVariationSelector || before.isJoiner
        else {
            // The usual place to show a mark alone.
            return self[index - 1]?.value == 0xA0
        }
        return !(isStacked(scalars[index]) && before == scalars[index])
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: isVisible
        default: false
        }
    }

    fileprivate var isLetterOrMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: isVisible
        default: isLetter
        }
    }

    fileprivate var isDigit: Bool { properties.generalCategory == .decimalNumber }
    /// A common or European separator of UAX #9, which holds a number together.
    fileprivate var isNumberSeparator: Bool { "+-,./:\u{A0}\u{66B}\u{66C}\u{202F}".unicodeScalars.contains(self) }
    fileprivate var isJoiner: Bool { 0x200C...0x200D ~= value }
    fileprivate var isDirectionMark: Bool { [0x200E, 0x200F, 0x061C].contains(value) }
    /// ASCII has the digits, # and *, which are emoji only on keycaps.
    fileprivate var isEmoji: Bool { properties.isEmoji && value > 0x7F }
    fileprivate var isKeycap: Bool { properties.isEmoji && value <= 0x7F }
}

/// Blocks of Unicode. Swift does not tell the script of a character.
private enum Scripts {
    struct Blocks {
        let ranges: [ClosedRange<UInt32>]

        init(_ ranges: ClosedRange<UInt32>...) { self.ranges = ranges }

        func contains(_ value: UInt32) -> Bool { ranges.contains { $0.contains(value) } }
    }

    /// Signs of numbers and years, which enclose the digits after them.
    static let visibleFormats = Blocks(
        0x600...0x605, 0x6DD...0x6DD, 0x70F...0x70F, 0x890...0x891, 0x8E2...0x8E2, 0x110BD...0x110BD, 0x110CD...0x110CD)
    /// Without ink, although they are neither spaces nor ignorable: a Braille cell without dots, an object that the
    /// text does not have, a note without a head, and a filler of Khitan.
    static let blanks = Blocks(0x2800...0x2800, 0xFFFC...0xFFFC, 0x1D159...0x1D159, 0x16FE4...0x16FE4)
    /// Hebrew, Arabic, Syriac, Thaana, NKo, Samaritan, Mandaic, their forms for presentation, and ancient and African
    /// scripts.
    static let rightToLeft = Blocks(
        0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF)
    /// Scripts of Arabia, India and South-East Asia, Mongolian, NKo and Adlam.
    static let joining = Blocks(
        0x600...0xDFF, 0xF00...0x109F, 0x1780...0x18AF, 0x1A20...0x1AAF, 0x1B00...0x1C4F, 0x1CD0...0x1CFF,
        0xA800...0xA82F, 0xA840...0xA8FF, 0xA980...0xA9FF, 0xAA00...0xAA7F, 0xAAE0...0xAAFF, 0xABC0...0xABFF,
        0xFB50...0xFDFF, 0xFE70...0xFEFE, 0x10A00...0x10A5F, 0x10AC0...0x10AFF, 0x10D00...0x10D3F, 0x11000...0x11FFF,
        0x1E900...0x1E95F)
    /// Thai, Lao, Tibetan, Burmese, Khmer, Tai Le, New Tai Lue, Tai Tham, Balinese, Javanese, Cham and Tai Viet.
    static let spaceless = Blocks(
        0xE00...0x109F, 0x1780...0x17FF, 0x1950...0x19FF, 0x1A20...0x1AAF, 0x1B00...0x1B7F, 0xA980...0xAADF)
    static let mongolian = Blocks(0x1800...0x18AF, 0x11660...0x1167F)
}
