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
@testable import Signing

@Suite("Drawing a signed document again")
struct SignedPicturesTests {
    private let id = CaptureID("20261121-1")!
    /// The page of `form` is turned, and has a signature field, a check box and a choice of its own.
    private static let fields = [
        field(.signature, "S01", minX: 10), field(.initials, "S03", minX: 100), field(.check, "check", minX: 200),
        field(.name, "name", minX: 400),
        Field(
            name: "consent", kind: .check, page: 1,
            rectangle: DocumentRectangle(minX: 435, minY: 570, maxX: 465, maxY: 600), isRequired: true, choice: "On",
            formName: "consent"),
        Field(
            name: "choice", kind: .choice, page: 1,
            rectangle: DocumentRectangle(minX: 585, minY: 525, maxX: 615, maxY: 555), isRequired: false, choice: "b",
            formName: "choice"),
    ]

    private static func field(_ kind: Field.Kind, _ name: String, minX: Double) -> Field {
        Field(
            name: name, kind: kind, page: 1,
            rectangle: DocumentRectangle(minX: minX, minY: 10, maxX: minX + 80, maxY: 60), isRequired: true,
            formName: kind == .signature ? name : nil)
    }

    private struct Signed {
        let trial: (bytes: [UInt8], pictures: SignedPictures)

        func compare(_ signed: [UInt8], _ helper: DocumentHelper, seen: [SeenPage] = []) throws {
            try trial.pictures.compare(with: signed, seen: seen) { try helper.render($0, of: $1) }
        }
    }

    private func signed(
        _ bytes: [UInt8], _ helper: DocumentHelper, fields: [Field] = fields,
        change: (inout DocumentUpdate) -> Void = { _ in }
    ) throws -> Signed {
        signal(SIGPIPE, SIG_IGN)
        let facts = try helper.inspect(bytes)
        let plan = DocumentPlan(fields: fields, values: DocumentPlan.firstValues([], fields, in: facts))
        let contents = FieldContents.sample(
            for: fields, of: [], CaptureRequest(prompt: [], signer: "Anna Müller"), date: "21.11.2026",
            now: 1_790_000_000)
        var updates = try DocumentUpdates(contents, plan, in: facts)
        change(&updates.list[0])
        let trial = try DocumentSigning(updates, to: bytes, facts, helper: helper).trial(of: updates.list.count)
        return Signed(trial: trial)
    }

    @Test("Ink, initials, ticks, dots and names are where they were shown, also on a turned page")
    func same() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        let signed = try signed(try ScriptedHelper.form(), helper)
        #expect(signed.trial.pictures.overlays.count == 6)
        try signed.compare(signed.trial.bytes, helper)
        // What the person saw has a digest.
        let size = PixelSize(width: 640, height: 480)
        let picture = try helper.render(.init(page: 1, size: size), of: signed.trial.pictures.shown)
        var seen = SeenPage(number: 1, width: 640, height: 480, sha256: picture.sha256)
        try signed.compare(signed.trial.bytes, helper, seen: [seen])
        seen.sha256 = String(repeating: "0", count: 64)
        #expect(throws: SignedPictureFault.otherRenderer(1)) {
            try signed.compare(signed.trial.bytes, helper, seen: [seen])
        }
    }

    @Test("A text field that is filled, and fields of the file itself, are where they were shown")
    func ownFields() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        let name = Field(
            name: "mail", kind: .name, page: 1,
            rectangle: DocumentRectangle(minX: 100, minY: 700, maxX: 300, maxY: 720), isRequired: true, formName: "mail"
        )
        let text = try signed(
            ScriptedHelper.textForm(), helper, fields: [name, Self.field(.signature, "S01", minX: 10)])
        #expect(text.trial.pictures.overlays.count == 2)
        try text.compare(text.trial.bytes, helper)
        var chief = Self.field(.signature, "chief", minX: 100)
        chief.rectangle = DocumentRectangle(minX: 100, minY: 700, maxX: 300, maxY: 760)
        let own = try signed(ScriptedHelper.lockingForm(), helper, fields: [chief])
        try own.compare(own.trial.bytes, helper)
    }

    @Test("Ink takes the place of a field's look, whatever its colours, and nothing else is there")
    func framed() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        var chief = Self.field(.signature, "chief", minX: 100)
        chief.rectangle = DocumentRectangle(minX: 100, minY: 700, maxX: 300, maxY: 760)
        let framed = try signed(ScriptedHelper.framedForm(), helper, fields: [chief])
        try framed.compare(framed.trial.bytes, helper)
        let other = try signed(ScriptedHelper.framedForm(), helper, fields: [chief]) { update in
            update.ink?.content += "0.7 0.7 0.7 rg\n0 0 m\n20 0 l\n20 9 l\n0 9 l\nh\nf\n"
        }
        #expect(throws: SignedPictureFault.otherInk(1)) { try framed.compare(other.trial.bytes, helper) }
        #expect(throws: SignedPictureFault.otherInk(1)) { try framed.compare(framed.trial.pictures.shown, helper) }
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
        let expected = try signed(bytes, helper)
        let other = try signed(bytes, helper) { update in
            switch change {
            case "no mark": update.marks.removeLast()
            case "other mark": update.marks[0].ink.content = "0 0 0 rg\n0 0 m\n100 0 l\n100 30 l\n0 30 l\nh\nf\n"
            case "moved mark":
                update.marks[0].rectangle.minX += 4
                update.marks[0].rectangle.maxX += 4
            case "no tick": update.values.removeAll { $0.field == "consent" }
            case "own tick": for index in update.values.indices { update.values[index].appearance = nil }
            case "small ink": update.ink?.width *= 3
            default: break
            }
        }
        let signed = change == "nothing" ? bytes : other.trial.bytes
        #expect(throws: SignedPictureFault.self) { try expected.compare(signed, helper) }
    }

    @Test("Another page is not stored, whatever its size and however small the difference")
    func otherPage() throws {
        guard let scripted = try ScriptedHelper() else { return }
        // Its folder has the program.
        defer { withExtendedLifetime(scripted) {} }
        let helper = scripted.helper
        let bytes = try ScriptedHelper.plain()
        let facts = try helper.inspect(bytes)
        let signed = Signed(
            trial: (bytes, SignedPictures(pages: facts.pages, shown: bytes, ground: nil, overlays: [])))
        try signed.compare(bytes, helper)
        let form = try ScriptedHelper.form()
        #expect(throws: (any Error).self) { try signed.compare(form, helper) }
    }
}
