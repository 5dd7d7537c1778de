// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Document
import HostAPI
import TestSupport
import Testing

@testable import Record

@Suite("Records with several pages")
struct FlowFormatTests {
    private static let digest = String(repeating: "ab", count: 32)

    /// Two people read two pages, tick, and sign. The second one uses the initials again.
    static var contract: CaptureRecord {
        var record = CaptureRecord.pad()
        let signature = Field(
            name: "S01", kind: .signature, page: 2,
            rectangle: DocumentRectangle(minX: 300, minY: 100, maxX: 460, maxY: 150), isRequired: true, formName: "S01")
        var witness = signature
        (witness.name, witness.person, witness.formName) = ("S02", 1, "S02")
        var initials = [signature, signature]
        for index in 0...1 {
            (initials[index].name, initials[index].kind, initials[index].page) = ("I\(index)", .initials, index + 1)
            (initials[index].person, initials[index].isRequired) = (1, false)
        }
        let consent = Field(
            name: "consent", kind: .check, page: 1,
            rectangle: DocumentRectangle(minX: 10, minY: 10, maxX: 20, maxY: 20), choice: "Yes")
        record.header.flow = RecordedFlow(
            document: RecordedDocument(
                bytes: 48_121, pages: 2, renderer: "poppler 22.12.0",
                fields: [signature, witness] + initials + [consent], policy: ReadingPolicy(mustSeeAllPages: true)),
            questions: [
                CaptureQuestion(name: "mail", kind: .choice, text: "Receipt?", choices: ["Mail", "Paper"]),
                CaptureQuestion(name: "stars", kind: .rating, text: "How was it?", person: "Witness"),
                CaptureQuestion(name: "damage", kind: .note, text: "Damage"),
            ],
            people: [
                CapturePerson(role: "Customer", name: "Anna"), CapturePerson(role: "Witness", sees: "Customer"),
            ],
            declineReasons: ["Too expensive"])
        record.header.version = CaptureHeader.flowVersion
        var time: Int64 = 0
        func flow(_ event: FlowEvent) -> CaptureEntry {
            time += 1000
            return .flow(event, microseconds: time)
        }
        func page(_ number: Int) -> FlowEvent {
            .page(SeenPage(number: number, width: 600, height: 800, sha256: digest))
        }
        func view(_ parts: SeenView.Part...) -> FlowEvent { .view(SeenView(parts: parts)) }
        func sheet(_ name: String, _ person: Int) -> FlowEvent {
            .field(FieldSheet(name: name, person: person, signingArea: [10, 20, 300, 100]))
        }
        record.entries = [
            flow(.person(0)), flow(page(1)), flow(page(2)),
            flow(view(.init(page: 1, rect: [0, 0, 600, 800]))),
            flow(view(.init(page: 1, rect: [0, 700, 600, 800]), .init(page: 2, rect: [0, 0, 600, 500]))),
            flow(view(.init(page: 2, rect: [100, 500, 600, 800]))),
            flow(.answer(CaptureAnswer(name: "consent", checked: true))),
            flow(.answer(CaptureAnswer(name: "mail", choice: "Mail"))),
            flow(.answer(CaptureAnswer(name: "consent", checked: false))),
            flow(sheet("S01", 0)),
            .stroke([(1, 1000, 2500, nil)]), .stroke([(2, 1100, 2600, nil)]), .action(.undo, microseconds: 3),
            flow(.accepted(AcceptedField(name: "S01"))), flow(.glass(GlassImage(sha256: digest))),
            flow(.person(1)), flow(view(.init(page: 1, rect: [0, 0, 600, 800]))),
            flow(view(.init(page: 2, rect: [0, 0, 600, 800]))),
            flow(.answer(CaptureAnswer(name: "stars", rating: 4))),
            flow(sheet("I0", 1)), .stroke([(4, 1200, 2500, nil)]), .action(.clear, microseconds: 5),
            .stroke([(6, 1300, 2500, nil)]), flow(.accepted(AcceptedField(name: "I0"))),
            flow(.accepted(AcceptedField(name: "I1", same: "I0"))),
            flow(sheet("S02", 1)), .stroke([(7, 1400, 2500, nil)]),
            flow(sheet("S02", 1)), .stroke([(8, 1500, 2500, nil)]), flow(.accepted(AcceptedField(name: "S02"))),
        ]
        record.end?.reading = [
            ReadingResult(pages: [1, 2], toEnd: false, seconds: 12.5),
            ReadingResult(pages: [1, 2], toEnd: true, seconds: 3),
        ]
        return record
    }

