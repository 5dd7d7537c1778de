// SPDX-License-Identifier: Apache-2.0
@testable import Pad
import TestSupport
import Testing

@Suite("Messages of the pad")
struct MessageTableTests {
    @Test("every shipped language has every message, and each differs from English")
    func shipped() {
        let (english, german) = (MessageTable(.english), MessageTable(.german))
        #expect(Message.allCases.allSatisfy { !english[$0].isEmpty && !german[$0].isEmpty })
        // The signer's line contains only the name.
        #expect(Message.allCases.filter { english[$0] == german[$0] } == [.signer])
        #expect(english.direction == .leftToRight && german.direction == .leftToRight)
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
