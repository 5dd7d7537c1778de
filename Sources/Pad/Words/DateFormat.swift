// SPDX-License-Identifier: Apache-2.0

/// A pattern of a date or a time as in strftime(3), with numeric fields only. Digits are Western in every language.
public struct DateFormat: Equatable, Sendable {
    /// Maximum length in Unicode scalars.
    public static let longestPattern = 64
    /// `-` leaves leading zeros out.
    public static let fields = ["%Y", "%m", "%-m", "%d", "%-d", "%H", "%-H", "%M", "%%"]
    /// The syntax, for error messages.
    public static let expectation =
        "a pattern of \(fields.joined(separator: ", ")) and other text, \(longestPattern) characters at most"
    /// ISO 8601.
    public static let iso8601 = DateFormat("%Y-%m-%d")!
    public static let twentyFourHours = DateFormat("%H:%M")!

    public let pattern: String

    /// nil for a pattern that is empty, too long or has a `%` other than ``fields``.
    public init?(_ pattern: String) {
        guard 1...Self.longestPattern ~= pattern.unicodeScalars.count,
            Self.text(pattern, value: { _ in 0 }) != nil
        else { return nil }
        self.pattern = pattern
    }

    /// - Parameters:
    ///   - month: 1 to 12.
    ///   - hour: 0 to 23.
    public func text(year: Int, month: Int, day: Int, hour: Int, minute: Int) -> String {
        let text = Self.text(pattern) { field in
            switch field {
            case "Y": year
            case "m": month
            case "d": day
            case "H": hour
            default: minute
            }
        }
        return text ?? pattern
    }

    /// The pattern with values in place of its fields; nil if it has a `%` other than ``fields``.
    private static func text(_ pattern: String, value: (Unicode.Scalar) -> Int) -> String? {
        var text = ""
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            var field = "%"
            if rest.first == "-" { field.unicodeScalars.append(rest.removeFirst()) }
            guard let letter = rest.popFirst() else { return nil }
            field.unicodeScalars.append(letter)
            guard fields.contains(field) else { return nil }
            if letter == "%" {
                text += "%"
            } else {
                text += padded(value(letter), field.hasPrefix("%-") ? 1 : letter == "Y" ? 4 : 2)
            }
        }
        return text
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        let text = "\(value.magnitude)"
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
