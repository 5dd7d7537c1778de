// SPDX-License-Identifier: Apache-2.0
public import Linux

/// How a date is written: a pattern as strftime(3) has it, of numbers only, which need no language.
public struct DateFormat: Equatable, Sendable {
    /// In Unicode scalars: a date is a few words beside the signer's name.
    public static let longestPattern = 64
    /// What may stand in a pattern, beside any other text.
    public static let fields = ["%Y", "%m", "%d", "%H", "%M", "%%"]
    /// ISO 8601, which is read alike everywhere.
    public static let iso8601 = DateFormat(parts: [.year, .text("-"), .month, .text("-"), .day], pattern: "%Y-%m-%d")

    private enum Part: Equatable, Sendable {
        case text(String)
        case year, month, day, hour, minute
    }

    public let pattern: String
    private let parts: [Part]

    private init(parts: [Part], pattern: String) {
        self.parts = parts
        self.pattern = pattern
    }

    /// nil for an empty or overlong pattern, and for one with a `%` that is none of ``fields``.
    public init?(_ pattern: String) {
        guard 1...Self.longestPattern ~= pattern.unicodeScalars.count else { return nil }
        var parts: [Part] = []
        var text = String.UnicodeScalarView()
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                text.append(scalar)
                continue
            }
            let part: Part
            switch rest.popFirst() {
            case "Y": part = .year
            case "m": part = .month
            case "d": part = .day
            case "H": part = .hour
            case "M": part = .minute
            case "%":
                text.append("%")
                continue
            default: return nil
            }
            if !text.isEmpty { parts.append(.text(String(text))) }
            text = String.UnicodeScalarView()
            parts.append(part)
        }
        if !text.isEmpty { parts.append(.text(String(text))) }
        self.init(parts: parts, pattern: pattern)
    }

    public func text(_ time: LocalTime) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .year: Self.padded(time.year, 4)
            case .month: Self.padded(time.month, 2)
            case .day: Self.padded(time.day, 2)
            case .hour: Self.padded(time.hour, 2)
            case .minute: Self.padded(time.minute, 2)
            }
        }.joined()
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        let text = "\(value.magnitude)"
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
