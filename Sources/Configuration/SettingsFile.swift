// SPDX-License-Identifier: Apache-2.0

/// The file that a person edits on the boot partition of a card: `[machine]`, and the panel's own settings, which are
/// those of `inkpanel.toml`.
public struct SettingsFile: Sendable {
    /// Replaces a secret that the machine has taken. It is too short for one.
    public static let kept = "taken"

    private static let table = "machine"

    /// Those that have no problem.
    public private(set) var settings = MachineSettings()
    /// The settings of the machine that have a problem. Whatever they were before stays.
    public private(set) var wrong: Set<MachineSettings.Key> = []
    /// All problems, in the order of their lines.
    public private(set) var problems: [ConfigurationProblem] = []
    /// The panel's own settings, on the lines that they have in the file; empty without any, nil if one has a
    /// problem.
    public private(set) var panelDocument: [UInt8]?
    /// The bytes of the secrets that can be used, with their quotes.
    public private(set) var secrets: [Range<Int>] = []
    private var lines: [[String]: Int] = [:]

    /// - Parameter path: for messages.
    public init(document: [UInt8], path: String) {
        let mark = ConfigurationFiles.byteOrderMark(of: document)
        let text = Array(document.dropFirst(mark.count))
        let file: TOMLDocument
        do throws(ConfigurationProblem) {
            file = try TOMLDocument(text, path: path)
        } catch {
            problems = [error]
            wrong = Set(MachineSettings.Key.allCases)
            return
        }
        lines = file.lines
        readMachine(file, path)
        secrets = secrets.map { $0.lowerBound + mark.count..<$0.upperBound + mark.count }
        readPanel(file, Self.text(text, withoutLines: Self.machineLines(file)), path)
        problems.sort { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    /// The line of a setting of the machine, from 1; nil if the file lacks it.
    public func line(of key: MachineSettings.Key) -> Int? { lines[[Self.table, key.rawValue]] }

    // MARK: [machine]

    private mutating func readMachine(_ file: TOMLDocument, _ path: String) {
        guard case .table(let root) = file.root, let found = root[Self.table] else { return }
        guard case .table(let values) = found, file.headers.contains(where: { $0.path == [Self.table] }) else {
            add(.notATable(Self.table, found: "no table with a line of its own"), at: [], path)
            wrong = Set(MachineSettings.Key.allCases)
            return
        }
        for (name, value) in values {
            guard let setting = MachineSetting.all.first(where: { $0.key.rawValue == name }) else {
                let names = MachineSettings.Key.allCases.map(\.rawValue)
                let suggestion = Suggestion.nearest(to: name, of: names)
                add(.unknownKey(name, table: Self.table, suggestion: suggestion, elsewhere: nil), at: [name], path)
                continue
            }
            if setting.read(value, &settings) {
                if setting.isSecret, value != .text(Self.kept) {
                    secrets += file.ranges[[Self.table, name]].map { [$0] } ?? []
                }
                continue
            }
            wrong.insert(setting.key)
            let expected = setting.expectation + (setting.fault(value).map { "; \($0)" } ?? "")
            add(
                .unfitValue(
                    key: name, table: Self.table, found: setting.isSecret ? value.kindName : value.shown,
                    expected: expected, suggestion: nil),
                at: [name], path)
        }
        needs(.gateway, settings.gateway != nil, .address, settings.address != nil, "DHCP has its own", path)
        needs(
            .wifiPassword, settings.wifiPassword != nil, .wifiName, settings.wifiName != nil,
            "the password is that network's", path)
        // The machine does not take the password then, and whoever corrects the file needs it.
        if !wrong.isDisjoint(with: MachineSettings.Key.wifi) { secrets = [] }
    }

    private mutating func needs(
        _ key: MachineSettings.Key, _ isSet: Bool, _ other: MachineSettings.Key, _ isOtherSet: Bool, _ reason: String,
        _ path: String
    ) {
        guard isSet, !isOtherSet, !wrong.contains(other) else { return }
        wrong.insert(key)
        add(
            .needs(key: key.rawValue, table: Self.table, other: other.rawValue, reason: reason), at: [key.rawValue],
            path)
    }

    private mutating func add(
        _ reason: ConfigurationProblem.Reason, at key: [String], _ path: String
    ) {
        let line = lines[[Self.table] + key]
        problems.append(ConfigurationProblem(path: path, line: line, reason: reason))
    }

    // MARK: the panel's settings

    private mutating func readPanel(_ file: TOMLDocument, _ document: [UInt8], _ path: String) {
        do throws(ConfigurationError) {
            let files = try ConfigurationFiles(document: document, path: path)
            // A table without its header is not removed, and is said already.
            let found = files.problems.filter { $0.line != file.lines[[Self.table]] }
            problems += found
            let isUsable = found.allSatisfy(\.isTolerated) && found.count == files.problems.count
            if isUsable { panelDocument = files.settings.isEmpty ? [] : document }
        } catch {
            problems.append(ConfigurationProblem(path: path, line: nil, reason: .notTOML("\(error)")))
        }
    }

    /// The lines of the table, from 1.
    private static func machineLines(_ file: TOMLDocument) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for (index, header) in file.headers.enumerated() where header.path.first == table {
            let next = file.headers.dropFirst(index + 1).first?.line ?? Int.max
            ranges.append(header.line..<max(header.line, next))
        }
        return ranges
    }

    /// Empties lines, so that the others keep their numbers.
    private static func text(_ text: [UInt8], withoutLines ranges: [Range<Int>]) -> [UInt8] {
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        let left = lines.enumerated().map { index, line in
            ranges.contains { $0.contains(index + 1) } ? ArraySlice([]) : line
        }
        return Array(left.joined(separator: [0x0A]))
    }
}
