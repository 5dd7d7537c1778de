// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing

@testable import Pad

extension MessageTable {
    /// The table of every language, parsed once.
    static let shipped = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, MessageTable($0)) })
}

@Suite("Messages of the pad")
struct MessageTableTests {
    typealias Language = MessageTable.Language

    @Test("every language has every message and no other's", arguments: Language.allCases)
    func shipped(language: Language) throws {
        let (table, english) = (MessageTable(language), MessageTable(.english))
        let lines = MessageTable.source(of: language).split(separator: "\n").filter { !$0.hasPrefix("#") }
        // The others are `direction`, `date` and `time`.
        #expect(lines.count == Message.allCases.count + 3)
        // The signer's line contains only the name.
        let same = Message.allCases.filter { table[$0] == english[$0] }
        let french: [Message] = [.signer, .page, .signature, .question]
        #expect(same == (language == .french ? french : [.signer]) || language == .english)
        #expect(table.direction == ([.arabic, .hebrew].contains(language) ? .rightToLeft : .leftToRight))
    }

    @Test("no text is much longer than in English, and buttons have different labels", arguments: Language.allCases)
    func lengths(language: Language) {
        let (table, english) = (MessageTable(language), MessageTable(.english))
        for message in Message.allCases {
            // Short words differ most.
            let limit = max(18, english[message].count * 22 / 10)
            #expect(table[message].count <= limit, "\(message)")
        }
        let labels: [Message] = [.accept, .clear, .cancel, .undo, .next, .back, .done, .readOn, .decline]
        for label in labels { #expect(table[label].count <= (label == .readOn ? 15 : 14), "\(label)") }
        #expect(Set(labels.map { table[$0] }).count == labels.count)
        #expect(table[.applyAgain].count <= 26)
        // Fields for initials are small.
        #expect(table[.initialHere].count <= 20 && table[.writeHere].count <= 16)
    }

    @Test("texts follow the typography of their language", arguments: Language.allCases)
    func typography(language: Language) {
        let table = MessageTable(language)
        for message in Message.allCases {
            let text = table[message]
            #expect(!text.contains("...") && !text.contains("'") && !text.contains("\"") && !text.contains("  "))
            #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            // A line must not begin with the mark.
            #expect(!text.contains(" …") && !text.contains(" :") && !text.contains(" !") && !text.contains(" ?"))
            if language == .romanian { #expect(!text.contains { "şţŞŢ".contains($0) }) }
            // Composed, as fonts and comparisons expect.
            #expect(text.unicodeScalars.first.map { $0.properties.canonicalCombiningClass == .notReordered } == true)
        }
        for message in [Message.saving, .sketchSaving, .starting] { #expect(table[message].hasSuffix("…")) }
    }

    @Test(
        "tags find the best language",
        arguments: [
            ("de", .german), ("de-AT", .german), ("DE_ch", .german), ("de-Latn-CH-1996", .german),
            ("pt-BR", .portuguese), ("en-GB", .english), ("en-x-a", .english), ("no", .norwegian),
            ("nb-NO", .norwegian),
            ("nn-NO", .norwegian), ("iw", .hebrew), ("iw-IL", .hebrew), ("he", .hebrew), ("ar-EG", .arabic),
            ("zh", .simplifiedChinese), ("zh-CN", .simplifiedChinese), ("zh-SG", .simplifiedChinese),
            ("zh-TW", .traditionalChinese), ("zh-HK", .traditionalChinese), ("zh_hant_hk", .traditionalChinese),
            ("zh-Hans-TW", .simplifiedChinese), ("zh-Hant", .traditionalChinese), ("yue-HK", .traditionalChinese),
            ("mo", .romanian), ("uk-UA", .ukrainian),
        ] as [(String, Language)])
    func lookup(tag: String, language: Language) {
        #expect(Language(tag: tag) == language)
    }

    @Test("the tag of each language finds it", arguments: Language.allCases)
    func ownTag(language: Language) {
        #expect(Language(tag: language.rawValue) == language)
        #expect(Language(tag: language.rawValue.uppercased() + "-x-test") == language)
    }

    @Test(
        "other texts are no language",
        arguments: [
            "", "-", "x", "x-de", "i-klingon", "eo", "deu", "d", "german", "tlh-DE", "é", "de ", " de",
            String(repeating: "a-", count: 100_000), "de-" + String(repeating: "a", count: 300),
        ])
    func unknown(tag: String) {
        #expect(Language(tag: tag) == nil)
    }

    @Test("a host's text is inserted at its place, isolated, and may contain a placeholder itself")
    func place() {
        #expect(MessageTable(.english).text(.reason, of: "{text} 1") == "Reason: \u{2068}{text} 1\u{2069}")
        #expect(MessageTable(.german).text(.signer, of: "Ada") == "\u{2068}Ada\u{2069}")
    }

    @Test("a file may have only some messages, blanks, carriage returns, a byte order mark, and equals signs in texts")
    func partly() throws {
        let text = "\u{FEFF}# mine\r\n\r\n  thanks=  a = b \u{2026} \r\ndirection = right-to-left\r\nundo = نعم"
        let table = try MessageTable(parsing: text, fallback: MessageTable(.english))
        #expect(table[.thanks] == "a = b \u{2026}" && table[.undo] == "نعم" && table[.accept] == "Accept")
        #expect(table.direction == .rightToLeft)
    }

    @Test("what a file lacks is in the language of the fallback, also its direction and date")
    func fallback() throws {
        let table = try MessageTable(parsing: "idle = مرحباً\n", fallback: MessageTable(.arabic))
        #expect(table.direction == .rightToLeft && table[.idle] == "مرحباً")
        #expect(table[.signHere] == "التوقيع هنا")
        #expect(table.dateFormat == MessageTable(.arabic).dateFormat)
        let dated = try MessageTable(parsing: "date = %d/%m\ntime = %H h %M", fallback: MessageTable(.german))
        #expect(dated.dateFormat == DateFormat("%d/%m") && dated.timeFormat == DateFormat("%H h %M"))
    }

    @Test("a file from before some of the messages existed is read")
    func older() throws {
        let lines = MessageTable.source(of: .german).split(separator: "\n").filter { line in
            !["date", "time", "idle-line", "sign-here", "thanks-next", "starting", "out-of-order", "out-of-order-line"]
                .contains { line.hasPrefix($0 + " =") }
        }
        let table = try MessageTable(parsing: lines.joined(separator: "\n"), fallback: MessageTable(.english))
        #expect(table[.undo] == "Rückgängig" && table[.signHere] == "Sign here")
    }

    static let wrong: [(text: String, error: MessageError)] = [
        ("\n# x\nnothing", .noEqualsSign(line: 3)),
        ("thanks = a\n\nthank = b", .unknownKey(line: 3, key: "thank")),
        ("undo = a\r\nundo = b", .repeatedKey(line: 2, key: "undo", firstLine: 1)),
        ("undo =  ", .emptyText(line: 1, key: "undo")),
        ("= a", .unknownKey(line: 1, key: "")),
        ("undo = \(String(repeating: "a", count: 513))", .longText(line: 1, key: "undo", length: 513)),
        ("reason = why", .wrongPlaces(line: 1, key: "reason", count: 0, expected: 1)),
        ("reason = {text}{text}", .wrongPlaces(line: 1, key: "reason", count: 2, expected: 1)),
        ("undo = {text}", .wrongPlaces(line: 1, key: "undo", count: 1, expected: 0)),
        ("direction = up", .noDirection(line: 1, text: "up")),
        ("undo = a\ndate = %B", .noDateFormat(line: 2, key: "date", text: "%B")),
        ("time = %-M", .noDateFormat(line: 1, key: "time", text: "%-M")),
    ]

    @Test("errors name line and key", arguments: wrong)
    func errors(text: String, error: MessageError) {
        let thrown = thrownError { try MessageTable(parsing: text, fallback: MessageTable(.english)) }
        #expect(thrown as? MessageError == error)
    }

    @Test("without a fallback every message is required")
    func missing() {
        let source = MessageTable.source(of: .english)
            .split(separator: "\n").filter { !$0.hasPrefix("failed") }.joined(separator: "\n")
        #expect(thrownError { try MessageTable(parsing: source) } as? MessageError == .missingKeys(["failed"]))
    }
}
