// SPDX-License-Identifier: Apache-2.0
import CGlib

/// The letters of a text as people read them, so that a text that a host types is found however a program wrote it:
/// compatible characters are one (NFKC, UAX #15), characters that nobody sees are left out, and hyphens and quotation
/// marks have one form each. Upper and lower case stay different.
enum SearchLetters {
    static let space: UInt32 = 0x20
    static let hyphen: UInt32 = 0x2D
    private static let softHyphen: UInt32 = 0xAD

    /// The letters with a single space between words, and none at the ends.
    static func of(_ text: String) -> [UInt32] {
        // Most words of most documents.
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return text.utf8.map { form(UInt32($0)) } }
        var letters: [UInt32] = []
        var isSpaced = false
        for scalar in folded(text).unicodeScalars {
            if scalar.properties.isWhitespace {
                isSpaced = true
                continue
            }
            guard !isUnseen(scalar) else { continue }
            let letter = form(scalar.value)
            if isSpaced, let last = letters.last, needsSpace(last, letter) { letters.append(space) }
            isSpaced = false
            letters.append(letter)
        }
        return letters
    }

    /// Whether a word ends with a hyphen that is there only because the line ends.
    static func endsSoftly(_ word: String) -> Bool { word.unicodeScalars.last?.value == softHyphen }

    /// Whether a space between two letters means something. Chinese, Japanese, Thai and their neighbours are written
    /// without spaces, and programs put words of them anywhere.
    static func needsSpace(_ left: UInt32, _ right: UInt32) -> Bool { !isUnspaced(left) || !isUnspaced(right) }

    private static func isUnspaced(_ letter: UInt32) -> Bool {
        switch letter {
        case ..<0x0E00: false
        case ...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x312F, 0x31A0...0x9FFF, 0xF900...0xFAFF,
            0x20000...0x3FFFF:
            true
        default: false
        }
    }

    /// Whether the letter is written from right to left.
    static func isRightToLeft(_ letter: UInt32) -> Bool {
        switch letter {
        case ..<0x0590: false
        case 0x0660...0x0669, 0x06F0...0x06F9: false
        case ...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }

    static func isDigit(_ letter: UInt32) -> Bool {
        switch letter {
        case 0x30...0x39, 0x0660...0x0669, 0x06F0...0x06F9: true
        default: false
        }
    }

    /// Whether the letter is written from left to right, other than a digit.
    static func isLeftToRight(_ letter: UInt32) -> Bool {
        guard !isDigit(letter), !isRightToLeft(letter) else { return false }
        return Unicode.Scalar(letter)?.properties.isAlphabetic == true
    }

    /// The letters of a text from right to left, without what depends on the program that wrote it. Brackets have the
    /// form that opens: they are drawn mirrored, and programs differ in which of the two they write. Lam and alef that
    /// follow each other are sorted: a ligature of both, drawn from right to left, has them from left to right.
    static func plain(_ letters: [UInt32]) -> [UInt32] {
        var plain = letters.map(opened)
        var start = 0
        while let first = plain[start...].firstIndex(where: isLamOrAlef) {
            let end = plain[first...].firstIndex { !isLamOrAlef($0) } ?? plain.endIndex
            if end > first + 1 { plain[first..<end].sort() }
            start = end
        }
        return plain
    }

    private static func isLamOrAlef(_ letter: UInt32) -> Bool {
        [0x0622, 0x0623, 0x0625, 0x0627, 0x0644].contains(letter)
    }

    private static func opened(_ letter: UInt32) -> UInt32 {
        switch letter {
        case 0x29: 0x28
        case 0x5D: 0x5B
        case 0x7D: 0x7B
        case 0x3E: 0x3C
        default: letter
        }
    }

    static func lowercase(_ letter: UInt32) -> UInt32 {
        if letter < 0x80 { return (0x41...0x5A).contains(letter) ? letter + 0x20 : letter }
        let lower = Unicode.Scalar(letter)?.properties.lowercaseMapping.unicodeScalars
        return lower?.first?.value ?? letter
    }

    static func text(_ letters: some Sequence<UInt32>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: letters.lazy.compactMap { Unicode.Scalar($0) })
        return String(text)
    }

    /// Whether people do not see the character, or write the same word without it: default-ignorable characters such as
    /// U+200B, the Arabic line that stretches words, and the points of Hebrew and Arabic.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x05BE, 0x05C0, 0x05C3, 0x05C6: false
        case 0x0591...0x05C7, 0x0610...0x061A, 0x0640, 0x064B...0x065F, 0x0670, 0x06D6...0x06DC: true
        case ..<0x80: scalar.properties.generalCategory == .control
        default: scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .control
        }
    }

    /// One form of hyphens, dashes, slashes and quotation marks.
    private static func form(_ letter: UInt32) -> UInt32 {
        switch letter {
        case ..<0x60: letter
        case 0x058A, 0x05BE, 0x2010...0x2015, 0x2043, 0x2212, 0xFE58, 0xFE63: hyphen
        case 0x60, 0xB4, 0x05F3, 0x2018...0x201B, 0x2032, 0x2035, 0x2039, 0x203A, 0x02B9, 0x02BB...0x02BD: 0x27
        case 0xAB, 0xBB, 0x05F4, 0x201C...0x201F, 0x2033, 0x2036, 0x301D...0x301F: 0x22
        case 0x2044, 0x2215: 0x2F
        default: letter
        }
    }

    /// The text in the normalization form KC. Marks are replaced before, which have a space in this form.
    private static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar.value != 0 {
            if isUnseen(scalar), !scalar.properties.isWhitespace { continue }
            scalars.append(Unicode.Scalar(form(scalar.value)) ?? scalar)
        }
        let plain = String(scalars)
        // It gives NULL only for what is no UTF-8.
        guard let normal = plain.withCString({ g_utf8_normalize($0, -1, G_NORMALIZE_ALL_COMPOSE) }) else {
            return plain
        }
        defer { g_free(normal) }
        return String(cString: normal)
    }
}
