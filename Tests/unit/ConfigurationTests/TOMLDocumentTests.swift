// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Configuration

@Suite("TOML")
struct TOMLDocumentTests {
    private func document(_ text: String) throws -> TOMLDocument { try TOMLDocument(Array(text.utf8), path: "f") }

    private func value(_ text: String) throws -> ConfigurationValue? {
        guard case .table(let values) = try document("x = " + text).root else { return nil }
        return values["x"]
    }

    @Test("lines of keys are found among strings, arrays, tables and comments of every kind")
    func lines() throws {
        let lines = try document(
            #"""
            top = 1 # x = 2
            [a] # [b]
            one = """
            two = 2
            \""" still " ""
            """"
            three = '''
            four = '
            '''
            five = [ # [
              "six = ]", [
              { seven = 7 } ],
            ]
            "eight" . 'nine' = { ten = [1, 2], eleven.twelve = "}" , thirteen = 3 }
            # fourteen = 14

            [a.fifteen]
            sixteen = 1979-05-27T07:32:00Z
            seventeen = "\"#"
            [[eighteen]]
            nineteen = true
            """#
        ).lines
        let expected: [(String, Int?)] = [
            ("top", 1), ("a", 2), ("a/one", 3), ("a/two", nil), ("a/three", 7), ("a/four", nil), ("a/five", 10),
            ("a/five/seven", nil), ("a/eight", 14), ("a/eight/nine", 14), ("a/eight/nine/ten", 14),
            ("a/eight/nine/eleven", 14), ("a/eight/nine/eleven/twelve", 14), ("a/eight/nine/thirteen", 14),
            ("a/fourteen", nil), ("a/fifteen", 17), ("a/fifteen/sixteen", 18), ("a/fifteen/seventeen", 19),
            ("eighteen", 20), ("eighteen/nineteen", 21),
        ]
        for (path, line) in expected {
            #expect(lines[path.split(separator: "/").map(String.init)] == line, "\(path)")
        }
    }

    @Test("lines of keys are found with Windows line ends, and truncated documents are read or refused")
    func torn() throws {
        let text = "[a]\r\nb = \"\"\"\r\n\\\r\n\"\"\"\r\nc = [1,\r\n2]\r\nd = { e = 1 }\r\n"
        let lines = try document(text).lines
        #expect(lines[["a", "b"]] == 2 && lines[["a", "c"]] == 5 && lines[["a", "d", "e"]] == 7)
        for count in 0..<text.utf8.count {
            do throws(ConfigurationProblem) {
                let part = try TOMLDocument(Array(text.utf8.prefix(count)), path: "f")
                #expect([nil, 5].contains(part.lines[["a", "c"]]))
            } catch {
                #expect(1...8 ~= error.line ?? 0)
            }
        }
    }

    @Test("numbers of every form")
    func numbers() throws {
        let integers = [
            "0": 0, "+1": 1, "-17": -17, "1_000": 1000, "0xdead_BEEF": 0xDEAD_BEEF, "0o17": 15, "0b101": 5,
            "9223372036854775807": Int.max, "-9223372036854775808": Int.min,
        ]
        for (text, integer) in integers { #expect(try value(text) == .integer(integer), "\(text)") }
        let numbers = [
            "1.0": 1, "-0.5": -0.5, "1e3": 1000, "5E-1": 0.5, "1_0.2_5e+0_1": 102.5, "inf": .infinity,
            "-inf": -.infinity,
        ]
        for (text, number) in numbers { #expect(try value(text) == .number(number), "\(text)") }
        for text in [
            "", "_1", "1_", "1__0", "01", "-01", "+", ".5", "5.", "1.e3", "1e", "1e1.5", "0x", "0xg", "+0x1", "0o8",
            "0b2",
            "9223372036854775808", "1.2.3", "True", "infinity", "x", "\u{662}",
        ] {
            #expect(throws: ConfigurationProblem.self, "\(text)") { try value(text) }
        }
    }

    @Test("texts of all four kinds")
    func texts() throws {
        let texts = [
            (#""a\"\\\t\u00e9\U0001F600""#, "a\"\\\té😀"), (#"'a\n"'"#, #"a\n""#), ("\"\"\"\na\r\nb\"\"\"", "a\nb"),
            ("\"\"\"a \\ \n\n  b\"\"\"", "a b"), ("\"\"\"\"a\"\"\"\"\"", "\"a\"\""), ("'''\\\n'''", "\\\n"),
            ("\"\"", ""),
        ]
        for (text, meant) in texts { #expect(try value(text) == .text(meant), "\(text)") }
        for text in [
            "\"", "'", "\"\"\"\"\"", "\"a\nb\"", #""\x41""#, #""\ud800""#, #""\u12""#, #""\U0001F60""#, "\"\u{1}\"",
            "\"\r\"",
            "\"\\\n\"", "\"a\" b",
        ] {
            #expect(throws: ConfigurationProblem.self, "\(text)") { try value(text) }
        }
    }

    @Test("a table has one definition, a key one value")
    func definitions() throws {
        for text in [
            "[a.b]\n[a]\nc = 1", "a.b = 1\na.c = 2", "[a]\nb.c = 1\n[a.b.d]", "[[a]]\nb = 1\n[[a]]\nb = 1\n[a.c]",
            "a = [{ b = 1 }, { b = 2 }]", "a = { b.c = 1, b.d = 2 }", "[ a . 'b' ] # c\n\"\" = []",
        ] {
            _ = try document(text)
        }
        for text in [
            "[a]\n[a]", "a = 1\na = 2", "a = 1\n[a]", "a = 1\na.b = 2", "[a]\nb.c = 1\n[a.b]",
            "[a.b.c]\n[a]\nb.c.d = 1",
            "a = {}\na.b = 1", "a = {}\n[a.b]", "a = { b = 1, b = 2 }", "[a]\n[[a]]", "[[a]]\n[a]", "a = []\n[[a]]",
            "a = [{ b = 1, b = 2 }]", "a = { b = 1, }", "a = { b = 1\n}", "a = [1 2]", "a = 1 b = 2", "a = [\n", "a",
            "a = 1 \u{1}#",
        ] {
            #expect(throws: ConfigurationProblem.self, "\(text)") { try document(text) }
        }
    }
}
