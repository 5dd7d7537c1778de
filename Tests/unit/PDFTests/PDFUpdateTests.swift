// SPDX-License-Identifier: Apache-2.0
import Document
import TestSupport
import Testing

@testable import PDF

/// Tests/system/Document lets other programs verify signed documents of all kinds.
@Suite("Updates of documents")
struct PDFUpdateTests {
    private static let rectangle = DocumentRectangle(minX: 300, minY: 100, maxX: 460, maxY: 150)
    private static let ink = DocumentInk(width: 100, height: 40, content: "0 0 0 rg\n0 0 m 100 0 l 0 40 l h\nf")

    private static func field(_ name: String, page: Int = 1) -> Field {
        Field(name: name, kind: .signature, page: page, rectangle: rectangle)
    }

    private static func update(
        _ field: String = "S01", new: [Field] = [field("S01")], values: [DocumentUpdate.Value] = [],
        marks: [DocumentUpdate.Mark] = [], ink: DocumentInk? = ink
    ) -> DocumentUpdate {
        DocumentUpdate(newFields: new, values: values, marks: marks, field: field, ink: ink, time: 1_790_000_000)
    }

    private static func mark(
        page: Int = 1, _ rectangle: DocumentRectangle = rectangle, ink: DocumentInk = ink, label: String? = nil
    ) -> DocumentUpdate.Mark { DocumentUpdate.Mark(page: page, rectangle: rectangle, ink: ink, label: label) }

    private static let plain = SmallPDF(
        pages: ["/MediaBox [ 0 0 595 842 ] /Contents 4 0 R"], more: [SmallPDF.stream("n")]
    ).bytes

    /// A form with a check box, a push button, a signature field, and texts: with limits, for a password, off the
    /// pages.
    private static let form = SmallPDF(
        pages: ["/MediaBox [ 0 0 595 842 ] /Annots [ 4 0 R 5 0 R 6 0 R 8 0 R 9 0 R ]"],
        catalog: "/AcroForm << /Fields [ 4 0 R 5 0 R 6 0 R 8 0 R 9 0 R 10 0 R ] /SigFlags 1 /DA (/Helv 9.5 Tf) >>",
        more: [
            "<< /Type /Annot /Subtype /Widget /FT /Btn /T (consent) /Rect [ 10 10 20 20 ] /AS /Off"
                + " /AP << /N << /Yes 7 0 R /Off 7 0 R >> >> >>",
            "<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (button) /Rect [ 10 30 20 40 ] >>",
            "<< /Type /Annot /Subtype /Widget /FT /Sig /T (customer) /Rect [ 100 100 300 160 ] >>",
            SmallPDF.stream("n", "/Type /XObject /Subtype /Form /BBox [ 0 0 10 10 ]"),
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (text) /MaxLen 5 /Q 2 /Rect [ 100 300 200 320 ]"
                + " /MK << /BG [ 1 0.5 0 ] /BC [ 0 ] >> /BS << /W 2 >> >>",
            "<< /Type /Annot /Subtype /Widget /FT /Tx /Ff 8192 /T (secret) /Rect [ 100 350 200 370 ] >>",
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (nowhere) /Rect [ 100 350 200 370 ] >>",
        ]
    ).bytes

    private static func text(_ document: [UInt8], _ update: DocumentUpdate) throws -> String {
        String(decoding: try PDFUpdate.assemble(document, update), as: UTF8.self)
    }

    private static func error(_ document: [UInt8], _ update: DocumentUpdate) -> PDFError? {
        thrownError { try PDFUpdate.assemble(document, update) } as? PDFError
    }

