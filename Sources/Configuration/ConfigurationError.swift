// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Why there is no configuration.
public enum ConfigurationError: Error, Equatable, Sendable {
    case cannotRead(path: String, Errno)
    case tooLarge(path: String, limit: Int)
    /// In the order of their lines, at least one.
    case wrong(path: String, [ConfigurationProblem])
    /// The key is where no line of its own can set it; the entry is what the table should have.
    case cannotEdit(path: String, table: String, entry: String)
}

extension ConfigurationError: CustomStringConvertible {
    /// A line for each problem.
    public var description: String { lines.joined(separator: "\n") }

    public var lines: [String] {
        switch self {
        case .cannotRead(let path, let errno): ["cannot read the configuration \(path): \(errno)"]
        case .tooLarge(let path, let limit): ["\(path) has more than \(limit) bytes: no configuration is that long"]
        case .cannotEdit(let path, let table, let entry):
            ["\(path) has [\(table)] in a form that is not changed here; write there yourself: \(entry)"]
        case .wrong(let path, let problems):
            problems.map { problem in "\(path):\(problem.line.map { "\($0):" } ?? "") \(problem.reason)" }
        }
    }
}

/// Something in a configuration that cannot be meant.
public struct ConfigurationProblem: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case notUTF8
        /// The parser's words.
        case notTOML(String)
        /// A character that no value can hold.
        case nul
        case unknownTable(String, suggestion: String?)
        /// In a table, or in none; `elsewhere` is a table that has such a key.
        case unknownKey(String, table: String?, suggestion: String?, elsewhere: String?)
        /// There is a table of this name.
        case notATable(String, found: String)
        case unfitValue(key: String, table: String, found: String, expected: String, suggestion: String?)
        /// A change to a pen other than the one that draws.
        case foreignSwitch(String, pens: [String])
        /// Both say what is on the idle page.
        case twoIdlePages
        /// A time that never passes, because a shorter one ends what it is of. The program can live with it.
        case neverReached(String, table: String, first: String)
        /// The value can be meant, but not on this machine: for people.
        case unusable(key: String, table: String, String)
    }

    /// From 1; nil where it is not known.
    public var line: Int?
    public var reason: Reason

    /// Whether the program runs with it.
    var isTolerated: Bool {
        if case .neverReached = reason { true } else { false }
    }

    public init(line: Int?, reason: Reason) {
        self.line = line
        self.reason = reason
    }
}

extension ConfigurationProblem.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notUTF8: "this is not text in UTF-8"
        case .notTOML(let reason): "this is not TOML: \(reason)"
        case .nul: "no value can have a NUL character in it"
        case .unknownTable(let name, let suggestion):
            "there is no table [\(Self.shown(name))]\(Self.question(suggestion.map { "[\($0)]" }))"
        case .unknownKey(let name, let table, let suggestion, let elsewhere):
            "there is no key \(Self.shown(name)) " + (table.map { "in [\($0)]" } ?? "outside of the tables")
                + (suggestion == nil ? elsewhere.map { "; it belongs to [\($0)]" } ?? "" : Self.question(suggestion))
        case .notATable(let name, let found):
            "\(name) is \(found), but must be a table: write its keys below a line [\(name)]"
        case .unfitValue(let key, let table, let found, let expected, let suggestion):
            "\(key) in [\(table)] is \(found); expected \(expected)"
                + Self.question(suggestion.map { "\"\($0)\"" })
        case .foreignSwitch(let name, let pens):
            "\"\(name)\" in pen-switches is for the pen \(pens.joined(separator: ", ")): name that pen, or leave it out"
        case .neverReached(let name, let table, let first):
            "\(name) in [\(table)] never counts, because \(first) is shorter: change one of them"
        case .unusable(let key, let table, let reason): "\(key) in [\(table)]: \(reason)"
        case .twoIdlePages: "the idle page has idle-text and idle-picture: leave one of them out"
        }
    }

    private static func question(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean \($0)?" } ?? ""
    }

    /// A name from the file, which may be anything, for a terminal.
    private static func shown(_ name: String) -> String {
        let short = name.unicodeScalars.count > 40 ? String(name.prefix(40)) + "…" : name
        return short.debugDescription
    }
}
