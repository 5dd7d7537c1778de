// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Ink
import Linux
import Pad
import TOMLKit

extension Configuration {
    /// Size in bytes. Bounds the depth of nested tables to half of that: toml++ has no limit and needs some 400 bytes
    /// of stack for each.
    public static let largestFile = 1 << 14

    /// Reads a file. Blocks; any thread.
    /// - Throws: ``ConfigurationError`` with all errors, or with the first one if the file is not TOML.
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

/// A configuration file and all problems in it, for `config check`. ``Configuration/init(path:)`` is for programs that
/// run with it.
public struct ConfigurationFile: Sendable {
    public let path: String
    /// Has the defaults where there is a problem.
    public let configuration: Configuration
    /// Problems in the order of lines. If the file is not TOML, only the first syntax error.
    public let problems: [ConfigurationProblem]
    private let lines: KeyLines

    /// Reads a file. Blocks; any thread.
    /// - Throws: ``ConfigurationError/cannotRead(path:_:)`` or ``ConfigurationError/tooLarge(path:limit:)``.
    public init(path: String) throws(ConfigurationError) {
        try self.init(document: Self.read(path), path: path)
    }

    /// Reads the bytes of a file. Blocks; any thread.
    /// - Throws: as ``init(path:)``.
    public static func read(_ path: String) throws(ConfigurationError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: Configuration.largestFile)
        } catch {
            throw .cannotRead(path: path, error)
        }
        guard let bytes else { throw .tooLarge(path: path, limit: Configuration.largestFile) }
        return bytes
    }

    /// - Parameter path: for messages.
    /// - Throws: ``ConfigurationError/tooLarge(path:limit:)``.
    public init(document: [UInt8], path: String) throws(ConfigurationError) {
        guard document.count <= Configuration.largestFile else {
            throw .tooLarge(path: path, limit: Configuration.largestFile)
        }
        self.path = path
        let text = document.dropFirst(Self.byteOrderMark(of: document).count)
        lines = KeyLines(Array(text))
        do throws(ConfigurationProblem) {
            var reader = try ConfigurationReader(Array(text), lines)
            reader.read()
            configuration = reader.configuration
            problems = reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        } catch {
            configuration = Configuration()
            problems = [error]
        }
    }

    /// Line of a key, from 1; nil if the file lacks it.
    public func line(of key: String, in table: String) -> Int? { lines[[table, key]] }

    /// The byte order mark that the document begins with, or nothing.
    static func byteOrderMark(of document: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return document.starts(with: mark) ? mark : []
    }
}

/// Reads a document: each value sets a property or becomes a problem.
private struct ConfigurationReader {
    private(set) var configuration = Configuration()
    private(set) var problems: [ConfigurationProblem] = []
    private let root: [String: ConfigurationValue]
    private let lines: KeyLines
    private let settings = Setting.all

    /// - Throws: the first syntax error.
    init(_ document: [UInt8], _ lines: KeyLines) throws(ConfigurationProblem) {
        let text = try Self.text(of: document)
        self.lines = lines
        if let line = lines.syntaxError {
            throw ConfigurationProblem(
                line: line, reason: .notTOML("expected key = value, [table] or #, and matching brackets"))
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

    /// The text, without NUL and invalid UTF-8, which TOMLKit does not check.
    private static func text(of document: [UInt8]) throws(ConfigurationProblem) -> String {
        guard let text = String(validating: document, as: UTF8.self) else {
            // Decoding replaces the invalid bytes, so their line differs.
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

    /// Compares bytes: in Swift 6.0, `String.contains(_:)` would be Foundation's, which links 36 MB of ICU data
    /// (tools/cross).
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
            if let setting = settings.first(where: { $0.path == inner }) {
                if !setting.read(value, &configuration) { add(invalid(value, setting), at: inner) }
            } else if settings.contains(where: { $0.table.starts(with: inner) }) {
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

    private func invalid(_ value: ConfigurationValue, _ setting: Setting) -> ConfigurationProblem.Reason {
        var suggestion: String?
        if case .text(let word) = value { suggestion = Suggestion.nearest(to: word, of: setting.words) }
        if case .list(let values) = value {
            for case .text(let word) in values where suggestion == nil && !setting.words.contains(word) {
                suggestion = Suggestion.nearest(to: word, of: setting.words)
            }
        }
        return .unfitValue(
            key: setting.name, table: setting.table.joined(separator: "."), found: value.shown,
            expected: setting.expectation + (setting.fault(value).map { "; \($0)" } ?? ""), suggestion: suggestion)
    }

    private func unknown(
        _ name: String, _ value: ConfigurationValue, in path: [String]
    ) -> ConfigurationProblem.Reason {
        let table = path.joined(separator: ".")
        var isTable = false
        if case .table = value { isTable = true }
        let tables = Set(settings.map { $0.table.joined(separator: ".") }).sorted()
        if isTable {
            let full = (path + [name]).joined(separator: ".")
            let nearest = Suggestion.nearest(to: full, of: tables)
            return .unknownTable(full, suggestion: nearest ?? tables.first { $0.hasSuffix("." + name) })
        }
        let names = settings.filter { $0.table == path }.map(\.name)
        let owners = settings.filter { $0.name == name }.map { $0.table.joined(separator: ".") }
        return .unknownKey(
            name, table: path.isEmpty ? nil : table,
            suggestion: owners.isEmpty ? Suggestion.nearest(to: name, of: names) : nil, elsewhere: owners.first)
    }

    /// Checks values that contradict each other.
    private mutating func checkTogether() {
        let ink = configuration.ink
        let foreignSwitches = (ink.switches ?? []).subtracting(ink.pen.switches)
        for foreign in PenSwitch.allCases where foreignSwitches.contains(foreign) {
            let owners = PenName.allCases.filter { $0.switches.contains(foreign) }.map(\.rawValue)
            add(.foreignSwitch(foreign.rawValue, pens: owners), at: ["ink", "pen-switches"])
        }
        if configuration.pad.idleText != nil, !configuration.pad.idlePictures.isEmpty {
            add(.twoIdlePages, at: ["pad", "idle-picture"])
        }
        let (capture, power) = (configuration.capture, configuration.power)
        // A default that another value makes useless is no problem.
        if let inactivity = capture.inactivityLimit, let total = capture.totalLimit, inactivity > total,
            lines[["capture", "inactivity-seconds"]] != nil
        {
            add(
                .neverReached("inactivity-seconds", table: "capture", first: "total-seconds"),
                at: ["capture", "inactivity-seconds"])
        }
        if let dim = power.dimAfter, let off = power.offAfter, off < dim {
            add(.neverReached("dim-after-s", table: "power", first: "off-after-s"), at: ["power", "dim-after-s"])
        }
    }
}
