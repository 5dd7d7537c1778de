// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Testing

@testable import Signing

@Suite("Summaries of signatures")
struct SummaryPageTests {
    private static let ink = DocumentInk(
        width: 400, height: 120, content: "0 0 1 rg\n0 0 m\n400 0 l\n400 120 l\nh\nf\n")

    private static func page(_ rows: [SummaryPage.Row] = [.init("Signed", "2026-11-27")]) -> SummaryPage {
        SummaryPage(
            title: "Summary", subtitle: "contract.pdf",
            sections: [.init("Anna Müller", ink: ink, rows: rows), .init("Document", rows: [.init("Name", "a")])],
            footer: "Made from the record.")
    }

    /// The box of all points of a page.
    private func box(_ content: String) -> (minX: Double, minY: Double, maxX: Double, maxY: Double) {
        var (xs, ys): ([Double], [Double]) = ([], [])
        for line in content.split(separator: "\n") where "mlc".contains(line.last ?? " ") {
            for (index, number) in line.split(separator: " ").compactMap({ Double($0) }).enumerated() {
                if index % 2 == 0 { xs.append(number) } else { ys.append(number) }
            }
        }
        return (xs.min() ?? 0, ys.min() ?? 0, xs.max() ?? 0, ys.max() ?? 0)
    }

    private func checkMargins(_ pages: [String]) {
        for page in pages {
            let box = box(page)
            #expect(box.minX > 50 && box.maxX < 545 && box.minY > 25 && box.maxY < 792, "\(box)")
        }
    }

    @Test("A page has margins, and ink in its box")
    func margins() throws {
        let pages = try SummaryLayout.pages(of: Self.page())
        #expect(pages.count == 1)
        checkMargins(pages)
        let after = try #require(pages[0].split(separator: "0 0 1 rg\n").last)
        let ink = try #require(after.split(separator: "f\n").first)
        let box = box(String(ink))
        #expect(box.minX > 60 && box.maxX < 202 && box.maxX - box.minX > 130 && box.maxY - box.minY < 64, "\(box)")
    }

    @Test("Long texts go on on further pages, and none is lost")
    func long() throws {
        let line = String(repeating: "word ", count: 100)
        let rows = (0..<30).map { SummaryPage.Row("Label \($0)", line) }
        let pages = try SummaryLayout.pages(of: Self.page(rows))
        #expect(pages.count > 2)
        checkMargins(pages)
        let short = try SummaryLayout.pages(of: Self.page())
        #expect(pages.joined().utf8.count > 20 * short[0].utf8.count)
    }

    @Test("A value without end, and one of line ends, stay within the page")
    func endless() throws {
        for value in [String(repeating: "W", count: 20_000), String(repeating: "\n", count: 300)] {
            let pages = try SummaryLayout.pages(of: Self.page([.init(value, value), .init("", value, style: .code)]))
            checkMargins(pages)
            #expect(pages.count < 40)
        }
    }

    @Test("A character that no font has becomes a box")
    func missing() throws {
        let pages = try SummaryLayout.pages(of: Self.page([.init("Signed", "A\u{10FFFD}")]))
        let other = try SummaryLayout.pages(of: Self.page([.init("Signed", "A\u{25A1}")]))
        #expect(pages == other)
    }

    @Test("The same page has the same bytes")
    func same() throws {
        var page = Self.page()
        page.code = try QRCode("https://example.org")
        page.codeLabel = "Your copy"
        #expect(try page.file(program: "p", time: 1) == page.file(program: "p", time: 1))
        checkMargins(try SummaryLayout.pages(of: page))
    }
}
