// SPDX-License-Identifier: Apache-2.0
import Document
import FoundationEssentials
import JSON
import Testing

@Suite("Fields of a document")
struct FieldTests {
    private static let place = DocumentRectangle(minX: 10, minY: 20, maxX: 110, maxY: 50)

    @Test func aRectangleHasItsSize() {
        #expect(Self.place.width == 100)
        #expect(Self.place.height == 30)
    }

    @Test("A field of a form has the same JSON as ever: radio buttons, a list of one choice, and only what is so")
    func json() throws {
        let rectangle = #""rectangle":{"maxX":110,"maxY":50,"minX":10,"minY":20}"#
        for (field, text) in [
            (
                Field(
                    name: "pay", kind: .choice, page: 1, rectangle: Self.place, isRequired: true, choice: "0",
                    meaning: "monthly", value: "Off"),
                #"{"choices":["0"],"isRequired":true,"kind":"radio","meaning":"monthly","name":"pay","page":1,"#
                    + rectangle + #","value":"Off"}"#
            ),
            (
                Field(name: "S01", kind: .signature, person: 1, page: 2, rectangle: Self.place, label: "Buyer"),
                #"{"kind":"signature","label":"Buyer","name":"S01","page":2,"# + rectangle + "}"
            ),
        ] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            #expect(try String(decoding: encoder.encode(field), as: UTF8.self) == text)
            // Forms know no people.
            var read = field
            read.person = 0
            #expect(try JSONValue(Array(text.utf8)).decode(Field.self) == read)
        }
    }

    @Test(
        "A field of another kind than a form has, or with two choices in one place, is refused",
        arguments: [#""initials""#, #""choice""#, #""radio","choices":["a","b"]"#, "1"])
    func refused(kind: String) throws {
        let rectangle = #""rectangle":{"maxX":110,"maxY":50,"minX":10,"minY":20}"#
        let value = try JSONValue(Array((#"{"name":"a","page":1,"# + rectangle + #","kind":"# + kind + "}").utf8))
        #expect(throws: DecodingError.self) { try value.decode(Field.self) }
    }
}
