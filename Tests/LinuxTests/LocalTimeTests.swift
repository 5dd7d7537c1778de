// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
import Testing

@Suite("Local time")
struct LocalTimeTests {
    @Test("is what mktime(3) makes the same seconds of, before 1970 too")
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
            // To the minute, but for the hour that summer time's end has twice and the seconds of old local times.
            let difference = microseconds - minute
            #expect((0..<60_000_000).contains(difference), "\(time)")
        }
    }

    @Test("has a date for every number of microseconds")
    func extremes() {
        #expect(LocalTime(microseconds: .max).year > 290_000)
        #expect(LocalTime(microseconds: .min).year < -290_000)
    }
}
