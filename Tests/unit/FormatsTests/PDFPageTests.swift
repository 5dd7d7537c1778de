// SPDX-License-Identifier: Apache-2.0
import Document
import Formats
import TestSupport
import Testing

/// Tests/system/Document lets other programs read such pages.
@Suite("PDF pages of paths")
struct PDFPageTests {
    private func file(_ contents: [String], title: String = "Summary") -> [UInt8] {
        var writer = PDFPageWriter(title: title, program: "inkpanel 0.1.0", time: 1_790_000_000)
        for content in contents { writer.addPage(content) }
        return writer.file()
    }

    @Test("The table of a file has the place of each object")
    func table() throws {
        let bytes = file(["0 0 0 rg\n0 0 m\n9 9 l\nh\nf\n", "n\n"])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("%PDF-1.4\n") && text.hasSuffix("%%EOF\n"))
        let end = try #require(text.split(separator: "startxref\n").last)
        let start = try #require(end.split(separator: "\n").first)
        let table = try #require(Int(start))
        #expect(bytes[table...].starts(with: "xref\n0 8\n0000000000 65535 f \n".utf8))
        for number in 1...7 {
            let entry = table + "xref\n0 8\n".utf8.count + 20 * number
            let place = try #require(Int(String(decoding: bytes[entry..<entry + 10], as: UTF8.self)))
            #expect(bytes[place...].starts(with: "\(number) 0 obj\n".utf8))
        }
        #expect(text.contains("/Kids[4 0 R 6 0 R]/Count 2") && text.contains("/CreationDate(D:20260921141320Z)"))
        #expect(file(["n\n"]) == file(["n\n"]))
    }

    @Test("A title cannot be taken for syntax")
    func title() {
        let text = String(decoding: file(["n\n"], title: ")>>\n\u{e9}"), as: UTF8.self)
        #expect(text.contains("/Title<FEFF0029003E003E000A00E9>"))
    }
}

@Suite("QR codes")
struct QRCodeTests {
    @Test("A code has the squares by which readers find it")
    func corners() throws {
        let code = try QRCode("https://example.org/")
        #expect(code.side == 25)
        for (x, y) in [(0, 0), (code.side - 7, 0), (0, code.side - 7)] {
            for step in 0..<7 { #expect(code[x + step, y] && code[x, y + step] && code[x + step, y + 6]) }
            #expect(!code[x + 1, y + 1] && code[x + 2, y + 2])
        }
        #expect(try QRCode("https://example.org/") == code)
    }

    @Test("It is drawn as squares in black with a light margin")
    func ink() throws {
        let code = try QRCode("HELLO")
        let ink = code.ink(width: 29)
        #expect((ink.width, ink.height, code.side) == (29, 29, 21))
        // The upper left corner: seven dark modules beside each other.
        #expect(ink.content.hasPrefix("0 0 0 rg\n4 24 m\n11 24 l\n11 25 l\n4 25 l\nh\n"), "\(ink.content.prefix(60))")
        #expect(ink.content.hasSuffix("h\nf\n") && ink.content.ranges(of: "f\n").count == 1)
    }

    @Test("Texts that have no readable code are refused")
    func refused() throws {
        #expect(try QRCode(String(repeating: "a", count: QRCode.longestText)).side == 69)
        for text in ["", "a\0b", String(repeating: "a", count: 321), String(repeating: "\u{20AC}", count: 107)] {
            #expect(throws: QRCodeFault.self) { try QRCode(text) }
        }
    }
}
