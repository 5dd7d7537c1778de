// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Linux
import TOMLKit

/// A value of a TOML document, independent of TOMLKit.
enum ConfigurationValue: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case list([ConfigurationValue])
    case table([String: ConfigurationValue])
    /// A date, a time or both. No setting takes one.
    case moment(String)

    /// Deeper tables are read as empty: no setting is there, and dotted keys may nest as deep as a file is long.
    private static let deepest = 4

    init(_ table: TOMLTable, depth: Int = 0) {
        var values: [String: ConfigurationValue] = [:]
        if depth < Self.deepest {
            // TOMLKit cuts a key at a NUL, and then does not find it.
            for key in table.keys { values[key] = table[key].map { Self($0, depth + 1) } ?? .moment("") }
        }
        self = .table(values)
    }

    private init(_ value: any TOMLValueConvertible, _ depth: Int) {
        if let text = value.string {
            self = .text(text)
        } else if let integer = value.int {
            self = .integer(integer)
        } else if let number = value.double {
            self = .number(number)
        } else if let flag = value.bool {
            self = .flag(flag)
        } else if let array = value.array {
            self = .list(depth < Self.deepest ? array.map { Self($0, depth + 1) } : [])
        } else if let table = value.table {
            self.init(table, depth: depth)
        } else {
            self = .moment(value.debugDescription)
        }
    }
}

extension ConfigurationValue: CustomStringConvertible {
    /// The value in TOML.
    var description: String {
        switch self {
        case .text(let text): "\"" + Self.escaped(text) + "\""
        case .integer(let value): "\(value)"
        case .number(let value): Self.text(of: value)
        case .flag(let flag): "\(flag)"
        case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .table(let values):
            "{ "
                + values.sorted { $0.key < $1.key }.map { "\"\(Self.escaped($0.key))\" = \($0.value)" }
                .joined(separator: ", ") + " }"
        case .moment(let text): text
        }
    }

    /// The value with its type, shortened for messages.
    var shown: String {
        switch self {
        case .list, .table: return kindName
        default:
            let text = description
            return "\(text.unicodeScalars.count > 60 ? String(text.prefix(60)) + "…" : text), \(kindName)"
        }
    }

    /// The type, for messages.
    var kindName: String {
        switch self {
        case .text: "a string"
        case .integer: "an integer"
        case .number: "a number"
        case .flag: "true or false"
        case .list: "an array"
        case .table: "a table"
        case .moment: "a date or a time"
        }
    }

    private static func text(of value: Double) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        // Whole numbers up to the limit of exact integers are written without decimals.
        return value.magnitude < 1e15 && value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// Escapes text for a basic string.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            // Not allowed in TOML, or harmful to the terminal that `config show` prints to.
            case _ where scalar.steersTerminal: result += scalar.escape
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The lines of the keys of a TOML document, and syntax errors that toml++ does not survive.
///
/// TOMLKit does not expose the source positions of toml++. And toml++ 3.4 aborts the program (assertions in parse_key()
/// and parse_value()) at a table header without a key, a brace in an array, a date with a truncated time, and at
/// characters allowed in strings and comments only. So every document is scanned first.
struct KeyLines {
    /// The first line with such an error.
    private(set) var syntaxError: Int?
    private var lines: [[String]: Int] = [:]
    private let document: [UInt8]
    /// Not scanned yet.
    private var rest: ArraySlice<UInt8>
    private var line = 1

    /// Keys in deeper inline tables and arrays are not looked for.
    private static let deepest = 4

    init(_ document: [UInt8]) {
        self.document = document
        rest = document[...]
        scan()
    }

    /// Line from 1 of a key, or of the header or first key of a table; nil if the document does not have it.
    subscript(path: [String]) -> Int? { lines[path] }

    private mutating func scan() {
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
                    noteSyntaxError()
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
        if path.isEmpty { noteSyntaxError() }
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

    /// Notes the line of a path and of the tables around it, unless they came up earlier.
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
            // Deeper keys are unknown anyway.
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
            if !value.allSatisfy(Self.isPlain) { noteSyntaxError() }
            // Only dates have several words, and no setting takes one.
            if value.split(whereSeparator: Self.isBlank).count > 1 { noteSyntaxError() }
            rest = rest.dropFirst(value.count)
        }
    }

    /// Whether the byte may be outside of strings and comments.
    private static func isPlain(_ byte: UInt8) -> Bool { 0x20..<0x7F ~= byte || byte == 0x09 || byte == 0x0D }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    /// Called in brackets after a digit: a second number makes it a date with a truncated time.
    private mutating func noteSecondWord() {
        guard rest.first.map(Self.isBlank) == true, let next = rest.first(where: { !Self.isBlank($0) }) else { return }
        if Self.isDigit(next) { noteSyntaxError() }
    }

    private mutating func noteSyntaxError() {
        if syntaxError == nil { syntaxError = line }
    }

    private static let endsValue: Set<UInt8> = [0x0A, 0x2C, 0x5D, 0x7D, 0x23]  // line feed , ] } #

    /// An array or an inline table. Only keys of the outermost table are noted.
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
                if closing.removeLast() != byte { noteSyntaxError() }
                rest.removeFirst()
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if mayBeKey { keyAndValue(in: path, depth: depth + 1) } else { _ = string() }
            default:
                let before = rest.count
                if mayBeKey { keyAndValue(in: path, depth: depth + 1) }
                if rest.count == before {
                    if !Self.isPlain(byte) { noteSyntaxError() }
                    rest.removeFirst()
                    // toml++ skips _ anywhere.
                    if Self.isDigit(byte) || byte == UInt8(ascii: "_") { noteSecondWord() }
                }
            }
            if !closing.isEmpty { skipBlank(newlines: true) }
        } while !closing.isEmpty
    }

    /// A string of any of the four kinds. Escapes are kept: no key of a setting has any.
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
                    // Strings on one line end with it.
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

    /// Skips the rest of a line after a header or key.
    private mutating func skipLine() { rest = rest.drop { $0 != 0x0A } }
}
