// SPDX-License-Identifier: Apache-2.0
import Document
import TestSupport
import Testing

@testable import PDF

private let media = "/MediaBox [ 0 0 200 100 ]"

@Suite("Pages as viewers read them")
struct PDFPageTests {
    private static func sizes(_ page: String, _ tree: String = "") throws -> [Double] {
        try PDFInspection.facts(of: SmallPDF(pages: [page], tree: tree).bytes).pages.flatMap { [$0.width, $0.height] }
    }

    // Swift 6.0's compiler ends at interpolations among a macro's arguments.
    private static let alikeCases: [(String, String, [Double])] = [
        ("", "", [612, 792]), ("/MediaBox [ 0 0 0 0 ]", "", [612, 792]), ("/MediaBox /X", "", [612, 792]),
        ("/CropBox [ 0 0 300 300 ]", "", [300, 300]), ("", media, [200, 100]),
        ("\(media) /CropBox [ 0 0 0 0 ]", "", [200, 100]), ("\(media) /CropBox /X", "", [200, 100]),
        ("\(media) /CropBox null", "/CropBox [ 0 0 90 80 ]", [90, 80]),
        ("\(media) /CropBox [ -50 -50 100 400 ]", "", [100, 100]),
        ("\(media) /CropBox [ -50 -50 400 400 ]", "", [200, 100]),
        ("\(media) /Rotate 450", "", [100, 200]), ("\(media) /Rotate (90)", "", [200, 100]),
        ("\(media) /Rotate 0.0", "", [200, 100]), ("\(media) /Rotate 360.0", "", [200, 100]),
        ("\(media) /Rotate null", "/Rotate 90", [100, 200]),
        // 200 inches, the longest page (ISO 32000-1, C.2).
        ("/MediaBox [ 0 0 14400 14400 ]", "", [14_400, 14_400]),
    ]

    /// poppler 22.12, MuPDF 1.21 and PDFium have these sizes.
    @Test("Boxes and angles that are none are read as all viewers read them", arguments: alikeCases)
    func alike(page: String, tree: String, size: [Double]) throws {
        #expect(try Self.sizes(page, tree) == size)
    }

    private static let differentCases: [(String, String)] = [
        ("\(media) /Rotate 90.0", ""), ("\(media) /Rotate 45", ""), ("\(media) /Rotate 90.4", ""),
        ("\(media) /Rotate (90)", "/Rotate 90"), ("\(media) /Rotate 0.0", "/Rotate 90"),
        ("\(media) /CropBox [ 10 10 10 60 ]", ""), ("\(media) /CropBox [ 5 5 5 5 ]", ""),
        ("\(media) /CropBox [ 1 2 3 ]", ""), ("\(media) /CropBox [ 10 10 /a 50 ]", ""),
        ("\(media) /CropBox [ 150 50 400 400 ]", ""), ("\(media) /CropBox [ 300 300 310 310 ]", ""),
        ("\(media) /CropBox /X", "/CropBox [ 0 0 90 80 ]"), ("/MediaBox /X", "/MediaBox [ 0 0 90 80 ]"),
        ("/MediaBox [ 0 0 100 0 ]", ""), ("/MediaBox [ 0 0 100 50 7 ]", ""), ("/MediaBox [ 5 5 5 5 ]", ""),
    ]

    /// At least one of the three shows the page in another size.
    @Test("Boxes and angles that viewers read differently are refused", arguments: differentCases)
    func different(page: String, tree: String) {
        guard case .damaged = refusal(of: SmallPDF(pages: [page], tree: tree).bytes) else {
            Issue.record("\(page) is shown")
            return
        }
        let error = refusal(of: SmallPDF(pages: [page], tree: tree).bytes)
        #expect(error?.description.hasSuffix("flatten it: inkpanel document flatten IN OUT") == true)
    }

    @Test("A page that is listed twice is shown twice, and nothing is added to it")
    func twice() throws {
        let field = "<< /Subtype /Widget /F 4 /FT /Sig /T (customer) /Rect [ 10 10 190 90 ] >>"
        var document = SmallPDF(
            pages: ["\(media) /Annots [ 5 0 R ]", media], catalog: "/AcroForm << /Fields [ 5 0 R ] >>",
            more: [field])
        #expect(try PDFInspection.facts(of: document.bytes).fields.map(\.name) == ["customer"])
        document.objects[1] = "<< /Type /Pages /Count 3 /Kids [ 3 0 R 4 0 R 3 0 R ] >>"
        let facts = try PDFInspection.facts(of: document.bytes)
        #expect(facts.pages.count == 3 && facts.fields.isEmpty && facts.names == ["customer"])
        let ink = DocumentInk(width: 9, height: 9, content: "0 0 0 rg\n0 0 m 9 0 l 0 9 l h\nf")
        let place = DocumentRectangle(minX: 20, minY: 20, maxX: 120, maxY: 80)
        func error(page: Int, marks: Bool = false, new: Bool = true) -> PDFError? {
            let update = DocumentUpdate(
                newFields: new ? [Field(name: "S01", kind: .signature, page: page, rectangle: place)] : [],
                marks: marks ? [.init(page: 3, rectangle: place, ink: ink)] : [], field: new ? "S01" : "customer",
                ink: ink, time: 0)
            do throws(PDFError) {
                _ = try PDFUpdate.assemble(document.bytes, update)
                return nil
            } catch { return error }
        }
        #expect(error(page: 2) == nil)
        #expect(error(page: 1)?.description.contains("page 1 is in the document twice") == true)
        #expect(error(page: 3)?.description.contains("page 3 is in the document twice") == true)
        #expect(error(page: 2, marks: true)?.description.contains("page 3 is in the document twice") == true)
        #expect(error(page: 2, new: false)?.description.contains("its page is in the document twice") == true)
    }

