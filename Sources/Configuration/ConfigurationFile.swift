// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Ink
import Linux
import Pad

extension Configuration {
    /// Size in bytes.
    public static let largestFile = 1 << 14

    /// Reads a file. Blocks; any thread.
    /// - Throws: ``ConfigurationError`` with all errors, or with the first one if the file is not TOML.
    public init(path: String) throws(ConfigurationError) { try self.init(ConfigurationFile(path: path)) }

    /// - Parameter path: for messages.
    public init(document: [UInt8], path: String) throws(ConfigurationError) {
        try self.init(ConfigurationFile(document: document, path: path))
    }

    init(_ file: ConfigurationFile) throws(ConfigurationError) {
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
    /// Lines of keys and tables, by their paths; empty if the file is not TOML.
    let lines: [[String]: Int]

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
        do throws(ConfigurationProblem) {
            let text = Array(document.dropFirst(Self.byteOrderMark(of: document).count))
            var reader = ConfigurationReader(try TOMLDocument(text))
            reader.read()
            configuration = reader.configuration
            problems = reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
            lines = reader.document.lines
        } catch {
            configuration = Configuration()
            problems = [error]
            lines = [:]
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
    let document: TOMLDocument
    private let settings = Setting.all

    init(_ document: TOMLDocument) { self.document = document }

    mutating func read() {
        if case .table(let values) = document.root { read(values, in: []) }
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
        problems.append(ConfigurationProblem(line: document.lines[path], reason: reason))
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
            document.lines[["capture", "inactivity-seconds"]] != nil
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
