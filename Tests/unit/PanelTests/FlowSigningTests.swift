// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Document
import Evidence
import Formats
import Geometry
import Glibc
import HostAPI
import Linux
import Pad
import Raster
import Record
import Store
import TestSupport
import Testing

@testable import Panel
@testable import Signing

@Suite("Signing the document of a capture")
struct FlowSigningTests {
    private let id = CaptureID("20261121-1")!
    private let store: SealedStore

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        store = try SealedStore()
    }

    private func writer(_ helper: DocumentHelper) -> RecordWriter {
        var writer = RecordWriter(
            RecordSettings(
                store: store.store, retention: CaptureRetention(), documents: DocumentSettings(helper: helper),
                log: Log(threshold: .error)))
        _ = writer.open()
        return writer
    }

    private static func field(_ kind: Field.Kind, _ name: String, minX: Double, person: Int = 0) -> Field {
        Field(
            name: name, kind: kind, person: person, page: 1,
            rectangle: DocumentRectangle(minX: minX, minY: 10, maxX: minX + 80, maxY: 60),
            isRequired: true, formName: kind == .signature ? name : nil)
    }

    private static let fields = [
        field(.signature, "S01", minX: 10), field(.initials, "S03", minX: 100), field(.check, "check", minX: 200),
        field(.date, "date", minX: 300), field(.name, "name", minX: 400, person: 1),
        field(.signature, "S02", minX: 500, person: 1), field(.signature, "S04", minX: 600),
        Field(
            name: "consent", kind: .check, page: 1,
            rectangle: DocumentRectangle(minX: 435, minY: 570, maxX: 465, maxY: 600), isRequired: true, choice: "On",
            formName: "consent"),
        Field(
            name: "choice", kind: .choice, page: 1,
            rectangle: DocumentRectangle(minX: 585, minY: 570, maxX: 615, maxY: 600), isRequired: false, choice: "a",
            formName: "choice"),
        Field(
            name: "choice", kind: .choice, page: 1,
            rectangle: DocumentRectangle(minX: 585, minY: 525, maxX: 615, maxY: 555), isRequired: false, choice: "b",
            formName: "choice"),
    ]

    private func header(_ bytes: [UInt8], _ fields: [Field] = fields) -> CaptureHeader {
        let old = CaptureRecord.pad().header
        var header = CaptureHeader(
            id: old.id, startedAt: old.startedAt, startedAtDeviceTime: old.startedAtDeviceTime, program: old.program,
            devices: old.devices, screen: old.screen, request: CaptureRequest(prompt: ["Read"], signer: "Anna Müller"),
            flow: RecordedFlow(
                document: RecordedDocument(bytes: bytes.count, pages: 1, renderer: "poppler 1", fields: fields),
                people: [
                    CapturePerson(role: "Customer", name: "Anna Müller"),
                    CapturePerson(role: "Clerk", name: "Bea Clerk"),
                ]))
        header.request.document = .init(sha256: SHA256Digest(of: bytes).description, computed: true)
        header.date = LocalDate(text: "21.11.2026", offsetSeconds: 0, zone: "UTC")
        return header
    }

    private func document(
        _ bytes: [UInt8], _ helper: DocumentHelper, _ fields: [Field] = fields
    ) throws -> OpenedDocument {
        let facts = try helper.inspect(bytes)
        let values = DocumentPlan.firstValues([], fields, in: facts)
        return OpenedDocument(
            bytes: bytes, facts: facts, plan: DocumentPlan(fields: fields, values: values, hasCaptions: true),
            renderer: "poppler 1")
    }

    /// A sheet with one stroke.
    private func sheet(_ name: String, person: Int = 0, at time: Int64) -> [CaptureEntry] {
        let samples = (0..<20).map {
            CaptureStroke.Sample(
                microseconds: time + Int64($0) * 8000, x: 3000 + Int32($0) * 100, y: 3000 + Int32($0 % 7) * 50)
        }
        return [
            .flow(
                .field(FieldSheet(name: name, person: person, signingArea: [100, 200, 800, 300])), microseconds: time),
            .stroke(CaptureStroke(pen: "ink", samples: samples)),
            .flow(.accepted(AcceptedField(name: name)), microseconds: time + 500_000),
        ]
    }

    private var entries: [CaptureEntry] {
        let answers = [
            CaptureAnswer(name: "check", checked: true), CaptureAnswer(name: "consent", checked: false),
            CaptureAnswer(name: "consent", checked: true), CaptureAnswer(name: "choice", choice: "b"),
        ]
        return [.flow(.person(0), microseconds: 0)]
            + answers.map { .flow(.answer($0), microseconds: 1) }
            + sheet("S03", at: 1_000_000) + sheet("S01", at: 2_000_000) + [.flow(.person(1), microseconds: 3_000_000)]
            + sheet("S02", person: 1, at: 4_000_000)
    }

    private var end: CaptureEnd {
        var end = CaptureEnd(outcome: .accepted, endedAt: 1_795_216_490_000_000, quality: CaptureQuality())
        let read = ReadingResult(pages: [1], toEnd: true, seconds: 1)
        end.reading = [read, read]
        return end
    }

    private func record(
        _ writer: inout RecordWriter, _ header: CaptureHeader, _ document: OpenedDocument?
    ) -> StoreAnswer? {
        _ = writer.perform(.begin(header))
        if let document { _ = writer.perform(.keepDocument(id, document)) }
        for entry in entries { _ = writer.perform(.append(id, entry)) }
        return writer.perform(.commit(id, end))
    }

    @Test("Each accepted signature signs the document, with marks and answers in the first update, under one seal")
    func sign() throws {
        guard let helper = try ScriptedHelper() else { return }
        let bytes = try ScriptedHelper.form()
        var writer = writer(helper.helper)
        let answer = record(&writer, header(bytes), try document(bytes, helper.helper))
        guard case .committed(id, seal: _?, hasDocument: true)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        let signed = try #require(try store.store.signedDocument(of: id))
        #expect(signed.starts(with: bytes))
        let seal = try #require(try store.store.seal(of: id)).seal
        #expect(seal.signed == SHA256Digest(of: signed).description)
        #expect(seal.document == SHA256Digest(of: bytes).description)
        let text = String(decoding: signed, as: UTF8.self)
        // Of the two signatures; the digest is that of the record's lines.
        #expect(text.ranges(of: "/INKP_RecordSHA256 <\(seal.record ?? "")>").count == 2)
        #expect(text.ranges(of: "/Subtype /Stamp").count == 4)
        // When the ink was accepted, in the order of time: 2.5 and 4.5 s after the start.
        #expect(text.contains("D:20261120235438Z") == text.contains("D:20261120235440Z"))
        let after = try helper.helper.inspect(signed)
        let update = String(decoding: signed.dropFirst(bytes.count), as: UTF8.self)
        #expect(update.ranges(of: "/V /On").count == 1 && update.ranges(of: "/V /b").count == 1)
        // The field that nobody has signed was made, too. Answers are locked: nobody is asked for them again.
        #expect(after.fields.filter { $0.kind == .signature }.map(\.name) == ["Customer", "S04"])
    }

    @Test("Nothing is signed if nobody has signed, and a record without a document has none")
    func unsigned() throws {
        guard let helper = try ScriptedHelper() else { return }
        let bytes = try ScriptedHelper.form()
        var writer = writer(helper.helper)
        let calls = helper.calls
        let read = header(bytes, [])
        let answer = record(&writer, read, nil)
        guard case .committed(id, seal: _?, hasDocument: false)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(try store.store.signedDocument(of: id) == nil && helper.calls == calls)
        _ = writer.perform(.discard(id))
        let optional = [Self.field(.signature, "S09", minX: 10)]
        let other = record(&writer, header(bytes, optional), try document(bytes, helper.helper, optional))
        guard case .committed(id, seal: _?, hasDocument: false)? = other else {
            Issue.record("\(String(describing: other))")
            return
        }
    }

    @Test("If signing fails, nothing is kept", arguments: ["killed", "key", "document"])
    func failure(_ cause: String) throws {
        guard let helper = try ScriptedHelper() else { return }
        let bytes = try ScriptedHelper.form()
        let opened = try document(bytes, helper.helper)
        var writer = writer(helper.helper)
        switch cause {
        // After the first signature.
        case "killed": try helper.die(after: 1, times: 2)
        case "key": try store.writeCertificate(of: SigningKey.generate())
        default: break
        }
        let answer = record(&writer, header(bytes), cause == "document" ? nil : opened)
        guard case .failed(id, let reason)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(reason.contains("cannot be signed"))
        let wiped = writer.perform(.discard(id))
        #expect(wiped == .discarded(id, fault: nil))
        for folder in ["open", "captures", "seals"] {
            let names = try store.names(folder)
            #expect(names.isEmpty, "\(folder)")
        }
    }

    @Test("A helper that is killed once while it signs is asked again")
    func killedOnce() throws {
        guard let helper = try ScriptedHelper() else { return }
        let bytes = try ScriptedHelper.form()
        let opened = try document(bytes, helper.helper)
        var writer = writer(helper.helper)
        try helper.die(after: 1, times: 1)
        guard case .committed(id, seal: _, hasDocument: true)? = record(&writer, header(bytes), opened) else {
            Issue.record("not signed")
            return
        }
    }

    @Test("Minutes of scribbling are in the document, too")
    func scribble() throws {
        var record = CaptureRecord(header: header([1]), end: end)
        var seed: UInt64 = 1
        func next(_ range: Int32) -> Int32 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int32(seed >> 33) % range
        }
        var (x, y): (Int32, Int32) = (4000, 3000)
        let samples = (0..<40_000).map { number -> CaptureStroke.Sample in
            x = min(max(x + next(200) - 100, 2000), 6000)
            y = min(max(y + next(200) - 100, 2500), 4500)
            return CaptureStroke.Sample(microseconds: Int64(number) * 5000, x: x, y: y)
        }
        func lines(_ name: String) -> [CaptureEntry] {
            [
                .flow(.field(FieldSheet(name: name, person: 0, signingArea: [100, 200, 800, 300])), microseconds: 0),
                .stroke(CaptureStroke(pen: "ink", samples: samples)),
                .flow(.accepted(AcceptedField(name: name)), microseconds: 300_000_000),
            ]
        }
        record.entries = lines("S01") + lines("S03")
        let inks = try FieldContents(of: record, sha256: .zero).inks
        #expect(inks.map(\.name) == ["S01", "S03"])
        for ink in inks { #expect(500_000...(2 << 20) ~= ink.ink.content.utf8.count) }
        // Marks share an update.
        var fields = Self.fields
        for number in 0..<40 { fields.append(Self.field(.initials, "I\(number)", minX: 10)) }
        record.header = header([1], fields)
        let many = try FieldContents(of: record, sha256: .zero).inks
        #expect(many[1].ink.content.utf8.count <= HelperLimits.markContent / 2 / 41)
    }

    @Test("A person may fill a field first that locks the others")
    func lock() throws {
        guard let helper = try ScriptedHelper() else { return }
        let bytes = ScriptedHelper.lockingForm()
        var fields = ["clerk", "chief"].map { Self.field(.signature, $0, minX: 100) }
        for (index, y) in [500.0, 700].enumerated() {
            fields[index].rectangle = DocumentRectangle(minX: 100, minY: y, maxX: 300, maxY: y + 60)
        }
        let opened = try document(bytes, helper.helper, fields)
        var writer = writer(helper.helper)
        _ = writer.perform(.begin(header(bytes, fields)))
        _ = writer.perform(.keepDocument(id, opened))
        let turn = CaptureEntry.flow(.person(0), microseconds: 0)
        for entry in [turn] + sheet("chief", at: 1_000_000) + sheet("clerk", at: 2_000_000) {
            _ = writer.perform(.append(id, entry))
        }
        let answer = writer.perform(.commit(id, end))
        guard case .committed(id, seal: _?, hasDocument: true)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        let signed = try #require(try store.store.signedDocument(of: id))
        #expect(try helper.helper.inspect(signed).fields.isEmpty)
    }

    @Test("Signatures sign in the order in which they were accepted, and initials that are used again have one ink")
    func order() throws {
        var record = CaptureRecord(header: header([1]), end: end)
        let again = CaptureEntry.flow(.accepted(AcceptedField(name: "S04", same: "S03")), microseconds: 9_000_000)
        record.entries = entries + sheet("S01", at: 6_000_000) + [again]
        let contents = try FieldContents(of: record, sha256: .zero)
        #expect(contents.inks.map(\.name) == ["S03", "S02", "S01", "S04"])
        let start = record.header.startedAt
        #expect(
            contents.inks.map(\.time) == [1_500_000, 4_500_000, 6_500_000, 9_000_000].map { (start + $0) / 1_000_000 })
        #expect(contents.inks[3].ink == contents.inks[0].ink && contents.date == "21.11.2026")
        #expect(contents.answers["consent"]?.checked == true)
    }

    @Test("The record of a flow has a line for each picture of the screen")
    func glass() throws {
        let helper = DocumentHelper()
        var writer = writer(helper)
        _ = writer.perform(.begin(header([1], [])))
        func image(_ color: Color, at time: Int64) -> PageImage {
            let pixels = PixelBuffer(size: PixelSize(width: 2, height: 1))
            pixels.surface.fill(PixelRect(minX: 0, minY: 0, maxX: 1, maxY: 1), with: color)
            return PageImage(
                picture: Screenshot(pixels), fonts: ["Inter Regular 3.019"],
                takenAt: Timestamp(microseconds: 5_000_000 + time))
        }
        for (number, color) in [Color.white, .black, .white].enumerated() {
            let answer = writer.receive(image(color, at: Int64(number) * 100), of: id)
            #expect(answer == nil)
        }
        _ = writer.perform(.commit(id, end))
        let record = try store.store.record(id)
        let lines = record.entries.compactMap { entry -> (GlassImage, Int64)? in
            if case .flow(.glass(let glass), let time) = entry { (glass, time) } else { nil }
        }
        #expect(lines.map(\.1) == [0, 100, 200] && lines[0].0 == lines[2].0 && lines[0].0 != lines[1].0)
        #expect(lines[0].0.fonts == ["Inter Regular 3.019"])
        let shown = try #require(record.end?.shown)
        #expect(shown.page == lines[0].0.sha256 && shown.signed == lines[2].0.sha256)
        #expect(shown.from == 0 && shown.until == 200)
    }
}