    /// A handle of libqpdf that two pages shared was freed with the first.
    @Test("Each valid tree of pages is read, whatever its pages inherit and share", arguments: 0..<60)
    func trees(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (document, pages) = Self.tree(&random)
        let facts = try PDFInspection.facts(of: document)
        #expect(facts.pages == pages)
        #expect(facts.warnings == [.fontsNotEmbedded] && facts.missingFonts == ["Arial"])
        // The same objects are reached again when the file is read again, and changed.
        let place = DocumentRectangle(minX: 1, minY: 1, maxX: 60, maxY: 30)
        let update = DocumentUpdate(
            newFields: [
                Field(
                    name: "S01", kind: .signature, page: Int.random(in: 1...pages.count, using: &random),
                    rectangle: place)
            ], field: "S01", time: 0)
        let signed = try PDFUpdate.assemble(document, update)
        #expect(try PDFInspection.facts(of: document + signed).pages == pages)
    }

    /// A tree with up to 12 pages, 4 levels, and values in any of its nodes.
    private static func tree(_ random: inout SeededGenerator) -> ([UInt8], [DocumentFacts.PageSize]) {
        var document = SmallPDF(
            pages: [],
            more: [
                "<< /Type /Font /Subtype /Type1 /BaseFont /Arial >>", "<< /Font << /F 3 0 R >> >>", "<< /F 3 0 R >>",
                "[ 0 0 300 400 ]", SmallPDF.stream("n"), "[ 9 0 R ]", "<< /Subtype /Link /Rect [ 0 0 9 9 ] >>",
            ])
        let resources = ["/Resources 4 0 R", "/Resources << /Font 5 0 R >>", "/Resources << /Font << /F 3 0 R >> >>"]
        let boxes: [(String, (Double, Double))] = [
            ("/MediaBox 6 0 R", (300, 400)), ("/MediaBox [ 0 0 200 100 ]", (200, 100)), ("", (0, 0)),
        ]
        var pages: [DocumentFacts.PageSize] = []
        var left = Int.random(in: 1...12, using: &random)
        /// Adds a node.
        /// - Returns: its number and the count of its pages.
        func add(_ parent: Int, _ level: Int, _ inherited: (Double, Double), _ turns: Int) -> (Int, Int) {
            let number = parent == 0 ? 2 : document.objects.count + 1
            if parent != 0 { document.objects.append("null") }
            let (box, own) = boxes.randomElement(using: &random) ?? boxes[0]
            let size = box.isEmpty ? inherited : own
            let turn = [nil, 0, 90, 270].randomElement(using: &random) ?? nil
            let angle = turn ?? turns
            // The root has resources, so that each page has some.
            let more = parent == 0 || Bool.random(using: &random) ? resources.randomElement(using: &random) ?? "" : ""
            var entries = "\(box) \(more) \(turn.map { "/Rotate \($0)" } ?? "")"
            if parent != 0 { entries += " /Parent \(parent) 0 R" }
            if parent != 0, level == 4 || left < 2 || Bool.random(using: &random) {
                left -= 1
                let isUpright = angle % 180 == 0
                pages.append(.init(width: isUpright ? size.0 : size.1, height: isUpright ? size.1 : size.0))
                let parts = [
                    "/Contents 7 0 R", "/Contents [ 7 0 R 7 0 R ]", "/Annots 8 0 R", "/Annots [ 9 0 R 9 0 R ]",
                ]
                let own = parts.filter { _ in Bool.random(using: &random) }
                let contents = own.filter { $0.hasPrefix("/C") }.prefix(1)
                let notes = own.filter { $0.hasPrefix("/A") }
                entries += " " + (contents + notes.prefix(1)).joined(separator: " ")
                document.objects[number - 1] = "<< /Type /Page \(entries) >>"
                return (number, 1)
            }
            var (kids, count) = ([Int](), 0)
            repeat {
                let (kid, pages) = add(number, level + 1, size, angle)
                kids.append(kid)
                count += pages
            } while left > 0 && (parent == 0 || Bool.random(using: &random))
            let list = kids.map { "\($0) 0 R" }.joined(separator: " ")
            document.objects[number - 1] = "<< /Type /Pages /Count \(count) /Kids [ \(list) ] \(entries) >>"
            return (number, count)
        }
        _ = add(0, 0, (612, 792), 0)
        return (document.bytes, pages)
    }
}
