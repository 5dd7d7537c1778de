// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Pad
import Record
import TestSupport
import Testing

@testable import Signing

@Suite("The fields of a document that people fill")
struct DocumentPlanTests {
    private static let place = DocumentRectangle(minX: 100, minY: 100, maxX: 260, maxY: 150)

    private static func field(
        _ name: String, _ kind: Field.Kind, value: String? = nil, required: Bool = false, text: String? = nil
    ) -> Field {
        Field(
            name: name, kind: kind, page: 1, rectangle: place, isRequired: required, label: "The \(name)",
            choice: value, value: text)
    }

    private static func facts(_ fields: [Field] = []) -> DocumentFacts {
        DocumentFacts(
            pages: [.init(width: 595, height: 842), .init(width: 595, height: 842)], fields: fields,
            names: fields.map(\.name), warnings: [], missingFonts: [])
    }

    private static let form = facts([
        field("Customer", .signature), field("consent", .check, value: "Yes", required: true),
        field("kind", .choice, value: "a"), field("kind", .choice, value: "b"), field("note", .text),
        field("Clerk", .signature),
    ])

    private static func flow(
        _ fields: [RequestedField], values: [String: String]? = nil, people: [String] = [], question: String? = nil
    ) -> CaptureFlow {
        CaptureFlow(
            document: ReadDocument(id: "d", fields: fields, values: values),
            questions: question.map { [CaptureQuestion(name: $0, kind: .check, text: "?")] } ?? [],
            people: people.map { CapturePerson(role: $0) })
    }

    private static func plan(
        _ flow: CaptureFlow, _ facts: DocumentFacts = form, hits: [DocumentHit] = []
    ) throws -> [Field] {
        try DocumentPlan(flow, in: facts) { _ in DocumentHits(hits) }.fields
    }

    private static func fault(_ flow: CaptureFlow, _ facts: DocumentFacts = form) -> String? {
        (thrownError { try plan(flow, facts) } as? DocumentPlanFault)?.name
    }

    private static func rectangle(
        _ kind: Field.Kind = .signature, name: String? = nil, person: String? = nil,
        _ place: DocumentRectangle? = nil, page: Int = 2
    ) -> RequestedField {
        RequestedField(kind: kind, name: name, person: person, place: .rectangle(page: page, place ?? free(kind)))
    }

    /// A place for each kind.
    private static func free(_ kind: Field.Kind) -> DocumentRectangle {
        let up = 60.0 * Double(Field.Kind.ofPeople.firstIndex(of: kind) ?? 0)
        return DocumentRectangle(
            minX: place.minX, minY: place.minY + up, maxX: place.maxX, maxY: place.maxY + up)
    }

    @Test("Without fields of the host, the first person fills the document's own form")
    func own() throws {
        let fields = try Self.plan(Self.flow([]))
        #expect(fields.map(\.name) == ["Customer", "Clerk", "consent", "kind", "kind"])
        #expect(fields.map(\.kind) == [.signature, .signature, .check, .choice, .choice])
        #expect(fields.map(\.choice) == [nil, nil, "Yes", "a", "b"])
        #expect(fields.map(\.isRequired) == [true, true, true, false, false])
        #expect(fields.allSatisfy { $0.person == 0 && $0.formName == $0.name && $0.rectangle == Self.place })
        #expect(fields[2].label == "The consent")
    }

    @Test("A document without fields is only read")
    func read() throws {
        #expect(try Self.plan(Self.flow([]), Self.facts()).isEmpty)
        // Only a signature would put the answer into the document.
        let unsigned = Self.facts([
            Self.field("consent", .check, value: "Yes"), Self.field("mail", .text, required: true),
        ])
        #expect(try Self.plan(Self.flow([]), unsigned).isEmpty)
        #expect(Self.fault(Self.flow([], values: ["consent": "Yes"]), unsigned) == "noSignature")
        #expect(Self.fault(Self.flow([Self.rectangle(.check)]), unsigned) == "noSignature")
    }

    @Test("What the host asks for comes first, then what it has not answered, for the first person")
    func requested() throws {
        let people = ["Customer", "Clerk"]
        let fields = [
            Self.rectangle(.initials, person: "Clerk"), Self.rectangle(person: "Clerk"),
            RequestedField(place: .field(name: "Customer")),
            RequestedField(kind: .choice, name: "variant", person: "Clerk", place: .field(name: "kind")),
            Self.rectangle(.date), RequestedField(kind: .name, place: .field(name: "note"), label: "Name"),
        ]
        let plan = try Self.plan(Self.flow(fields, people: people))
        // Signatures have the names that the signed document gives them.
        #expect(plan.map(\.name) == ["S02", "S01", "Customer", "variant", "variant", "date", "note", "consent"])
        #expect(plan.map(\.formName) == [nil, "S01", "Customer", "kind", "kind", nil, "note", "consent"])
        #expect(plan.map(\.person) == [1, 1, 0, 1, 1, 0, 0, 0])
        #expect(plan.map(\.isRequired) == [true, true, true, false, false, false, false, true])
        #expect(plan[6].label == "Name" && plan[1].page == 2)
        // Nobody is asked what the host has filled in.
        let filled = try Self.plan(Self.flow(fields, values: ["consent": "Yes"], people: people))
        #expect(!filled.contains { $0.name == "consent" })
    }

