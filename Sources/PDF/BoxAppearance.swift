// SPDX-License-Identifier: Apache-2.0
import Document

/// The appearances of a box that somebody has ticked on the pad. The file's own picture of a ticked box may be
/// anything; people saw its picture of an empty box, with the pad's tick on it.
enum BoxAppearance {
    /// The dictionary `AP` of the widget (ISO 32000-1, 12.5.5).
    /// - Parameters:
    ///   - tick: as large as the box, or smaller.
    ///   - name: of the value, as the file writes names.
    ///   - own: the rectangle of the widget in the page's own coordinates.
    ///   - texts: the fonts of texts of the update.
    static func text(
        _ tick: DocumentInk, of widget: PDFObject, _ name: [UInt8],
        _ own: (minX: Double, minY: Double, maxX: Double, maxY: Double), on page: PDFPage,
        _ texts: inout ReadableText, _ writer: inout UpdateWriter
    ) throws(PDFError) -> [UInt8] {
        let ink = writer.add(try InkAppearance.text(tick, in: page.shown(own), on: page, &texts, &writer))
        let (width, height) = (own.maxX - own.minX, own.maxY - own.minY)
        var dictionary = PDFDictionaryText()
        dictionary.set("Type", "/XObject")
        dictionary.set("Subtype", "/Form")
        dictionary.set("FormType", "1")
        dictionary.set("BBox", try PDFSyntax.rectangle((0, 0, width, height)))
        let off = widget["AP"]["N"]["Off"]
        var (content, resources) = ("/Tick Do\n", "/Tick \(PDFSyntax.reference(ink))")
        if off.isStream, let id = off.id, let placed = try placed(off, width: width, height: height) {
            content = "q\n\(placed) cm\n/Off Do\nQ\n" + content
            resources += " /Off \(PDFSyntax.reference(id))"
        } else if off.isNull {
            content = "q\n\(try TextField.frame(of: widget, width: width, height: height))Q\n" + content
        }
        dictionary.set("Resources", "<< /XObject << \(resources) >> >>")
        dictionary.set("Length", "\(content.utf8.count)")
        let look = writer.add(dictionary.text + Array("\nstream\n\(content)endstream".utf8))
        var appearances = PDFDictionaryText()
        if off.isStream, let id = off.id { appearances.set("Off", PDFSyntax.reference(id)) }
        let names = Array("/N << ".utf8) + name + Array(" \(PDFSyntax.reference(look))".utf8)
        let others = appearances["Off"].map { Array(" /Off ".utf8) + $0 } ?? []
        return Array("<< ".utf8) + names + others + Array(" >> >>".utf8)
    }

    /// The six numbers that place an appearance in a rectangle at 0, 0, as viewers do it (algorithm 8.1): its box, as
    /// its matrix has it, is stretched to the rectangle.
    /// - Returns: nil if the appearance has no area, so nobody draws it.
    private static func placed(_ form: PDFObject, width: Double, height: Double) throws(PDFError) -> String? {
        guard let box = form["BBox"].rectangle else {
            if form["Length"].integer == 0 { return nil }
            // Chrome's engine draws such a picture, poppler and MuPDF do not.
            throw .damaged(reason: "the picture of an empty box has no bounding box")
        }
        var matrix = [1.0, 0, 0, 1, 0, 0]
        let stated = form["Matrix"]
        if stated.count == 6 {
            for index in 0..<6 { matrix[index] = stated[index].number ?? matrix[index] }
        }
        let corners = [(box.minX, box.minY), (box.maxX, box.minY), (box.minX, box.maxY), (box.maxX, box.maxY)]
        let xs = corners.map { $0 * matrix[0] + $1 * matrix[2] + matrix[4] }
        let ys = corners.map { $0 * matrix[1] + $1 * matrix[3] + matrix[5] }
        guard let left = xs.min(), let right = xs.max(), let bottom = ys.min(), let top = ys.max(), right > left,
            top > bottom
        else { return nil }
        let (x, y) = (width / (right - left), height / (top - bottom))
        guard x.isFinite, y.isFinite else { return nil }
        let offsets = [try PDFSyntax.number(-left * x), try PDFSyntax.number(-bottom * y)]
        return "\(PDFSyntax.factor(x)) 0 0 \(PDFSyntax.factor(y)) \(offsets[0]) \(offsets[1])"
    }
}