    @Test func theFirstSignatureCertifies() throws {
        let text = try Self.text(Self.plain, Self.update(new: [Self.field("S01"), Self.field("T02")]))
        #expect(text.contains("/SubFilter /ETSI.CAdES.detached"))
        #expect(text.contains("/TransformMethod /DocMDP /TransformParams << /Type /TransformParams /P 2 /V /1.2 >>"))
        #expect(text.contains("/Perms << /DocMDP 5 0 R >>"))
        #expect(text.contains("/M (D:20260921141320Z)"))
        #expect(text.contains("/SigFlags 3"))
        #expect(text.contains("/T (S01) /TU (S01) /F 132 /Rect [ 300 100 460 150 ] /P 3 0 R /V 5 0 R"))
        #expect(text.contains("/T (T02) /TU (T02) /F 132 /Rect [ 300 100 460 150 ] /P 3 0 R /AP <<"))
        #expect(text.contains("/Annots [ 6 0 R 7 0 R ]"))
        #expect(text.hasPrefix("1 0 obj\n<< "))
        #expect(text.hasSuffix("%%EOF\n"))
    }

    @Test func itFitsIntoASignedDocument() throws {
        let update = try PDFUpdate.assemble(Self.plain, Self.update())
        var document = try SignedDocument(original: Self.plain, update: update)
        try document.fill(with: [0x30, 0])
        // It is read again, and the next signer can sign.
        let again = thrownError { try PDFUpdate.assemble(document.bytes, Self.update(new: [])) } as? PDFError
        #expect(again == .field(name: "S01", reason: "it is signed already"))
        let later = Self.error(document.bytes, Self.update("T02", new: [Self.field("T02")]))
        #expect(later?.description.contains("certified") == true, "\(String(describing: later))")
    }

    @Test func theSameUpdateHasTheSameBytes() throws {
        let update = Self.update()
        #expect(try PDFUpdate.assemble(Self.plain, update) == PDFUpdate.assemble(Self.plain, update))
        var other = update
        other.time += 1
        #expect(try PDFUpdate.assemble(Self.plain, other) != PDFUpdate.assemble(Self.plain, update))
    }

    @Test func aLineEndIsAddedWhereThereIsNone() throws {
        #expect(try PDFUpdate.assemble(Self.plain, Self.update()).first == UInt8(ascii: "1"))
        #expect(try PDFUpdate.assemble(Self.plain.dropLast(), Self.update()).starts(with: "\n1 0 obj".utf8))
    }

    @Test func checkBoxesGetTheirValue() throws {
        let text = try Self.text(
            Self.form, Self.update("customer", new: [], values: [.init(field: "consent", value: "Yes")]))
        #expect(text.contains("4 0 obj\n<<") && text.contains("/AS /Yes") && text.contains("/V /Yes"))
        #expect(text.contains("/SigFlags 3"))
        let off = try Self.text(
            Self.form, Self.update("customer", new: [], values: [.init(field: "consent", value: "Off")]))
        #expect(off.contains("/AS /Off") && off.contains("/V /Off"))
    }

