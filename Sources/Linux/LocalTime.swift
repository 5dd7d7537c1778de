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
    /// Seconds by which it is ahead of UTC.
    public var offsetSeconds: Int

    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, offsetSeconds: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.offsetSeconds = offsetSeconds
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
        offsetSeconds = Int(parts.tm_gmtoff)
    }

    /// The name that the machine's time zone has in IANA's database, such as `Europe/Berlin`; nil where it has none.
    /// The C library reads the zone when it first needs it: the name is to be asked for at the start, too.
    public static var zoneName: String? {
        zoneName(
            variable: getenv("TZ").map { String(cString: $0) }, link: link(at: "/etc/localtime"),
            exists: { access($0, R_OK) == 0 })
    }

    /// - Parameters:
    ///   - variable: TZ of the environment, which comes first, as in tzset(3): a file's name, perhaps after a colon, or
    ///     a rule, which has no name.
    ///   - link: where `/etc/localtime` leads, as in localtime(5).
    static func zoneName(variable: String?, link: String?, exists: (String) -> Bool) -> String? {
        let folder = "/usr/share/zoneinfo/"
        let given = variable.map { $0.hasPrefix(":") ? $0.dropFirst() : $0[...] }
        guard var name = given ?? link?[...] else { return nil }
        if let range = name.firstRange(of: "zoneinfo/") { name = name[range.upperBound...] }
        // The same zones, with and without leap seconds.
        for prefix in ["posix/", "right/"] where name.hasPrefix(prefix) { name = name.dropFirst(prefix.count) }
        let isName = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "_+-/".utf8.contains(byte)
        }
        guard isName, let first = name.first, first.isLetter, exists(folder + name) else { return nil }
        return String(name)
    }

    /// Where a symbolic link leads; nil where there is none.
    private static func link(at path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(_ divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
