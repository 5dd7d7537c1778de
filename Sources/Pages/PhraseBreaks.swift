// SPDX-License-Identifier: Apache-2.0

/// The places where lines of Japanese and Korean may end.
///
/// Unicode's line breaking (UAX #14) lets a line end between any two ideographs, kana or Hangul syllables, which cuts
/// words: "大き|く". Japanese signs and screens end lines between phrases, and Korean lines end at spaces. Chinese has
/// no such custom.
enum PhraseBreaks {
    private static let wordJoiner = Unicode.Scalar(0x2060 as UInt16)!

    /// Puts word joiners wherever a line should not end. A word that is wider than its line is broken anyhow.
    static func joined(_ text: String) -> String {
        let isJapanese = text.unicodeScalars.contains { isHiragana($0) || isKatakana($0) }
        guard isJapanese || text.unicodeScalars.contains(where: isHangul) else { return text }
        var result = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if let last {
                let isKorean = isHangul(last) && isHangul(scalar)
                if isKorean || isJapanese && !endsPhrase(last, before: scalar) { result.append(wordJoiner) }
            }
            result.append(scalar)
            last = scalar
        }
        return String(result)
    }

    /// The text without the word joiners of ``joined(_:)``, and without others, which a line has no use for.
    static func separated(_ text: String.UnicodeScalarView) -> String {
        String(String.UnicodeScalarView(text.filter { $0 != wordJoiner }))
    }

    /// Whether a Japanese phrase ends between two scalars. Phrases begin with an ideograph or katakana, and end with
    /// the hiragana of an ending or a particle. Other scalars are left to Unicode's rules.
    private static func endsPhrase(_ last: Unicode.Scalar, before next: Unicode.Scalar) -> Bool {
        guard isJapanese(last), isJapanese(next) else { return true }
        if last == "を" { return true }
        // Prefixes of politeness: "ご署名".
        if last == "ご" || last == "お" { return false }
        return isHiragana(last) && !isHiragana(next)
    }

    private static func isJapanese(_ scalar: Unicode.Scalar) -> Bool {
        isHiragana(scalar) || isKatakana(scalar) || isIdeograph(scalar)
    }

    private static func isHiragana(_ scalar: Unicode.Scalar) -> Bool { (0x3041...0x309F).contains(scalar.value) }

    /// Whether a scalar is katakana or the mark of long vowels.
    private static func isKatakana(_ scalar: Unicode.Scalar) -> Bool { (0x30A1...0x30FF).contains(scalar.value) }

    /// Whether a scalar is an ideograph or the mark of repetition, 々.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isIdeographic || scalar == "々"
    }

    private static func isHangul(_ scalar: Unicode.Scalar) -> Bool { (0xAC00...0xD7A3).contains(scalar.value) }
}
