// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Linux

@Suite("Local time")
struct LocalTimeTests {
    @Test("mktime(3) turns it back into the same seconds, before 1970 too")
    func inverse() {
        let day: Int64 = 86_400_000_000
        for microseconds in [0, -1, 1_795_216_476_123_456, 951_782_400_000_000, -5 * day, 40_000 * day, -80_000 * day] {
            let time = LocalTime(microseconds: microseconds)
            var parts = tm()
            parts.tm_year = CInt(time.year - 1900)
            parts.tm_mon = CInt(time.month - 1)
            parts.tm_mday = CInt(time.day)
            parts.tm_hour = CInt(time.hour)
            parts.tm_min = CInt(time.minute)
            parts.tm_isdst = -1
            let minute = Int64(mktime(&parts)) * 1_000_000
            // Accurate to the minute; the hour repeated at the end of summer time and old local times with seconds are
            // avoided.
            let difference = microseconds - minute
            #expect((0..<60_000_000).contains(difference), "\(time)")
        }
    }

    @Test("its offset from UTC agrees with timegm(3)")
    func offset() {
        for microseconds in [0, 1_795_216_476_123_456, 951_782_400_000_000] as [Int64] {
            let time = LocalTime(microseconds: microseconds)
            var parts = tm()
            parts.tm_year = CInt(time.year - 1900)
            parts.tm_mon = CInt(time.month - 1)
            (parts.tm_mday, parts.tm_hour, parts.tm_min) = (CInt(time.day), CInt(time.hour), CInt(time.minute))
            let difference = Int64(timegm(&parts)) - Int64(time.offsetSeconds) - microseconds / 1_000_000
            #expect((-59...0).contains(difference))
        }
    }

    @Test(
        "the zone is named by TZ or /etc/localtime, if there is such a zone",
        arguments: [
            (nil, "/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
            (nil, "../usr/share/zoneinfo/Etc/UTC", "Etc/UTC"),
            ("America/Argentina/Ushuaia", "/usr/share/zoneinfo/Europe/Berlin", "America/Argentina/Ushuaia"),
            (":Etc/GMT+5", nil, "Etc/GMT+5"), ("/usr/share/zoneinfo/right/Asia/Tokyo", nil, "Asia/Tokyo"),
            (nil, nil, nil), (nil, "/srv/localtime", nil), ("", "/usr/share/zoneinfo/Europe/Berlin", nil),
            ("CET-1CEST,M3.5.0,M10.5.0/3", nil, nil), ("Mars/Olympus", nil, nil), ("../../etc/passwd", nil, nil),
        ] as [(String?, String?, String?)])
    func zone(variable: String?, link: String?, name: String?) {
        let zones = ["Europe/Berlin", "Etc/UTC", "America/Argentina/Ushuaia", "Etc/GMT+5", "Asia/Tokyo"]
        let found = LocalTime.zoneName(variable: variable, link: link) { path in
            zones.contains { path == "/usr/share/zoneinfo/" + $0 }
        }
        #expect(found == name)
    }

    @Test("every number of microseconds has a date")
    func extremes() {
        #expect(LocalTime(microseconds: .max).year > 290_000)
        #expect(LocalTime(microseconds: .min).year < -290_000)
    }
}
