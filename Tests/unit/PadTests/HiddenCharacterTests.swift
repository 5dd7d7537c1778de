// SPDX-License-Identifier: Apache-2.0
import HostAPI
import TestSupport
import Testing

@testable import Pad

@Suite("Characters that hide what a text says")
struct HiddenCharacterTests {
    @Test(
        "is found with its place and its name",
        arguments: [
            ("Pay \u{202E}00.21", "U+202E RIGHT-TO-LEFT OVERRIDE at character 5"),
            ("a\u{301}é😀\u{200B}", "U+200B ZERO WIDTH SPACE at character 5"),
            ("\u{7}", "U+0007 at character 1"), ("a\u{1F}", "U+001F at character 2"),
            ("\u{E000}", "U+E000 at character 1"), ("\u{FFFF}", "U+FFFF at character 1"),
        ])
    func place(text: String, description: String) throws {
        let hidden = try #require(HiddenCharacter(in: text))
        #expect(hidden.description.hasPrefix(description + ": "), "\(hidden)")
    }

    /// Every override, embedding and isolate; whatever is never visible; line ends; signs without a meaning of their
    /// own.
    private static let never: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x115F...0x1160, 0x17B4...0x17B5, 0x2028...0x202E,
        0x2060...0x206F, 0x2800...0x2800, 0x3164...0x3164, 0xE000...0xE03F, 0xF8F0...0xF8FF, 0xFDD0...0xFDEF,
        0xFEFF...0xFEFF,
        0xFFA0...0xFFA0, 0xFFF0...0xFFFC, 0xFFFE...0xFFFF, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF,
        0xE01F0...0xE022F, 0xF0000...0xF000F, 0x10FFF0...0x10FFFF,
    ]

    @Test("no text may have them, whatever is beside them")
    func never() throws {
        for value in Self.never.joined() {
            let scalar = try #require(Unicode.Scalar(value))
            for (before, after) in [
                ("Pay ", "12"), ("\u{5D0}", "\u{5D0}"), ("\u{633}", "\u{633}"), ("😀", "😀"), ("", ""),
            ] {
                let hidden = HiddenCharacter(in: "\(before)\(scalar)\(after)")
                if hidden?.scalar != scalar || hidden?.place != before.unicodeScalars.count + 1 {
                    Issue.record("\(scalar.codePoint) between \(before) and \(after)")
                }
            }
        }
    }

    @Test(
        "a character that some scripts need is refused where it only hides",
        arguments: [
            // Joiners, and places for line ends, in scripts that have none.
            "Pay\u{200D}er", "1\u{200C}2", "\u{200D}", "\u{633}\u{200C}", "\u{633}\u{200C}\u{200C}\u{633}",
            "\u{633}\u{200C} ",
            "\u{633}1\u{200D}", "😀\u{200D}", "\u{200D}😀", "a\u{200D}😀", "1\u{200B}2", "\u{1780}1\u{200B}2",
            "\u{200B}\u{1780}",
            // Marks of direction between numbers, or without letters from right to left.
            "Pay 12\u{200F}.\u{200F}00", "Pay 12\u{200F} 34", "\u{200F}12 Pay 34", "\u{200E}x", "12\u{200F}.\u{200F}00",
            "\u{200F}12 345", "\u{5D0} 12\u{200F}.\u{200F}00", "\u{5D0} 12 \u{61C}34", "\u{5D0}\u{200F}\u{200F}",
            "\u{200F}1’200.50", "\u{200F}12'345.00", "10\u{200F}/11\u{200F}/12", "Pay \u{200F}12.00 - 5.00 \u{5D0}",
            "\u{5D0} \u{200E}12 - 5", "\u{200F}-5.00 ₪", "\u{200F}12", "Pay \u{5D0}\u{200F}!",
            "5\u{200F}/1\u{200F}/2026 ₪",
            "\u{200F}12.00 ₪ 5", "Due 5\u{200F}/1\u{200F}/2026", "1\u{200F}/2", "1\u{200F}/2\u{200F}/3\u{200F}/4",
            "12345\u{200F}/1\u{200F}/1",
            // Selectors of variants that select nothing.
            "a\u{FE0F}", "1\u{FE0F}2", "\u{FE0F}", "😀\u{FE0F}\u{FE0F}", "a\u{E0100}", "葛\u{E0100}\u{E0101}",
            "a\u{180B}",
            "a\u{180E}b", " \u{FE00}", "A\u{FE00}",
            // Marks without a letter, and so many that they cover other lines.
            "\u{301}", "a \u{301}", "a\u{301}\u{301}", "a" + "\u{300}\u{302}\u{303}\u{304}\u{306}\u{307}", "\u{0E47}",
            "\u{0E01}\u{0E47}\u{0E47}", "\u{200F}\u{5B0}\u{5D0}",
        ])
    func misplaced(text: String) {
        #expect(HiddenCharacter(in: text) != nil, "\(text.unicodeScalars.map(\.codePoint))")
    }

    @Test(
        "texts of all scripts are accepted as they are written",
        arguments: [
            "", " ", "Müller-Lüdenscheidt", "e\u{301}", "12.00 €\u{A0}", "10\u{202F}000", "\u{3000}山田\u{3000}太郎",
            "a\u{A0}\u{301}",
            // Persian, Urdu, the Arabic sign for years of the Hijra, and signs of numbers.
            "می\u{200C}خواهم", "کتاب\u{200C}هایشان", "١٤٤٥ ه\u{200D}", "\u{600}١٢", "\u{6DD}٧",
            // Devanagari, Bengali, Malayalam, Sinhala, Kannada.
            "क्\u{200D}ष", "शरद\u{94D}\u{200C}", "র\u{200D}্য", "ന്\u{200D}", "ක්\u{200D}ෂ", "ನಾಗ್\u{200C}ಪುರ",
            // Hebrew and Arabic with numbers, names and money, as Unicode CLDR writes them.
            "אני אוהב C++\u{200F}", "טלפון: \u{200E}+972-3-1234567", "\u{200F}12.00 \u{200F}₪", "\u{61C}-١٢٫٥",
            "١٢٫٠٠ ج.م.\u{200F}", "\u{200E}-۱۲٬۳۴۵", "٥\u{200F}/١\u{200F}/٢٠٢٦", "תאריך 5\u{200F}/1\u{200F}/2026",
            "שָׁלוֹם", "בְּרֵאשִׁ֖ית", "الرَّحْمٰنِ",
            // Variants of ideographs and Mongolian letters, of signs, and emoji.
            "葛\u{E0100}城市", "\u{8FBB}\u{E0101}", "ᠨ\u{180E}ᠠ", "ᠠ\u{180B}", "❤\u{FE0F}", "❤\u{FE0E}",
            "1\u{FE0F}\u{20E3}", "👩\u{200D}👩\u{200D}👧",
            "🏳\u{FE0F}\u{200D}🌈", "👍🏽", "🇩🇪", "≨\u{FE00}",
            // Scripts without spaces.
            "ខ្មែរ\u{200B}ភាសា", "မြို့", "လျှို့ဝှက်", "ภาษาไทยที่", "བོད་ཡིག",
            // Vietnamese, and a letter with many marks.
            "Nguyễn", "a\u{302}\u{301}\u{323}",
        ])
    func ordinary(text: String) {
        #expect(HiddenCharacter(in: text) == nil, "\(String(describing: HiddenCharacter(in: text)))")
    }

    @Test("the texts of all built-in languages are accepted, and blanks of every kind are blank")
    func builtIn() {
        for (language, table) in MessageTable.shipped {
            for (message, text) in table.texts {
                #expect(HiddenCharacter(in: text) == nil && !text.isBlank, "\(language) \(message)")
            }
        }
        let blanks =
            "\u{9}\n\u{20}\u{85}\u{A0}\u{AD}\u{1680}\u{2000}\u{2007}\u{200B}\u{200D}\u{200E}\u{2028}\u{202F}\u{205F}"
            + "\u{2060}\u{2800}\u{3000}\u{3164}\u{FE0F}\u{FEFF}\u{FFA0}\u{E0020}\u{FFFC}"
        #expect(blanks.isBlank && "".isBlank && !(blanks + ".").isBlank)
        for blank in blanks.unicodeScalars { #expect(String(blank).isBlank, "\(blank.codePoint)") }
    }

    @Test("what stays of a text in which hidden characters are marked has none, at the same places", arguments: 0..<20)
    func marked(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pool: [Unicode.Scalar] = [
            "a", "1", " ", "\u{5D0}", "\u{633}", "\u{94D}", "\u{301}", "\u{200C}", "\u{200D}", "\u{200F}", "\u{202E}",
            "\u{FE0F}",
            "\u{1F600}", "\u{E0100}", "葛", "\u{200B}", "\u{1780}",
        ]
        for _ in 0..<200 {
            let scalars = (0..<Int.random(in: 0...12, using: &random)).map { _ in pool.randomElement(using: &random)! }
            let text = String(String.UnicodeScalarView(scalars))
            let marked = text.withoutHiddenCharacters
            #expect(marked.unicodeScalars.count == scalars.count)
            let first = zip(scalars, marked.unicodeScalars).enumerated().first { $0.element.0 != $0.element.1 }
            #expect(HiddenCharacter(in: text)?.place == first.map { $0.offset + 1 }, "\(scalars.map(\.codePoint))")
        }
    }
}
