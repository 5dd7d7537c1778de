// SPDX-License-Identifier: Apache-2.0
import Configuration
import Linux
import Testing

@Suite("Dates")
struct DateFormatTests {
    private let moment = LocalTime(year: 2026, month: 1, day: 5, hour: 9, minute: 7)

    @Test("are written as their pattern says")
    func written() throws {
        #expect(DateFormat("%Y-%m-%d") == .iso8601)
        for (pattern, text) in [
            ("%Y-%m-%d", "2026-01-05"), ("%d.%m.%Y", "05.01.2026"), ("%m/%d/%Y %H:%M", "01/05/2026 09:07"),
            ("Berlin, %d.%m.", "Berlin, 05.01."), ("100 %% on %d", "100 % on 05"), ("%Y年%m月%d日", "2026年01月05日"),
        ] {
            #expect(DateFormat(pattern)?.text(moment) == text)
        }
        #expect(DateFormat.iso8601.text(LocalTime(year: -44, month: 3, day: 15)) == "-0044-03-15")
    }

    @Test("have no pattern that is empty, endless or not known")
    func refused() {
        for pattern in ["", "%", "%Y%", "%y", "%B", "% d", String(repeating: "x", count: 65)] {
            #expect(DateFormat(pattern) == nil, "\(pattern)")
        }
    }
}
