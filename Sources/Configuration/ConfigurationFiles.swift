// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Ink
import Linux
import Pad

extension Configuration {
    /// Size of a file in bytes.
    public static let largestFile = 1 << 14

    /// Reads a file and its drop-ins. Blocks; any thread.
    /// - Throws: ``ConfigurationError`` with all errors; of a file that is not TOML with the first one.
    public init(path: String) throws(ConfigurationError) { try self.init(ConfigurationFiles(path: path)) }

    /// - Parameter path: for messages.
    public init(document: [UInt8], path: String) throws(ConfigurationError) {
        try self.init(ConfigurationFiles(document: document, path: path))
    }

    init(_ files: ConfigurationFiles) throws(ConfigurationError) {
        let refused = files.problems.filter { !$0.isTolerated }
        guard refused.isEmpty else { throw .wrong(refused) }
        self = files.configuration
    }
}

/// The files of a configuration and all problems in them, for `config check`. ``Configuration/init(path:)`` is for
/// programs that run with it.
///
/// Beside `inkpanel.toml` there may be drop-ins: `inkpanel.toml.d/*.toml`. They are read after it, in the order of the
/// bytes of their names. Each is a document of its own, and sets settings anew.
public struct ConfigurationFiles: Sendable {
    public struct Place: Equatable, Sendable, CustomStringConvertible {
        public let path: String
        /// Counts from 1.
        public let line: Int

        public var description: String { "\(path):\(line)" }
    }

    /// The files in the order in which they were read: one or more.
    public private(set) var paths: [String] = []
    /// Whether there are drop-ins.
    public private(set) var hasDropIns = false
    /// Files among the drop-ins whose names do not end in `.toml`, so that they are not read.
    public private(set) var ignored: [String] = []
    /// Has the defaults where there is a problem.
    public private(set) var configuration = Configuration()
    /// Problems in the order of files and lines. A file that is not TOML has one: its first syntax error.
    public private(set) var problems: [ConfigurationProblem] = []
    /// Places of keys and tables in the last file that has them, by their paths.
    private(set) var places: [[String]: Place] = [:]
    /// Settings that a later file sets anew, by their paths, in the order of files.
    private var overridden: [[String]: [Place]] = [:]

    /// Reads a file and its drop-ins. The file may be missing if there are drop-ins. Blocks; any thread.
    /// - Throws: ``ConfigurationError/cannotRead(path:_:)`` or ``ConfigurationError/tooLarge(path:limit:)``.
    public init(path: String) throws(ConfigurationError) {
        let (dropIns, ignored) = try Self.dropIns(of: path)
        self.ignored = ignored
        hasDropIns = !dropIns.isEmpty
        do throws(ConfigurationError) {
            try add(Self.read(path), path)
        } catch {
            guard !dropIns.isEmpty, case .cannotRead(_, .noSuchFile) = error else { throw error }
        }
        for path in dropIns { try add(Self.read(path), path) }
        checkTogether()
    }