    @Test func textsGetTheirValueAndTheirOutlines() throws {
        let plain = DocumentUpdate.Value(field: "text", value: "AB-9", appearance: Self.ink)
        let text = try Self.text(Self.form, Self.update("customer", new: [], values: [plain]))
        #expect(text.contains("/V (AB-9)") && text.contains("/AP << /N 12 0 R >>"), "\(text.prefix(900))")
        #expect(text.contains("/BBox [ 0 0 100 20 ]"))
        let other = DocumentUpdate.Value(field: "text", value: "\u{e9}(", appearance: Self.ink)
        #expect(
            try Self.text(Self.form, Self.update("customer", new: [], values: [other])).contains("/V <feff00e90028>"))
        let field = try PDFInspection.facts(of: Self.form).fields.first { $0.name == "text" }
        #expect(field?.format == TextFormat(em: 9.5, alignment: .right, longest: 5))
    }

    @Test func outlinesHaveTheirTextForProgramsThatReadThem() throws {
        var ink = Self.ink
        ink.texts = [.init("Zoé 1", x: 0, y: 10, width: 50, height: 10)]
        let text = try Self.text(Self.plain, Self.update(marks: [Self.mark(ink: ink, label: "Date")], ink: ink))
        #expect(text.contains("/Subtype /Type3") && text.contains("/FirstChar 1 /LastChar 5"))
        for entry in ["<01> <0020>", "<02> <0031>", "<03> <005a>", "<04> <006f>", "<05> <00e9>"] {
            #expect(text.contains(entry), "\(entry)")
        }
        // The mark and the signature have one font.
        #expect(text.ranges(of: "/Subtype /Type3").count == 1 && text.ranges(of: "/R0 ").count == 2)
        #expect(text.contains("/Contents <feff0044006100740065003a0020005a006f00e900200031>"))
        ink.texts = [.init(String(repeating: "a", count: 5000), x: 0, y: 0, width: 1, height: 1)]
        #expect(Self.error(Self.plain, Self.update(ink: ink))?.description.contains("texts are longer") == true)
        // More letters than a font has codes.
        ink.texts = [
            .init(
                String(String.UnicodeScalarView((0x4E00..<0x4F00).compactMap { Unicode.Scalar($0) })), x: 0, y: 0,
                width: 1, height: 1)
        ]
        #expect(try Self.text(Self.plain, Self.update(ink: ink)).ranges(of: "/Subtype /Type3").count == 2)
    }

    @Test func textsOfTurnedWidgetsAreTurned() throws {
        func file(_ page: Int, _ widget: Int) -> [UInt8] {
            SmallPDF(
                pages: ["/MediaBox [ 0 0 595 842 ] /Rotate \(page) /Annots [ 4 0 R 5 0 R ]"],
                catalog: "/AcroForm << /Fields [ 4 0 R 5 0 R ] >>",
                more: [
                    "<< /Type /Annot /Subtype /Widget /FT /Tx /T (text) /Rect [ 100 300 120 400 ]"
                        + " /MK << /R \(widget) >> >>",
                    "<< /Type /Annot /Subtype /Widget /FT /Sig /T (customer) /Rect [ 100 100 300 160 ] >>",
                ]
            ).bytes
        }
        let value = DocumentUpdate.Value(field: "text", value: "a", appearance: Self.ink)
        for (page, widget, turn, matrix) in [
            (0, 90, 90, "[ 0 1 -1 0 20 0 ]"), (0, 270, 270, "[ 0 -1 1 0 0 100 ]"), (90, 90, nil, "[ 0 1 -1 0 20 0 ]"),
            (0, -90, 270, "[ 0 -1 1 0 0 100 ]"),
        ] {
            let facts = try PDFInspection.facts(of: file(page, widget))
            #expect(facts.fields[0].format?.turn == turn)
            let text = try Self.text(file(page, widget), Self.update("customer", new: [], values: [value]))
            #expect(text.contains("/BBox [ 0 0 100 20 ] /Matrix \(matrix)"), "\(page) \(widget)")
        }
    }

    @Test func textsAreRefusedByTheirReason() {
        func error(_ field: String, _ value: String, _ ink: DocumentInk? = Self.ink) -> String {
            let value = DocumentUpdate.Value(field: field, value: value, appearance: ink)
            return Self.error(Self.form, Self.update("customer", new: [], values: [value]))?.description ?? "none"
        }
        #expect(error("text", "123456").contains("at most 5 characters"))
        #expect(error("text", "a\nb").contains("line ends"))
        #expect(error("text", "\u{1b}").contains("control characters"))
        #expect(error("text", "a", nil).contains("no outlines"))
        #expect(error("text", "a", .init(width: 1, height: 1, content: "/X Do")).contains("other operators"))
        #expect(error("text", "a", .init(width: .nan, height: 1, content: "f")).contains("no size"))
        #expect(error("secret", "a").contains("password"))
        #expect(error("nowhere", "a").contains("on no page"))
    }

    @Test func theLastSignatureOfASessionCanBeFinal() throws {
        var update = Self.update(new: [Self.field("S01")])
        update.finalField = "S01"
        let alone = try Self.text(Self.plain, update)
        #expect(alone.contains("/TransformMethod /DocMDP /TransformParams << /Type /TransformParams /P 1 /V /1.2 >>"))
        #expect(!alone.contains("/SigFieldLock"))
        update = Self.update(new: [Self.field("S01"), Self.field("T02")])
        update.finalField = "T02"
        let first = try PDFUpdate.assemble(Self.plain, update)
        let text = String(decoding: first, as: UTF8.self)
        #expect(text.contains("/P 2 /V /1.2") && text.contains("<< /Type /SigFieldLock /Action /All /P 1 >>"))
        let signed = try SignedDocument(original: Self.plain, update: first).bytes
        update = Self.update("T02", new: [])
        update.finalField = "T02"
        let last = try Self.text(signed, update)
        #expect(last.contains("/TransformMethod /FieldMDP") && last.contains("/Action /All /P 1 /V /1.2"))
        update.finalField = "other"
        #expect(Self.error(Self.plain, update) == .fieldNotFound(name: "other"))
        update = Self.update("customer", new: [])
        update.finalField = "consent"
        #expect(Self.error(Self.form, update)?.description.contains("no signature field") == true)
    }

    @Test func newAnnotationsOfATaggedDocumentHaveElements() throws {
        func file(_ kids: String, _ tree: String, _ root: String = "", isMarked: Bool = true) -> [UInt8] {
            SmallPDF(
                pages: ["/MediaBox [ 0 0 595 842 ] /StructParents 0"],
                catalog: "/MarkInfo << /Marked \(isMarked) >> /StructTreeRoot 4 0 R",
                more: [
                    "<< /Type /StructTreeRoot /K \(kids) /ParentTree \(tree) \(root) >>",
                    "<< /Type /StructElem /S /Document /P 4 0 R /K [ 6 0 R ] >>",
                    "<< /Type /StructElem /S /P /P 5 0 R /Pg 3 0 R /K 0 >>",
                ]
            ).bytes
        }
        let update = Self.update(marks: [Self.mark(label: "Initials")])
        // Objects 8 and 10 are the field and its element: 7 is the signature.
        let direct = try Self.text(file("5 0 R", "<< /Nums [ 0 [ 6 0 R ] ] >>"), update)
        #expect(direct.contains("/StructParent 1") && direct.contains("/StructParent 2"))
        #expect(direct.contains("/ParentTreeNextKey 3") && direct.contains("/Nums [ 0 [ 6 0 R ] 1 9 0 R 2"))
        #expect(direct.contains("/S /Form /P 5 0 R /Pg 3 0 R /Alt (S01) /K << /Type /OBJR /Obj 8 0 R /Pg 3 0 R >>"))
        #expect(direct.contains("/K [ 6 0 R 9 0 R 13 0 R ] /P 4 0 R /S /Document"))
        #expect(direct.contains("/S /Annot /P 5 0 R /Pg 3 0 R /Alt (Initials) /K << /Type /OBJR"))
        let tree = try Self.text(file("[ 6 0 R 6 0 R ]", "<< /Kids [ << /Nums [ 0 6 0 R 7 6 0 R ] >> ] >>"), update)
        #expect(tree.contains("/Limits [ 8 9 ]") && tree.contains("/K [ 6 0 R 6 0 R 9 0 R"))
        let next = try Self.text(file("5 0 R", "<< /Nums [ ] >>", "/ParentTreeNextKey 40"), update)
        #expect(next.contains("/StructParent 40") && next.contains("/ParentTreeNextKey 42"))
        #expect(try !Self.text(file("5 0 R", "<< >>", isMarked: false), update).contains("/StructParent "))
        #expect(try !Self.text(Self.plain, update).contains("/StructElem"))
    }

    @Test func theFieldDemandsWhetherItsSignatureCertifies() throws {
        func file(_ demand: Int, others: Bool = false) -> [UInt8] {
            SmallPDF(
                pages: ["/MediaBox [ 0 0 595 842 ] /Annots [ 4 0 R 5 0 R ]"],
                catalog: "/AcroForm << /Fields [ 4 0 R \(others ? "5 0 R" : "") ] >>",
                more: [
                    "<< /Type /Annot /Subtype /Widget /FT /Sig /T (a) /Rect [ 100 100 300 160 ]"
                        + " /SV << /Type /SV /MDP << /P \(demand) >> >> >>",
                    "<< /Type /Annot /Subtype /Widget /FT /Sig /T (b) /Rect [ 100 300 300 360 ] >>",
                ]
            ).bytes
        }
        let update = Self.update("a", new: [])
        let plain = try Self.text(file(0), update)
        #expect(!plain.contains("/DocMDP") && !plain.contains("/Perms"))
        for demand in 1...3 {
            #expect(try Self.text(file(demand), update).contains("/TransformParams /P \(demand) /V /1.2"))
        }
        #expect(Self.error(file(1, others: true), update)?.description.contains("nothing follows") == true)
        var last = update
        last.finalField = "a"
        #expect(try Self.text(file(1, others: true), last).contains("/TransformParams /P 1 /V /1.2"))
    }

    @Test func referencesToNothingDoNotMeanNewObjects() throws {
        // 30 is not there.
        let document = SmallPDF(pages: ["/MediaBox [ 0 0 595 842 ] /Contents 30 0 R"]).bytes
        #expect(try Self.text(document, Self.update()).contains("31 0 obj\n<< /Type /Sig "))
    }

    /// What libqpdf 11.3 itself would write of such names is not the same.
    @Test func namesOfAllKindsStayAsTheyAre() throws {
        let document = SmallPDF(
            pages: [
                "/MediaBox [ 0 0 595 842 ] /INKP <<"
                    + " /a#23b#20#e4 [ /#23 (x\\344\\)\\(\\\\) <80ff> 1.50 -3 true null 3 0 R ] >>"
            ]
        ).bytes
        let text = try Self.text(document, Self.update())
        #expect(
            text.contains("/INKP << /a#23b#20#e4 [ /#23 <78e429285c> <80ff> 1.50 -3 true null 3 0 R ] >>"),
            "\(text.prefix(700))")
    }

    @Test func theFirstSignatureLocksAllOtherFields() throws {
        let field = "<< /Type /Annot /Subtype /Widget /Rect [ 10 10 20 20 ]"
        let document = SmallPDF(
            pages: ["/MediaBox [ 0 0 595 842 ] /Annots [ 4 0 R 5 0 R 6 0 R ]"],
            catalog: "/AcroForm << /Fields [ 4 0 R 5 0 R 6 0 R ] >>",
            more: [
                // Nobody can fill these on the pad: a list, and a text that is hidden.
                "\(field) /FT /Ch /Ff 131072 /T (list) /Opt [ (a) (b) ] /V (a) >>",
                "\(field) /FT /Tx /F 2 /T (hidden) /V (a) >>",
                "<< /Type /Annot /Subtype /Widget /FT /Sig /T (later) /Rect [ 100 100 300 160 ] >>",
            ]
        ).bytes
        var update = Self.update()
        update.locksForm = true
        #expect(try Self.text(document, update).contains("/Action /Exclude /Fields [ (later) ]"))
        #expect(try !Self.text(document, Self.update()).contains("/FieldMDP"))
        // The last one leaves no field open.
        var last = Self.update("later", new: [])
        last.locksForm = true
        let text = try Self.text(document, last)
        #expect(text.contains("/TransformParams << /Type /TransformParams /Action /All /V /1.2 >>"), "\(text)")
        // There is nothing to lock.
        update.newFields.append(Self.field("T02"))
        #expect(try !Self.text(Self.plain, update).contains("/FieldMDP"))
    }

    /// A list of names would leave these fields out.
    @Test(arguments: [
        ("[ 4 0 R ]", "<< FIELD /T () >>", "null"), ("[ 4 0 R ]", "<< FIELD >>", "null"),
        ("[ 4 0 R 5 0 R ]", "<< FIELD /T (a) >>", "<< FIELD /T (a) >>"),
        // A node with a widget and a field; a widget that the form does not list.
        ("[ 4 0 R ]", "<< /FT /Tx /T (a) /Kids [ 5 0 R 6 0 R ] >>", "<< FIELD /T (b) >>"),
        ("[ ]", "<< FIELD >>", "null"),
    ])
    func fieldsWithoutNamesAreLocked(fields: String, first: String, second: String) throws {
        let field = "/Type /Annot /Subtype /Widget /FT /Tx /Rect [ 10 10 20 20 ]"
        let more = [first, second, "<< FIELD /Parent 4 0 R >>"].map { $0.replacing("FIELD", with: field) }
        let document = SmallPDF(
            pages: ["/MediaBox [ 0 0 595 842 ] /Annots [ 4 0 R 5 0 R 6 0 R ]"],
            catalog: "/AcroForm << /Fields \(fields) >>", more: more
        ).bytes
        var update = Self.update()
        update.locksForm = true
        #expect(try Self.text(document, update).contains("/Action /All"))
        update.newFields.append(Self.field("T02"))
        #expect(try Self.text(document, update).contains("/Action /Exclude /Fields [ (T02) ]"))
    }

    @Test func aFieldThatHasTheNameOfAnOpenSignatureFieldIsRefused() {
        for (first, second) in [("T02", "T02.rent"), ("T02", "T02")] {
            let field = "/Type /Annot /Subtype /Widget /Rect [ 10 10 90 90 ]"
            let document = SmallPDF(
                pages: ["/MediaBox [ 0 0 595 842 ] /Annots [ 4 0 R 5 0 R 6 0 R ]"],
                catalog: "/AcroForm << /Fields [ 4 0 R 5 0 R 6 0 R ] >>",
                more: [
                    "<< \(field) /FT /Sig /T (\(first)) >>", "<< \(field) /FT /Tx /T (\(second)) >>",
                    "<< \(field) /FT /Sig /T (other) >>",
                ]
            ).bytes
            var update = Self.update()
            update.locksForm = true
            let error = Self.error(document, update)?.description
            // Neither of two equal names is open.
            #expect(first == second ? error == nil : error?.contains("would stay open") == true, "\(error ?? "none")")
        }
    }

    @Test(arguments: [
        ("/Action /Include /Fields [ (T02) ]", "/Action /Exclude /Fields [ (U03) ]"),
        ("/Action /Include /Fields [ (T02) (U03) ]", "/Action /All"),
        ("/Action /Exclude /Fields [ (U03) (rent) ]", "/Action /Exclude /Fields [ (U03) ]"),
        ("/Action /Exclude /Fields [ (rent) ]", "/Action /All"), ("/Action /All", "/Action /All"),
    ])
    func theLockOfAFieldIsJoinedWithThatOfTheForm(own: String, joined: String) throws {
        let field = "/Type /Annot /Subtype /Widget /Rect [ 10 10 90 90 ]"
        let fields = ["S01", "T02", "U03"].enumerated().map { index, name in
            "<< \(field) /FT /Sig /T (\(name)) \(index == 0 ? "/Lock << /Type /SigFieldLock \(own) >>" : "") >>"
        }
        let document = SmallPDF(
            pages: ["/MediaBox [ 0 0 595 842 ] /Annots [ 4 0 R 5 0 R 6 0 R 7 0 R ]"],
            catalog: "/AcroForm << /Fields [ 4 0 R 5 0 R 6 0 R 7 0 R ] >>",
            more: fields + ["<< \(field) /FT /Tx /T (rent) >>"]
        ).bytes
        var update = Self.update("S01", new: [])
        update.locksForm = true
        let text = try Self.text(document, update)
        #expect(text.contains("/TransformParams << /Type /TransformParams \(joined) /V /1.2 >>"), "\(text)")
    }

    /// pyHanko or verify.html do not read these forms.
    @Test(arguments: [
        // A field below itself, and one that is listed twice.
        ("[ 4 0 R ]", "<< /T (a) /FT /Btn /Kids [ 4 0 R ] >>", "null", true),
        ("[ 4 0 R 4 0 R ]", "<< /T (a) /FT /Tx >>", "null", true),
        ("[ 4 0 R 5 0 R ]", "<< /T (a) /FT /Tx >>", "<< /T (a) /FT /Tx >>", false),
        ("[ 4 0 R ]", "<< /T (a.b) /FT /Tx >>", "null", false),
    ])
    func formsThatReadersUnderstandDifferentlyAreRefused(
        _ fields: String, _ one: String, _ other: String, isAlways: Bool
    ) throws {
        let document = SmallPDF(
            pages: ["/MediaBox [ 0 0 595 842 ]"], catalog: "/AcroForm << /Fields \(fields) >>", more: [one, other]
        ).bytes
        let first = Self.update(new: [Self.field("S01"), Self.field("T02")])
        if isAlways {
            let error = Self.error(document, first)?.description ?? "none"
            return #expect(error.contains("\"a\" cannot be used: it is in the form twice"), "\(error)")
        }
        let signed = document + (try PDFUpdate.assemble(document, first))
        let error = Self.error(signed, Self.update("T02", new: []))?.description ?? "none"
        #expect(error.contains("a second signature could not be verified"), "\(error)")
    }

    @Test func fieldsAreRefusedByName() {
        let cases: [(DocumentUpdate, String)] = [
            (Self.update(new: [Self.field("S01"), Self.field("S01")]), "there is one of that name already"),
            (Self.update("customer", new: [Self.field("customer")]), "there is one of that name already"),
            (Self.update("a.b", new: [Self.field("a.b")]), "no full stop"),
            (Self.update("", new: [Self.field("")]), "has 1 to"),
            (Self.update("S01", new: []), "no field \"S01\""),
            (Self.update("consent", new: []), "it is no signature field"),
            (Self.update("S01", new: [Self.field("S01", page: 2)]), "has no page 2"),
            (Self.update("S01", new: [Self.field("S01", page: 0)]), "has no page 0"),
            (Self.update("S01", new: [Self.field("S01", page: .min)]), "has no page"),
            (Self.update(values: [.init(field: "consent", value: "No")]), "it has no choice \"No\""),
            (Self.update(values: [.init(field: "button", value: "Off")]), "only check boxes"),
            (Self.update(values: [.init(field: "customer", value: "x")]), "only check boxes"),
            (Self.update(values: [.init(field: "other", value: "x")]), "no field \"other\""),
            (
                Self.update(values: [.init(field: "consent", value: "Yes"), .init(field: "consent", value: "Off")]),
                "it gets two values"
            ),
        ]
        for (update, message) in cases {
            let error = Self.error(Self.form, update)
            #expect(error?.description.contains(message) == true, "\(String(describing: error)): \(message)")
        }
    }

    @Test func rectanglesMustBeOnThePage() {
        let wrong =
            [
                (-1, 0, 100, 50), (500, 0, 600, 50), (0, 800, 100, 850), (100, 100, 100, 150), (100, 100, 50, 150),
                (.nan, 0, 100, 50), (0, 0, .infinity, 50),
            ] as [(Double, Double, Double, Double)]
        for (minX, minY, maxX, maxY) in wrong {
            var field = Self.field("S01")
            field.rectangle = DocumentRectangle(minX: minX, minY: minY, maxX: maxX, maxY: maxY)
            let error = Self.error(Self.plain, Self.update(new: [field]))
            #expect(error == .field(name: "S01", reason: "its rectangle is not on page 1"), "\(field.rectangle)")
        }
    }

    @Test func inkHasNothingButFilledPaths() {
        for content in ["BT (x) Tj ET", "/X Do", "endstream", "q", "1 0 0 1 0 0 cm (", "é"] {
            let error = Self.error(Self.plain, Self.update(ink: .init(width: 10, height: 10, content: content)))
            #expect(error?.description.contains("place the ink") == true, "\(content)")
        }
        for (width, height) in [(0, 10), (10, -1), (.nan, 1), (1, .infinity)] as [(Double, Double)] {
            let error = Self.error(Self.plain, Self.update(ink: .init(width: width, height: height, content: "f")))
            #expect(error?.description.contains("no size") == true)
        }
    }

    @Test func marksAreLockedStamps() throws {
        let marks = [Self.mark(label: "Initials A"), Self.mark(.init(minX: 10, minY: 10, maxX: 170, maxY: 60))]
        let text = try Self.text(Self.plain, Self.update(marks: marks))
        #expect(
            text.contains(
                "9 0 obj\n<< /Type /Annot /Subtype /Stamp /F 196 /Rect [ 300 100 460 150 ] /P 3 0 R"
                    + " /M (D:20260921141320Z) /Contents (Initials A) /AP << /N 8 0 R >> >>"), "\(text.prefix(2000))")
        #expect(text.contains("/Annots [ 6 0 R 9 0 R 10 0 R ]"), "\(text.prefix(2000))")
        // Both have the same ink in a place of the same size.
        #expect(text.ranges(of: "/AP << /N 8 0 R >>").count == 2, "\(text.prefix(2000))")
    }

    @Test func marksAreRefusedByTheirReason() throws {
        let off = DocumentRectangle(minX: 500, minY: 100, maxX: 700, maxY: 150)
        let empty = DocumentRectangle(minX: 100, minY: 100, maxX: 100, maxY: 150)
        let wrong = DocumentRectangle(minX: .nan, minY: 100, maxX: 100, maxY: .infinity)
        let cases: [(DocumentUpdate.Mark, String)] = [
            (Self.mark(page: 2), "has no page 2"), (Self.mark(page: 0), "has no page 0"),
            (Self.mark(page: .min), "has no page"), (Self.mark(off), "not on page 1"),
            (Self.mark(empty), "not on page 1"), (Self.mark(wrong), "not on page 1"),
            (Self.mark(ink: .init(width: 0, height: 1, content: "f")), "no size"),
            (Self.mark(ink: .init(width: 1, height: 1, content: "/X Do")), "other operators"),
            (Self.mark(ink: .init(width: 1, height: 1, content: "endstream")), "other operators"),
            (Self.mark(label: String(repeating: "a", count: 1025)), "label is longer"),
        ]
        for (mark, message) in cases {
            let error = Self.error(Self.plain, Self.update(marks: [Self.mark(), mark]))
            #expect(error?.description.contains(message) == true, "\(String(describing: error)): \(message)")
        }
        let first = try PDFUpdate.assemble(Self.plain, Self.update(new: [Self.field("S01"), Self.field("T02")]))
        let signed = try SignedDocument(original: Self.plain, update: first).bytes
        let error = Self.error(signed, Self.update("T02", new: [], marks: [Self.mark()]))
        #expect(error?.description.contains("only its first signature can have marks") == true)
    }

    @Test func anArrayThatSomethingElseHasIsNotChanged() throws {
        let document = SmallPDF(
            pages: ["/MediaBox [ 0 0 595 842 ] /Mine 4 0 R"], catalog: "/AcroForm << /Fields 4 0 R >>", more: ["[ ]"])
        let text = try Self.text(document.bytes, Self.update())
        #expect(!text.contains("\n4 0 obj") && text.contains("/Fields [ 6 0 R ]"), "\(text.prefix(900))")
    }

    @Test func aDocumentOfEarlierSignersMayBeLongerThanThatOfAHost() throws {
        var document = SmallPDF(pages: ["/MediaBox [ 0 0 595 842 ] /Contents 4 0 R"])
        document.objects.append(SmallPDF.stream(String(repeating: " ", count: PDFLimits.byteCount)))
        let bytes = document.bytes
        #expect(refusal(of: bytes) == .tooLarge(byteCount: bytes.count))
        #expect(try !PDFUpdate.assemble(bytes, Self.update()).isEmpty)
    }

    /// Random changes of documents: refused, or an update comes out that a signature fits into.
    @Test func damagedDocumentsDoNoHarm() throws {
        var generator = SeededGenerator(seed: 20_261_128)
        var (refused, made) = (0, 0)
        for _ in 0..<Breadth.count(1500, long: 20_000) {
            var document = Bool.random(using: &generator) ? Self.form : Self.plain
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: document.indices, using: &generator)
                let other = Int.random(in: document.indices, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: document[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: document[place] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &generator)
                case 2: document.remove(at: place)
                case 3: document.insert(document[other], at: place)
                default: document.swapAt(place, other)
                }
            }
            do {
                let update = try PDFUpdate.assemble(
                    document, Self.update(values: [.init(field: "consent", value: "Yes")]))
                _ = try SignedDocument(original: document, update: update)
                made += 1
            } catch let error as PDFError {
                #expect(!error.description.isEmpty)
                refused += 1
            }
        }
        #expect(refused > 0 && made > 0, "\(refused) refused, \(made) made")
    }
}
