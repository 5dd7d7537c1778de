// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Configuration

@Suite("Lines of keys")
struct KeyLinesTests {
    @Test("past strings, arrays, tables and comments of every kind")
    func lines() {
        let lines = KeyLines(
            Array(
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
                """#.utf8))
        let expected: [(String, Int?)] = [
            ("top", 1), ("a", 2), ("a/one", 3), ("a/two", nil), ("a/three", 7), ("a/four", nil), ("a/five", 10),
            ("a/five/seven", nil), ("a/eight", 14), ("a/eight/nine", 14), ("a/eight/nine/ten", 14),
            ("a/eight/nine/eleven", 14), ("a/eight/nine/eleven/twelve", nil), ("a/eight/nine/thirteen", 14),
            ("a/fourteen", nil), ("a/fifteen", 17), ("a/fifteen/sixteen", 18), ("a/fifteen/seventeen", 19),
            ("eighteen", 20), ("eighteen/nineteen", 21),
        ]
        for (path, line) in expected {
            #expect(lines[path.split(separator: "/").map(String.init)] == line, "\(path)")
        }
    }

    @Test("Windows' line ends, and documents that end in the middle")
    func torn() {
        let text = "[a]\r\nb = \"\"\"\r\n\\\r\n\"\"\"\r\nc = [1,\r\n2]\r\nd = { e = 1 }\r\n"
        let lines = KeyLines(Array(text.utf8))
        #expect(lines[["a", "b"]] == 2 && lines[["a", "c"]] == 5 && lines[["a", "d", "e"]] == 7)
        for count in 0..<text.utf8.count {
            // Every one is walked to its end, and finds no more than the whole.
            let part = KeyLines(Array(text.utf8.prefix(count)))
            if let line = part[["a", "c"]] { #expect(line == 5) }
        }
    }
}
