// SPDX-License-Identifier: Apache-2.0
import Document
import Glibc
import Linux
import Testing

@testable import PDF

@Suite("Documents that are drawn anew")
struct FlatDocumentTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    private func renderer(_ folder: String = "/usr/bin") -> PDFRenderer {
        PDFRenderer(folder: folder, deadline: MonotonicClock.nanoseconds + 60_000_000_000)
    }

    private static let isInstalled = access("/usr/bin/pdftocairo", X_OK) == 0

    @Test("Pages keep their sizes to a thousandth of a point, in any direction", arguments: [0, 90, 180, 270])
    func sizes(rotation: Int) throws {
        guard Self.isInstalled else { return }
        let content = SmallPDF.stream("1 0 0 rg 60 70 90 40 re f")
        let document = SmallPDF(
            pages: [
                "/MediaBox [ 10.5 20.25 605.78 862.14 ] /Rotate \(rotation) /Contents 5 0 R",
                "/MediaBox [ 0 0 612 792 ] /CropBox [ 50.125 60 500.9 700.1 ] /Rotate \(rotation) /UserUnit 1.5",
            ], more: [content]
        ).bytes
        let (facts, flat) = (try PDFInspection.facts(of: document), try renderer().flatten(document))
        let flatFacts = try PDFInspection.facts(of: flat)
        #expect(flatFacts.warnings.isEmpty && flatFacts.fields.isEmpty)
        for (was, now) in zip(facts.pages, flatFacts.pages) {
            #expect(abs(was.width - now.width) < 0.001 && abs(was.height - now.height) < 0.001, "\(was) \(now)")
        }
        #expect(try renderer().flatten(document) == flat)
    }

    @Test("Whatever is not in its drawing is gone, and a file that is none is refused")
    func contents() throws {
        guard Self.isInstalled else { return }
        let script = "/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
        let document = SmallPDF(pages: [SmallPDF.letter], catalog: script).bytes
        #expect(try PDFInspection.facts(of: document).warnings == [.javaScript, .openAction])
        let flat = try renderer().flatten(document)
        #expect(try PDFInspection.facts(of: flat).warnings.isEmpty)
        #expect(flat.firstRange(of: Array("CreationDate".utf8)) == nil)
        #expect(throws: PDFError.noPDF) { try renderer().flatten(Array("hello".utf8)) }
        #expect(throws: PDFError.missingProgram(name: "pdftocairo", package: "poppler-utils")) {
            try renderer("/nonexistent").flatten(document)
        }
    }

    @Test("A page becomes its picture, in the same size and direction", arguments: [0, 90, 180, 270])
    func pictured(rotation: Int) throws {
        guard Self.isInstalled else { return }
        let content = SmallPDF.stream("1 0 0 rg 60 70 90 40 re f 0 g 200 300 3 100 re f")
        let document = SmallPDF(
            pages: [
                SmallPDF.letter,
                "/MediaBox [ 0 0 612 792 ] /CropBox [ 50.125 60 500.9 700.1 ] /Rotate \(rotation) /UserUnit 1.5"
                    + " /Contents 5 0 R /Annots [ << /Type /Annot /Subtype /Square /Rect [ 300 300 400 400 ] >> ]",
            ], more: [content]
        ).bytes
        let pictured = try renderer().picturing(2, of: document)
        let (before, after) = (try PDFInspection.facts(of: document), try PDFInspection.facts(of: pictured))
        #expect(before.pages.count == after.pages.count && before.pages[0] == after.pages[0])
        let size = (before.pages[1], after.pages[1])
        #expect(abs(size.0.width - size.1.width) < 0.001 && abs(size.0.height - size.1.height) < 0.001)
        let rendering = HelperRequest.Rendering(page: 2, size: ComparisonScale(of: size.0).size)
        let (one, other) = (
            try renderer().render(rendering, of: document), try renderer().render(rendering, of: pictured)
        )
        #expect(one.places(against: other).isEmpty)
        #expect(one.file.filter { $0 != 255 }.count > 1000)
        #expect(try renderer().picturing(2, of: document) == pictured)
        #expect(throws: PDFError.noPage(3)) { try renderer().picturing(3, of: document) }
    }
}
