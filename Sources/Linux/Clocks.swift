// SPDX-License-Identifier: Apache-2.0
import CLinux
public import Geometry
import Glibc

/// CLOCK_MONOTONIC: the clock of page-flip events, and of evdev reports once set. Any thread.
public enum MonotonicClock {
    public static var now: Timestamp { Timestamp(microseconds: clinux_monotonic_ns() / 1000) }
    /// Nanoseconds on the same scale, for benchmarks.
    public static var nanoseconds: Int64 { clinux_monotonic_ns() }
}

/// CLOCK_REALTIME, the time of day: it may be set forwards and backwards while the program runs. Any thread.
public enum WallClock {
    /// Microseconds since 1970-01-01 UTC.
    public static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// Reads the clock and its state.
    public static func read() -> Reading {
        var maximumError: Int64 = 0
        // Unknown counts as unsynchronized: a system call filter may forbid adjtimex.
        let isSynchronized = clinux_clock_is_synchronized(&maximumError) == 1
        return Reading(
            microseconds: microseconds, sinceBoot: clinux_boottime_ns() / 1000, isSynchronized: isSynchronized,
            maximumError: maximumError)
    }

    public struct Reading: Equatable, Sendable {
        /// Microseconds since 1970-01-01 UTC.
        public var microseconds: Int64
        /// Microseconds of CLOCK_BOOTTIME, which cannot be set.
        public var sinceBoot: Int64
        /// Whether a time service keeps the clock synchronized (adjtimex(2)). Setting the clock clears it.
        public var isSynchronized: Bool
        /// The kernel's bound for the error of a synchronized clock, in microseconds.
        public var maximumError: Int64

        public init(microseconds: Int64, sinceBoot: Int64, isSynchronized: Bool, maximumError: Int64 = 0) {
            self.microseconds = microseconds
            self.sinceBoot = sinceBoot
            self.isSynchronized = isSynchronized
            self.maximumError = maximumError
        }
    }
}

/// A moment as local date and time: Gregorian, in the machine's time zone.
public struct LocalTime: Equatable, Sendable {
    public var year: Int
    /// 1 is January.
    public var month: Int
    public var day: Int
    public var hour: Int
    public var minute: Int
    /// Seconds ahead of UTC.
    public var offsetSeconds: Int

    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, offsetSeconds: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.offsetSeconds = offsetSeconds
    }

    /// - Parameter microseconds: since 1970-01-01 UTC. Every value has a date.
    public init(microseconds: Int64) {
        // Rounded down, also before 1970.
        var seconds = time_t(microseconds / 1_000_000 - (microseconds % 1_000_000 < 0 ? 1 : 0))
        var parts = tm()
        // Fails only for years beyond 32 bits, which 64 bits of microseconds do not reach.
        localtime_r(&seconds, &parts)
        year = Int(parts.tm_year) + 1900
        month = Int(parts.tm_mon) + 1
        day = Int(parts.tm_mday)
        hour = Int(parts.tm_hour)
        minute = Int(parts.tm_min)
        offsetSeconds = Int(parts.tm_gmtoff)
    }

    /// The IANA name of the machine's time zone, such as `Europe/Berlin`, or nil if it has no name. The C library reads
    /// the zone when it first needs it, so read the name at the start, too.
    public static var zoneName: String? {
        zoneName(
            variable: getenv("TZ").map { String(cString: $0) }, link: link(at: "/etc/localtime"),
            exists: { access($0, R_OK) == 0 })
    }

    /// - Parameters:
    ///   - variable: TZ of the environment, which takes precedence (tzset(3)): a file name, perhaps after a colon, or a
    ///     rule, which has no name.
    ///   - link: the target of `/etc/localtime` (localtime(5)).
    static func zoneName(variable: String?, link: String?, exists: (String) -> Bool) -> String? {
        let folder = "/usr/share/zoneinfo/"
        let given = variable.map { $0.hasPrefix(":") ? $0.dropFirst() : $0[...] }
        guard var name = given ?? link?[...] else { return nil }
        if let range = name.firstRange(of: "zoneinfo/") { name = name[range.upperBound...] }
        // The same zones without and with leap seconds.
        for prefix in ["posix/", "right/"] where name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) }
        let isName = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "_+-/".utf8.contains(byte)
        }
        guard isName, let first = name.first, first.isLetter, exists(folder + name) else { return nil }
        return String(name)
    }

    /// The target of a symbolic link, or nil.
    private static func link(at path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}
