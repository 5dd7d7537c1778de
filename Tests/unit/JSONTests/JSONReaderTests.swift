// SPDX-License-Identifier: Apache-2.0
import JSON
import TestSupport
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
    private func fault(_ text: some Collection<UInt8>) -> JSONFault? {
        do throws(JSONFault) {
            _ = try JSONValue(text)
            return nil
        } catch {
            return error
        }
    }

    private func fault(_ text: String) -> JSONFault? { fault(Array(text.utf8)) }

    @Test("values of all kinds are read")
    func values() throws {
        let text = """
             {"a" : [1, -2, 0, 9223372036854775807, -9223372036854775808],\r
            \t"b":{"":null,"c":[true,false,[],{}]},"d":[1.5,-0,0.0,1e3,-2E-2,1.0],"ü":"\\"\\\\\\/\\b\\f\\n\\r\\t"}

            """
        let expected: JSONValue = [
            "a": [1, -2, 0, .integer(.max), .integer(.min)], "b": ["": .null, "c": [true, false, [], [:]]],
            "d": .list([1.5, -0.0, 0, 1000, -0.02, 1].map { .number($0) }),
            "ü": .text("\"\\/\u{8}\u{C}\n\r\t"),
        ]
        #expect(try JSONValue(text.utf8) == expected)
        #expect(try JSONValue("7".utf8) == 7)
    }

    @Test(
        "escapes are decoded, also in names",
        arguments: [
            (#"\u00e9é"#, "éé"), (#"\uD83D\uDE00"#, "😀"), (#"\ud83d\ude00"#, "😀"), (#"\uFFFF"#, "\u{FFFF}"),
            (#"\u0000"#, "\u{0}"), (#"\\x"#, "\\x"), ("\u{7f}\u{2028}", "\u{7f}\u{2028}"), ("😀", "😀"),
        ])
    func escapes(string: String, meaning: String) throws {
        #expect(try JSONValue(#"{"\#(string)":"\#(string)"}"#.utf8) == [meaning: .text(meaning)])
    }

    @Test(
        "what JSON does not have is refused",
        arguments: [
            "", " ", "[1,]", "[,1]", "[1 2]", "[1", "]", "{", "{]", #"{"a":1,}"#, #"{,"a":1}"#, #"{"a"}"#, #"{"a":}"#,
            #"{"a" 1}"#, #"{"a":1 "b":2}"#, "{a:1}", "{'a':1}", "{1:2}", "'a'", "nul", "NULL", "True", "NaN",
            "Infinity",
            "-Infinity", "undefined", "[1]x", "{} {}", "1 2", "// a\n1", "/* a */1", "1 // a", "[1]\u{0}", "#1",
            "01", "-01", "00", "+1", "1.", ".5", "-.5", "1e", "1e+", "1.e3", "0x10", "1_000", "--1", "-", "１",
            "\u{A0}1", "\u{B}1", "\u{C}1", "\u{2028}1",
            #""\x""#, #""\""#, #""\u""#, #""\u12""#, #""\u12G4""#, #""\u+123""#, #""\u 123""#, #""\U0041""#, #""a"#,
            #""\uD800""#, #""\uD800A""#, #""\uD800\n""#, #""\uDC00""#, #""\uD800\uD800""#, #""\uD800\u0041""#,
            "\"\u{1}\"", "\"\n\"", "\"\t\"", "\"\u{0}\"", "\"\u{1f}\"",
        ])
    func grammar(text: String) {
        for text in [text, "[\(text)]", "{\"x\":\(text)}", "{\"x\":[7,\(text)]}"] where text != "[]" && text != "[ ]" {
            #expect(fault(text) != nil, "\(text)")
        }
    }

    @Test("other encodings than UTF-8 and bytes that are not UTF-8 are refused")
    func encodings() {
        let text = #"{"a":"b"}"#
        let low = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let high = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        for bytes in [low, high, [0xFF, 0xFE] + low, [0xFE, 0xFF] + high] {
            #expect(fault(bytes)?.reason == "it is UTF-16 or UTF-32; only UTF-8 is read")
        }
        #expect(fault([0xEF, 0xBB, 0xBF] + Array(text.utf8))?.reason == "it begins with a byte order mark")
        let broken: [[UInt8]] = [
            [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xED, 0xB0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ]
        for bytes in broken {
            // The second one has an escape, and is read in another way.
            for (before, after) in [("\"", "\""), ("\"\\n", "\""), ("{\"", "\":1}")] {
                let text = Array(before.utf8) + bytes + Array(after.utf8)
                #expect(fault(text)?.reason == "a string is not UTF-8", "\(bytes)")
            }
            #expect(fault(bytes) != nil)
        }
    }

    @Test(
        "a name twice in one object is refused with its place, however it is written",
        arguments: [
            (#"{"a":1,"a":1}"#, 8, ""), (#"{"a":1,"\u0061":2}"#, 8, ""), (#"{"b":[{"":0,"c":1,"":0}]}"#, 19, "b[0]"),
            (#"{"é":1,"e\u0301":2}"#, 8, ""), (#"{"x":{"a":1,"b":{"a":1},"b":2}}"#, 25, "x"),
        ])
    func duplicates(text: String, column: Int, path: String) throws {
        let fault = try #require(self.fault(text))
        #expect(fault.reason.hasSuffix("is there twice") && fault.reason.hasPrefix("the name \""))
        #expect(fault.line == 1 && fault.column == column && fault.path == path, "\(fault)")
    }

    @Test("the same name in different objects is read")
    func sameNames() throws {
        #expect(try JSONValue(#"{"a":{"a":1},"A":{"a":2}}"#.utf8) == ["a": ["a": 1], "A": ["a": 2]])
    }

    @Test("a fault names line, column in characters, and the path of the value")
    func places() throws {
        let text = "{\n \"prompt\": [\"é😀\", \"b\"],\n \"policy\": {\"minima\": [1, {\"length\": 01}]}}"
        let found = try #require(fault(text))
        #expect(found.line == 3 && found.column == 38 && found.path == "policy.minima[1].length")
        #expect("\(found)" == "line 3, column 38 (policy.minima[1].length): a number begins with 0")
        #expect(fault("[\"é😀\" 1]")?.column == 7)
        #expect(fault("[[],[[1x]]]")?.path == "[1][0]")
    }

    @Test("numbers that readers take differently are refused, others are exact")
    func numbers() throws {
        for text in ["9223372036854775808", "-9223372036854775809", "100000000000000000000"] {
            #expect(fault(text)?.reason == "a whole number has more than 64 bits")
        }
        for text in ["1e400", "-1e400", "1e-400", "0.1e-330", "1" + String(repeating: "0", count: 59) + "e999"] {
            #expect(fault(text)?.reason == "no double is near this number", "\(text)")
        }
        #expect(fault("0." + String(repeating: "1", count: 63)) != nil)
        #expect(try JSONValue("0e999".utf8) == .number(0) && JSONValue("0.000e-999".utf8) == .number(0))
        #expect(try JSONValue("5e-324".utf8) == .number(.leastNonzeroMagnitude))
        #expect(try JSONValue("1.7976931348623157e308".utf8) == .number(.greatestFiniteMagnitude))
    }

    @Test("whole numbers and doubles are taken for each other only if they are equal")
    func exactNumbers() throws {
        func read(_ text: String) throws -> JSONValue { try JSONValue(text.utf8) }
        #expect(
            try read("30.0").integer == 30 && read("3e1").integer == 30 && read("9007199254740992.0").integer != nil)
        #expect(try read("1.5").integer == nil && read("1e16").integer == nil && read("-0").integer == nil)
        #expect(try read("9007199254740993").number == nil && read("9007199254740992").number == 0x1p53)
        #expect(try read("-0").number?.sign == .minus && read("7").number == 7)
        #expect(throws: DecodingError.self) { try read("[1.5]").decode([Int].self) }
        #expect(throws: DecodingError.self) { try read("[-0]").decode([Int].self) }
        #expect(throws: DecodingError.self) { try read("[9007199254740993]").decode([Double].self) }
        #expect(throws: DecodingError.self) { try read("[true]").decode([Int].self) }
        #expect(throws: DecodingError.self) { try read("[1]").decode([Bool].self) }
        #expect(throws: DecodingError.self) { try read("[256]").decode([UInt8].self) }
        #expect(throws: DecodingError.self) { try read("[1e39]").decode([Float].self) }
    }

    @Test("nesting is bounded, and no depth exhausts the stack")
    func nesting() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONValue(nested(JSONReader.deepest).utf8)
        #expect(fault(nested(JSONReader.deepest + 1))?.reason == "it is nested deeper than 16")
        for text in [nested(1_000_000), String(repeating: "{\"a\":", count: 1_000_000)] {
            #expect(fault(text)?.reason == "it is nested deeper than 16")
        }
    }

    @Test("combining marks in a row are bounded, so that no name takes long to compare")
    func marks() throws {
        func marked(_ count: Int) -> String { "\"a\(String(repeating: "\u{301}\u{323}", count: count / 2))b\"" }
        for text in [marked(100), "[\(marked(100)),\(marked(100))]", "{\(marked(100)):1}"] {
            #expect(fault(text) == nil)
        }
        for text in [marked(102), "{\(marked(102)):1}", "{\(marked(1_000_000)):1}"] {
            #expect(fault(text)?.reason == "a string has more than 100 combining marks in a row")
        }
    }

    @Test("long names are shortened in messages")
    func longNames() throws {
        let name = String(repeating: "é", count: 100_000)
        let fault = try #require(self.fault("{\"\(name)\":1,\"\(name)\":[}"))
        #expect("\(fault)".utf8.count < 400)
        let inner = try #require(self.fault("{\"\(name)\":[}"))
        #expect("\(inner)".utf8.count < 400)
    }

    @Test("bytes changed at random give a value or a fault within the text", arguments: Breadth.seeds(8, long: 40))
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = Array(#"{"a":[1,-2.5e3,"\u00e9\n",{"b":null,"c":true}],"d":"é😀","e":{}}"#.utf8)
        for _ in 0..<200 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(7), at: place)
                }
            }
            if let fault = self.fault(bytes) { #expect(fault.line >= 1 && 1...bytes.count + 1 ~= fault.column) }
        }
    }
}

