// SPDX-License-Identifier: Apache-2.0
import CZlib
import Evidence
import HostAPI

/// Writes a PDF file (ISO 32000-1) of pages that consist of filled paths, without fonts: a catalogue, a tree of pages,
/// pages with a content each, and a table of the objects' places. The same pages have the same bytes.
public struct PDFPageWriter {
    /// The size of a page in points of 1/72 inch.
    public static let a4 = (width: 595.28, height: 841.89)

    /// The text in the title bar of readers.
    public var title: String
    /// A BCP 47 tag.
    public var language: String
    /// The name and version of the program.
    public var program: String
    /// Seconds since 1970, UTC, from there to the end of the year 9999.
    public var time: Int64
    private let size: (width: Double, height: Double)
    private var objects: [[UInt8]] = [[], [], []]
    private var pages: [Int] = []

    public init(
        title: String, language: String = "en", program: String, time: Int64,
        size: (width: Double, height: Double) = a4
    ) {
        self.title = title
        self.language = language
        self.program = program
        self.time = time
        self.size = size
    }

    /// Adds a page.
    /// - Parameter content: operators of paths and colours, in points from the lower left corner, y up; ASCII.
    public mutating func addPage(_ content: String) {
        let number = objects.count + 1
        pages.append(number)
        let box = "[0 0 \(DecimalText.text(size.width, decimals: 2)) \(DecimalText.text(size.height, decimals: 2))]"
        objects.append(
            Array(
                "<</Type/Page/Parent 2 0 R/MediaBox\(box)/Resources<<>>/Contents \(number + 1) 0 R>>".utf8))
        objects.append(Self.stream(Array(content.utf8)))
    }

    /// The whole file.
    public consuming func file() -> [UInt8] {
        let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
        objects[0] = Array("<</Type/Catalog/Pages 2 0 R/Lang".utf8) + Self.string(language)
        objects[0] += Array("/ViewerPreferences<</DisplayDocTitle true>>>>".utf8)
        objects[1] = Array("<</Type/Pages/Kids[\(kids)]/Count \(pages.count)>>".utf8)
        objects[2] = Array("<</Title".utf8) + Self.string(title) + Array("/Producer".utf8) + Self.string(program)
        objects[2] += Array("/CreationDate(\(Self.date(time)))>>".utf8)
        // The comment says that the file is not only text (7.5.2).
        var file = Array("%PDF-1.4\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(file.count)
            file += Array("\(index + 1) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
        }
        let table = file.count
        var end = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { end += Self.padded(offset, 10) + " 00000 n \n" }
        let id = SHA256Digest(of: file).description.prefix(32)
        end += "trailer\n<</Size \(objects.count + 1)/Root 1 0 R/Info 3 0 R/ID[<\(id)><\(id)>]>>\n"
        return file + Array((end + "startxref\n\(table)\n%%EOF\n").utf8)
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// A stream in the format of FlateDecode (RFC 1950), or as it is if it cannot be compressed.
    private static func stream(_ content: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(content.count))
        var data = [UInt8](repeating: 0, count: Int(count))
        let isCompressed = compress2(&data, &count, content, UInt(content.count), Z_BEST_COMPRESSION) == Z_OK
        data = isCompressed ? Array(data.prefix(Int(count))) : content
        let filter = isCompressed ? "/Filter/FlateDecode" : ""
        return Array("<<\(filter)/Length \(data.count)>>\nstream\n".utf8) + data + Array("\nendstream".utf8)
    }

    /// A text string in UTF-16 (7.9.2.2), as digits: no text can be taken for syntax.
    private static func string(_ text: String) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var result = Array("<FEFF".utf8)
        for unit in text.utf16 {
            for shift in [12, 8, 4, 0] { result.append(digits[Int(unit >> UInt16(shift)) & 15]) }
        }
        return result + Array(">".utf8)
    }

    /// A date of UTC (7.9.4): `D:20260921141320Z`.
    private static func date(_ time: Int64) -> String {
        let second = TimestampText.second(microseconds: min(max(time, 0), 253_402_300_799) * 1_000_000)
        return "D:" + second.filter(\.isNumber) + "Z"
    }
}
