// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Linux

/// A value of a TOML document.
package enum ConfigurationValue: Equatable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case list([ConfigurationValue])
    case table([String: ConfigurationValue])
    /// A date, a time or both. No setting takes one.
    case moment(String)
}

extension ConfigurationValue: CustomStringConvertible {
    /// The value in TOML.
    package var description: String {
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

extension ConfigurationValue {
    /// The value of a word without quotes; nil if TOML has no such value.
    init?(word: String) {
        switch word {
        case "true": self = .flag(true)
        case "false": self = .flag(false)
        case "nan", "+nan", "-nan": self = .number(.nan)
        case "inf", "+inf": self = .number(.infinity)
        case "-inf": self = .number(-.infinity)
        default:
            if let value = Self.integer(word) {
                self = .integer(value)
            } else if let value = Self.number(word) {
                self = .number(value)
            } else if word.utf8.contains(where: { $0 == 0x2D || $0 == 0x3A }), word.first?.isNumber == true,
                word.utf8.allSatisfy("0123456789-:.+TtZz".utf8.contains)
            {
                // Whether there is such a day does not matter.
                self = .moment(word)
            } else {
                return nil
            }
        }
    }

    /// nil also beyond 64 bits.
    private static func integer(_ word: String) -> Int? {
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
            return digits(word.dropFirst(2), radix).flatMap { Int($0, radix: radix) }
        }
        return wholeNumber(word[...]).flatMap { Int($0) }
    }

    private static func number(_ word: String) -> Double? {
        let parts = word.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let places = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard word.count > places[0].count, var text = wholeNumber(places[0]) else { return nil }
        if places.count > 1 {
            guard let fraction = digits(places[1]) else { return nil }
            text += "." + fraction
        }
        if parts.count > 1 {
            guard let exponent = digits(unsigned(parts[1])) else { return nil }
            text += (parts[1].hasPrefix("-") ? "e-" : "e") + exponent
        }
        return Double(text)
    }

    /// A decimal number without zeros in front.
    private static func wholeNumber(_ word: Substring) -> String? {
        guard let digits = digits(unsigned(word)), digits == "0" || !digits.hasPrefix("0") else { return nil }
        return (word.hasPrefix("-") ? "-" : "") + digits
    }

    private static func unsigned(_ word: Substring) -> Substring {
        word.hasPrefix("+") || word.hasPrefix("-") ? word.dropFirst() : word
    }

    /// Digits, without the single _ that may be between them.
    private static func digits(_ word: Substring, _ radix: Int = 10) -> String? {
        let groups = word.split(separator: "_", omittingEmptySubsequences: false)
        let areDigits = groups.allSatisfy { group in
            !group.isEmpty && group.allSatisfy { $0.isASCII && ($0.hexDigitValue ?? 16) < radix }
        }
        return areDigits ? groups.joined() : nil
    }
}