    @Test("Check boxes of one name are a choice if their values differ")
    func boxes() throws {
        func kinds(_ values: [String]) throws -> [Field.Kind] {
            let boxes = values.map { Self.field("box", .check, value: $0) }
            return try Self.plan(Self.flow([]), Self.facts([Self.field("S", .signature)] + boxes)).dropFirst().map(
                \.kind)
        }
        #expect(try kinds(["a", "b"]) == [.choice, .choice])
        #expect(try kinds(["a", "a"]) == [.check, .check])
        #expect(try kinds(["a"]) == [.check])
    }

    @Test("No two fields, and no field and question, have one name")
    func names() throws {
        let fields = [Self.rectangle(name: "consent"), Self.rectangle(.date), Self.rectangle(.date, page: 1)]
        let plan = try Self.plan(Self.flow(fields, question: "date"))
        #expect(plan.map(\.name) == ["consent", "date-2", "date-3", "consent-2", "kind", "kind"])
        #expect(plan[3].formName == "consent")
    }

    @Test("The text of a choice is in the plan, a locked field has its own refusal, and somebody must sign if asked")
    func meanings() throws {
        var facts = Self.facts([Self.field("pay", .choice, value: "0"), Self.field("Customer", .signature)])
        facts.fields[0].meaning = "monthly"
        let plan = try Self.plan(Self.flow([]), facts)
        #expect(plan.map(\.meaning) == [nil, "monthly"] && plan.map(\.choice) == [nil, "0"])
        facts.locked = ["pay"]
        facts.fields.removeFirst()
        let fault = thrownError { try Self.plan(Self.flow([], values: ["pay": "0"]), facts) }
        #expect("\(fault as Any)".contains("an earlier signature has locked the field \"pay\""))
        var flow = Self.flow([])
        #expect(try Self.plan(flow, Self.facts()).isEmpty)
        flow.document?.signed = true
        #expect(Self.fault(flow, Self.facts()) == "noSignature")
        #expect(Self.fault(flow) == nil)
    }

