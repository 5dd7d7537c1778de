// SPDX-License-Identifier: Apache-2.0

/// In which line of a TOML document each key is, which the library that parses it does not tell; and mistakes that it
/// does not stand.
///
/// toml++ 3.4 tells most mistakes, but aborts the program (assertions in parse_key() and parse_value()) over a table's
/// header without a key, a brace in an array, a date whose time is cut off, and characters that may be in strings and
/// comments only. So a document is
/// walked over first, to its end in any case; as far as it is valid, the walk knows what is a key.
struct KeyLines {
    /// The first line with such a mistake.
    private(set) var mistake: Int?
    private var lines: [[String]: Int] = [:]
    private let document: [UInt8]
    /// What has not been walked over.
    private var rest: ArraySlice<UInt8>
    private var line = 1

    /// Keys in deeper inline tables and arrays are not looked for.
    private static let deepest = 4

    init(_ document: [UInt8]) {
        self.document = document
        rest = document[...]
        walk()
    }

    /// From 1; that of the table's header or first key for a table, and nil for what is not in the document.
    subscript(path: [String]) -> Int? { lines[path] }

    private mutating func walk() {
        var table: [String] = []
        while !rest.isEmpty {
            skipBlank(newlines: true)
            guard let byte = rest.first else { return }
            if byte == UInt8(ascii: "[") {
                table = header()
            } else {
                let before = rest.count
                keyAndValue(in: table, depth: 0)
                if rest.count == before {
                    noteMistake()
                    skipLine()
                }
            }
        }
    }

    /// `[a.b]` or `[[a.b]]`.
    private mutating func header() -> [String] {
        rest.removeFirst()
        if rest.first == UInt8(ascii: "[") { rest.removeFirst() }
        let path = keyPath()
        if path.isEmpty { noteMistake() }
        note(path)
        skipLine()
        return path
    }

    private mutating func keyAndValue(in table: [String], depth: Int) {
        let path = table + keyPath()
        guard path.count > table.count else { return }
        note(path)
        skipBlank(newlines: false)
        if rest.first == UInt8(ascii: "=") { rest.removeFirst() }
        skipBlank(newlines: false)
        value(of: path, depth: depth)
    }

    /// All tables on the way are in this line too, unless they were named before. More than a few levels have no key.
    private mutating func note(_ path: [String]) {
        for count in 1...max(1, min(path.count, Self.deepest)) where count <= path.count {
            let part = Array(path.prefix(count))
            if lines[part] == nil { lines[part] = line }
        }
    }

    private mutating func keyPath() -> [String] {
        var path: [String] = []
        while true {
            skipBlank(newlines: false)
            guard let part = keyPart() else { return path }
            // Deeper ones are under a key that is unknown anyway.
            if path.count < Self.deepest { path.append(part) }
            skipBlank(newlines: false)
            guard rest.first == UInt8(ascii: ".") else { return path }
            rest.removeFirst()
        }
    }

    private mutating func keyPart() -> String? {
        guard let first = rest.first else { return nil }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return string() }
        let part = rest.prefix {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || (0x30...0x39).contains($0)
                || (0x41...0x5A).contains($0 & 0xDF)  // letters of ASCII
        }
        rest = rest.dropFirst(part.count)
        return part.isEmpty ? nil : String(decoding: part, as: UTF8.self)
    }

    private mutating func value(of path: [String], depth: Int) {
        switch rest.first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = string()
        case UInt8(ascii: "["), UInt8(ascii: "{"): brackets(of: path, depth: depth)
        default:
            let value = rest.prefix { !Self.endsValue.contains($0) }
            if !value.allSatisfy(Self.isPlain) { noteMistake() }
            // Only a date could be of several words, and no key has one.
            if value.split(whereSeparator: Self.isBlank).count > 1 { noteMistake() }
            rest = rest.dropFirst(value.count)
        }
    }

    /// Whether it may be outside of strings and comments.
    private static func isPlain(_ byte: UInt8) -> Bool { 0x20..<0x7F ~= byte || byte == 0x09 || byte == 0x0D }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    /// After a digit: as for a value that is in no brackets.
    private mutating func noteSecondWord() {
        guard rest.first.map(Self.isBlank) == true, let next = rest.first(where: { !Self.isBlank($0) }) else { return }
        if Self.isDigit(next) { noteMistake() }
    }

    private mutating func noteMistake() {
        if mistake == nil { mistake = line }
    }

    private static let endsValue: Set<UInt8> = [0x0A, 0x2C, 0x5D, 0x7D, 0x23]  // line feed , ] } #

    /// An array or an inline table. Only the outermost ones' keys are noted; inner ones are passed by their brackets.
    private mutating func brackets(of path: [String], depth: Int) {
        let isTable = rest.first == UInt8(ascii: "{")
        var closing: [UInt8] = []
        repeat {
            guard let byte = rest.first else { return }
            let mayBeKey = isTable && closing.count == 1 && depth < Self.deepest
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                closing.append(byte + 2)  // ] and } in ASCII
                rest.removeFirst()
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if closing.removeLast() != byte { noteMistake() }
                rest.removeFirst()
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if mayBeKey { keyAndValue(in: path, depth: depth + 1) } else { _ = string() }
            default:
                let before = rest.count
                if mayBeKey { keyAndValue(in: path, depth: depth + 1) }
                if rest.count == before {
                    if !Self.isPlain(byte) { noteMistake() }
                    rest.removeFirst()
                    // The library passes over _ wherever it is.
                    if Self.isDigit(byte) || byte == UInt8(ascii: "_") { noteSecondWord() }
                }
            }
            if !closing.isEmpty { skipBlank(newlines: true) }
        } while !closing.isEmpty
    }

    /// Of any of the four kinds; what is in it without its escapes undone, which no key that there is has.
    private mutating func string() -> String {
        let quote = rest.removeFirst()
        let isLiteral = quote == UInt8(ascii: "'")
        let triple = rest.count >= 2 && rest.prefix(2).allSatisfy { $0 == quote }
        if triple { rest = rest.dropFirst(2) }
        let start = rest.startIndex
        while let byte = rest.first {
            if byte == UInt8(ascii: "\\"), !isLiteral {
                rest.removeFirst()
                if rest.first == 0x0A { line += 1 }
                rest = rest.dropFirst()
            } else if byte == quote {
                if !triple {
                    let text = String(decoding: document[start..<rest.startIndex], as: UTF8.self)
                    rest.removeFirst()
                    return text
                }
                let run = rest.prefix { $0 == quote }.count
                rest = rest.dropFirst(run)
                // Up to two quotes may stand before the closing three.
                if run >= 3 { return "" }
            } else {
                if byte == 0x0A {
                    // No string on one line goes on over its end.
                    if !triple { return "" }
                    line += 1
                }
                rest.removeFirst()
            }
        }
        return ""
    }

    private mutating func skipBlank(newlines: Bool) {
        while let byte = rest.first {
            switch byte {
            case 0x20, 0x09: rest.removeFirst()
            case 0x0D where newlines && rest.dropFirst().first == 0x0A: rest.removeFirst()
            case UInt8(ascii: "#") where newlines: rest = rest.drop { $0 != 0x0A }
            case 0x0A where newlines:
                line += 1
                rest.removeFirst()
            default: return
            }
        }
    }

    /// What is left of a line after its header or key.
    private mutating func skipLine() { rest = rest.drop { $0 != 0x0A } }
}
