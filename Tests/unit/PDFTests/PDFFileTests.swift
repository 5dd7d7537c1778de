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

@Suite("Texts of a page")
struct PDFTextTests {
    private func page(_ words: [(String, Double, Double)]) -> [UInt8] {
        let lines = words.map { text, x, y in
            "    <word xMin=\"\(x)\" yMin=\"\(y)\" xMax=\"\(x + 9)\" yMax=\"\(y + 10)\">\(text)</word>\n"
        }
        return Array("<doc>\n  <page width=\"9\" height=\"9\">\n\(lines.joined())  </page>\n</doc>\n".utf8)
    }

    @Test("A text is found in a word, over words of a line, and each time")
    func found() throws {
        let output = page([("Please", 0, 0), ("sign", 10, 1), ("here:", 20, 0), ("sign", 0, 20), ("&lt;b&gt;", 10, 20)])
        let pages = try #require(PDFText.pages(in: output))
        #expect(pages.count == 1)
        #expect(pages[0].places(of: Array("sign here".utf8)) == [.init(minX: 10, minY: 0, maxX: 29, maxY: 11)])
        #expect(pages[0].places(of: Array("sign".utf8)).count == 2)
        #expect(pages[0].places(of: Array("<b>".utf8)) == [.init(minX: 10, minY: 20, maxX: 19, maxY: 30)])
        // It ends on another line.
        #expect(pages[0].places(of: Array("here: sign".utf8)).isEmpty)
        #expect(pages[0].places(of: Array("none".utf8)).isEmpty)
    }

    @Test("Ligatures are letters, and soft hyphens are not there")
    func ligatures() throws {
        let pages = try #require(
            PDFText.pages(in: page([("o\u{FB03}ce", 0, 0), ("\u{FB01}n\u{AD}al:", 10, 0), ("Bü\u{FB00}el", 20, 0)])))
        #expect(pages[0].places(of: Array("office final:".utf8)).count == 1)
        #expect(pages[0].places(of: PDFText.letters(of: Array("\u{FB01}n\u{AD}al: Büffel".utf8))).count == 1)
        #expect(PDFText.letters(of: [0x61, 0xC2]) == Array("a\u{FFFD}".utf8))
    }

    @Test("Output of another form is refused")
    func strange() {
        for line in [
            "<word xMin=\"1\" yMin=\"1\" xMax=\"2\">a</word>",
            "<word xMin=\"nan\" yMin=\"1\" xMax=\"2\" yMax=\"3\">a</word>",
            "<word yMin=\"1\" xMin=\"1\" xMax=\"2\" yMax=\"3\">a</word>",
            "<word xMin=\"1\" yMin=\"1\" xMax=\"2\" yMax=\"3\">a",
        ] {
            #expect(PDFText.pages(in: Array("<page >\n\(line)\n".utf8)) == nil)
        }
        #expect(PDFText.pages(in: page([("a", 0, 0)]).filter { $0 != UInt8(ascii: "p") }) == nil)
        #expect(PDFText.pages(in: [])?.isEmpty == true)
    }
}