    @Test("Fields that overlap are refused by their names, but not those of the form")
    func overlaps() throws {
        func at(_ minX: Double, _ minY: Double, _ kind: Field.Kind = .signature) -> RequestedField {
            Self.rectangle(
                kind, name: "\(Int(minX))", DocumentRectangle(minX: minX, minY: minY, maxX: minX + 80, maxY: minY + 30))
        }
        let fault = thrownError { try Self.plan(Self.flow([at(100, 100), at(170, 120, .initials)]), Self.facts()) }
        #expect(
            fault.map { "\($0)" } == "the fields \"100\" and \"170\" overlap on page 2: place one elsewhere, or make "
                + "it smaller")
        #expect((fault as? DocumentPlanFault)?.name == "overlap")
        for other in [at(180, 100), at(179.5, 129.5), at(100, 130), at(20, 100)] {
            #expect(try Self.plan(Self.flow([at(100, 100), other]), Self.facts()).count == 2)
        }
        // Those of the form are in one place.
        #expect(Self.fault(Self.flow([])) == nil)
        #expect(Self.fault(Self.flow([RequestedField(place: .field(name: "Customer")), at(100, 100)])) == nil)
        let over = Self.rectangle(page: 1)
        #expect(Self.fault(Self.flow([RequestedField(place: .field(name: "Customer")), over])) == "overlap")
    }

    @Test("Of several people, the host says who signs the fields of the form")
    func people() {
        let fault = thrownError { try Self.plan(Self.flow([], people: ["Customer", "Clerk"])) }
        #expect((fault as? DocumentPlanFault)?.name == "noPerson")
        #expect(
            fault.map {
                "\($0)".contains(#"("Customer", "Clerk"), and several people are to sign ("Customer", "Clerk")"#)
            }
                == true)
        #expect(Self.fault(Self.flow([], people: ["Customer"])) == nil)
        #expect(Self.fault(Self.flow([], people: ["Customer", "Clerk"]), Self.facts()) == nil)
    }

    @Test("Without an offset, a field is beside its text, or below it, and never on it")
    func besideAnchors() throws {
        func place(_ minX: Double, _ minY: Double, _ maxX: Double) throws -> DocumentRectangle {
            let hit = DocumentHit(
                page: 2, rectangle: DocumentRectangle(minX: minX, minY: minY, maxX: maxX, maxY: minY + 10))
            let field = RequestedField(place: .anchor(text: "Sign:", width: 160, height: 50))
            return try Self.plan(Self.flow([field]), Self.facts(), hits: [hit])[0].rectangle
        }
        #expect(try place(70, 200, 90) == DocumentRectangle(minX: 94, minY: 200, maxX: 254, maxY: 250))
        #expect(try place(70, 830, 90) == DocumentRectangle(minX: 94, minY: 792, maxX: 254, maxY: 842))
        #expect(try place(400, 200, 450) == DocumentRectangle(minX: 400, minY: 146, maxX: 560, maxY: 196))
        #expect(try place(500, 200, 550) == DocumentRectangle(minX: 435, minY: 146, maxX: 595, maxY: 196))
    }

    @Test("An anchor with an offset places the lower left corner")
    func anchor() throws {
        let hit = DocumentHit(page: 2, rectangle: DocumentRectangle(minX: 70, minY: 200, maxX: 90, maxY: 210))
        let field = RequestedField(
            place: .anchor(text: "Sign:", width: 160, height: 50, offset: .init(right: 10, up: -60)))
        let plan = try Self.plan(Self.flow([field]), Self.facts(), hits: [hit])
        #expect(plan[0].page == 2 && plan[0].rectangle == DocumentRectangle(minX: 80, minY: 140, maxX: 240, maxY: 190))
        #expect(Self.fault(Self.flow([field])) == "anchor")
    }

    @Test("A field that does not fit is refused by name")
    func faults() {
        func wide(_ x: Double) -> DocumentRectangle { DocumentRectangle(minX: x, minY: 0, maxX: x + 10, maxY: 20) }
        func fault(_ kind: Field.Kind, _ name: String) -> String? {
            Self.fault(Self.flow([Self.rectangle(), RequestedField(kind: kind, place: .field(name: name))]))
        }
        #expect(Self.fault(Self.flow([Self.rectangle(page: 3)])) == "noPage")
        #expect(Self.fault(Self.flow([Self.rectangle(.signature, wide(100))])) == "rectangle")
        #expect(Self.fault(Self.flow([Self.rectangle(.signature, wide(590))])) == "rectangle")
        let named = thrownError { try Self.plan(Self.flow([Self.rectangle(.signature, wide(590.5))])) }
        #expect(named.map { "\($0)".contains("rect=590.5,0,600.5,20") } == true)
        #expect(Self.fault(Self.flow([Self.rectangle(.signature, wide(.nan))])) == "rectangle")
        // A box to tick may be smaller than a signature.
        #expect(Self.fault(Self.flow([Self.rectangle(), Self.rectangle(.check, wide(100))])) == nil)
        #expect(fault(.signature, "Other") == "noField" && fault(.signature, "consent") == "noField")
        #expect(fault(.check, "kind") == "noField" && fault(.initials, "Customer") == "noField")
        let twice = RequestedField(place: .field(name: "Customer"))
        #expect(Self.fault(Self.flow([twice, twice])) == "twice")
        let consent = RequestedField(kind: .check, place: .field(name: "consent"))
        #expect(Self.fault(Self.flow([twice, consent], values: ["consent": "Yes"])) == "twice")
        #expect(Self.fault(Self.flow([], values: ["other": "Yes"])) == "noField")
        #expect(Self.fault(Self.flow([], values: ["consent": "Off"])) == "noValue")
    }

    @Test("A text that the document demands is filled by the host or by the pad")
    func texts() throws {
        let mail = Self.facts([Self.field("S", .signature), Self.field("mail", .text, required: true)])
        #expect(Self.fault(Self.flow([]), mail) == "noValue")
        #expect(try Self.plan(Self.flow([], values: ["mail": "a@b"]), mail).map(\.name) == ["S"])
        var list = mail
        list.unfillable = ["list"]
        #expect(Self.fault(Self.flow([], values: ["mail": "a@b"]), list) == "noValue")
        let named = [
            RequestedField(place: .field(name: "S")), RequestedField(kind: .name, place: .field(name: "mail")),
        ]
        #expect(try Self.plan(Self.flow(named), mail).map(\.name) == ["S", "mail"])
        let given = Self.facts([Self.field("S", .signature), Self.field("mail", .text, required: true, text: "c@d")])
        #expect(Self.fault(Self.flow([]), given) == nil)
    }

    @Test("A form with more places than a person can fill is refused, and one with endless words")
    func tooMany() {
        let signature = [Self.field("S", .signature)]
        let boxes = (0..<DocumentPlan.mostFields).map { Self.field("box\($0)", .check, value: "Yes") }
        #expect(Self.fault(Self.flow([]), Self.facts(signature + boxes.dropLast())) == nil)
        #expect(Self.fault(Self.flow([]), Self.facts(signature + boxes)) == "tooManyFields")
        let long = (0..<100).map { Self.field("\($0)" + String(repeating: "x", count: 900), .check, value: "Yes") }
        #expect(Self.fault(Self.flow([]), Self.facts(signature + long)) == "tooManyFields")
    }
}
