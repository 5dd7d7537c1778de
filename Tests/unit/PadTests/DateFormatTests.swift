// SPDX-License-Identifier: Apache-2.0
import Pad
import Testing

@Suite("Date formats")
struct DateFormatTests {
    private static func text(_ pattern: String) -> String? {
        DateFormat(pattern)?.text(year: 2026, month: 1, day: 5, hour: 9, minute: 7)
    }

    @Test("dates are written according to their pattern")
    func written() {
        #expect(DateFormat("%Y-%m-%d") == .iso8601)
        for (pattern, text) in [
            ("%Y-%m-%d", "2026-01-05"), ("%d.%m.%Y", "05.01.2026"), ("%m/%d/%Y %H:%M", "01/05/2026 09:07"),
            ("Berlin, %d.%m.", "Berlin, 05.01."), ("100 %% on %d", "100 % on 05"), ("%Y年%m月%d日", "2026年01月05日"),
            ("%-d. %-m. %Y, %-H.%M", "5. 1. 2026, 9.07"),
        ] {
            #expect(Self.text(pattern) == text)
        }
        let early = DateFormat.iso8601.text(year: -44, month: 3, day: 15, hour: 0, minute: 0)
        #expect(early == "-0044-03-15")
        let late = DateFormat("%-d/%-m, %-H:%M")?.text(year: 2026, month: 12, day: 31, hour: 23, minute: 59)
        #expect(late == "31/12, 23:59")
    }

    @Test(
        "empty, overlong and unknown patterns are rejected",
        arguments: ["", "%", "%Y%", "%y", "%B", "% d", "%-", "%-Y", "%-%", "%--d", String(repeating: "x", count: 65)])
    func refused(pattern: String) {
        #expect(DateFormat(pattern) == nil)
    }

    @Test(
        "each language has its own date and time",
        arguments: [
            (.english, "2026-01-05", "09:07"), (.german, "05.01.2026", "09:07"),
            (.french, "05/01/2026", "09:07"), (.finnish, "5.1.2026", "9.07"), (.polish, "5.01.2026", "09:07"),
            (.swedish, "2026-01-05", "09:07"), (.hungarian, "2026.\u{A0}01.\u{A0}05.", "9:07"),
            (.bulgarian, "5.01.2026\u{A0}г.", "9:07\u{A0}ч."), (.arabic, "5\u{200F}/1\u{200F}/2026", "9:07"),
            (.hebrew, "5.1.2026", "9:07"), (.traditionalChinese, "2026/1/5", "09:07"),
            (.japanese, "2026/01/05", "9:07"),
            (.korean, "2026.\u{A0}1.\u{A0}5.", "09:07"),
        ] as [(MessageTable.Language, String, String)])
    func languages(language: MessageTable.Language, date: String, time: String) {
        let table = MessageTable(language)
        #expect(Self.text(table.dateFormat.pattern) == date && Self.text(table.timeFormat.pattern) == time)
    }

    @Test("a language's date has a day, a month and a year", arguments: MessageTable.Language.allCases)
    func complete(language: MessageTable.Language) {
        let table = MessageTable(language)
        func fields(_ format: DateFormat) -> [String] {
            format.pattern.split(separator: "%").compactMap { $0.first { "YmdHM".contains($0) }.map { String($0) } }
        }
        let date = fields(table.dateFormat)
        #expect(date.sorted() == ["Y", "d", "m"] && ["dmY", "Ymd"].contains(date.joined()))
        #expect(fields(table.timeFormat) == ["H", "M"])
    }
}
