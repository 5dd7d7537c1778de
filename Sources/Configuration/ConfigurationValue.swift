// SPDX-License-Identifier: Apache-2.0
import Linux
import TOMLKit

/// A value of a TOML document, apart from the library that read it.
enum ConfigurationValue: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case list([ConfigurationValue])
    case table([String: ConfigurationValue])
    /// A date, a time or both: no key has one.
    case moment(String)

    /// Deeper tables are read as empty ones: no key is there, and dotted keys nest as deep as a file is long.
    private static let deepest = 4

    init(_ table: TOMLTable, depth: Int = 0) {
        var values: [String: ConfigurationValue] = [:]
        if depth < Self.deepest {
            // A key with a NUL in it comes out of the library without what follows, and is not found again.
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
    /// As TOML has it.
    var description: String {
        switch self {
        case .text(let text): "\"" + Self.escaped(text) + "\""
        case .integer(let value): "\(value)"
        case .number(let value): Self.text(of: value)
        case .flag(let flag): "\(flag)"
        case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .table(let values):
            "{ " + values.sorted { $0.key < $1.key }.map { "\"\(Self.escaped($0.key))\" = \($0.value)" }
                .joined(separator: ", ") + " }"
        case .moment(let text): text
        }
    }

    /// For who has written the one where another belongs.
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
        // Whole numbers read better as such; beyond these not all are numbers of their own.
        return value.magnitude < 1e15 && value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// What a basic string of TOML cannot hold as it is.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            // Those that it cannot hold, and those that `config show` must not send to a terminal.
            case _ where scalar.steersTerminal: result += scalar.escape
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
