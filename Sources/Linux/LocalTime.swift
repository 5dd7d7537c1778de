// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What clocks on the walls around this machine show at a moment: Gregorian, in the machine's time zone.
public struct LocalTime: Equatable, Sendable {
    public var year: Int
    /// From 1, as days are.
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

    /// - Parameter microseconds: since 1970-01-01 UTC. Any value has a date.
    public init(microseconds: Int64) {
        // Rounded down, also before 1970.
        var seconds = time_t(microseconds.quotientRoundedDown(1_000_000))
        var parts = tm()
        // Fails only for years beyond 32 bits, which 64 bits of microseconds do not reach.
        localtime_r(&seconds, &parts)
        year = Int(parts.tm_year) + 1900
        month = Int(parts.tm_mon) + 1
        day = Int(parts.tm_mday)
        hour = Int(parts.tm_hour)
        minute = Int(parts.tm_min)
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(_ divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
