// SPDX-License-Identifier: Apache-2.0
public import Linux

/// Why a configuration cannot be read or edited.
public enum ConfigurationError: Error, Equatable, Sendable {
    case cannotRead(path: String, Errno)
    case tooLarge(path: String, limit: Int)
    /// At least one problem, in the order of files and lines.
    case wrong([ConfigurationProblem])
    /// The table has a form that is not edited, such as an inline table. `entry` is the line to write by hand.
    case cannotEdit(path: String, table: String, entry: String)
    /// A drop-in sets the key that was to be written.
    case overridden(path: String, table: String, key: String, by: ConfigurationFiles.Place)
}

extension ConfigurationError: CustomStringConvertible {
    /// A line for each problem.
    public var description: String { lines.joined(separator: "\n") }

    public var lines: [String] {
        switch self {
        case .cannotRead(let path, let errno): ["cannot read the configuration \(path): \(errno)"]
        case .tooLarge(let path, let limit): ["\(path) is larger than \(limit) bytes, the limit of a configuration"]
        case .cannotEdit(let path, let table, let entry):
            ["\(path) has [\(table)] in a form that cannot be edited here; add this line yourself: \(entry)"]
        case .overridden(let path, let table, let key, let place):
            ["\(place) sets \(key) in [\(table)], so that \(path) would have no effect: remove it there"]
        case .wrong(let problems):
            problems.map { problem in "\(problem.path):\(problem.line.map { "\($0):" } ?? "") \(problem.reason)" }
        }
    }
}

public struct ConfigurationProblem: Error, Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        case notUTF8
        /// Has the message of the parser.
        case notTOML(String)
        case nul
        case unknownTable(String, suggestion: String?)
        /// `table` is nil outside of tables; `elsewhere` is a table that has such a key.
        case unknownKey(String, table: String?, suggestion: String?, elsewhere: String?)
        /// A value with the name of a table.
        case notATable(String, found: String)
        case unfitValue(key: String, table: String, found: String, expected: String, suggestion: String?)
        /// A switch of a pen other than the selected one.
        case foreignSwitch(String, pens: [String])
        /// `idle-text` and `idle-picture` are both set.
        case twoIdlePages
        /// A time that has no effect, because a shorter one comes first. The program runs with it.
        case neverReached(String, table: String, first: String)
        /// The value needs another one, such as `seals = true in [evidence]`, and why.
        case needs(key: String, table: String, other: String, reason: String)
        /// The value is valid, but not on this machine.
        case unusable(key: String, table: String, String)
    }

    /// The file.
    public var path: String
    /// Counts from 1; nil if unknown.
    public var line: Int?
    public var reason: Reason

    /// Whether the program runs in spite of it.
    var isTolerated: Bool {
        if case .neverReached = reason { true } else { false }
    }

    public init(path: String, line: Int?, reason: Reason) {
        self.path = path
        self.line = line
        self.reason = reason
    }
}

extension ConfigurationProblem.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notUTF8: "the file is not UTF-8 text"
        case .notTOML(let reason): "not valid TOML: \(reason)"
        case .nul: "values cannot contain NUL characters"
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
            "\"\(name)\" in pen-switches is for the pen \(pens.joined(separator: ", ")): select that pen, or remove it"
        case .neverReached(let name, let table, let first):
            "\(name) in [\(table)] has no effect, because \(first) is shorter: change one of them"
        case .needs(let key, let table, let other, let reason): "\(key) in [\(table)] needs \(other): \(reason)"
        case .unusable(let key, let table, let reason): "\(key) in [\(table)]: \(reason)"
        case .twoIdlePages: "idle-text and idle-picture are both set: remove one of them"
        }
    }

    private static func question(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean \($0)?" } ?? ""
    }

    /// A name from the file, quoted and shortened for a terminal.
    package static func shown(_ name: String) -> String {
        // A key without quotes is no TOML, and must not reach the log either.
        let words = name.lowercased().split { !$0.isLetter && $0 != "-" && $0 != "_" }
        let isSecret = words.contains { word in
            ["age-secret-key-", "age-plugin-", "whsec_"].contains { word.hasPrefix($0) }
        }
        if isSecret { return "a secret" }
        let short = name.unicodeScalars.count > 40 ? String(name.prefix(40)) + "…" : name
        return short.debugDescription
    }
}

/// Suggestions for mistyped words.
package enum Suggestion {
    /// Longer words are hardly typing errors and slow to compare.
    private static let longestWord = 40

    /// The most similar candidate; nil if none is similar.
    package static func nearest(to word: String, of candidates: [String]) -> String? {
        guard word.count <= longestWord else { return nil }
        let typed = word.lowercased()
        let near = candidates.map { (word: $0, distance: distance(typed, $0.lowercased())) }
            // Guesses are more often odd than right if more than a third of the letters differ.
            .filter { $0.distance <= max(1, max(typed.count, $0.word.count) / 3) }
            .min { $0.distance < $1.distance }
        if let near { return near.word }
        // The first part of a compound: `width` for `width-mm`.
        let longer = candidates.filter { typed.count >= 3 && $0.hasPrefix(typed + "-") }
        return longer.count == 1 ? longer[0] : nil
    }

    /// The number of letters to delete, insert, replace or swap with their neighbours (optimal string alignment).
    static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one), Array(other))
        var rows = [Array(0...b.count)]
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var least = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
