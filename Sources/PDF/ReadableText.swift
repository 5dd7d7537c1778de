// SPDX-License-Identifier: Apache-2.0
import Document

/// The texts that outlines show, for programs that read, search or speak the page. Each letter is a glyph without ink
/// of a Type 3 font (ISO 32000-1, 9.6.5), which is in the file as PDF/A demands, and whose map says what the letter is
/// (9.10.3). `ActualText` alone does not do: poppler and MuPDF use it only where there are glyphs.
struct ReadableText {
    /// The glyph that all fonts of an update have.
    private var glyph: PDFObject.ID?
    /// The fonts by their letters.
    private var fonts: [[UInt32]: PDFObject.ID] = [:]

    /// A code has one byte, and 0 stands for no glyph.
    private static let mostLetters = 255
    private static let mostTexts = 1000

    /// The operators that show the texts, and the fonts among the resources that they need.
    mutating func content(
        _ texts: [DocumentInk.Text], _ writer: inout UpdateWriter
    ) throws(PDFError) -> (content: String, resources: String) {
        let size = texts.reduce(0) { $0 + $1.text.utf8.count }
        guard texts.count <= Self.mostTexts, size <= HelperLimits.value else {
            throw .failed(doing: "place the ink", reason: "its texts are longer than \(HelperLimits.value) bytes")
        }
        let lines = texts.map { Self.drawn($0.text) }
        let letters = Array(Set(lines.joined())).sorted()
        if letters.isEmpty { return ("", "") }
        var names: [String] = []
        for start in stride(from: 0, to: letters.count, by: Self.mostLetters) {
            let part = Array(letters[start..<min(letters.count, start + Self.mostLetters)])
            names.append("/R\(names.count) \(PDFSyntax.reference(font(part, &writer)))")
        }
        let places = Dictionary(uniqueKeysWithValues: letters.enumerated().map { ($1, $0) })
        var content = ""
        for (text, line) in zip(texts, lines) where !line.isEmpty {
            let width = try PDFSyntax.number(text.width / Double(line.count))
            let height = try PDFSyntax.number(text.height)
            content += "BT \(width) 0 0 \(height) \(try PDFSyntax.number(text.x)) \(try PDFSyntax.number(text.y)) Tm\n"
            var font: Int?
            for place in line.compactMap({ places[$0] }) {
                if font != place / Self.mostLetters {
                    font = place / Self.mostLetters
                    content += "/R\(place / Self.mostLetters) 1 Tf\n"
                }
                content += String(decoding: PDFSyntax.hexadecimal([UInt8(place % Self.mostLetters + 1)]), as: UTF8.self)
                content += " Tj\n"
            }
            content += "ET\n"
        }
        return (content, "/Font << \(names.joined(separator: " ")) >>")
    }

    /// The letters of a line from left to right: readers bring those of scripts from right to left into their order.
    private static func drawn(_ text: String) -> [UInt32] {
        let letters = text.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(\.value)
        guard letters.contains(where: SearchLetters.isRightToLeft) else { return letters }
        let first = letters.first { SearchLetters.isRightToLeft($0) || SearchLetters.isLeftToRight($0) }
        let isRightToLeft = first.map(SearchLetters.isRightToLeft) == true
        let order =
            isRightToLeft
            ? TextStream.rightToLeft(letters, letters.indices) : TextStream.leftToRight(letters)
        return order.map { letters[$0] }
    }

    private mutating func font(_ letters: [UInt32], _ writer: inout UpdateWriter) -> PDFObject.ID {
        if let font = fonts[letters] { return font }
        // It is as wide as the em, and draws nothing.
        let glyph = glyph ?? writer.add(Self.stream("1000 0 d0"))
        self.glyph = glyph
        let map = writer.add(Self.stream(Self.map(letters)))
        let count = letters.count
        let names = [String](repeating: "/g", count: count).joined(separator: " ")
        let widths = [String](repeating: "1000", count: count).joined(separator: " ")
        let font = writer.add(
            Array(
                ("<< /Type /Font /Subtype /Type3 /FontBBox [ 0 0 1000 1000 ] /FontMatrix [ 0.001 0 0 0.001 0 0 ]"
                    + " /CharProcs << /g \(PDFSyntax.reference(glyph)) >>"
                    + " /Encoding << /Type /Encoding /Differences [ 1 \(names) ] >> /FirstChar 1 /LastChar \(count)"
                    + " /Widths [ \(widths) ] /Resources << >> /ToUnicode \(PDFSyntax.reference(map)) >>").utf8))
        fonts[letters] = font
        return font
    }

    private static func stream(_ content: String) -> [UInt8] {
        Array("<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream".utf8)
    }

    /// The map from codes to letters, in parts of at most 100 as the format demands (Adobe, technical note 5014).
    private static func map(_ letters: [UInt32]) -> String {
        var map = """
            /CIDInit /ProcSet findresource begin
            12 dict begin
            begincmap
            /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
            /CMapName /Adobe-Identity-UCS def
            /CMapType 2 def
            1 begincodespacerange
            <00> <ff>
            endcodespacerange

            """
        for start in stride(from: 0, to: letters.count, by: 100) {
            let part = letters[start..<min(letters.count, start + 100)]
            map += "\(part.count) beginbfchar\n"
            for (index, letter) in part.enumerated() {
                let units = Unicode.Scalar(letter).map { Array(String($0).utf16) } ?? []
                let bytes = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
                let code = PDFSyntax.hexadecimal([UInt8(start + index + 1)])
                map += String(decoding: code + [32] + PDFSyntax.hexadecimal(bytes) + [10], as: UTF8.self)
            }
            map += "endbfchar\n"
        }
        return map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    }
}
