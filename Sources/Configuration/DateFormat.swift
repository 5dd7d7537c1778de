// SPDX-License-Identifier: Apache-2.0

/// How a date is written: a pattern as strftime(3) has it, of numbers only, which need no language.
public struct DateFormat: Equatable, Sendable {
    /// A date and a time as clocks on walls show them, Gregorian.
    public struct Moment: Equatable, Sendable {
        public var year: Int
        /// From 1.
        public var month: Int
        public var day: Int
        public var hour: Int
        public var minute: Int

        public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0) {
            self.year = year
            self.month = month
            self.day = day
            self.hour = hour
            self.minute = minute
        }
    }

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

    public func text(_ moment: Moment) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .year: Self.padded(moment.year, 4)
            case .month: Self.padded(moment.month, 2)
            case .day: Self.padded(moment.day, 2)
            case .hour: Self.padded(moment.hour, 2)
            case .minute: Self.padded(moment.minute, 2)
            }
        }.joined()
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        let text = "\(value.magnitude)"
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
