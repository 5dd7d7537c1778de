// SPDX-License-Identifier: Apache-2.0

/// Moments as ISO 8601 has them.
public enum TimestampText {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    /// `2026-11-20T23:14:36.123456Z`.
    /// - Parameter microseconds: since 1970-01-01 UTC, any value.
    package static func text(microseconds: Int64) -> String {
        // Rounded down, as the second is.
        let fraction = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        return second(microseconds: microseconds).dropLast() + "." + padded(fraction, 6) + "Z"
    }

    /// `2026-11-20T23:14:36Z`, the second in which the moment is.
    /// - Parameter microseconds: since 1970-01-01 UTC, any value.
    public static func second(microseconds: Int64) -> String {
        // Rounded down, also before 1970.
        let remainder = microseconds % microsecondsPerDay
        let day = microseconds / microsecondsPerDay - (remainder < 0 ? 1 : 0)
        let rest = remainder < 0 ? remainder + microsecondsPerDay : remainder
        let (year, month, dayOfMonth) = date(day: day)
        let seconds = rest / 1_000_000
        let sign = year < 0 ? "-" : ""
        return sign + padded(Int64(year.magnitude), 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2)
            + "T" + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
            + "Z"
    }

    /// The Gregorian date of a day counted from 1970-01-01 (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
    /// civil_from_days): years begin in March, so that the leap day is the last one.
    private static func date(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysPerEra: Int64 = 146_097
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - (daysPerEra - 1)) / daysPerEra
        let dayOfEra = shifted - era * daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