@Suite("Decoding JSON values")
struct JSONDecodingTests {
    private struct Part: Codable, Equatable {
        var name: String
        var size: UInt16?
        var share: Double
        var isNew: Bool
        var inner: [Part]?
        var texts: [String: String]?
    }

    @Test("members, lists and dictionaries are decoded; null and a missing member are nil")
    func structures() throws {
        let text =
            #"{"name":"a","share":1,"isNew":true,"size":null,"later":[{}],"#
            + #""inner":[{"name":"b","share":0.5,"isNew":false,"size":65535}],"texts":{"é":"x","":"y"}}"#
        let inner = Part(name: "b", size: 65535, share: 0.5, isNew: false, inner: nil, texts: nil)
        let expected = Part(name: "a", size: nil, share: 1, isNew: true, inner: [inner], texts: ["é": "x", "": "y"])
        #expect(try JSONValue(text.utf8).decode(Part.self) == expected)
    }

    @Test(
        "an error names the member",
        arguments: [
            (#"{"share":1,"isNew":true}"#, "name is missing"),
            (#"{"name":null,"share":1,"isNew":true}"#, "name is missing"),
            (#"{"name":1,"share":1,"isNew":true}"#, "name has another type than expected"),
            (
                #"{"name":"","share":1,"isNew":true,"size":65536}"#,
                "size does not fit, or is not one of the values allowed"
            ),
            (#"{"name":"","share":1,"isNew":true,"inner":[{"share":1,"isNew":true}]}"#, "inner[0].name is missing"),
            (#"{"name":"","share":1,"isNew":true,"inner":{}}"#, "inner has another type than expected"),
            (#"{"name":"","share":1,"isNew":true,"texts":{"k":1}}"#, "texts.k has another type than expected"),
            ("[]", "the value has another type than expected"),
        ])
    func errors(text: String, reason: String) throws {
        let error = try #require(thrownError { try JSONValue(text.utf8).decode(Part.self) } as? DecodingError)
        #expect(error.reason == reason)
    }

    @Test("a letter that Swift takes for another one is another name")
    func kelvin() throws {
        struct Key: Decodable {
            var kelvin: Int?
            enum CodingKeys: String, CodingKey { case kelvin = "K" }
        }
        #expect(try JSONValue(#"{"\u212a":1}"#.utf8).decode(Key.self).kelvin == nil)
        #expect(try JSONValue(#"{"K":1}"#.utf8).decode(Key.self).kelvin == 1)
    }
}
