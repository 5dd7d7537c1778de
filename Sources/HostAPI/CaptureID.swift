// SPDX-License-Identifier: Apache-2.0

/// The name of a capture: letters, digits and hyphens, safe as part of a file name.
public struct CaptureID: Hashable, Sendable, CustomStringConvertible {
    static let maximumLength = 64
    /// The length of ids of ``init(startedAt:random:)``.
    public static let generatedLength = 32

    public let description: String

    /// nil unless `text` is 1 to 64 letters, digits and hyphens. A leading hyphen, which commands would read as an
    /// option, is not allowed.
    public init?(_ text: String) {
        let isSafe = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isSafe, (1...Self.maximumLength).contains(text.utf8.count), !text.hasPrefix("-") else { return nil }
        description = text
    }

    /// Generates an id such as `20260314-150926-0f1e2d3c4b5a6978`: the second of the start in UTC, so that names sort
    /// by time, and 64 random bits, so that it cannot be guessed and is unique.
    /// - Parameters:
    ///   - startedAt: microseconds since 1970-01-01 UTC, clamped to the years 1970 to 9999.
    ///   - random: from the kernel's generator.
    public init(startedAt: Int64, random: UInt64) {
        let digits = String(random, radix: 16)
        description =
            TimestampText.compactSecond(microseconds: startedAt) + "-"
            + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension CaptureID: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an ID")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Times in UTC as text. Parameters are microseconds since 1970-01-01 UTC; any value unless stated.
public enum TimestampText {
    /// `2026-11-20T23:14:36.123456Z` (ISO 8601).
    package static func text(microseconds: Int64) -> String {
        let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        return second(microseconds: microseconds).dropLast() + "." + padded(fraction, 6) + "Z"
    }

    /// `2026-11-20T23:14:36Z` (ISO 8601), rounded down to the second.
    public static func second(microseconds: Int64) -> String {
        let seconds = microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0)
        let (year, month, day, time) = fields(seconds)
        return (year < 0 ? "-" : "") + padded(Int64(year.magnitude), 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
            + "T" + time.map { padded($0, 2) }.joined(separator: ":") + "Z"
    }

    /// `20260314-150926`, clamped to the years 1970 to 9999.
    package static func compactSecond(microseconds: Int64) -> String {
        let endOf9999: Int64 = 253_402_300_799
        let (year, month, day, time) = fields(min(max(microseconds / 1_000_000, 0), endOf9999))
        return padded(year, 4) + padded(month, 2) + padded(day, 2) + "-" + time.map { padded($0, 2) }.joined()
    }

    /// The Gregorian date (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: years begin in
    /// March, so that the leap day is the last one) with hours, minutes and seconds.
    package static func fields(_ seconds: Int64) -> (year: Int64, month: Int64, day: Int64, time: [Int64]) {
        let daysPerEra: Int64 = 146_097
        let days = seconds / 86400 - (seconds % 86400 < 0 ? 1 : 0)
        let second = seconds - days * 86400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - (daysPerEra - 1)) / daysPerEra
        let dayOfEra = shifted - era * daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1,
            [second / 3600, second / 60 % 60, second % 60]
        )
    }

    private static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
