// SPDX-License-Identifier: Apache-2.0
import CZlib
import Document

/// The appearance of a signature field: a form XObject (ISO 32000-1, 8.10 and 12.5.5).
enum InkAppearance {
    /// The longest content, in bytes.
    private static let longestContent = 4 << 20

    /// The appearance with ink in the middle of the field, upright for a reader of the page, as large as it was written
    /// or smaller.
    /// - Parameters:
    ///   - rectangle: the place of the field on the page as it is shown.
    ///   - page: the page of the field.
    ///   - rotation: by how much a reader of the ink turns the page clockwise, in degrees; nil for that of the page. If
    ///     it is another one, the rectangle has the sides as the reader of the ink sees them.
    ///   - before: operators before the ink, as `after`; in the units of the page, from the field's lower left corner.
    ///   - texts: the fonts of texts of the update.
    static func text(
        _ ink: DocumentInk, in rectangle: DocumentRectangle, on page: PDFPage, rotation: Int? = nil,
        before: String = "", after: String = "", _ texts: inout ReadableText, _ writer: inout UpdateWriter
    ) throws(PDFError) -> [UInt8] {
        guard isPlain(ink.content), ink.content.utf8.count <= longestContent else {
            throw .failed(doing: "place the ink", reason: "it has other operators than m, l, c, h, f and rg")
        }
        let sides = 0.01...PDFLimits.pageSide
        guard sides.contains(ink.width), sides.contains(ink.height) else {
            throw .failed(doing: "place the ink", reason: "it has no size")
        }
        // The size of the field, in the units of the page.
        let (width, height) = (rectangle.width / page.unit, rectangle.height / page.unit)
        let scale = min(rectangle.width / ink.width, rectangle.height / ink.height, 1) / page.unit
        let (left, bottom) = ((width - ink.width * scale) / 2, (height - ink.height * scale) / 2)
        let numbers = [try PDFSyntax.number(left), try PDFSyntax.number(bottom)]
        let factor = PDFSyntax.factor(scale)
        let place = "q\n\(factor) 0 0 \(factor) \(numbers[0]) \(numbers[1]) cm\n"
        let readable = try texts.content(ink.texts ?? [], &writer)
        let content = before + place + ink.content + "\n" + readable.content + "Q\n" + after
        return try form(
            Array(content.utf8), width: width, height: height, rotation: rotation ?? page.rotation,
            resources: readable.resources)
    }

    /// The appearance of a field that is not signed yet; viewers fit it into the field.
    static var empty: [UInt8] {
        get throws(PDFError) { try form([], width: 1, height: 1, rotation: 0) }
    }

    private static func form(
        _ content: [UInt8], width: Double, height: Double, rotation: Int, resources: String = ""
    ) throws(PDFError) -> [UInt8] {
        var dictionary = PDFDictionaryText()
        dictionary.set("Type", "/XObject")
        dictionary.set("Subtype", "/Form")
        dictionary.set("FormType", "1")
        dictionary.set("BBox", try PDFSyntax.rectangle((0, 0, width, height)))
        if let matrix = try matrix(rotation: rotation, width: width, height: height) {
            dictionary.set("Matrix", matrix)
        }
        dictionary.set("Resources", "<< \(resources) >>")
        var data = content
        if let compressed = compressed(content), compressed.count < content.count {
            data = compressed
            dictionary.set("Filter", "/FlateDecode")
        }
        dictionary.set("Length", "\(data.count)")
        return dictionary.text + Array("\nstream\n".utf8) + data + Array("\nendstream".utf8)
    }

    /// Turns the content against the page, which viewers turn clockwise; nil if there is nothing to turn.
    private static func matrix(rotation: Int, width: Double, height: Double) throws(PDFError) -> String? {
        let (w, h) = (try PDFSyntax.number(width), try PDFSyntax.number(height))
        return switch rotation {
        case 90: "[ 0 1 -1 0 \(h) 0 ]"
        case 180: "[ -1 0 0 -1 \(w) \(h) ]"
        case 270: "[ 0 -1 1 0 0 \(w) ]"
        default: nil
        }
    }

    /// Whether the content has only the characters of numbers and of operators that fill paths. It then cannot look
    /// like the end of the stream, and needs no resources.
    private static func isPlain(_ content: String) -> Bool {
        content.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "\n"): true
            default: ".-mlchfrg".utf8.contains(byte)
            }
        }
    }

    /// The content in the format of FlateDecode (RFC 1950); nil if it cannot be compressed.
    private static func compressed(_ content: [UInt8]) -> [UInt8]? {
        var count = compressBound(UInt(content.count))
        var bytes = [UInt8](repeating: 0, count: Int(count))
        guard compress2(&bytes, &count, content, UInt(content.count), Z_BEST_COMPRESSION) == Z_OK else { return nil }
        return Array(bytes.prefix(Int(count)))
    }
}

extension PDFSyntax {
    /// A factor from 0 to 1000, with six decimals.
    static func factor(_ value: Double) -> String {
        let units = Int64((min(max(value, 0), 1000) * 1_000_000).rounded())
        let fraction = "\(units % 1_000_000)"
        return "\(units / 1_000_000)." + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
    }
}