    /// - Parameter path: for messages.
    /// - Throws: ``ConfigurationError/tooLarge(path:limit:)``.
    public init(document: [UInt8], path: String) throws(ConfigurationError) {
        try add(document, path)
        checkTogether()
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

    /// Names that begin with a dot are left out: editors and package managers write such files before they rename them.
    private static func dropIns(of path: String) throws(ConfigurationError) -> (read: [String], ignored: [String]) {
        let directory = path + ".d"
        let names: [String]
        do throws(Errno) {
            names = try Directory.names(of: directory)
        } catch {
            // The file itself may be something else than a file: whoever reads it says so.
            if error == .noSuchFile || error == .notADirectory { return ([], []) }
            throw .cannotRead(path: directory, error)
        }
        let paths = names.filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { directory + "/" + $0 }
        return (paths.filter { $0.hasSuffix(".toml") }, paths.filter { !$0.hasSuffix(".toml") })
    }

    private mutating func add(_ document: [UInt8], _ path: String) throws(ConfigurationError) {
        guard document.count <= Configuration.largestFile else {
            throw .tooLarge(path: path, limit: Configuration.largestFile)
        }
        paths.append(path)
        do throws(ConfigurationProblem) {
            let text = Array(document.dropFirst(Self.byteOrderMark(of: document).count))
            var reader = ConfigurationReader(try TOMLDocument(text, path: path), path, configuration)
            reader.read()
            configuration = reader.configuration
            problems += reader.problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
            for (key, line) in reader.document.lines {
                if let earlier = places[key] { overridden[key, default: []].append(earlier) }
                places[key] = Place(path: path, line: line)
            }
        } catch {
            problems.append(error)
        }
    }

    /// The last place of a key; nil if the files lack it.
    public func place(of key: String, in table: String) -> Place? { places[[table, key]] }

    /// A setting to which a file assigns a value.
    public struct Assignment: Equatable, Sendable {
        /// The name of a setting, such as `display.rotate`.
        public let key: String
        public let place: Place
        /// Earlier places, which have no effect.
        public let overridden: [Place]
    }

    /// The settings that files set, in the order of the sample.
    public var settings: [Assignment] {
        Setting.all.compactMap { setting in
            places[setting.path].map { place in
                Assignment(
                    key: setting.path.joined(separator: "."), place: place, overridden: overridden[setting.path] ?? [])
            }
        }
    }

    /// The byte order mark that the document begins with, or nothing.
    static func byteOrderMark(of document: [UInt8]) -> [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return document.starts(with: mark) ? mark : []
    }

    // MARK: values that contradict each other

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
            places[["capture", "inactivity-seconds"]] != nil
        {
            add(
                .neverReached("inactivity-seconds", table: "capture", first: "total-seconds"),
                at: ["capture", "inactivity-seconds"])
        }
        if let dim = power.dimAfter, let off = power.offAfter, off < dim {
            add(.neverReached("dim-after-s", table: "power", first: "off-after-s"), at: ["power", "dim-after-s"])
        }
        checkEvidence()
        problems = inOrder(problems)
    }

    private mutating func checkEvidence() {
        let (evidence, delivery) = (configuration.evidence, configuration.delivery)
        func needs(_ key: String, _ table: String, _ other: String, _ reason: String) {
            add(.needs(key: key, table: table, other: other, reason: reason), at: [table, key])
        }
        let seals = "seals = true in [evidence]"
        if !evidence.seals {
            if !evidence.recipients.isEmpty {
                needs(
                    "recipients", "evidence", seals,
                    "the seal is all that the panel itself can read of an encrypted record")
            }
            if evidence.required {
                needs("required", "evidence", seals, "otherwise no capture could ever be sealed")
            }
            if delivery.enabled { needs("enabled", "delivery", seals, "only what is sealed is delivered") }
        }
        if delivery.required, !delivery.enabled {
            needs(
                "required", "delivery", "enabled = true in [delivery]",
                "otherwise records are removed that nothing delivers")
        }
    }

    private mutating func add(_ reason: ConfigurationProblem.Reason, at key: [String]) {
        problems.append(problem(reason, at: key))
    }

    /// A problem with a setting, at the place where it is set.
    public func problem(_ reason: ConfigurationProblem.Reason, at key: [String]) -> ConfigurationProblem {
        let place = places[key]
        return ConfigurationProblem(path: place?.path ?? paths[0], line: place?.line, reason: reason)
    }

    /// Sorts problems by files and lines.
    public func inOrder(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
        func rank(_ problem: ConfigurationProblem) -> (Int, Int) {
            (paths.firstIndex(of: problem.path) ?? 0, problem.line ?? 0)
        }
        return problems.sorted { rank($0) < rank($1) }
    }
}

/// Reads a document: each value sets a property or becomes a problem.
private struct ConfigurationReader {
    private(set) var configuration: Configuration
    private(set) var problems: [ConfigurationProblem] = []
    let document: TOMLDocument
    private let path: String
    private let settings = Setting.all

    /// - Parameter configuration: what earlier files have set.
    init(_ document: TOMLDocument, _ path: String, _ configuration: Configuration) {
        self.document = document
        self.path = path
        self.configuration = configuration
    }

    mutating func read() {
        if case .table(let values) = document.root { read(values, in: []) }
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

    private mutating func add(_ reason: ConfigurationProblem.Reason, at key: [String]) {
        problems.append(ConfigurationProblem(path: path, line: document.lines[key], reason: reason))
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
            key: setting.name, table: setting.table.joined(separator: "."),
            found: setting.isSecret ? value.kindName : value.shown,
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
}
