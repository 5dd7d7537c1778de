// SPDX-License-Identifier: Apache-2.0
import Document
import HostAPI
import Testing

@Suite("What a flow may have")
struct CaptureFlowTests {
    @Test("An anchor is a text that can be looked for", arguments: ["", " \t", String(repeating: "a", count: 1025)])
    func anchor(_ text: String) {
        let field = RequestedField(place: .anchor(text: text, width: 160, height: 50))
        let flow = CaptureFlow(document: ReadDocument(id: "d1", fields: [field]))
        #expect(
            throws: PanelError.invalidParameter(
                "document.fields[0].anchor", expected: "1 to 1024 bytes, not all of them blank")
        ) { try flow.check() }
    }

    @Test("Of several people, a signature and initials say whose they are; other fields may be the first one's")
    func whose() throws {
        func flow(_ kind: Field.Kind, _ person: String?, people: Int) -> CaptureFlow {
            let field = RequestedField(
                kind: kind, person: person, place: .rectangle(page: 1, .init(minX: 0, minY: 0, maxX: 100, maxY: 50)))
            return CaptureFlow(
                document: ReadDocument(id: "d1", fields: [field]),
                people: ["Customer", "Witness"].prefix(people).map { CapturePerson(role: $0) })
        }
        for kind in [Field.Kind.signature, .initials] {
            let error = PanelError.invalidParameter(
                "document.fields[0].person",
                expected: "the role of the person who signs there, because there are several")
            #expect(throws: error) { try flow(kind, nil, people: 2).check() }
            try flow(kind, "Witness", people: 2).check()
            try flow(kind, nil, people: 1).check()
            try flow(kind, nil, people: 0).check()
        }
        try flow(.date, nil, people: 2).check()
        try flow(.check, nil, people: 2).check()
    }
}
