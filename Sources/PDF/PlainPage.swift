// SPDX-License-Identifier: Apache-2.0
import CQpdf
import Document

/// A page without what engines draw as they like: the looks that they make up for empty fields, and the borders of
/// links. All else of the page is compared in such a copy of the document, and the document itself without the places
/// of these looks.
enum PlainPage {
    /// Changes the page in the file, and writes the file.
    static func document(of file: PDFFile, with page: PDFPage) throws(PDFError) -> [UInt8] {
        let annotations = page.object["Annots"]
        page.object.call { data, object in
            let kept = qpdf_oh_new_array(data)
            for index in 0..<annotations.count {
                let annotation = annotations[index]
                if VacantFields.isVacant(annotation) {
                    // Without a look of its own there is nothing to compare.
                    if annotation["AP"]["N"].isNull { continue }
                    // MuPDF draws its own sign into a signature field, even if the field has a look.
                    annotation.call { qpdf_oh_replace_key($0, $1, "/FT", qpdf_oh_new_name($0, "/Tx")) }
                } else if LinkBorders.width(of: annotation) > 0 {
                    annotation.call { data, link in
                        let border = qpdf_oh_new_array(data)
                        for _ in 0..<3 { qpdf_oh_append_item(data, border, qpdf_oh_new_integer(data, 0)) }
                        qpdf_oh_replace_key(data, link, "/Border", border)
                        qpdf_oh_remove_key(data, link, "/BS")
                    }
                }
                annotation.call { qpdf_oh_append_item($0, kept, $1) }
            }
            qpdf_oh_replace_key(data, object, "/Annots", kept)
        }
        return try FlatFile.write(file)
    }
}

/// The fields of a page that are empty, and have no look of their own: each viewer makes one up. MuPDF draws its own
/// sign into a signature field even if the field has a look.
enum VacantFields {
    /// Their rectangles on the page as it is shown.
    static func rectangles(on page: PDFPage) -> [DocumentRectangle] {
        let annotations = page.object["Annots"]
        var rectangles: [DocumentRectangle] = []
        for index in 0..<annotations.count where rectangles.count < HelperLimits.fields {
            let widget = annotations[index]
            if isVacant(widget), let own = widget["Rect"].rectangle { rectangles.append(page.shown(own)) }
        }
        return rectangles
    }

    static func isVacant(_ widget: PDFObject) -> Bool {
        widget["Subtype"].name == "Widget" && isEmpty(widget)
            && (widget["AP"]["N"].isNull || inherited("FT", by: widget)?.name == "Sig")
    }

    /// Whether a field has no value, nor inherits one.
    private static func isEmpty(_ widget: PDFObject) -> Bool {
        guard let value = inherited("V", by: widget) else { return true }
        return value.text == "" || value.name == "Off"
    }

    /// A value of a field, or of the nearest node above it that has one (ISO 32000-1, 12.7.3.1).
    private static func inherited(_ key: String, by widget: PDFObject) -> PDFObject? {
        var node = widget
        for _ in 0..<PDFLimits.depth {
            let value = node[key]
            if !value.isNull { return value }
            node = node["Parent"]
            if !node.isDictionary { break }
        }
        return nil
    }
}

/// The borders of the links on a page (ISO 32000-1, 12.5.4 and table 173), which MuPDF does not draw. LaTeX's files
/// have them.
enum LinkBorders {
    /// A border on the page as it is shown.
    struct Border {
        /// Left, right, lower and upper edge, in the width of the border.
        var strips: [DocumentRectangle]
        /// The middle of these edges.
        var lines: [DocumentRectangle]
        /// Whether it is a frame around something, and not made of thin links to look like a line or a letter.
        var isPlain: Bool
    }

    /// The widest border that counts as one, and the least side of a link with one, in points.
    private static let (widest, leastSide) = (3.0, 6.0)
    /// The dark pixels on an edge from which on it is no frame but goes through something.
    static let leastInk = 4
    private static let most = 1000
    /// Flags of annotations that are not on the screen: Hidden and NoView (ISO 32000-1, table 165).
    private static let unseen = 1 << 1 | 1 << 5

    static func borders(on page: PDFPage) -> [Border] {
        let annotations = page.object["Annots"]
        var borders: [Border] = []
        for index in 0..<annotations.count where borders.count < most {
            let link = annotations[index]
            let width = width(of: link)
            guard width > 0, width <= widest, let own = link["Rect"].rectangle else { continue }
            let rect = page.shown(own)
            let edge = width * page.unit
            let (left, right) = (rect.minX - edge, rect.maxX + edge)
            let sides = (rect.maxX - rect.minX, rect.maxY - rect.minY)
            var border = Border(
                strips: [], lines: [],
                isPlain: min(sides.0, sides.1) >= leastSide && (link["F"].integer ?? 0) & unseen == 0)
            for y in [rect.minY, rect.maxY] {
                border.strips.append(DocumentRectangle(minX: left, minY: y - edge, maxX: right, maxY: y + edge))
                border.lines.append(DocumentRectangle(minX: rect.minX, minY: y, maxX: rect.maxX, maxY: y))
            }
            for x in [rect.minX, rect.maxX] {
                border.strips.append(
                    DocumentRectangle(minX: x - edge, minY: rect.minY - edge, maxX: x + edge, maxY: rect.maxY + edge))
                border.lines.append(DocumentRectangle(minX: x, minY: rect.minY, maxX: x, maxY: rect.maxY))
            }
            borders.append(border)
        }
        return borders
    }

    /// The width of a link's border; 0 of other annotations. A link with a look of its own may show anything.
    static func width(of annotation: PDFObject) -> Double {
        guard annotation["Subtype"].name == "Link", annotation["AP"].isNull else { return 0 }
        return annotation["BS"]["W"].number ?? annotation["Border"][2].number ?? 1
    }
}
