// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Glibc
import Linux
import Testing

@testable import PDF

@Suite("Pages as two engines draw them")
struct PageComparatorTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    private func comparator(second folder: String = "/usr/bin") -> PageComparator {
        let deadline = MonotonicClock.nanoseconds + 60_000_000_000
        return PageComparator(
            PDFRenderer(deadline: deadline), second: SecondReader(folder: folder, deadline: deadline))
    }

    private func document(_ content: String, _ entries: String = "", more: [String] = []) -> [UInt8] {
        SmallPDF(
            pages: ["\(SmallPDF.letter) /Contents 4 0 R \(entries)"], more: [SmallPDF.stream(content)] + more
        ).bytes
    }

    @Test("Lines and areas are drawn alike, and the second engine is named")
    func alike() throws {
        let found = try comparator().compare(1, in: document("72 72 200 100 re f 0.5 w 72 300 m 400 320 l S"))
        #expect(found.isClean)
        #expect(try #require(found.second).wholeMatch(of: /mupdf [0-9.]+/) != nil)
    }

    @Test("Without a second engine, what the first cannot draw is still told")
    func none() throws {
        let found = try comparator(second: "/nonexistent").compare(1, in: document("72 72 200 100 re f /X Do"))
        #expect(found.second == nil && found.differences == [])
        #expect(found.complaints.contains { $0.contains("XObject 'X' is unknown") }, "\(found.complaints)")
    }

    @Test("A page that is not there is no page")
    func noPage() {
        #expect(throws: PDFError.noPage(2)) { try comparator().compare(2, in: document("")) }
    }

    @Test("An empty field without a look is left out")
    func vacant() throws {
        let widget = """
            << /Type /Annot /Subtype /Widget /FT /Sig /T (s) /F 4 /Rect [ 100 100 300 160 ] >>
            """
        let form = "/AcroForm << /Fields [ 5 0 R ] /SigFlags 1 >>"
        func file(_ content: String) -> [UInt8] {
            SmallPDF(
                pages: ["\(SmallPDF.letter) /Contents 4 0 R /Annots [ 5 0 R ]"], catalog: form,
                more: [SmallPDF.stream(content), widget]
            ).bytes
        }
        // MuPDF draws a sign into it.
        #expect(try comparator().compare(1, in: file("")).differences == [])
        // Both draw what is below it (Tests/system/Document/test_compare.py has pages on which they do not).
        let below = try comparator().compare(1, in: file("120 110 100 40 re f"))
        #expect(below.isClean, "\(below)")
    }

    @Test("The pixels of a comparison cover a rectangle, and lead back to it")
    func scale() {
        let scale = ComparisonScale(of: .init(width: 595.28, height: 841.89))
        #expect(scale.size == PixelSize(width: 2480, height: 3507))
        let rectangle = DocumentRectangle(minX: 72, minY: 100, maxX: 144, maxY: 136)
        let pixels = scale.pixels(of: rectangle)
        #expect(abs(pixels.width - 300) <= 2 && abs(pixels.height - 150) <= 2)
        let back = scale.rectangle(of: pixels)
        #expect(back.minX <= 72 && back.maxX >= 144 && back.minY <= 100 && back.maxY >= 136)
        #expect(back.width < 72.6 && back.height < 36.6)
        // 3 m long, and a strip that would have no row.
        let large = ComparisonScale(of: .init(width: 8000, height: 8000)).size
        #expect(large.width * large.height <= HelperLimits.pixels)
        #expect(ComparisonScale(of: .init(width: 14_000, height: 1)).size.height >= 1)
    }

    @Test("Messages about links, copied texts and kept glyphs are harmless, whatever a document calls its things")
    func harmless() {
        for line in [
            "Syntax Warning (120): Invalid Font Weight", "Syntax Warning: Bad bounding box in Type 3 glyph",
            "Syntax Error: Couldn't find ToUnicode CMap file for 'a'", "Syntax Warning: Illegal URI-type link",
            "Fontconfig error: No writable cache directories",
        ] {
            #expect(RendererComplaints.isHarmless(line), "\(line)")
        }
        for line in [
            "Syntax Error: Unknown font tag 'F1: Invalid Font Weight'", "Invalid Font Weight",
            "Syntax Error: XObject 'Illegal URI-type link' is unknown", "Internal Error: Invalid Font Weight",
            "Syntax Error (7): Unknown operator 'ToUnicode CMap'", "",
            "Fontconfig error: Cannot load default config file",
        ] {
            #expect(!RendererComplaints.isHarmless(line), "\(line)")
        }
    }

    @Test("Complaints are printable, short, each once, and at most 16")
    func complaints() {
        let lines = [
            "Syntax Error (12): Unknown operator 'x'", "Syntax Error (12): Unknown operator 'x'", " ", "a\u{1b}[2Jb",
        ]
        #expect(
            RendererComplaints.complaints(in: Array(lines.joined(separator: "\n").utf8))
                == ["Syntax Error (12): Unknown operator 'x'", "a [2Jb"])
        let many = (0..<99).map { "error \($0) " + String(repeating: "x", count: 900) }.joined(separator: "\n")
        let found = RendererComplaints.complaints(in: Array(many.utf8))
        #expect(found.count == 16 && found.allSatisfy { $0.unicodeScalars.count == 200 })
        #expect(RendererComplaints.complaints(in: [0xFF, 0xFE, 10]).count == 1)
    }
}
