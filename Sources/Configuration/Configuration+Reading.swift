// SPDX-License-Identifier: Apache-2.0
import Ink
import Pad
import TOMLKit

extension Configuration {
    /// Of a file, in bytes: three times the sample. Dotted keys make tables in tables as deep as half of that, which
    /// take the parser some 400 bytes of stack each; it has no bound of its own, and 8 MiB of stack do for 20,000.
    public static let largestFile = 1 << 14

    /// Reads a file. It is waited for; any thread.
    /// - Throws: ``ConfigurationError`` with everything that is wrong with the file, or with its first line that is not
    ///   TOML.
    public init(path: String) throws(ConfigurationError) { try self.init(ConfigurationFile(path: path)) }

    /// - Parameter path: for messages.
    public init(document: [UInt8], path: String) throws(ConfigurationError) {
        try self.init(ConfigurationFile(document: document, path: path))
    }

    private init(_ file: ConfigurationFile) throws(ConfigurationError) {
        let refused = file.problems.filter { !$0.isTolerated }
        guard refused.isEmpty else { throw .wrong(path: file.path, refused) }
        self = file.configuration
    }
}

/// One pass over a document: each value goes to its property or becomes a problem.
struct ConfigurationReader {
    private(set) var configuration = Configuration()
    private(set) var problems: [ConfigurationProblem] = []
    private let root: [String: ConfigurationValue]
    private let lines: KeyLines
    private let keys = ConfigurationKey.all

    /// - Throws: the first thing that is not TOML.
    init(_ document: [UInt8], _ lines: KeyLines) throws(ConfigurationProblem) {
        let text = try Self.text(of: document)
        self.lines = lines
        if let line = lines.mistake {
            throw ConfigurationProblem(
                line: line, reason: .notTOML("expected key = value, [table] or #, and brackets that close each other"))
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch {
            guard let error = error as? TOMLParseError else {
                throw ConfigurationProblem(line: nil, reason: .notTOML("\(error)"))
            }
            throw ConfigurationProblem(line: error.source.begin.line, reason: .notTOML(error.description))
        }
        guard case .table(let values) = ConfigurationValue(table) else { preconditionFailure("a document is a table") }
        root = values
    }

    /// The library takes C strings and passes on what is not UTF-8.
    private static func text(of document: [UInt8]) throws(ConfigurationProblem) -> String {
        guard let text = String(validating: document, as: UTF8.self) else {
            // The replacement characters are where it is not.
            let repaired = String(decoding: document, as: UTF8.self)
            let pairs = zip(
                repaired.split(separator: "\n", omittingEmptySubsequences: false),
                document.split(separator: 0x0A, omittingEmptySubsequences: false))
            let line = pairs.enumerated().first { !$1.0.utf8.elementsEqual($1.1) }
            throw ConfigurationProblem(line: line.map { $0.offset + 1 }, reason: .notUTF8)
        }
        for (index, line) in document.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if line.contains(0) || line.indices.contains(where: { isEscapedNUL(line[$0...]) }) {
                throw ConfigurationProblem(line: index + 1, reason: .nul)
            }
        }
        return text
    }

    /// By its bytes: `String.contains(_:)` of a string is Foundation's in Swift 6.0, where TOMLKit's import of it is
    /// seen from here, and Foundation links 36 MB of ICU data (tools/cross).
    private static func isEscapedNUL(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: "\\u0000".utf8) || bytes.starts(with: "\\U00000000".utf8)
    }

    mutating func read() {
        read(root, in: [])
        checkTogether()
    }

    private mutating func read(_ table: [String: ConfigurationValue], in path: [String]) {
        for (name, value) in table {
            let inner = path + [name]
            if let key = keys.first(where: { $0.path == inner }) {
                if !key.read(value, &configuration) { add(unfit(value, key), at: inner) }
            } else if keys.contains(where: { $0.table.starts(with: inner) }) {
                if case .table(let values) = value {
                    read(values, in: inner)
                } else {
                    add(.notATable(inner.joined(separator: "."), found: value.kindName), at: inner)
                }
            } else {
                add(unknown(name, value, in: path), at: inner)
            }
        }
    }

    private mutating func add(_ reason: ConfigurationProblem.Reason, at path: [String]) {
        problems.append(ConfigurationProblem(line: lines[path], reason: reason))
    }

    private func unfit(_ value: ConfigurationValue, _ key: ConfigurationKey) -> ConfigurationProblem.Reason {
        let text = value.description
        let found =
            switch value {
            case .list, .table: value.kindName
            default: "\(text.unicodeScalars.count > 60 ? String(text.prefix(60)) + "…" : text), \(value.kindName)"
            }
        var suggestion: String?
        if case .text(let word) = value { suggestion = Suggestion.nearest(to: word, of: key.words) }
        if case .list(let values) = value {
            for case .text(let word) in values where suggestion == nil && !key.words.contains(word) {
                suggestion = Suggestion.nearest(to: word, of: key.words)
            }
        }
        return .unfitValue(
            key: key.name, table: key.table.joined(separator: "."), found: found, expected: key.expectation,
            suggestion: suggestion)
    }

    private func unknown(
        _ name: String, _ value: ConfigurationValue, in path: [String]
    ) -> ConfigurationProblem.Reason {
        let table = path.joined(separator: ".")
        var isTable = false
        if case .table = value { isTable = true }
        let tables = Set(keys.map { $0.table.joined(separator: ".") }).sorted()
        if isTable {
            let full = (path + [name]).joined(separator: ".")
            let nearest = Suggestion.nearest(to: full, of: tables)
            return .unknownTable(full, suggestion: nearest ?? tables.first { $0.hasSuffix("." + name) })
        }
        let names = keys.filter { $0.table == path }.map(\.name)
        let owners = keys.filter { $0.name == name }.map { $0.table.joined(separator: ".") }
        return .unknownKey(
            name, table: path.isEmpty ? nil : table,
            suggestion: owners.isEmpty ? Suggestion.nearest(to: name, of: names) : nil, elsewhere: owners.first)
    }

    /// What single values do not tell.
    private mutating func checkTogether() {
        let ink = configuration.ink
        for foreign in PenSwitch.allCases where ink.switches.contains(foreign) && !ink.pen.switches.contains(foreign) {
            let owners = PenName.allCases.filter { $0.switches.contains(foreign) }.map(\.rawValue)
            add(.foreignSwitch(foreign.rawValue, pens: owners), at: ["ink", "pen-switches"])
        }
        if configuration.pad.idleText != nil, configuration.pad.idlePicture != nil {
            add(.twoIdlePages, at: ["pad", "idle-picture"])
        }
        let (capture, power) = (configuration.capture, configuration.power)
        // A default that another value makes useless is nobody's mistake.
        if let inactivity = capture.inactivityLimit, let total = capture.totalLimit, inactivity > total,
            lines[["capture", "inactivity-seconds"]] != nil {
            add(
                .neverReached("inactivity-seconds", table: "capture", first: "total-seconds"),
                at: ["capture", "inactivity-seconds"])
        }
        if let dim = power.dimAfter, let off = power.offAfter, off < dim {
            add(.neverReached("dim-after-s", table: "power", first: "off-after-s"), at: ["power", "dim-after-s"])
        }
    }
}
