// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Record
import Testing

@testable import Signing

@Suite("Comparing the pages of a document before it is signed")
struct DocumentComparisonTests {
    private static let place = DocumentRectangle(minX: 10.04, minY: 20, maxX: 30, maxY: 40)
    private static let clean = PageComparison(second: "mupdf 1")
    private static let other = PageComparison(second: "mupdf 1", differences: [place])
    private static let broken = PageComparison(second: "mupdf 1", complaints: ["Missing language pack"])

    private func compare(
        _ pages: [Result<PageComparison, DocumentFault>], refuses: Bool = true, allowed: [ReadDocument.Allowance] = []
    ) throws -> DocumentCheck {
        var comparison = DocumentComparison(refuses: refuses, allowed: allowed)
        return try comparison.compare(pages.map { _ in .init(width: 595, height: 842) }) {
            page throws(DocumentHelperError) in
            do throws(DocumentFault) { return try pages[page - 1].get() } catch { throw .refused(error) }
        }
    }

    @Test("Pages that two engines draw alike are signed, and the record names the second one")
    func alike() throws {
        #expect(try compare([.success(Self.clean), .success(Self.clean)]) == DocumentCheck(second: "mupdf 1"))
        // None is installed.
        #expect(try compare([.success(PageComparison(second: nil))]) == DocumentCheck())
    }

    @Test("A page that they draw differently is refused, unless the host allows it or nobody signs")
    func different() throws {
        let pages = [Self.clean, Self.other].map { Result<PageComparison, DocumentFault>.success($0) }
        let fault = DocumentComparisonFault.drawnDifferently(page: 2, Self.place, second: "mupdf 1")
        #expect(throws: fault) { try compare(pages) }
        #expect(throws: fault) { try compare(pages, allowed: [.notDrawn]) }
        #expect(fault.name == .drawnDifferently && fault.description.contains("page 2"))
        let recorded = DocumentCheck(
            second: "mupdf 1", differences: [.init(page: 2, rectangle: [10, 20, 30, 40])])
        #expect(try compare(pages, allowed: [.drawnDifferently]) == recorded)
        #expect(try compare(pages, refuses: false) == recorded)
    }

    @Test("What cannot be drawn is refused, unless the host allows it or nobody signs")
    func notDrawn() throws {
        let pages = [Result<PageComparison, DocumentFault>.success(Self.broken)]
        #expect(throws: DocumentComparisonFault.notDrawn(page: 1, "Missing language pack")) { try compare(pages) }
        #expect(throws: DocumentComparisonFault.self) { try compare(pages, allowed: [.drawnDifferently]) }
        let recorded = DocumentCheck(second: "mupdf 1", notDrawn: [.init(page: 1, text: "Missing language pack")])
        #expect(try compare(pages, allowed: [.notDrawn]) == recorded)
        #expect(try compare(pages, refuses: false) == recorded)
    }

    @Test("A page that cannot be compared counts as drawn differently, everywhere")
    func failing() throws {
        let slow = DocumentFault(.tooSlow, "it takes too long")
        let pages: [Result<PageComparison, DocumentFault>] = [.success(Self.clean), .failure(slow)]
        #expect(throws: DocumentHelperError.refused(slow)) { try compare(pages) }
        let recorded = DocumentCheck(
            second: "mupdf 1", differences: [.init(page: 2, rectangle: [0, 0, 595, 842])])
        // Nobody knows what is not drawn, either.
        #expect(throws: DocumentHelperError.refused(slow)) { try compare(pages, allowed: [.drawnDifferently]) }
        #expect(try compare(pages, allowed: [.drawnDifferently, .notDrawn]) == recorded)
    }

    @Test("A record has as many places as it may have")
    func many() throws {
        let page = PageComparison(
            second: "m", differences: Array(repeating: Self.place, count: 16),
            complaints: Array(repeating: String(repeating: "é", count: 500), count: 16))
        let found = try compare(Array(repeating: .success(page), count: 3), refuses: false)
        #expect(found.differences?.count == DocumentCheck.most && found.notDrawn?.count == DocumentCheck.most)
        #expect(found.notDrawn?.allSatisfy { $0.text.utf8.count <= DocumentCheck.longestText } == true)
    }
}
