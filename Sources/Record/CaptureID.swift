// SPDX-License-Identifier: Apache-2.0

/// The name of a capture: letters, digits and hyphens only, so that it is safe as part of a file name.
public struct CaptureID: Hashable, Sendable, CustomStringConvertible {
    /// That of a made one is 32: room for names by others.
    static let maximumLength = 64

    public let description: String

    /// Nil for a text that is no id: empty, longer than 64 bytes, with other characters (a path, say) or with a hyphen
    /// in front, which commands would take for an option.
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

    /// A new one, such as `20260314-150926-0f1e2d3c4b5a6978`: the second it started, in UTC, so that names sort by
    /// time, and 64 random bits, so that it cannot be guessed and two of one second differ.
    /// - Parameters:
    ///   - startedAt: microseconds since 1970-01-01 UTC; beyond the years 1970 to 9999 the nearest of them.
    ///   - random: from the kernel's generator.
    public init(startedAt: Int64, random: UInt64) {
        description = Self.secondText(startedAt) + "-" + Self.padded(String(random, radix: 16), 16)
    }

    /// `20260314-150926`: the second in UTC.
    /// - Parameter microseconds: since 1970-01-01 UTC; beyond the years 1970 to 9999 the nearest of them.
    package static func secondText(_ microseconds: Int64) -> String {
        // 9999-12-31 23:59:59.
        let seconds = min(max(microseconds / 1_000_000, 0), 253_402_300_799)
        let (year, month, day) = date(daysSince1970: Int(seconds / 86400))
        let second = Int(seconds % 86400)
        func digits(_ value: Int, _ count: Int) -> String { padded(String(value), count) }
        return digits(year, 4) + digits(month, 2) + digits(day, 2) + "-" + digits(second / 3600, 2)
            + digits(second / 60 % 60, 2) + digits(second % 60, 2)
    }

    private static func padded(_ text: String, _ count: Int) -> String {
        String(repeating: "0", count: count - text.utf8.count) + text
    }

    /// The Gregorian date, by `civil_from_days` of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms"
    /// for days that are not negative: years begin in March, so that the leap day is their last.
    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        return (era * 400 + yearOfEra + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3, day)
    }
}
