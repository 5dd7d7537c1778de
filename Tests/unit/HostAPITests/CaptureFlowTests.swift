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
}
