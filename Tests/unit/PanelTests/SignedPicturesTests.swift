// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import Geometry
import Glibc
import HostAPI
import Pad
import Raster
import Record
import Testing

@testable import Panel

@Suite("Drawing a signed document again")
struct SignedPicturesTests {
    private let id = CaptureID("20261121-1")!
    /// The page of `form` is turned, and has a signature field, a check box and a choice of its own.
    private static let fields = [
        field(.signature, "S01", minX: 10), field(.initials, "S03", minX: 100), field(.check, "check", minX: 200),
        field(.name, "name", minX: 400),
        FlowField(
            name: "consent", kind: .check, page: 1, rectangle: [435, 570, 465, 600], required: true, value: "On",
            field: "consent"),
        FlowField(
            name: "choice", kind: .choice, page: 1, rectangle: [585, 525, 615, 555], required: false, value: "b",
            field: "choice"),
    ]

    private static func field(_ kind: RequestedField.Kind, _ name: String, minX: Double) -> FlowField {
        FlowField(
            name: name, kind: kind, page: 1, rectangle: [minX, 10, minX + 80, 60], required: true,
            field: kind == .signature ? name : nil)
    }

    private struct Signing {
        let document: OpenedDocument
        let filling: DocumentFilling
        let assembly: DocumentAssembly
        let pictures: SignedPictures

        func signed() throws -> [UInt8] { try assembly.assemble(0, on: document.bytes).bytes }
    }

    private func signing(
        _ bytes: [UInt8], _ helper: DocumentHelper, fields: [FlowField] = fields,
        change: (inout DocumentFilling) -> Void = { _ in }
    ) throws -> Signing {
        signal(SIGPIPE, SIG_IGN)
        let facts = try helper.inspect(bytes)
        let document = OpenedDocument(bytes: bytes, facts: facts, fields: fields, renderer: "poppler")
        let contents = FieldContents.sample(for: fields, date: "21.11.2026", now: 1_790_000_000)
        var filling = try DocumentFilling(contents, in: document, of: FlowPeople(people: [], signer: "Anna Müller"))
        change(&filling)
        let assembly = try DocumentAssembly(filling, facts: facts, helper: helper)
        let shown = try DocumentAssembly.shown(
            bytes, facts: facts, values: document.firstValues, newFields: filling.newFields,
            field: filling.acts[0].field, helper: helper)
        let overlays = assembly.overlays(of: filling.acts.count, besides: document.firstValues)
        let pictures = SignedPictures(
            helper: helper, pages: facts.pages, shown: shown,
            ground: try assembly.ground(of: bytes, overlays, besides: document.firstValues), overlays: overlays)
        return Signing(document: document, filling: filling, assembly: assembly, pictures: pictures)
    }

