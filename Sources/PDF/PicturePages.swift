// SPDX-License-Identifier: Apache-2.0
import CLibcrypto
import Document
import Geometry

/// Makes a PDF file of pictures: each becomes a page. Then everything else is as for any other document.
///
/// A JPEG file is in the PDF as it is, and poppler decodes it; only its markers are read here. A PNG file is decoded by
/// libpng, put on white, and written anew without transparency, because PDF has the rows of such a PNG as they are
/// (ISO 32000-1, 7.4.4.4). The same pictures give the same bytes with the same libpng and zlib.
public enum PicturePages {
    /// The longer side of a page, in points: that of A4. What files say about their density is often wrong, so only the
    /// shape of their pixels counts.
    static let longerSide = 842.0
    /// The shorter side is at least this part of the longer one.
    private static let narrowest = 1.0 / 20

    /// - Parameter files: PNG and JPEG files, one after the other; both kinds say where they end.
    /// - Throws: ``PDFError/picture(_:reason:)``, ``PDFError/noPages``, ``PDFError/tooManyPages``,
    ///   ``PDFError/tooLarge(byteCount:)``
    public static func document(of files: [UInt8]) throws(PDFError) -> [UInt8] {
        var writer = Writer()
        var rest = files[...]
        var count = 0
        while !rest.isEmpty {
            count += 1
            if count > PDFLimits.pages { throw .tooManyPages }
            let image: PDFImage
            do throws(PictureFault) {
                let length: Int
                if rest.starts(with: DocumentPicture.png) {
                    length = try PNGFile.length(rest)
                    image = try PNGFile.image(rest.prefix(length))
                } else if rest.starts(with: DocumentPicture.jpeg) {
                    let file = try JPEGFile(rest)
                    length = file.wholeLength
                    image = file.image(rest.prefix(file.length))
                } else if count == 1 {
                    throw PictureFault("neither a PNG nor a JPEG file begins there")
                } else {
                    let before = "picture \(count - 1)"
                    throw PictureFault(
                        "the \(rest.count) bytes after \(before) begin neither a PNG nor a JPEG file: save \(before) "
                            + "anew, without them")
                }
                try image.check(narrowest: narrowest)
                rest = rest.dropFirst(length)
            } catch {
                throw .picture(count, reason: error.reason)
            }
            try writer.add(image)
            if writer.bytes.count > PDFLimits.byteCount { throw .tooLarge(byteCount: writer.bytes.count) }
        }
        if count == 0 { throw .noPages }
        return writer.finish(named: digest(files))
    }

    private static func digest(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &digest)
        return String(decoding: PDFSyntax.hexadecimal(digest.prefix(16)), as: UTF8.self)
    }

    /// Writes a minimal PDF file: a catalogue, the pages, and three objects for each page.
    private struct Writer {
        private(set) var bytes = Array("%PDF-1.7\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
        /// The offsets of the objects after the first two.
        private var offsets: [Int] = []

        private mutating func object(_ dictionary: String, stream: [UInt8]? = nil) {
            offsets.append(bytes.count)
            bytes += "\(offsets.count + 2) 0 obj\n\(dictionary)\n".utf8
            if let stream {
                bytes += "stream\n".utf8
                bytes += stream
                bytes += "\nendstream\n".utf8
            }
            bytes += "endobj\n".utf8
        }

        mutating func add(_ image: PDFImage) throws(PDFError) {
            let first = offsets.count + 3
            let shape = image.shape
            let scale = longerSide / max(shape.width, shape.height)
            let width = try PDFSyntax.number(shape.width * scale)
            let height = try PDFSyntax.number(shape.height * scale)
            let rotation = image.rotation == 0 ? "" : " /Rotate \(image.rotation)"
            object(
                "<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 \(width) \(height) ]\(rotation)"
                    + " /Resources << /XObject << /P \(first + 2) 0 R >> >> /Contents \(first + 1) 0 R >>")
            let content = Array("q \(width) 0 0 \(height) 0 0 cm /P Do Q".utf8)
            object("<< /Length \(content.count) >>", stream: content)
            object(
                "<< /Type /XObject /Subtype /Image /Width \(image.size.width) /Height \(image.size.height)"
                    + " /BitsPerComponent 8 /ColorSpace /\(image.isGrey ? "DeviceGray" : "DeviceRGB")"
                    + " /Filter /\(image.filter) /Length \(image.data.count) >>", stream: image.data)
        }

        consuming func finish(named id: String) -> [UInt8] {
            let count = offsets.count
            let kids = stride(from: 3, to: count + 3, by: 3).map { "\($0) 0 R" }.joined(separator: " ")
            var all: [Int] = []
            for text in [
                "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n",
                "2 0 obj\n<< /Type /Pages /Count \(count / 3) /Kids [ \(kids) ] >>\nendobj\n",
            ] {
                all.append(bytes.count)
                bytes += text.utf8
            }
            let start = bytes.count
            bytes += "xref\n0 \(count + 3)\n0000000000 65535 f \n".utf8
            for offset in all + offsets {
                let digits = String(offset)
                bytes += (String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n").utf8
            }
            bytes += "trailer\n<< /Size \(count + 3) /Root 1 0 R /ID [ \(id) \(id) ] >>\n".utf8
            bytes += "startxref\n\(start)\n%%EOF\n".utf8
            return bytes
        }
    }
}

/// The shape of the pixels of a picture. Fax machines have rows that are twice as far from each other as their pixels
/// (ITU-T T.4).
enum PixelAspect {
    /// The height of a pixel divided by its width; nil if the densities say nothing.
    /// - Parameters:
    ///   - x: pixels in a unit of length, from left to right.
    ///   - y: rows in it.
    static func of(x: Double, y: Double) -> Double? {
        guard x > 0, y > 0, (0.1...10).contains(x / y) else { return nil }
        // Programs round densities: a pixel that is almost a square is one.
        return (0.99...1.01).contains(x / y) ? 1 : x / y
    }
}

/// Why a picture is refused.
struct PictureFault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A picture as a PDF file has it.
struct PDFImage {
    var size: PixelSize
    var isGrey: Bool
    /// The clockwise turn of the page when it is shown, in degrees.
    var rotation = 0
    /// The height of a pixel divided by its width.
    var pixelAspect = 1.0
    /// The name of the filter, with its parameters.
    var filter: String
    var data: [UInt8]

    /// The sides of the picture as it is to look, in widths of a pixel.
    var shape: (width: Double, height: Double) { (Double(size.width), Double(size.height) * pixelAspect) }

    func check(narrowest: Double) throws(PictureFault) {
        let (width, height) = shape
        if min(width, height) < max(width, height) * narrowest {
            throw PictureFault("it has \(size) pixels: a strip, not a page")
        }
    }

    /// - Throws: for pictures that are larger than those that are drawn.
    static func check(_ size: PixelSize) throws(PictureFault) {
        guard size.width > 0, size.height > 0 else { throw PictureFault("it has no size") }
        guard size.width <= HelperLimits.pageSide, size.height <= HelperLimits.pageSide,
            size.width * size.height <= HelperLimits.pixels
        else {
            throw PictureFault(
                "it has \(size) pixels, and may have \(HelperLimits.pixels), at most \(HelperLimits.pageSide) a side")
        }
    }
}
