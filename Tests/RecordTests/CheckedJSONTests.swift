// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import Record

@Suite("JSON from outside")
struct CheckedJSONTests {
    private struct Anything: Decodable {
        let a: String?
    }

    private func decode(_ text: String) throws -> String? {
        try CheckedJSON.decode(Anything.self, from: Data(text.utf8)).a
    }

    @Test(
        "invalid strings are refused, also as keys, which crash Swift 6.0's decoder",
        arguments: [
            #"\x"#, #"\"#, #"\u"#, #"\u12"#, #"\u12G4"#, #"\uD800"#, #"\uD800A"#, #"\uD800\n"#, #"\uDC00"#,
            #"\uD800\uD800"#, "\u{1}", "\n", "\u{0}", #"\u+123"#,
        ])
    func broken(string: String) {
        for text in [#"{"\#(string)":1}"#, #"{"a":"\#(string)"}"#, #"{"b":{"\#(string)":[]}}"#] {
            #expect(throws: DecodingError.self, "\(text)") { try decode(text) }
        }
    }

    @Test("valid strings are decoded", arguments: [
        (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u00e9é"#, "éé"), (#"\uD83D\uDE00"#, "😀"),
        (#"\uFFFF"#, "\u{FFFF}"), ("", ""), (#"\\x"#, "\\x"),
    ])
    func whole(string: String, meaning: String) throws {
        let value = try decode(#"{"\#(string)":1,"a":"\#(string)"}"#)
        #expect(value == meaning)
    }

    @Test("other encodings than UTF-8 are refused")
    func encodings() {
        let text = #"{"a":"b"}"#
        let utf16 = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        for bytes in [utf16, [0xFF, 0xFE] + utf16, [0xEF] + Array(text.utf8), Array(#"{"\#("a")":""#.utf8) + [0x80]] {
            #expect(throws: DecodingError.self) { try CheckedJSON.decode(Anything.self, from: Data(bytes)) }
        }
    }
}