    @Test("Ink, initials, ticks, dots and names are where they were shown, also on a turned page")
    func same() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        let signing = try signing(try ScriptedHelper.form(), helper)
        #expect(signing.pictures.overlays.count == 6)
        try signing.pictures.compare(with: signing.signed())
        // What the person saw has a digest.
        let size = PixelSize(width: 640, height: 480)
        let picture = try helper.render(.init(page: 1, size: size), of: signing.pictures.shown)
        var seen = signing.pictures
        seen.seen = [SeenPage(number: 1, width: 640, height: 480, sha256: DrawnPage.digest(of: picture))]
        try seen.compare(with: signing.signed())
        seen.seen[0].sha256 = String(repeating: "0", count: 64)
        #expect(throws: SignedPictureFault.otherRenderer(1)) { try seen.compare(with: signing.signed()) }
    }

    @Test("A text field that is filled, and fields of the file itself, are where they were shown")
    func ownFields() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        let name = FlowField(
            name: "mail", kind: .name, page: 1, rectangle: [100, 700, 300, 720], required: true, field: "mail")
        let text = try signing(
            ScriptedHelper.textForm(), helper, fields: [name, Self.field(.signature, "S01", minX: 10)])
        #expect(text.pictures.overlays.count == 2)
        try text.pictures.compare(with: text.signed())
        var chief = Self.field(.signature, "chief", minX: 100)
        chief.rectangle = [100, 700, 300, 760]
        let own = try signing(ScriptedHelper.lockingForm(), helper, fields: [chief])
        try own.pictures.compare(with: own.signed())
    }

    @Test("Ink takes the place of a field's look, whatever its colours, and nothing else is there")
    func framed() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        var chief = Self.field(.signature, "chief", minX: 100)
        chief.rectangle = [100, 700, 300, 760]
        let framed = try signing(ScriptedHelper.framedForm(), helper, fields: [chief])
        try framed.pictures.compare(with: framed.signed())
        let other = try signing(ScriptedHelper.framedForm(), helper, fields: [chief]) { filling in
            filling.acts[0].act.ink.content += "0.7 0.7 0.7 rg\n0 0 m\n20 0 l\n20 9 l\n0 9 l\nh\nf\n"
        }
        #expect(throws: SignedPictureFault.otherInk(1)) { try framed.pictures.compare(with: other.signed()) }
        #expect(throws: SignedPictureFault.otherInk(1)) { try framed.pictures.compare(with: framed.pictures.shown) }
    }

    @Test(
        "A file that shows anything else is not stored",
        arguments: ["nothing", "no mark", "other mark", "moved mark", "no tick", "own tick", "small ink"])
    func other(_ change: String) throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        let bytes = try ScriptedHelper.form()
        let expected = try signing(bytes, helper).pictures
        let other = try signing(bytes, helper) { filling in
            switch change {
            case "no mark": filling.marks.removeLast()
            case "other mark": filling.marks[0].ink.content = "0 0 0 rg\n0 0 m\n100 0 l\n100 30 l\n0 30 l\nh\nf\n"
            case "moved mark":
                filling.marks[0].rectangle.minX += 4
                filling.marks[0].rectangle.maxX += 4
            case "no tick": filling.values.removeAll { $0.field == "consent" }
            case "own tick": for index in filling.values.indices { filling.values[index].appearance = nil }
            case "small ink": filling.acts[0].act.ink.width *= 3
            default: break
            }
        }
        let signed = change == "nothing" ? bytes : try other.signed()
        #expect(throws: SignedPictureFault.self) { try expected.compare(with: signed) }
    }

    @Test("Another page is not stored, whatever its size and however small the difference")
    func otherPage() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        let bytes = try ScriptedHelper.plain()
        let facts = try helper.inspect(bytes)
        let pictures = SignedPictures(helper: helper, pages: facts.pages, shown: bytes, ground: nil, overlays: [])
        try pictures.compare(with: bytes)
        let form = try ScriptedHelper.form()
        #expect(throws: (any Error).self) { try pictures.compare(with: form) }
    }
}

@Suite("Ink that two rasterizers have drawn")
struct InkMatchTests {
    private let size = PixelSize(width: 60, height: 40)
    private var place: PixelRect { PixelRect(size: size) }

    private final class Picture {
        let pixels: PixelBuffer
        init(_ pixels: consuming PixelBuffer) { self.pixels = pixels }
    }

    /// A stroke of some thickness, as a polygon; nothing without thickness.
    private func picture(_ thickness: Double, x: Double = 0, y: Double = 0, besides: Rect? = nil) -> Picture {
        let buffer = PixelBuffer(size: size)
        buffer.surface.fill(place, with: .white)
        var rasterizer = Rasterizer()
        var path = Path()
        path.addPolygon([
            Point(x: 5 + x, y: 20 + y), Point(x: 50 + x, y: 10 + y), Point(x: 50 + x, y: 10 + thickness + y),
            Point(x: 5 + x, y: 20 + thickness + y),
        ])
        if let besides {
            path.addPolygon([
                Point(x: besides.minX, y: besides.minY), Point(x: besides.maxX, y: besides.minY),
                Point(x: besides.maxX, y: besides.maxY), Point(x: besides.minX, y: besides.maxY),
            ])
        }
        rasterizer.begin(clip: place)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: .black, into: buffer.surface)
        return Picture(buffer)
    }

    private func fits(_ one: Picture, _ other: Picture) -> Bool {
        InkMatch.fits(one.pixels.surface, other.pixels.surface, in: place)
    }

    @Test("Parts of a pixel do not matter", arguments: [0.0, 0.2, 0.5])
    func smoothing(shift: Double) {
        for thickness in [1.0, 1.5, 3] {
            let (one, other) = (picture(thickness), picture(thickness, x: shift, y: -shift))
            #expect(fits(one, other) && fits(other, one))
        }
    }

    @Test("Ink that is missing, elsewhere or too much does", arguments: [1.5, 3.0, 8])
    func others(thickness: Double) {
        let (one, moved, more) = (
            picture(thickness), picture(thickness, y: thickness + 3),
            picture(thickness, besides: Rect(minX: 10, minY: 30, maxX: 15, maxY: 35))
        )
        let nothing = picture(0)
        #expect(!fits(nothing, one) && !fits(one, nothing))
        #expect(!fits(moved, one) && !fits(more, one) && !fits(one, more))
    }
}
