// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PDF

@Suite("Texts in documents")
struct SearchTests {
    /// A page of lines, each of words, as pdftotext writes it: ten points a letter and fifteen a line, or as far from
    /// the left as its number says.
    private static func page(_ lines: [[String]], at left: [Double] = []) -> PDFText {
        var text = "<page width=\"600\" height=\"800\">\n"
        for (number, words) in lines.enumerated() {
            var x = number < left.count ? left[number] : 0
            let y = Double(number) * 15
            text += "<line xMin=\"0\" yMin=\"0\" xMax=\"0\" yMax=\"0\">\n"
            for word in words {
                let width = 10 * Double(word.unicodeScalars.count)
                text += "<word xMin=\"\(x)\" yMin=\"\(y)\" xMax=\"\(x + width)\" yMax=\"\(y + 12)\">\(word)</word>\n"
                x += width + 5
            }
        }
        return (try? PDFText.pages(in: Array(text.utf8)))??.first ?? PDFText()
    }

    private static func places(_ wanted: String, _ page: PDFText, _ spaces: TextStream.Spaces = .asWritten) -> Int {
        let letters = SearchLetters.of(wanted)
        return (try? PDFText.places(of: letters, in: [page, page.byColumns], spaces).count) ?? -1
    }

    @Test(
        "A text is found however a program wrote it",
        arguments: [
            ("Käufer", "Ka\u{308}ufer"), ("final office", "ﬁnal oﬃce"), ("Unterschrift", "Unter\u{AD}schrift"),
            ("Signature", "Sig\u{200B}na\u{2060}ture\u{FEFF}"), ("E-Mail", "E\u{2011}Mail"), ("a - b", "a \u{2013} b"),
            ("the tenant's \"mark\"", "the tenant\u{2019}s \u{201E}mark\u{201C}"), ("ABC", "ＡＢＣ"), ("1/2", "½"),
            ("Sign here", " Sign\u{A0}\u{2009}here\n"), ("12 m2", "12 m²"),
            ("서명", "\u{1109}\u{1165}\u{1106}\u{1167}\u{11BC}"),
            ("署名欄", "署 名 欄"), ("شكر", "شـــكر"), ("שלום", "שָׁלוֹם"),
            ("توقيع", "\u{FE97}\u{FEEE}\u{FED7}\u{FEF4}\u{FECA}"),
            ("x", "\u{202B}x\u{202C}"),
        ])
    func forms(_ plain: String, _ other: String) {
        #expect(SearchLetters.text(SearchLetters.of(plain)) == plain)
        #expect(SearchLetters.text(SearchLetters.of(other)) == plain)
    }

