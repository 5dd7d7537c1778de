// SPDX-License-Identifier: Apache-2.0
import Document
import Linux
import TestSupport
import Testing

@testable import PDF

@Suite("Looks of fields beside their values")
struct FieldLooksTests {
    private static let place = "/Type /Annot /Subtype /Widget /F 4 /Rect [ 100 600 220 620 ]"
    private static let box = "/Type /Annot /Subtype /Widget /F 4 /FT /Btn /Rect [ 100 600 120 620 ] /T (box)"

    /// A document with one field, which may refer to looks: 5 is empty, 6 a frame, 7 a frame with a tick, 8 the text
    /// "900 EUR", 9 the text "1900" in two pieces.
    private static func document(_ field: String, isListed: Bool = true) -> [UInt8] {
        func text(_ operators: String) -> String {
            SmallPDF.stream(
                "/Tx BMC q BT /Helv 12 Tf 2 5 Td \(operators) ET Q EMC",
                "/Type /XObject /Subtype /Form /BBox [ 0 0 120 20 ] /Resources << /Font << /Helv 10 0 R >> >>")
        }
        func box(_ content: String) -> String {
            SmallPDF.stream(content, "/Type /XObject /Subtype /Form /BBox [ 0 0 20 20 ]")
        }
        let frame = "1 1 18 18 re S "
        return SmallPDF(
            pages: ["\(SmallPDF.letter) /Annots [ 4 0 R ]"],
            catalog: "/AcroForm << /Fields [ \(isListed ? "4 0 R" : "") ] >>",
            more: [
                field, box(""), box(frame), box(frame + "3 w 1 1 m 19 19 l S"), text("(900 EUR) Tj"),
                text("(19) Tj 14 0 Td (00) Tj"), "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            ]
        ).bytes
    }

    private static func isTold(_ field: String, isListed: Bool = true) throws -> Bool {
        let document = document(field, isListed: isListed)
        if try PDFInspection.facts(of: document).warnings.contains(.misleadingFields) { return true }
        return try PDFRenderer(deadline: MonotonicClock.nanoseconds + 30_000_000_000).misleads(document)
    }

    @Test(
        "A text that shows another one than its value is told",
        arguments: [
            ("/V (900 EUR) /AP << /N 8 0 R >>", false),
            ("/V (900\\rEUR) /AP << /N 8 0 R >>", false),
            ("/V (1900) /AP << /N 9 0 R >>", false),
            ("/V (1900) /AP << /N 8 0 R >>", true),
            ("/V (900) /AP << /N 8 0 R >>", true),
            // No look, a look that shows nothing, and a look without a value.
            ("/V (900 EUR)", true), ("/V (900 EUR) /AP << /D 8 0 R >>", true),
            ("/V (900 EUR) /AP << /N 5 0 R >>", true), ("/AP << /N 8 0 R >>", true),
            ("/V () /AP << /N 5 0 R >>", false), ("/AP << /N 5 0 R >>", false), ("", false),
            // A password shows no value, and what nobody sees shows nothing.
            ("/V (secret) /Ff 8192 /AP << /N 8 0 R >>", false),
            ("/V (1900) /F 2 /AP << /N 8 0 R >>", false),
        ])
    func texts(entries: String, isTold: Bool) throws {
        // The first of two equal keys holds, so that entries can replace those of the place.
        let place = entries.contains("/F 2 ") ? Self.place.replacing("/F 4", with: "") : Self.place
        #expect(try Self.isTold("<< \(place) /FT /Tx /T (rent) \(entries) >>") == isTold)
        // Viewers also draw fields that the form does not list.
        #expect(try Self.isTold("<< \(place) /FT /Tx /T (rent) \(entries) >>", isListed: false) == isTold)
    }

    @Test(
        "A choice that shows another one than its value is told",
        arguments: [
            ("/Ff 131072 /V (900 EUR) /Opt [ (900 EUR) (1900) ] /AP << /N 8 0 R >>", false),
            ("/Ff 131072 /V (1900) /Opt [ (900 EUR) (1900) ] /AP << /N 8 0 R >>", true),
            ("/Ff 131072 /V (a) /Opt [ [ (a) (900 EUR) ] [ (b) (1900) ] ] /AP << /N 8 0 R >>", false),
            ("/Ff 131072 /V (b) /Opt [ [ (a) (900 EUR) ] [ (b) (1900) ] ] /AP << /N 8 0 R >>", true),
            // A list shows all choices.
            ("/V [ (EUR) (900) ] /Opt [ (900) (EUR) ] /AP << /N 8 0 R >>", false),
            ("/V (USD) /Opt [ (900) (EUR) ] /AP << /N 8 0 R >>", true),
        ])
    func choices(entries: String, isTold: Bool) throws {
        #expect(try Self.isTold("<< \(Self.place) /FT /Ch /T (term) \(entries) >>") == isTold)
    }

    @Test(
        "A box that looks ticked and is not, or the reverse, is told",
        arguments: [
            ("/V /Off /AS /Off /AP << /N << /Off 6 0 R /Yes 7 0 R >> >>", false),
            ("/V /Yes /AS /Yes /AP << /N << /Off 6 0 R /Yes 7 0 R >> >>", false),
            ("/AP << /N << /Yes 7 0 R >> >>", false),
            ("/V /Yes /AS /Off /AP << /N << /Off 6 0 R /Yes 7 0 R >> >>", true),
            ("/V /Yes /AP << /N << /Off 6 0 R /Yes 7 0 R >> >>", true),
            ("/V /Off /AS /Yes /AP << /N << /Off 6 0 R /Yes 7 0 R >> >>", true),
            ("/AS /Yes /AP << /N << /Off 6 0 R /Yes 7 0 R >> >>", true),
            // The pictures are exchanged.
            ("/V /Off /AS /Off /AP << /N << /Off 7 0 R /Yes 6 0 R >> >>", true),
            ("/V /Off /AS /Off /AP << /N << /Off 6 0 R /Yes 5 0 R >> >>", true),
            // A push button has no value.
            ("/Ff 65536 /AP << /N 7 0 R >>", false),
        ])
    func boxes(entries: String, isTold: Bool) throws {
        #expect(try Self.isTold("<< \(Self.box) \(entries) >>") == isTold)
    }

    @Test("Pictures are read one after the other, or not at all")
    func pictures() {
        let two = Array("P5\n2 1\n255\n".utf8) + [0, 10] + Array("P5\n1 1\n255\n".utf8) + [255]
        #expect(FieldLooks.ink(in: two) == [500, 0])
        #expect(FieldLooks.ink(in: []) == [])
        for end in 1..<two.count where end != 13 { #expect(FieldLooks.ink(in: Array(two[..<end])) == nil, "\(end)") }
        #expect(FieldLooks.ink(in: Array("P5\n-1 1\n255\n".utf8)) == nil)
    }
}