    @Test("a record with a flow has version 2, is read back equal, and always has the same bytes")
    func contract() throws {
        let bytes = try CaptureEncoder.encode(Self.contract)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.prefix { $0 != "\n" }.hasSuffix(#""version":2}"#))
        #expect(text.contains(#"{"person":0,"t":1000}"#))
        #expect(text.contains(#"{"t":5000,"view":{"parts":[{"page":1,"rect":[0,700,600,800]},{"page":2,"#))
        #expect(text.contains(#"{"accepted":{"name":"I1","same":"I0"},"t":"#))
        #expect(try CaptureDecoder.decode(bytes) == Self.contract)
    }

    @Test("random flows are read back equal, and always have the same bytes", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var source = RandomCapture(seed: UInt64(seed))
        let record = source.flowRecord(isAccepted: seed % 5 > 0)
        let bytes = try CaptureEncoder.encode(record)
        let decoded = try CaptureDecoder.decode(bytes)
        #expect(decoded == record)
        #expect(try CaptureEncoder.encode(decoded) == bytes)
        let stated = record.end?.reading?.map { SeenDocument(pages: $0.pages, toEnd: $0.toEnd) }
        if record.end != nil { #expect(stated == record.seen) }
    }

    @Test("a record that was cut or changed anywhere is read as a shorter one, or refused", arguments: 0..<40)
    func damaged(seed: Int) throws {
        var source = RandomCapture(seed: UInt64(1000 + seed))
        var random = SeededGenerator(seed: UInt64(seed))
        let record = source.flowRecord()
        let bytes = try CaptureEncoder.encode(record)
        for _ in 0..<20 {
            let count = Int.random(in: 0..<bytes.count, using: &random)
            if let cut = try? CaptureDecoder.decode(Array(bytes.prefix(count))) {
                #expect(cut.end == nil && cut.entries == Array(record.entries.prefix(cut.entries.count)))
            }
            var changed = bytes
            changed[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            guard let read = try? CaptureDecoder.decode(changed) else { continue }
            // Whatever is read can be written, and looked at.
            let again = try CaptureEncoder.encode(read)
            #expect(try CaptureDecoder.decode(again) == read)
            _ = (read.fields, read.answers, read.seen, read.visibleStrokes, read.sheet(named: nil))
        }
    }

    @Test("each field has the ink of its last accepted page, without what was undone and cleared there")
    func fields() throws {
        let record = Self.contract
        let fields = record.fields
        #expect(fields.map(\.name) == ["S01", "I0", "I1", "S02"])
        #expect(fields.map(\.kind) == [.signature, .initials, .initials, .signature])
        #expect(fields.map(\.person) == [0, 1, 1, 1])
        #expect(fields.map(\.same) == [nil, nil, "I0", nil])
        #expect(fields.map { $0.strokes.map { $0.samples[0].microseconds } } == [[1], [6], [6], [8]])
        #expect(record.visibleStrokes == fields[0].strokes)
    }

    @Test("the members of a field have their names and order, and its place has four edges")
    func fieldMembers() throws {
        let text = try String(decoding: CaptureEncoder.encode(Self.contract), as: UTF8.self)
        let place = #""rectangle":[300,100,460,150]"#
        #expect(
            text.contains(
                #"{"field":"S01","kind":"signature","name":"S01","page":2,"person":0,"# + place
                    + #","required":true}"#))
        #expect(
            text.contains(
                #"{"kind":"check","name":"consent","page":1,"person":0,"rectangle":[10,10,20,20],"required":false,"#
                    + #""value":"Yes"}"#))
        for edges in ["[300,100,460]", "[300,100,460,150,1]"] {
            let changed = text.replacing(place, with: #""rectangle":"# + edges, maxReplacements: 1)
            #expect(throws: CaptureFormatError.self) { try CaptureDecoder.decode(Array(changed.utf8)) }
        }
    }

    @Test("a field alone is like a record of one page")
    func sheet() throws {
        let record = Self.contract
        let sheet = try #require(record.sheet(named: "I1"))
        #expect(sheet.header.flow == nil && sheet.header.screen.signingArea == [10, 20, 300, 100])
        #expect(sheet.entries.count == 3 && sheet.visibleStrokes.map { $0.samples[0].microseconds } == [6])
        #expect(sheet.header.request.signer == nil)
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(sheet)) == sheet)
        #expect(record.sheet(named: nil) == record.sheet(named: "S01"))
        #expect(record.sheet(named: "S01")?.header.request.signer == "Anna")
        #expect(record.sheet(named: "consent") == nil && record.sheet(named: "S03") == nil)
        let plain = CaptureRecord.pad()
        #expect(plain.sheet(named: nil) == plain && plain.sheet(named: "S01") == nil && plain.fields == [])
    }

    @Test("without a document each person signs, and their ink has their role")
    func signatures() throws {
        var record = CaptureRecord.pad()
        record.header.flow = RecordedFlow(people: [CapturePerson(role: "A"), CapturePerson(role: "B", name: "Bert")])
        record.header.version = 2
        for person in 0...1 {
            record.entries += [
                .flow(.person(person), microseconds: 1),
                .flow(
                    .field(FieldSheet(name: "signature", person: person, signingArea: [0, 0, 9, 9])), microseconds: 2),
                .stroke([(Int64(person), 1, 1, nil)]),
                .flow(.accepted(AcceptedField(name: "signature")), microseconds: 3),
            ]
        }
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record)
        #expect(record.fields.map(\.name) == ["signature", "signature:B"])
        #expect(record.sheet(named: "signature:B")?.visibleStrokes.first?.samples[0].microseconds == 1)
        #expect(record.sheet(named: "signature:B")?.header.request.signer == "Bert")
    }

    @Test("the last answers count, and what was read follows from the views in the width of the page")
    func answers() {
        let record = Self.contract
        #expect(
            record.answers == [
                CaptureAnswer(name: "consent", checked: false), CaptureAnswer(name: "mail", choice: "Mail"),
                CaptureAnswer(name: "stars", rating: 4),
            ])
        #expect(
            record.seen == [
                SeenDocument(pages: [1, 2], toEnd: false), SeenDocument(pages: [1, 2], toEnd: true),
            ])
    }

    /// - Returns: the reason why the encoder refuses a changed record; nil if it does not.
    private func refusal(_ change: (inout CaptureRecord) -> Void) -> String? {
        var record = Self.contract
        change(&record)
        do throws(CaptureFormatError) {
            _ = try CaptureEncoder.encode(record)
            return nil
        } catch {
            guard case .unencodable(let reason) = error else { return error.description }
            return reason
        }
    }

    @Test("a header with a flow that contradicts itself is refused")
    func headers() {
        func document(_ change: @escaping (inout RecordedDocument) -> Void) -> String? {
            refusal { change(&$0.header.flow!.document!) }
        }
        func flow(_ change: @escaping (inout RecordedFlow) -> Void) -> String? {
            refusal { change(&$0.header.flow!) }
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.header.version = 1 } != nil)
        #expect(refusal { $0.header.flow = nil } != nil)
        #expect(refusal { $0.header.request.document = nil } != nil)
        #expect(document { $0.pages = 0 } != nil)
        #expect(document { $0.pages = 501 } != nil)
        #expect(document { $0.pages = 1 } != nil)
        #expect(document { $0.bytes = -1 } != nil)
        let digest = String(repeating: "a", count: 64)
        #expect(document { $0.flattened = RecordedOriginal(bytes: 1, sha256: digest) } == nil)
        #expect(document { $0.flattened = RecordedOriginal(bytes: 0, sha256: digest) } != nil)
        #expect(document { $0.flattened = RecordedOriginal(bytes: 1, sha256: "A" + digest.dropFirst()) } != nil)
        #expect(document { $0.pictures = RecordedOriginal(bytes: 50_331_649, sha256: digest) } != nil)
        #expect(document { $0.fields[0].person = 2 } != nil)
        #expect(document { $0.fields[0].page = 3 } != nil)
        #expect(document { $0.fields[0].kind = .text } != nil)
        #expect(document { $0.fields[0].rectangle = DocumentRectangle(minX: 4, minY: 2, maxX: 3, maxY: 5) } != nil)
        #expect(document { $0.fields[0].rectangle.minX = .nan } != nil)
        #expect(document { $0.fields[0].name = "" } != nil)
        #expect(document { $0.fields[0].name = "S02" } != nil)
        #expect(document { $0.fields[0].name = "mail" } != nil)
        #expect(document { $0.fields[0].kind = .choice } != nil)
        #expect(flow { $0.people![1].role = "Customer" } != nil)
        #expect(flow { $0.people![1].sees = "Nobody" } != nil)
        #expect(flow { $0.questions![0].choices = ["Mail"] } != nil)
        #expect(flow { $0.questions![0].choices = ["Mail", "Mail"] } != nil)
        #expect(flow { $0.questions![1].choices = ["Mail", "Paper"] } != nil)
        #expect(flow { $0.questions![1].person = "Nobody" } != nil)
        #expect(flow { $0.questions![1].name = "mail" } != nil)
        #expect(flow { $0.declineReasons = Array(repeating: "no", count: 9) } != nil)
    }

