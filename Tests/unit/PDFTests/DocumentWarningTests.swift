// SPDX-License-Identifier: Apache-2.0
import Document
import Testing

@testable import PDF

@Suite("Warnings of what other viewers draw or do")
struct DocumentWarningTests {
    private static func told(
        page: String = "", catalog: String = "", more: [String] = []
    ) throws -> [DocumentFacts.Warning] {
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) \(page)"], catalog: catalog,
            more: [SmallPDF.stream("", "/Type /XObject /Subtype /Form /BBox [ 0 0 9 9 ]")] + more)
        return try PDFInspection.facts(of: document.bytes).warnings
    }

    @Test(
        "Each kind of action is told, wherever it is",
        arguments: [
            ("GoTo /D [ 3 0 R /Fit ]", []), ("GoToR", [.additionalActions]), ("GoToE", [.additionalActions]),
            ("Launch", [.launch]), ("Thread", [.actions]), ("URI /URI (https://example.org)", [.webLinks]),
            ("Sound", [.actions]), ("Movie", [.actions]), ("Hide /T (rent)", [.actions]),
            ("Named /N /Print", [.actions]), ("SubmitForm", [.additionalActions]), ("ResetForm", [.actions]),
            ("ImportData", [.additionalActions]), ("JavaScript", [.javaScript]), ("SetOCGState", [.actions]),
            ("Rendition", [.actions]), ("Trans", [.actions]), ("GoTo3DView", [.actions]),
            ("RichMediaExecute", [.actions]), ("INKP_Unknown", [.actions]),
        ] as [(String, [DocumentFacts.Warning])])
    func actions(action: String, warnings: [DocumentFacts.Warning]) throws {
        let link = "/Subtype /Link /F 4 /Rect [ 0 0 9 9 ]"
        #expect(try Self.told(page: "/Annots [ << \(link) /A << /S /\(action) >> >> ]") == warnings)
        let next = "/A << /S /GoTo /D [ 3 0 R /Fit ] /Next [ << /Type /Action /S /\(action) >> ] >>"
        if action != "INKP_Unknown" {
            #expect(try Self.told(page: "/Annots [ << \(link) \(next) >> ]") == warnings)
            let outlines = "/Outlines << /First << /Title (a) /A << /S /\(action) >> >> >>"
            #expect(try Self.told(catalog: outlines) == warnings)
        }
    }

    @Test("Elements of tagged content are no actions")
    func tags() throws {
        let tree = "/StructTreeRoot << /K [ << /S /Sound /P 1 0 R /A << /O /Layout /Placement /Block >> >> ] >>"
        #expect(try Self.told(catalog: tree).isEmpty)
        #expect(try Self.told(page: "/Group << /S /Transparency >>").isEmpty)
    }

    @Test(
        "Annotations are told that viewers draw differently",
        arguments: [
            ("/Subtype /Link", false), ("/Subtype /Link /AP << /N 4 0 R >>", true),
            ("/Subtype /Popup", false), ("/Subtype /Popup /AP << /N 4 0 R >>", true),
            ("/Subtype /Stamp /AP << /N 4 0 R >>", false), ("/Subtype /Stamp /Name /Approved", true),
            ("/Subtype /Redact", true), ("/Subtype /FreeText /DA (/Helv 9 Tf)", true), ("/Subtype /StrikeOut", true),
            ("/Subtype /INKP_Unknown", true), ("", true),
            // No look in its state.
            ("/Subtype /Stamp /AP << /D 4 0 R >>", true), ("/Subtype /Stamp /AP << /N << /On 4 0 R >> >>", true),
            ("/Subtype /Stamp /AS /On /AP << /N << /On 4 0 R >> >>", false),
            // Media have a look and play.
            ("/Subtype /Screen /AP << /N 4 0 R >>", true), ("/Subtype /Movie /AP << /N 4 0 R >>", true),
            ("/Subtype /3D /AP << /N 4 0 R >>", true), ("/Subtype /RichMedia /AP << /N 4 0 R >>", true),
            ("/Subtype /Sound /AP << /N 4 0 R >>", true),
        ])
    func looks(entries: String, isTold: Bool) throws {
        let warnings = try Self.told(page: "/Annots [ << /F 4 /Rect [ 0 0 9 9 ] \(entries) >> ]")
        #expect(warnings == (isTold ? [.viewerDependent] : []))
    }

    @Test(
        "Other files, other pictures and other pages in a document are told",
        arguments: [
            ("", "/Collection << >>", .attachments), ("", "/Names << /EmbeddedFiles << >> >>", .attachments),
            ("", "/AF [ << /Type /Filespec /EF << /F 4 0 R >> >> ]", .attachments),
            ("/Resources << /XObject << /X 5 0 R >> >>", "", .viewerDependent),
            ("/Resources << /XObject << /X 6 0 R >> >>", "", .viewerDependent),
            ("/Resources << /XObject << /X 7 0 R >> >>", "", .viewerDependent),
            ("/Resources << /XObject << /X 8 0 R >> >>", "", .externalStream),
        ] as [(String, String, DocumentFacts.Warning)])
    func parts(page: String, catalog: String, warning: DocumentFacts.Warning) throws {
        let more = [
            SmallPDF.stream("0", "/Subtype /Image /Alternates [ << /Image 4 0 R >> ]"),
            SmallPDF.stream("0", "/Subtype /PS"), SmallPDF.stream("0", "/Subtype /Form /Subtype2 /PS"),
            SmallPDF.stream("0", "/Subtype /Form /BBox [ 0 0 9 9 ] /Ref << /F (other.pdf) /Page 0 >>"),
        ]
        #expect(try Self.told(page: page, catalog: catalog, more: more) == [warning])
    }

    @Test("Parts that pages share are looked at for each of them")
    func shared() throws {
        for count in 1...4 {
            let (font, resources) = (count + 4, count + 5)
            for inherited in ["/Resources << /Font << /F \(font) 0 R >> >>", "/Resources \(resources) 0 R"] {
                let page = "\(SmallPDF.letter) /Contents \(count + 3) 0 R"
                let document = SmallPDF(
                    pages: Array(repeating: page, count: count), tree: inherited,
                    more: [
                        SmallPDF.stream("n"), "<< /Type /Font /Subtype /Type1 /BaseFont /Arial >>",
                        "<< /Font << /F \(font) 0 R >> >>",
                    ])
                let facts = try PDFInspection.facts(of: document.bytes)
                #expect(facts.pages.count == count && facts.missingFonts == ["Arial"])
            }
        }
    }

    @Test("Very many annotations are refused, and fewer cost no memory each")
    func manyReferences() throws {
        let most = PDFLimits.annotations
        func document(_ count: Int) -> [UInt8] {
            let notes = String(repeating: "4 0 R ", count: count)
            return SmallPDF(
                pages: ["\(SmallPDF.letter) /Annots [ \(notes)]"], more: ["<< /Subtype /Link /Rect [ 0 0 9 9 ] >>"]
            ).bytes
        }
        #expect(try PDFInspection.facts(of: document(most / 4)).warnings.isEmpty)
        let tooMany = PDFError.tooComplex(reason: "its pages have very many annotations")
        #expect(refusal(of: document(most + 1)) == tooMany)
        #expect(refusal(of: document(10 * most)) == tooMany)
    }
}
