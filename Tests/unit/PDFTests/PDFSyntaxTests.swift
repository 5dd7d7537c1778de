// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import PDF

@Suite("Text of PDF files")
struct PDFSyntaxTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func namesEscapeWhatIsSyntax() {
        #expect(text(PDFSyntax.name("Off".utf8)) == "/Off")
        #expect(text(PDFSyntax.name("a b/c#(é".utf8)) == "/a#20b#2fc#23#28#c3#a9")
        #expect(text(PDFSyntax.name([0xE4])) == "/#e4")
    }

    @Test func stringsArePlainOrUTF16() {
        #expect(text(PDFSyntax.string("Kunde 1, a@b.de")) == "(Kunde 1, a@b.de)")
        #expect(text(PDFSyntax.string("")) == "()")
        #expect(text(PDFSyntax.string("ä")) == "<feff00e4>")
        #expect(text(PDFSyntax.string("🖋")) == "<feffd83ddd8b>")
        // What looks like syntax.
        for hostile in ["a)b", "(", "\\", "<", "/ByteRange [", "/Contents <"] {
            #expect(text(PDFSyntax.string(hostile)).hasPrefix("<feff"))
        }
    }

    @Test(
        arguments: [
            (0, "0"), (1, "1"), (-1.5, "-1.5"), (0.0001, "0.0001"), (0.00001, "0"), (595.27559, "595.2756"),
            (-0.05, "-0.05"), (1e9, "1000000000"),
        ] as [(Double, String)])
    func numbersHaveNoExponents(value: Double, expected: String) throws {
        #expect(try PDFSyntax.number(value) == expected)
    }

    @Test func numbersThatNoReaderKnowsAreNotWritten() {
        for value in [2_147_483_648, -1e300, .infinity, .nan] {
            #expect(throws: PDFError.self) { try PDFSyntax.number(value) }
        }
    }

    @Test(
        arguments: [
            (0, "D:19700101000000Z"), (951_782_400, "D:20000229000000Z"), (951_868_800, "D:20000301000000Z"),
            (1_790_000_000, "D:20260921141320Z"), (4_107_542_399, "D:21000228235959Z"),
            (4_107_542_400, "D:21000301000000Z"), (253_402_300_799, "D:99991231235959Z"),
        ] as [(Int64, String)])
    func dates(time: Int64, expected: String) {
        #expect(PDFSyntax.date(time) == expected)
    }

    @Test func entriesOfDictionariesAreReplaced() {
        var dictionary = PDFDictionaryText()
        dictionary.set("A", "1")
        dictionary.set("B c", "[ 2 ]")
        dictionary.set("A", "3")
        #expect(text(dictionary.text) == "<< /A 3 /B#20c [ 2 ] >>")
        dictionary["A"] = nil
        dictionary["X"] = nil
        #expect(text(dictionary.text) == "<< /B#20c [ 2 ] >>")
        #expect(dictionary["A"] == nil)
    }

    @Test func crossReferencesHaveSections() {
        let offsets: [PDFObject.ID: Int] = [
            .init(number: 4, generation: 0): 17, .init(number: 9, generation: 1): 1_234_567,
            .init(number: 5, generation: 0): 99,
        ]
        let table = text(CrossReference.table(offsets))
        #expect(
            table == "xref\n4 2\n0000000017 00000 n \n0000000099 00000 n \n9 1\n0001234567 00001 n \n")
        var trailer = PDFDictionaryText()
        trailer.set("Size", "10")
        let stream = CrossReference.stream(offsets, trailer)
        let head = "<< /Size 10 /Type /XRef /W [ 1 4 2 ] /Index [ 4 2 9 1 ] /Length 21 >>\nstream\n"
        #expect(stream.starts(with: head.utf8))
        let entries: [UInt8] = [1, 0, 0, 0, 17, 0, 0, 1, 0, 0, 0, 99, 0, 0, 1, 0, 18, 214, 135, 0, 1]
        #expect(Array(stream.dropFirst(head.utf8.count).dropLast("\nendstream".utf8.count)) == entries)
    }

    @Test func theEndOfAFile() throws {
        func end(_ text: String) throws -> FileEnd { try FileEnd(Array(text.utf8)) }
        let table = try end("%PDF-1.4\nxref\ntrailer\nstartxref\n9\n%%EOF\n")
        #expect(table.lastCrossReference == 9 && table.kind == .table)
        let stream = try end("%PDF-1.5\n7 0 obj <<>> startxref\n8\n%%EOF startxref 9 %%EOF")
        #expect(stream.lastCrossReference == 9 && stream.kind == .stream)
        #expect(try end("%PDF-1.5\n<<>>startxref\r\n 8\t\n%%EOF\nmore").lastCrossReference == 8)
        for wrong in [
            // libqpdf takes the first one, poppler the second one.
            "%PDF-1.4\nxref\nstartxref\n9\n%%EOF\nstartxref8\n%%EOF", "%PDF-1.4\nxref\nstartxref\n9\n%%EOF startxref",
            "%PDF-1.4\nxref\nstartxref\n9\n%%EOF\nastartxref 8 %%EOF", "%PDF-1.4\nxref\nstartxref\n9%%EOF",
            "%PDF-1.4\nxref\nstartxref\n9x\n%%EOF", "%PDF-1.4\nxref\nstartxref\n9\n%EOF",
            "%PDF-1.4\nxref\nstartxref\n9 % comment\n%%EOF", "%PDF-x.4\nxref\nstartxref\n9\n%%EOF",
            "%PDF-1\nxref\nstartxref\n9\n%%EOF", "%PDF-14.\nxref\nstartxref\n9\n%%EOF",
            "%PDF-1.4\nxref\nstartxref\n9\n%%EOF\n" + String(repeating: " ", count: 1024),
            "", "%PDF-1.4", "%PDF-1.4 startxref", "%PDF-1.4 startxref x", "%PDF-1.4 startxref 99999999999999999999",
            "%PDF-1.4 startxref 100", "xref startxref 0", "junk\n%PDF-1.4\nxref startxref 9",
        ] {
            #expect(throws: PDFError.self) { try end(wrong) }
        }
    }

    @Test func locksNameFieldsAndThoseBelow() {
        var lock = FieldLock(allBut: ["a", "b.c", "d"])
        #expect(!lock.contains("a") && !lock.contains("a.x") && !lock.contains("b.c") && !lock.contains("b.c.d"))
        #expect(lock.contains("ab") && lock.contains("b") && lock.contains("b.cd") && lock.contains(""))
        lock.add(FieldLock(allBut: ["a", "b"]))
        #expect(lock.names == ["a", "b.c"] && lock.contains("d"))
        let text = String(decoding: lock.text(type: "/SigFieldLock").text, as: UTF8.self)
        #expect(text == "<< /Type /SigFieldLock /Action /Exclude /Fields [ (a) (b.c) ] >>")
        lock.add(.final)
        #expect(lock.contains("a") && lock.isFinal)
        #expect(FieldLock(allBut: []).contains("a"))
    }
}
