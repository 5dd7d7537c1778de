// SPDX-License-Identifier: Apache-2.0
import Document
import TestSupport
import Testing

@testable import PDF

/// The error of a document that is refused.
func refusal(of document: [UInt8]) -> PDFError? {
    do throws(PDFError) {
        _ = try PDFInspection.facts(of: document)
        return nil
    } catch {
        return error
    }
}

@Suite("What a document is")
struct PDFInspectionTests {
    @Test("Pages have the size of what is shown of them")
    func sizes() throws {
        let document = SmallPDF(
            pages: [
                "", "/CropBox [ 600 800 100 50 ]", "/Rotate -270 /CropBox [ -50 -50 306 9999 ]",
                "/MediaBox [ 0 0 100 50 ] /UserUnit 2.5",
            ], tree: "\(SmallPDF.letter) /Rotate 180")
        let facts = try PDFInspection.facts(of: document.bytes)
        #expect(
            facts.pages == [
                .init(width: 612, height: 792), .init(width: 500, height: 742), .init(width: 792, height: 306),
                .init(width: 250, height: 125),
            ])
        #expect(facts.fields.isEmpty && facts.warnings.isEmpty && facts.missingFonts.isEmpty)
    }

    @Test("A rectangle is shown where it is, whichever way the page is turned", arguments: [0, 90, 180, 270])
    func turned(rotation: Int) throws {
        let page = "/CropBox [ 10 20 310 220 ] /Rotate \(rotation) /UserUnit 2 \(SmallPDF.letter)"
        let document = SmallPDF(pages: [page])
        let file = try PDFFile(document.bytes)
        let shownPage = try PDFPage.all(of: file)[0]
        // 40 wide and 30 high, near the lower left corner of what is shown before it is turned.
        let shown = shownPage.shown((minX: 15, minY: 26, maxX: 55, maxY: 56))
        let expected = [
            0: DocumentRectangle(minX: 10, minY: 12, maxX: 90, maxY: 72),
            90: DocumentRectangle(minX: 12, minY: 510, maxX: 72, maxY: 590),
            180: DocumentRectangle(minX: 510, minY: 328, maxX: 590, maxY: 388),
            270: DocumentRectangle(minX: 328, minY: 10, maxX: 388, maxY: 90),
        ]
        #expect(shown == expected[rotation])
        let own = shownPage.own(shown)
        #expect([own.minX, own.minY, own.maxX, own.maxY] == [15, 26, 55, 56])
    }

    @Test("Fields have what they inherit, and their full names")
    func fields() throws {
        let appearance = "/AP << /N << /Off 4 0 R /Ja 4 0 R >> >>"
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 6 0 R 8 0 R 9 0 R 10 0 R 11 0 R ]"],
            catalog: "/AcroForm << /Fields [ 5 0 R 7 0 R 10 0 R 11 0 R ] >>",
            more: [
                SmallPDF.stream(""),
                // 5: a group, with the type and the flags of those below.
                "<< /T (person) /FT /Tx /Ff 2 /Kids [ 6 0 R ] >>",
                "<< /T (name) /Parent 5 0 R /Rect [ 10 10 110 30 ] /V (A\u{0}B) /TU (Your name) /Subtype /Widget >>",
                "<< /T (kind) /FT /Btn /Ff 32768 /Kids [ 8 0 R 9 0 R ] /V /Ja >>",
                "<< /Subtype /Widget /Parent 7 0 R /Rect [ 10 50 20 60 ] \(appearance) >>",
                "<< /Subtype /Widget /Parent 7 0 R /Rect [ 30 50 40 60 ] /AP << /N << /Nein 4 0 R >> >> >>",
                "<< /Subtype /Widget /T (signature) /FT /Sig /Rect [ 10 100 200 150 ] >>",
                // Read only.
                "<< /Subtype /Widget /T (fixed) /FT /Tx /Ff 1 /Rect [ 10 200 200 250 ] >>",
            ])
        let fields = try PDFInspection.facts(of: document.bytes).fields
        #expect(fields.map(\.name) == ["person.name", "kind", "kind", "signature"])
        #expect(fields.map(\.kind) == [.text, .choice, .choice, .signature])
        #expect(fields[0].isRequired && fields[0].label == "Your name" && fields[0].value == "A B")
        #expect(fields[0].rectangle == DocumentRectangle(minX: 10, minY: 10, maxX: 110, maxY: 30))
        #expect(fields[1].choice == "Ja" && fields[2].choice == "Nein" && fields[1].value == "Ja")
        #expect(!fields[3].isRequired)
    }

    @Test("A field that cannot be seen or has a signature is none; a signature is told")
    func signed() throws {
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 5 0 R 6 0 R 7 0 R 8 0 R ]"],
            catalog: "/AcroForm << /Fields [ 5 0 R 6 0 R 7 0 R 8 0 R 9 0 R ] >>",
            more: [
                SmallPDF.stream(""),
                "<< /Subtype /Widget /F 4 /T (a) /FT /Sig /Rect [ 0 0 9 9 ] /V << /Type /Sig >> >>",
                "<< /Subtype /Widget /F 6 /T (hidden) /FT /Sig /Rect [ 0 0 9 9 ] >>",
                "<< /Subtype /Widget /F 4 /T (empty) /FT /Sig /Rect [ 0 0 0 0 ] >>",
                "<< /Subtype /Widget /F 4 /T (outside) /FT /Sig /Rect [ 900 0 990 9 ] >>",
                "<< /Subtype /Widget /F 4 /T (nowhere) /FT /Sig /Rect [ 0 0 9 9 ] >>",
            ])
        let facts = try PDFInspection.facts(of: document.bytes)
        #expect(facts.fields.isEmpty)
        #expect(facts.warnings == [.hiddenAnnotation, .existingSignatures])
    }

    @Test("What can change how a document looks or acts is told")
    func warnings() throws {
        let document = SmallPDF(
            pages: [
                """
                \(SmallPDF.letter) /AA << /O 4 0 R >> /Annots [ << /Subtype /Text /Rect [ 0 0 1 1 ] >> ]
                /Resources << /Font << /F << /Type /Font /Subtype /TrueType /BaseFont /Arial >> >> >>
                """
            ],
            catalog: """
                /OpenAction 4 0 R /OCProperties << /OCGs [ 5 0 R ] >>
                /Perms << /UR3 << >> >> /AcroForm << /NeedAppearances true /Fields [ ]
                /DR << /Font << /Helv << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>
                """,
            more: [
                "<< /S /JavaScript /JS (app.alert) /Next << /S /Launch >> >>", "<< /Type /OCG /Name (layer) >>",
                SmallPDF.stream("", "/F (/etc/passwd)"),
            ])
        var reachable = document
        reachable.trailer = "/Info << /Other 6 0 R >>"
        let facts = try PDFInspection.facts(of: reachable.bytes)
        let expected: [DocumentFacts.Warning] = [
            .javaScript, .additionalActions, .openAction, .launch, .layers, .needAppearances, .externalStream,
            .hiddenAnnotation, .fontsNotEmbedded, .usageRights, .viewerDependent,
        ]
        #expect(facts.warnings == expected)
        // That of the form is only for what is typed.
        #expect(facts.missingFonts == ["Arial"])
        // Opening at a page is harmless.
        let opening = SmallPDF(pages: [SmallPDF.letter], catalog: "/OpenAction [ 3 0 R /Fit ]")
        #expect(try PDFInspection.facts(of: opening.bytes).warnings.isEmpty)
    }

    @Test("What is below a name that is no text, and a font that does not say that it is one, are told")
    func strangeNames() throws {
        func told(_ page: String) throws -> DocumentFacts {
            let font = "<< /Subtype /Type1 /BaseFont /Arial >>"
            let more = [SmallPDF.stream("", "/F (a)"), font, "<< /Subtype /Type0 /DescendantFonts [ 5 0 R ] >>"]
            return try PDFInspection.facts(of: SmallPDF(pages: ["\(SmallPDF.letter) \(page)"], more: more).bytes)
        }
        #expect(try told("/Resources << /XObject << /X#ff 4 0 R >> >>").warnings == [.externalStream])
        for fonts in [
            "/Font << /F#ff 5 0 R >>", "/Font << /F 6 0 R >>", "/ExtGState << /G#fe << /Font [ 5 0 R 9 ] >> >>",
            "/Pattern << /P 5 0 R >> /Font << /F 5 0 R >>",
        ] {
            let facts = try told("/Resources << \(fonts) >>")
            #expect(facts.warnings == [.fontsNotEmbedded] && facts.missingFonts == ["Arial"], "\(fonts)")
        }
        for action in ["SubmitForm", "ImportData", "GoToR", "GoToE"] {
            #expect(try told("/A << /S /\(action) >>").warnings == [.additionalActions], "\(action)")
        }
    }

    @Test("A tree of pages that some readers go up and others down another way is refused")
    func parents() throws {
        var document = SmallPDF(
            pages: [""],
            more: [
                "<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [ 3 0 R ] /MediaBox [ 0 0 70 80 ] >>",
                "<< /Type /Pages /Count 1 /Kids [ 3 0 R ] /MediaBox [ 0 0 90 90 ] >>",
            ])
        document.objects[1] = "<< /Type /Pages /Count 1 /Kids [ 4 0 R ] >>"
        document.objects[2] = "<< /Type /Page /Parent 4 0 R >>"
        #expect(try PDFInspection.facts(of: document.bytes).pages == [.init(width: 70, height: 80)])
        var changes: [SmallPDF] = []
        func change(_ index: Int, _ text: String) {
            var other = document
            other.objects[index] = text
            changes.append(other)
        }
        change(2, "<< /Type /Page /Parent 5 0 R >>")
        change(2, "<< /Type /Page /MediaBox [ 0 0 70 80 ] >>")
        change(1, "<< /Type /Pages /Parent 5 0 R /Count 1 /Kids [ 4 0 R ] >>")
        change(3, "<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [ 3 0 R ] /MediaBox [ 0 0 70 80 ] >>")
        for other in changes {
            guard case .damaged = refusal(of: other.bytes) else {
                Issue.record("\(other.objects)")
                continue
            }
        }
    }

    @Test("All names are told, and fields that an update would not find are not offered")
    func names() throws {
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 5 0 R 6 0 R 7 0 R 8 0 R ]"],
            catalog: "/AcroForm << /Fields [ 4 0 R 7 0 R 8 0 R ] >>",
            more: [
                "<< /T (mixed) /FT /Tx /Kids [ 5 0 R 6 0 R ] >>",
                "<< /Subtype /Widget /F 4 /Parent 4 0 R /Rect [ 0 0 99 99 ] >>",
                "<< /Subtype /Widget /F 4 /Parent 4 0 R /T (a) /Ff 1 /Rect [ 0 0 99 99 ] >>",
                "<< /Subtype /Widget /F 4 /T (twice) /FT /Tx /Rect [ 0 0 99 99 ] >>",
                "<< /Subtype /Widget /F 4 /T (twice) /FT /Tx /Rect [ 0 0 99 99 ] >>",
            ])
        let facts = try PDFInspection.facts(of: document.bytes)
        #expect(facts.names == ["mixed", "mixed.a", "twice"] && facts.fields.isEmpty)
    }

    @Test("A field that is many times larger than any page is not offered")
    func huge() throws {
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 4 0 R ]"], catalog: "/AcroForm << /Fields [ 4 0 R ] >>",
            more: ["<< /Subtype /Widget /F 4 /T (huge) /FT /Tx /Rect [ -1000000000 0 1000000000 99 ] >>"])
        let facts = try PDFInspection.facts(of: document.bytes)
        #expect(facts.fields.isEmpty && facts.names == ["huge"] && facts.json() != nil)
    }

    @Test("Fields that demand a value and cannot be filled here are told, unless they have one or nobody sees them")
    func unfillable() throws {
        let widget = "<< /Subtype /Widget /F 4 /Rect [ 0 0 99 20 ] /Ff"
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 4 0 R 5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 10 0 R ]"],
            catalog: "/AcroForm << /Fields [ 4 0 R 5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R ] >>",
            more: [
                "\(widget) 2 /FT /Ch /T (list) >>", "\(widget) 2 /FT /Ch /T (filled) /V (a) >>",
                "\(widget) 2 /FT /Btn /T (box) >>", "\(widget) 65538 /FT /Btn /T (button) >>",
                "\(widget) 2 /FT /Tx /T (text) >>", "\(widget) 3 /FT /Ch /T (read) >>",
                "\(widget) 2 /FT /Ch /T (several) /V [ (a) (b) ] >>", "\(widget) 2 /FT /Ch /T (nowhere) >>",
            ])
        let facts = try PDFInspection.facts(of: document.bytes)
        #expect(facts.unfillable == ["list", "box"] && facts.fields.map(\.name) == ["text"])
    }

    @Test("A box that only looks ticked has a value; a box that a signature has locked is not offered")
    func ticks() throws {
        let box = "<< /Subtype /Widget /F 4 /Rect [ 0 0 20 20 ] /FT /Btn /AP << /N << /Off 4 0 R /Ja 4 0 R >> >>"
        let lock = "/TransformMethod /FieldMDP /TransformParams << /Action /Include /Fields [ (locked) ] >>"
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 5 0 R 6 0 R 7 0 R ]"],
            catalog: "/AcroForm << /Fields [ 5 0 R 6 0 R 7 0 R 8 0 R ] >>",
            more: [
                "<< >>", "\(box) /T (ticked) /AS /Ja >>", "\(box) /T (empty) /AS /Off >>",
                "\(box) /T (locked) /Ff 2 /AS /Off >>",
                "<< /T (signature) /FT /Sig /V << /Type /Sig /Reference [ << \(lock) >> ] >> >>",
            ])
        let facts = try PDFInspection.facts(of: document.bytes)
        #expect(facts.fields.map(\.name) == ["ticked", "empty"] && facts.unfillable == nil)
        #expect(facts.fields.first?.value == "Ja" && facts.locked == ["locked"])
    }

    @Test("The text of a choice is told beside its name, by its place among the widgets or by its number")
    func meanings() throws {
        func facts(_ names: [String], _ texts: String) throws -> [String?] {
            let kids = names.enumerated().map { index, name in
                "<< /Subtype /Widget /F 4 /Rect [ 0 \(30 * index) 20 \(30 * index + 20) ] /Parent 4 0 R"
                    + " /AP << /N << /Off 5 0 R /\(name) 5 0 R >> >> >>"
            }
            let references = names.indices.map { "\($0 + 6) 0 R" }.joined(separator: " ")
            let document = SmallPDF(
                pages: ["\(SmallPDF.letter) /Annots [ \(references) ]"], catalog: "/AcroForm << /Fields [ 4 0 R ] >>",
                more: ["<< /T (pay) /FT /Btn /Ff 49152 /Opt [ \(texts) ] /Kids [ \(references) ] >>", "<< >>"] + kids)
            return try PDFInspection.facts(of: document.bytes).fields.map(\.meaning)
        }
        #expect(try facts(["0", "1"], "(monthly) (yearly)") == ["monthly", "yearly"])
        #expect(try facts(["1", "0"], "(a) (b)") == ["a", "b"])
        #expect(try facts(["2", "0"], "(a) (b) (c)") == ["c", "a"])
        #expect(try facts(["x", "y"], "(x) <FEFF001B0064006500430048001B0059>") == [nil, "Y"])
        #expect(try facts(["x", "y"], "(a)") == [nil, nil])
    }

    @Test("The codes of a language in a text are not part of it")
    func escapes() {
        #expect("\u{1B}de\u{1B}Ja".withoutLanguageEscapes == "Ja")
        #expect("a\u{1B}deCH\u{1B}b\u{1B}en-US\u{1B}c".withoutLanguageEscapes == "abc")
        for text in ["plain", "\u{1B}", "\u{1B}de", "\u{1B}d\u{1B}", "\u{1B}lengthy\u{1B}"] {
            #expect(text.withoutLanguageEscapes == text)
        }
    }

    @Test("Signature fields that hide or cut ink are not offered")
    func hiding() throws {
        let document = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 5 0 R 6 0 R 7 0 R 8 0 R ]"],
            catalog: "/AcroForm << /Fields [ 5 0 R 6 0 R 7 0 R 8 0 R ] >>",
            more: [
                "<< /Type /OCG /Name (layer) >>",
                "<< /Subtype /Widget /F 4 /T (good) /FT /Sig /Rect [ 0 0 14 14 ] >>",
                "<< /Subtype /Widget /F 4 /T (low) /FT /Sig /Rect [ 0 0 99 13 ] >>",
                "<< /Subtype /Widget /F 4 /T (cut) /FT /Sig /Rect [ 600 0 700 50 ] >>",
                "<< /Subtype /Widget /F 4 /T (layer) /FT /Sig /Rect [ 0 0 99 99 ] /OC 4 0 R >>",
            ])
        #expect(try PDFInspection.facts(of: document.bytes).fields.map(\.name) == ["good"])
        let ink = DocumentInk(width: 9, height: 9, content: "0 0 m 9 9 l h f")
        for (name, reason) in [("low", "14 points"), ("cut", "within page 1"), ("layer", "a layer")] {
            let error = thrownError {
                try PDFUpdate.assemble(document.bytes, DocumentUpdate(field: name, ink: ink, time: 0))
            }
            #expect((error as? PDFError)?.description.contains(reason) == true, "\(name)")
        }
        _ = try PDFUpdate.assemble(document.bytes, DocumentUpdate(field: "good", ink: ink, time: 0))
    }

    @Test("Documents that cannot be shown are refused by name")
    func refused() {
        let whole = SmallPDF(pages: [SmallPDF.letter]).bytes
        #expect(refusal(of: whole) == nil)
        #expect(refusal(of: SmallPDF(pages: []).bytes) == .noPages)
        #expect(refusal(of: SmallPDF(pages: ["/MediaBox [ 0 0 99999 10 ]"]).bytes) == .pageTooLarge(page: 1))
        let many = [String](repeating: SmallPDF.letter, count: PDFLimits.pages + 1)
        #expect(refusal(of: SmallPDF(pages: many).bytes) == .tooManyPages)
        let form = SmallPDF(pages: [SmallPDF.letter], catalog: "/AcroForm << /Fields [ ] /XFA [ (a) 4 0 R ] >>")
        #expect(refusal(of: form.bytes) == .xfa)
        let empty = SmallPDF(pages: [SmallPDF.letter], catalog: "/AcroForm << /Fields [ ] /XFA [ ] >>")
        #expect(refusal(of: empty.bytes) == nil)
        let long = whole + [UInt8](repeating: 32, count: PDFLimits.byteCount)
        #expect(refusal(of: long) == .tooLarge(byteCount: long.count))
        for bad in [
            Array("%PDF-1.7".utf8), Array(whole.dropLast(20)),
            SmallPDF(pages: ["\(SmallPDF.letter) /Rotate 45"]).bytes,
            SmallPDF(pages: ["/MediaBox [ 5 5 5 5 ]"]).bytes,
            SmallPDF(pages: ["/MediaBox [ 0 0 10 10 ] /CropBox [ 20 20 30 30 ]"]).bytes,
            SmallPDF(pages: ["\(SmallPDF.letter) /UserUnit -1"]).bytes,
        ] {
            guard case .damaged = refusal(of: bad) else {
                Issue.record("\(String(decoding: bad, as: UTF8.self)): \(String(describing: refusal(of: bad)))")
                continue
            }
        }
        #expect(refusal(of: []) == .noPDF && refusal(of: Array("GIF89a".utf8)) == .noPDF)
        // A key that nothing has: the file cannot be read without a password.
        var encrypted = SmallPDF(pages: [SmallPDF.letter])
        let word = String(repeating: "00", count: 32)
        encrypted.trailer =
            "/ID [ <00> <00> ] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <\(word)> /U <\(word)> >>"
        #expect(refusal(of: encrypted.bytes) == .encrypted)
    }

    /// The second revision has another content; libqpdf passes over a `startxref` that is no word of its own.
    @Test("A file in which readers find different last revisions is refused")
    func revisions() throws {
        let first = SmallPDF(pages: ["\(SmallPDF.letter) /Contents 4 0 R"], more: [SmallPDF.stream("")]).bytes
        let text = String(decoding: first, as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        let table = words[words.count - 2]
        let object = "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 99 99 ] >>\nendobj\n"
        let place = String(repeating: "0", count: 10 - "\(first.count)".count) + "\(first.count)"
        let second = first.count + object.utf8.count
        let update = "\(object)xref\n3 1\n\(place) 00000 n \ntrailer\n<< /Size 5 /Root 1 0 R /Prev \(table) >>\n"
        func document(_ end: String) -> [UInt8] { first + Array((update + end).utf8) }
        let whole = document("startxref\n\(second)\n%%EOF\n")
        #expect(try PDFInspection.facts(of: whole).pages == [.init(width: 99, height: 99)])
        let double = document("startxref\n\(table)\n%%EOF\nstartxref\(second)\n%%EOF\n")
        guard case .damaged = refusal(of: double) else { return #expect(Bool(false)) }
        for header in ["%PDF-a.7\n", "%PDF-1,7\n"] {
            guard case .damaged = refusal(of: Array(header.utf8) + first.dropFirst(9)) else {
                return #expect(Bool(false))
            }
        }
    }

    @Test("Trees that go in circles or deep end")
    func circles() {
        var circle = SmallPDF(pages: [SmallPDF.letter])
        circle.objects[1] = "<< /Type /Pages /Count 1 /Kids [ 3 0 R 2 0 R ] >>"
        guard case .damaged = refusal(of: circle.bytes) else { return #expect(Bool(false)) }
        circle.objects[1] = "<< /Type /Pages /Count 1 /Parent 2 0 R /Kids [ 3 0 R ] >>"
        circle.objects[2] = "<< /Type /Page /Parent 2 0 R >>"
        guard case .damaged = refusal(of: circle.bytes) else { return #expect(Bool(false)) }
        var deep = SmallPDF(pages: [SmallPDF.letter])
        deep.objects[1] = "<< /Type /Pages /Count 1 /Kids [ 4 0 R ] >>"
        for number in 4..<2000 {
            let parent = number == 4 ? 2 : number - 1
            deep.objects.append("<< /Type /Pages /Count 1 /Parent \(parent) 0 R /Kids [ \(number + 1) 0 R ] >>")
        }
        deep.objects.append("<< /Type /Pages /Count 1 /Parent 1999 0 R /Kids [ 3 0 R ] >>")
        guard case .tooComplex = refusal(of: deep.bytes) else { return #expect(Bool(false)) }
        // A field that is its own kid.
        let fields = SmallPDF(
            pages: [SmallPDF.letter], catalog: "/AcroForm << /Fields [ 4 0 R ] >>",
            more: ["<< /T (a) /FT /Tx /Kids [ 4 0 R 4 0 R ] >>"])
        #expect(refusal(of: fields.bytes) == nil)
    }

    @Test("Damaged documents are refused or read, and nothing else happens")
    func damaged() {
        let whole = SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 5 0 R ] /Contents 4 0 R"],
            catalog: "/AcroForm << /Fields [ 5 0 R ] >>",
            more: [
                SmallPDF.stream("0 0 m 1 1 l S"),
                "<< /Subtype /Widget /F 4 /T (a) /FT /Sig /Rect [ 0 0 9 9 ] >>",
            ]
        ).bytes
        var random = SeededGenerator(seed: 1)
        for end in stride(from: 0, to: whole.count, by: 7) { _ = refusal(of: Array(whole[..<end])) }
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            _ = refusal(of: bytes)
            let noise = (0..<200).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(refusal(of: noise) != nil)
        }
    }
}
