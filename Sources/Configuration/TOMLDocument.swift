// SPDX-License-Identifier: Apache-2.0

/// A TOML 1.0 document: its values, and the lines of its keys.
///
/// The reader is our own: those for Swift do not know the lines of keys, and toml++, which they wrap, aborts the
/// program at some invalid documents. It refuses a date with a space before the time.
package struct TOMLDocument {
    /// `[[name]]` is a list with one table, without its keys: no setting is a list of tables, and each refuses one.
    package private(set) var root = ConfigurationValue.table([:])
    /// Lines from 1 of keys, and of the headers or first keys of tables, by their paths.
    package private(set) var lines: [[String]: Int] = [:]
    /// The tables that have a header, in their order, and the lines of the headers.
    private(set) var headers: [(path: [String], line: Int)] = []
    /// The bytes of the values of keys, by their paths.
    private(set) var ranges: [[String]: Range<Int>] = [:]
    /// The kind of what stands at a path: it decides what may still be added.
    private var kinds: [[String]: Kind] = [:]
    /// Not read yet.
    private var rest: ArraySlice<UInt8>
    private var line = 1
    /// The file's path, for messages.
    private let path: String

    private enum Kind { case value, header, partOfHeader, partOfKey, list }

    /// The greatest number of parts of a key, and of brackets within each other. No setting needs more than three.
    private static let deepest = 16

    /// - Throws: the first error.
    package init(_ document: [UInt8], path: String) throws(ConfigurationProblem) {
        rest = document[...]
        self.path = path
        for (index, line) in document.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let isUTF8 = String(validating: line, as: UTF8.self) != nil
            if isUTF8, !line.contains(0) { continue }
            throw ConfigurationProblem(path: path, line: index + 1, reason: isUTF8 ? .nul : .notUTF8)
        }
        var table: [String] = []
        while true {
            try skipBlank(newlines: true)
            if rest.isEmpty { return }
            if skip("[") {
                table = try header()
            } else {
                let (key, value) = try keyAndValue(in: table, depth: 0)
                root.set(value, at: (table + key)[...])
            }
            try skipBlank(newlines: false)
            if rest.first == UInt8(ascii: "#") { try skipComment() }
            guard rest.isEmpty || skipNewline() else { throw unexpected("the end of the line") }
        }
    }

    // MARK: tables and keys

    /// The rest of `[a.b]` or `[[a.b]]`.
    private mutating func header() throws(ConfigurationProblem) -> [String] {
        let isListed = skip("[")
        let path = try keyPath()
        guard skip("]"), !isListed || skip("]") else { throw unexpected("] after the name of a table") }
        for count in 1..<path.count {
            let outer = Array(path.prefix(count))
            if kinds[outer] == .value { throw repeated(path) }
            if kinds[outer] == nil { kinds[outer] = .partOfHeader }
        }
        switch kinds[path] {
        case nil: root.set(isListed ? .list([.table([:])]) : .table([:]), at: path[...])
        case .partOfHeader where !isListed: break
        // Each element has keys of its own.
        case .list where isListed: kinds = kinds.filter { !$0.key.starts(with: path) }
        default: throw repeated(path)
        }
        kinds[path] = isListed ? .list : .header
        headers.append((path, line))
        note(path)
        return path
    }

    private mutating func keyAndValue(
        in table: [String], depth: Int
    ) throws(ConfigurationProblem) -> (key: [String], value: ConfigurationValue) {
        let key = try keyPath()
        let path = table + key
        for count in table.count + 1..<path.count {
            let outer = Array(path.prefix(count))
            switch kinds[outer] {
            case nil, .partOfHeader: kinds[outer] = .partOfKey
            case .partOfKey: break
            case .value, .header, .list: throw repeated(key)
            }
        }
        guard kinds[path] == nil else { throw repeated(key) }
        kinds[path] = .value
        note(path)
        guard skip("=") else { throw unexpected("= after a key") }
        try skipBlank(newlines: false)
        let start = rest.startIndex
        let found = try value(at: path, depth: depth)
        ranges[path] = start..<rest.startIndex
        return (key, found)
    }

    private mutating func keyPath() throws(ConfigurationProblem) -> [String] {
        var path: [String] = []
        repeat {
            try skipBlank(newlines: false)
            path.append(try keyPart())
            if path.count > Self.deepest { throw problem("a key has more than \(Self.deepest) parts") }
            try skipBlank(newlines: false)
        } while skip(".")
        return path
    }

    private mutating func keyPart() throws(ConfigurationProblem) -> String {
        if rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "'") { return try string(hasLines: false) }
        let part = rest.prefix { isDigitOrLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        if part.isEmpty { throw unexpected("key = value, [table] or #") }
        rest = rest.dropFirst(part.count)
        return String(decoding: part, as: UTF8.self)
    }

    /// Notes the line of a path and of the tables around it, unless they came up earlier.
    private mutating func note(_ path: [String]) {
        for count in 1...path.count where lines[Array(path.prefix(count))] == nil {
            lines[Array(path.prefix(count))] = line
        }
    }

    // MARK: values

    private mutating func value(at path: [String], depth: Int) throws(ConfigurationProblem) -> ConfigurationValue {
        if depth > Self.deepest { throw problem("more than \(Self.deepest) brackets within each other") }
        if rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "'") {
            let quotes = rest.prefix(3)
            return .text(try string(hasLines: quotes.count == 3 && Set(quotes).count == 1))
        }
        if skip("[") {
            var values: [ConfigurationValue] = []
            repeat {
                try skipBlank(newlines: true)
                if rest.first == UInt8(ascii: "]") { break }
                values.append(try value(at: path + ["\(values.count)"], depth: depth + 1))
                try skipBlank(newlines: true)
            } while skip(",")
            guard skip("]") else { throw unexpected(", or ] in an array") }
            return .list(values)
        }
        if skip("{") {
            var table = ConfigurationValue.table([:])
            try skipBlank(newlines: false)
            if skip("}") { return table }
            repeat {
                let (key, value) = try keyAndValue(in: path, depth: depth + 1)
                table.set(value, at: key[...])
                try skipBlank(newlines: false)
            } while skip(",")
            guard skip("}") else { throw unexpected(", or } on the line of {") }
            return table
        }
        let word = rest.prefix { !Self.endsWord.contains($0) }
        guard let value = ConfigurationValue(word: String(decoding: word, as: UTF8.self)) else {
            throw unexpected("a number, true, false, or a text in quotes")
        }
        rest = rest.dropFirst(word.count)
        return value
    }

    private static let endsWord: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0x23, 0x2C, 0x5D, 0x7D]  // # , ] }

    private mutating func string(hasLines: Bool) throws(ConfigurationProblem) -> String {
        let start = line
        let quote = rest[rest.startIndex]
        rest = rest.dropFirst(hasLines ? 3 : 1)
        if hasLines { skipNewline() }
        var text: [UInt8] = []
        while let byte = rest.first {
            if byte == quote {
                // Up to two quotes may stand before the closing three.
                let run = rest.prefix(hasLines ? 5 : 1).prefix { $0 == quote }
                rest = rest.dropFirst(run.count)
                if !hasLines || run.count >= 3 {
                    return String(decoding: text + run.dropFirst(hasLines ? 3 : 1), as: UTF8.self)
                }
                text += run
            } else if hasLines, skipNewline() {
                text.append(0x0A)
            } else if isControl(byte) {
                break
            } else {
                rest.removeFirst()
                text += try byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? escape(hasLines) : [byte]
            }
        }
        throw ConfigurationProblem(
            path: path, line: start, reason: .notTOML("a text has no closing quotes, or a control character"))
    }

    /// The rest of an escape, after its backslash.
    private mutating func escape(_ hasLines: Bool) throws(ConfigurationProblem) -> [UInt8] {
        if let simple = rest.first.flatMap({ Self.escapes[$0] }) {
            rest.removeFirst()
            return [simple]
        }
        if rest.first == UInt8(ascii: "u") || rest.first == UInt8(ascii: "U") {
            let count = rest.first == UInt8(ascii: "u") ? 4 : 8
            let digits = rest.dropFirst().prefix(count)
            rest = rest.dropFirst(1 + count)
            guard digits.count == count, digits.allSatisfy(isDigitOrLetter),
                let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(number)
            else { throw problem("\\u needs the four hexadecimal digits of a character, \\U eight") }
            if number == 0 { throw ConfigurationProblem(path: path, line: line, reason: .nul) }
            return Array(String(scalar).utf8)
        }
        // At the end of a line, it removes blanks and lines up to the next word.
        rest = rest.drop(while: isBlank)
        guard hasLines, skipNewline() else {
            throw problem("a backslash is \\\\ in double quotes, \\ in single quotes")
        }
        repeat { rest = rest.drop(while: isBlank) } while skipNewline()
        return []
    }

    private static let escapes = [UInt8: UInt8](
        uniqueKeysWithValues: zip("btnfr\"\\".utf8, [0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x22, 0x5C]))

    // MARK: bytes

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// - Parameter newlines: whether line ends and comments are skipped, too.
    private mutating func skipBlank(newlines: Bool) throws(ConfigurationProblem) {
        repeat {
            rest = rest.drop(while: isBlank)
            if newlines, rest.first == UInt8(ascii: "#") { try skipComment() }
        } while newlines && skipNewline()
    }

    private mutating func skipComment() throws(ConfigurationProblem) {
        rest = rest.drop { !isControl($0) }
        guard rest.isEmpty || rest.first == 0x0A || rest.starts(with: [0x0D, 0x0A]) else {
            throw problem("a comment with a control character")
        }
    }

    /// - Returns: whether there is a line end.
    @discardableResult
    private mutating func skipNewline() -> Bool {
        let count = rest.first == 0x0A ? 1 : rest.starts(with: [0x0D, 0x0A]) ? 2 : 0
        rest = rest.dropFirst(count)
        line += min(count, 1)
        return count > 0
    }

    // MARK: errors

    private func problem(_ reason: String) -> ConfigurationProblem {
        ConfigurationProblem(path: path, line: line, reason: .notTOML(reason))
    }

    private func unexpected(_ expected: String) -> ConfigurationProblem {
        let found = rest.prefix { $0 != 0x0A && $0 != 0x0D }
        let shown = ConfigurationProblem.Reason.shown(String(decoding: found, as: UTF8.self))
        return problem("expected \(expected), found \(found.isEmpty ? "the end of the line" : shown)")
    }

    private func repeated(_ path: [String]) -> ConfigurationProblem {
        problem("\(ConfigurationProblem.Reason.shown(path.joined(separator: "."))) is set a second time")
    }
}

extension ConfigurationValue {
    /// Sets a value in a table, or in tables within it, which are made. Other values stay as they are.
    fileprivate mutating func set(_ value: ConfigurationValue, at path: ArraySlice<String>) {
        guard let name = path.first else {
            self = value
            return
        }
        guard case .table(var values) = self else { return }
        self = .flag(false)  // so that the table is not copied
        values[name, default: .table([:])].set(value, at: path.dropFirst())
        self = .table(values)
    }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

private func isDigitOrLetter(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20 }

/// Whether the byte is neither allowed in a text nor in a comment.
private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }
