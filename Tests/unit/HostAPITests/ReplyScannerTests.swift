// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@testable import HostAPI

@Suite("Replies that are read while they come")
struct ReplyScannerTests {
    /// What a scanner makes of a message that comes in pieces.
    private struct Scanned {
        var scanner = ReplyScanner()
        var text: [UInt8] = []
        var elements: [String] = []

        init(_ message: String, piece: Int = .max) throws(ReplyScanner.Fault) {
            let bytes = Array(message.utf8)
            var start = 0
            while start < bytes.count {
                let end = start + min(piece, bytes.count - start)
                let pieces = try scanner.scan(bytes[start..<end])
                text += pieces.text
                elements += pieces.elements.map { String(decoding: $0, as: UTF8.self) }
                start = end
            }
        }

        var rest: String { String(decoding: scanner.rest, as: UTF8.self) }
    }

    private static let ascii: [Unicode.Scalar: String] = [
        "\"": "\\\"", "\\": "\\\\", "\u{8}": "\\b", "\u{c}": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        "\u{1}": "\\u0001",
    ]

    @Test("texts of all characters come as they are, whatever the pieces", arguments: [1, 2, 3, 7, 100, 4096])
    func texts(_ piece: Int) throws {
        var random = SeededGenerator(seed: UInt64(piece))
        let alphabet = Array(
            "ab \u{e9}\u{20ac}\u{1f58b}\"\\/\u{8}\u{c}\n\r\t\u{1}\u{7f}\u{d7ff}\u{e000}cccccccccc".unicodeScalars)
        for length in [0, 1, 500] {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<length { scalars.append(alphabet[Int.random(in: alphabet.indices, using: &random)]) }
            let text = String(scalars)
            let plain = scalars.map { Self.ascii[$0] ?? String($0) }.joined()
            let escaped = text.utf16.map { unit in
                "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
            }.joined()
            for content in [plain, escaped] {
                let scanned = try Scanned(
                    "{\"parameters\":{\"mediaType\":\"text/csv\",\"text\":\"\(content)\"}}\0", piece: piece)
                #expect(scanned.text == Array(text.utf8))
                #expect(scanned.rest == "{\"parameters\":{\"mediaType\":\"text/csv\",\"text\":\"\"}}")
                #expect(scanned.scanner.isComplete)
                #expect(scanned.scanner.textName == "text")
            }
        }
    }

    @Test("records of a list come one at a time", arguments: [1, 5, 1000])
    func elements(_ piece: Int) throws {
        let records = ["{\"id\":\"a\",\"prompt\":[\"]\",\"\\\"}\"]}", "{\"b\":{\"c\":[1,2]}}", "{}"]
        let list = records.joined(separator: ",")
        let scanned = try Scanned(
            "{\"continues\":false,\"parameters\":{\"captures\":[\(list)],\"unreadable\":[\"x\"]}}\0", piece: piece)
        #expect(scanned.elements == records)
        #expect(scanned.rest == "{\"continues\":false,\"parameters\":{\"captures\":[],\"unreadable\":[\"x\"]}}")
        #expect(try Scanned("{\"parameters\":{\"captures\":[]}}\0").elements == [])
    }

    @Test("long members are those of the parameters, not of other objects")
    func otherMembers() throws {
        for message in [
            "{\"error\":\"e\",\"text\":\"a\"}", "{\"parameters\":{\"a\":{\"text\":\"b\"}}}",
            "{\"other\":{\"text\":\"a\"}}", "{\"parameters\":{\"x\":\"text\"}}", "{\"parameters\":{\"text\":null}}",
            "{\"parameters\":{\"Text\":\"a\"}}",
        ] {
            let scanned = try Scanned(message + "\0")
            #expect(scanned.rest == message)
            #expect(scanned.text.isEmpty)
        }
        #expect(try Scanned("{\"parameters\":{\"base64\": \"YQ==\"}}\0").text == Array("YQ==".utf8))
    }

    @Test(
        "a text that two readers could understand differently is refused",
        arguments: [
            "\\x", "\\ud83d.", "\\ud83d\\n", "\\udd8b", "\\ud83d\\ud83d", "\\u+123", "\\u12 4", "a\nb", "a\u{0}",
            "\\u{1}",
            "\\ud83d",
        ])
    func malformedTexts(_ text: String) {
        #expect(throws: ReplyScanner.Fault.malformed) { try Scanned("{\"parameters\":{\"text\":\"\(text)\"}}\0") }
    }

    @Test(
        "a message ends with its object",
        arguments: [
            "{\"a\":1\0", "{\"a\":\"b\0", "{\"parameters\":{\"text\":\"a\"}\0", "{}\0{",
            "{\"parameters\":{\"captures\":[{}\0",
        ])
    func malformedMessages(_ message: String) {
        #expect(throws: ReplyScanner.Fault.malformed) { try Scanned(message) }
    }

    @Test("what is kept has a limit, and what is handed over has none")
    func limits() throws {
        let long = String(repeating: "a", count: 1 << 20)
        #expect(try Scanned("{\"parameters\":{\"text\":\"\(long)\(long)\"}}\0", piece: 65536).text.count == 2 << 20)
        #expect(throws: ReplyScanner.Fault.tooLong) { try Scanned("{\"parameters\":{\"more\":\"\(long)\"}}\0") }
        #expect(throws: ReplyScanner.Fault.tooLong) { try Scanned("{\"parameters\":{\"captures\":[\"\(long)\"]}}\0") }
        let records = String(repeating: "\"\(String(repeating: "b", count: 1000))\",", count: 2000).dropLast()
        #expect(try Scanned("{\"parameters\":{\"captures\":[\(records)]}}\0", piece: 65536).elements.count == 2000)
    }
}