    @Test("a line that does not follow from those before is refused")
    func lines() {
        func added(_ event: FlowEvent, at index: Int = 8) -> String? {
            refusal { $0.entries.insert(.flow(event, microseconds: 1), at: index) }
        }
        func sheet(_ name: String, _ person: Int) -> FlowEvent {
            .field(FieldSheet(name: name, person: person, signingArea: [10, 20, 300, 100]))
        }
        #expect(added(.person(0)) != nil)
        #expect(added(.person(2)) != nil)
        let page = SeenPage(number: 2, width: 1, height: 1, sha256: Self.digest)
        #expect(added(.page(page)) == "a page that was shown before")
        var other = page
        other.number = 3
        #expect(added(.page(other)) != nil)
        (other.number, other.sha256) = (2, "AB")
        #expect(refusal { $0.entries[2] = .flow(.page(other), microseconds: 1) } != nil)
        #expect(added(.view(SeenView(parts: [.init(page: 2, rect: [0, 0, 600, 800])])), at: 2) != nil)
        let rects = [[0, 0, 601, 800], [0, 0, 600, 801], [-1, 0, 600, 800], [0, 5, 600, 5], [0, 0, 600]]
        for rect in rects { #expect(added(.view(SeenView(parts: [.init(page: 2, rect: rect)]))) != nil) }
        #expect(added(.view(SeenView(parts: []))) != nil)
        let parts = [2, 1].map { SeenView.Part(page: $0, rect: [0, 0, 1, 1]) }
        #expect(added(.view(SeenView(parts: parts))) == "the pages of a view are not in their order")
        #expect(added(.answer(CaptureAnswer(name: "mail", choice: "Fax"))) != nil)
        #expect(added(.answer(CaptureAnswer(name: "mail", checked: true))) != nil)
        #expect(added(.answer(CaptureAnswer(name: "mail"))) != nil)
        #expect(added(.answer(CaptureAnswer(name: "consent", checked: true, rating: 1))) != nil)
        #expect(added(.answer(CaptureAnswer(name: "stars", rating: 4))) != nil)
        #expect(added(.answer(CaptureAnswer(name: "stars", rating: 6)), at: 16) != nil)
        #expect(added(.answer(CaptureAnswer(name: "damage", checked: true))) != nil)
        #expect(added(.answer(CaptureAnswer(name: "other", checked: true))) != nil)
        #expect(added(sheet("damage", 0)) == nil)
        #expect(added(sheet("S02", 0)) != nil)
        #expect(added(sheet("S01", 1)) != nil)
        #expect(added(sheet("signature", 0)) != nil)
        #expect(added(sheet("consent", 0)) != nil)
        #expect(added(.accepted(AcceptedField(name: "S01"))) != nil)
        #expect(added(.accepted(AcceptedField(name: "I1", same: "I0")), at: 16) != nil)
        #expect(added(.accepted(AcceptedField(name: "I0", same: "I0")), at: 25) != nil)
        #expect(added(.accepted(AcceptedField(name: "I1", same: "S01")), at: 25) != nil)
        #expect(added(.glass(GlassImage(sha256: ""))) != nil)
        #expect(refusal { $0.entries.insert(.stroke([(1, 1, 1, nil)]), at: 8) } != nil)
        #expect(refusal { $0.entries.insert(.action(.undo, microseconds: 1), at: 15) } != nil)
        #expect(refusal { $0.entries.insert(.inAir([(1, 1, 1, nil)]), at: 8) } == nil)
    }

    @Test("an end tells of each person what was read, in pages of the document")
    func ends() {
        func reading(_ change: @escaping (inout [ReadingResult]) -> Void) -> String? {
            refusal { change(&$0.end!.reading!) }
        }
        #expect(refusal { $0.end?.reading = nil } == "what was read is missing")
        #expect(reading { $0.removeLast() } != nil)
        #expect(reading { $0[0].pages = [2, 1] } != nil)
        #expect(reading { $0[0].pages = [1, 1] } != nil)
        #expect(reading { $0[0].pages = [0] } != nil)
        #expect(reading { $0[0].pages = [3] } != nil)
        #expect(reading { $0[0].seconds = -1 } != nil)
        #expect(reading { $0[0].seconds = .nan } != nil)
        // Whether it is true is for those who verify.
        #expect(reading { $0[0].toEnd = true } == nil)
        var plain = CaptureRecord.pad()
        plain.end?.reading = []
        #expect(thrownError { try CaptureEncoder.encode(plain) } is CaptureFormatError)
    }

    @Test("a record of version 1 has no lines of a flow, and its other readers read it as before")
    func version1() throws {
        var record = CaptureRecord.pad(entries: [.action(.clear, microseconds: 1)])
        let bytes = try CaptureEncoder.encode(record)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""version":1}"#) && !text.contains("flow"))
        // As members that a reader of version 1 does not know.
        let later = text.replacing(#"{"action":"clear""#, with: #"{"accepted":1,"action":"clear","person":0"#)
        #expect(try CaptureDecoder.decode(Array(later.utf8)) == record)
        for (old, new) in [(#"{"action":"clear""#, #"{"person":0"#), (#""version":1}"#, #""version":2}"#)] {
            #expect(thrownError { try CaptureDecoder.decode(Array(text.replacing(old, with: new).utf8)) } != nil)
        }
        record.entries.append(.flow(.person(0), microseconds: 1))
        #expect(thrownError { try CaptureEncoder.encode(record) } is CaptureFormatError)
    }
}
