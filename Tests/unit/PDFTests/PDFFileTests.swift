// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PDF

@Suite("Objects of a document")
struct PDFFileTests {
    @Test("Objects are read as what they are, and as nothing else")
    func objects() throws {
        let document = SmallPDF(
            pages: [SmallPDF.letter],
            more: [
                "<< /Name /a#20b /Number -1.5 /Whole 7 /Flag true /Text <FEFF00E4> /List [ 4 0 R null 1 ]"
                    + " /Null null >>",
                SmallPDF.stream("abc", "/Key /value"),
            ])
        let file = try PDFFile(document.bytes)
        let object = file.object(PDFObject.ID(number: 4, generation: 0))
        #expect(object.isDictionary && !object.isArray && !object.isStream && !object.isNull)
        #expect(object["Name"].name == "a b")
        #expect(object["Number"].number == -1.5 && object["Number"].integer == nil)
        #expect(object["Whole"].integer == 7 && object["Whole"].number == 7 && object["Whole"].name == nil)
        #expect(object["Flag"].flag == true && object["Text"].text == "ä")
        #expect(object["Text"].bytes == [0xFE, 0xFF, 0, 0xE4])
        #expect(object["List"].count == 3 && object["List"][1].isNull && object["List"][9].isNull)
        #expect(object["List"][0].id == PDFObject.ID(number: 4, generation: 0) && object["List"].id == nil)
        #expect(object["None"].isNull && object["Name"]["None"].isNull && object["Name"].count == 0)
        #expect(!object.has("Null") && object.has("Name") && object["Name"].name == "a b")
        let stream = file.object(PDFObject.ID(number: 5, generation: 0))
        #expect(stream.isStream && stream["Key"].name == "value")
        #expect(stream.keys.map { String(decoding: $0, as: UTF8.self) } == ["Key", "Length"])
        #expect(file.object(PDFObject.ID(number: 99, generation: 0)).isNull)
        #expect(object["List"][0].unparsed == "4 0 R" && object["List"].unparsedContents == "[ 4 0 R null 1 ]")
        try file.check()
    }
}