    @Test("Upper and lower case, and what is not there, are other texts")
    func others() {
        let page = Self.page([["Sign", "here"]])
        #expect(Self.places("Sign here", page) == 1)
        for other in ["sign here", "Sign there", "here Sign", "Signhere"] { #expect(Self.places(other, page) == 0) }
        #expect(Self.places("Signhere", page, .ignored) == 1)
        #expect(Self.places("ignhere", page, .ignored) == 0)
    }

    @Test("A text goes on in the next line, also after a hyphen")
    func lines() {
        let page = Self.page([["Please", "sign"], ["here,", "the", "E-"], ["Mail", "or", "Unter-"], ["schrift"]])
        for wanted in [
            "sign here, the", "E-Mail", "the E- Mail", "Unterschrift", "or Unterschrift", "sign here, the EMail",
        ] {
            #expect(Self.places(wanted, page) == 1, "\(wanted)")
        }
        let far = Self.page([["Please", "sign"], [], [], [], ["here"]])
        #expect(Self.places("sign here", far) == 0)
        let beside = Self.page([["sign"], ["here"]], at: [0, 300])
        #expect(Self.places("sign here", beside) == 0)
    }

    @Test("Texts beside each other are read one below the other")
    func columns() throws {
        let text = """
            <page width="600" height="800">
            <line xMin="0" yMin="0" xMax="0" yMax="0">
            <word xMin="0" yMin="0" xMax="40" yMax="12">Sign</word>
            <word xMin="300" yMin="0" xMax="340" yMax="12">Sign</word>
            <line xMin="0" yMin="0" xMax="0" yMax="0">
            <word xMin="0" yMin="15" xMax="40" yMax="27">here</word>
            <word xMin="300" yMin="15" xMax="340" yMax="27">there</word>
            """
        let page = try #require(try PDFText.pages(in: Array(text.utf8))?.first)
        let box = PDFText.Box(minX: 300, minY: 0, maxX: 340, maxY: 27)
        let letters = SearchLetters.of("Sign there")
        #expect(try PDFText.places(of: letters, in: [page, page.byColumns], .asWritten) == [box])
        #expect(Self.places("Sign here", page) == 1)
        #expect(Self.places("Sign Sign", page) == 1)
    }

    @Test(
        "Letters from right to left are compared in the order of reading",
        arguments: [
            ("חתימת הלקוח", ["חוקלה", "תמיתח"]), ("חתימה: 12/34 ABC", ["ABC", "12/34", ":המיתח"]),
            ("חתימת (הלקוח)", ["(חוקלה)", "תמיתח"]), ("חתימת (הלקוח)", [")חוקלה(", "תמיתח"]),
            ("the חתימה here", ["the", "המיתח", "here"]), ("لا غير", ["ريغ", "لا"]), ("الاسم", ["مسلاا"]),
            ("توقيع ١٢/٣", ["١٢/٣", "عيقوت"]),
        ])
    func direction(_ wanted: String, _ words: [String]) {
        #expect(Self.places(wanted, Self.page([words])) == 1)
    }

    @Test("A text that is drawn twice for its shadow is there once, and one that is elsewhere is another")
    func overlaps() throws {
        func page(_ shift: Double) throws -> PDFText {
            var text = "<page width=\"600\" height=\"800\">\n"
            for shift in [0, shift] {
                text += "<line xMin=\"0\" yMin=\"0\" xMax=\"0\" yMax=\"0\">\n"
                text +=
                    "<word xMin=\"\(shift)\" yMin=\"\(shift)\" xMax=\"\(40 + shift)\" yMax=\"\(12 + shift)\">"
                    + "Sign</word>\n"
            }
            return try #require(try PDFText.pages(in: Array(text.utf8))?.first)
        }
        #expect(Self.places("Sign", try page(2)) == 1)
        #expect(Self.places("Sign", try page(30)) == 2)
        #expect(Self.places("an", Self.page([["banana"]])) == 1)
    }

    @Test("The words of a line at an angle are near each other")
    func raw() throws {
        var text = "<page width=\"600\" height=\"800\">\n"
        for (index, letter) in ["S", "ig", "n", "h", "er", "e", "x"].enumerated() {
            let place = Double(index == 6 ? 300 : index * 8)
            text +=
                "<word xMin=\"\(place)\" yMin=\"\(place)\" xMax=\"\(place + 8)\" yMax=\"\(place + 12)\">\(letter)"
                + "</word>\n"
        }
        let page = try #require(try PDFText.pages(in: Array(text.utf8), isRaw: true)?.first)
        #expect(try PDFText.places(of: SearchLetters.of("Sign here"), in: [page], .ignored).count == 1)
        #expect(try PDFText.places(of: SearchLetters.of("Sign herex"), in: [page], .ignored).isEmpty)
    }

    @Test("The nearest texts of the document are told")
    func near() {
        var near = NearTexts(of: SearchLetters.of("signature of teh tennant"))
        let page = Self.page([["The", "Signature", "of", "the", "tenant:", "Anna"], ["Something", "else"]])
        page.addRows(to: &near)
        #expect(near.texts == ["Signature of the tenant:"])
        var none = NearTexts(of: SearchLetters.of("zzz"))
        page.addRows(to: &none)
        #expect(none.texts == [])
    }

    @Test("Texts that repeat themselves take a time that grows with their length")
    func repetition() throws {
        let letters = [UInt32](repeating: 97, count: 1_000_000)
        let wanted = [UInt32](repeating: 97, count: 1000) + [98]
        let search = LetterSearch(wanted)
        let start = ContinuousClock.now
        #expect(search.places(in: letters).isEmpty)
        #expect(search.places(in: letters + [98]) == [999_000])
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(LetterSearch([1, 1, 2]).places(in: [1, 1, 1, 2, 1, 1, 2]) == [1, 4])
        let page = Self.page(.init(repeating: .init(repeating: "ab-", count: 50), count: 50))
        #expect(throws: PDFText.isTooOften) { try PDFText.places(of: SearchLetters.of("ab-"), in: [page], .asWritten) }
    }

    @Test("Output of another form is refused")
    func strange() throws {
        for line in [
            "<word xMin=\"1\" yMin=\"1\" xMax=\"2\">a</word>",
            "<word xMin=\"nan\" yMin=\"1\" xMax=\"2\" yMax=\"3\">a</word>",
            "<word yMin=\"1\" xMin=\"1\" xMax=\"2\" yMax=\"3\">a</word>",
            "<word xMin=\"1\" yMin=\"1\" xMax=\"2\" yMax=\"3\">a",
        ] {
            #expect(try PDFText.pages(in: Array("<page >\n\(line)\n".utf8)) == nil)
            #expect(try PDFText.pages(in: Array("\(line)\n".utf8)) == nil)
        }
        let word = "<word xMin=\"1\" yMin=\"1\" xMax=\"2\" yMax=\"3\">&lt;b&gt; &amp;amp;</word>"
        let page = try #require(try PDFText.pages(in: Array("<page >\n\(word)\n".utf8))?.first)
        #expect(page.lines[0].words[0].letters == SearchLetters.of("<b> &amp;"))
        #expect(try PDFText.pages(in: [])?.isEmpty == true)
    }
}
