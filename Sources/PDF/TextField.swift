// SPDX-License-Identifier: Apache-2.0
import Document

/// Text fields (ISO 32000-1, 12.7.4.3), which the host fills.
enum TextField {
    /// Bits of `Ff` (tables 221 and 228).
    private static let readOnly = 1 << 0
    private static let multiline = 1 << 12
    private static let password = 1 << 13
    private static let fileSelect = 1 << 20
    private static let comb = 1 << 24
    private static let richText = 1 << 25

    /// - Parameter place: one of the field's widgets, and the page on which it is; nil if that does not matter.
    static func format(of field: FieldTree.Field, at place: (widget: PDFObject, page: PDFPage)? = nil) -> TextFormat {
        // Comb means nothing without a length, and in several lines.
        let isMultiline = field.flags & multiline != 0
        let longest = field.texts.longest.flatMap { (1...HelperLimits.value).contains($0) ? $0 : nil }
        return TextFormat(
            em: field.texts.em, alignment: field.texts.place, isMultiline: isMultiline, longest: longest,
            isComb: field.flags & comb != 0 && longest != nil && !isMultiline,
            turn: place.flatMap { place in turn(of: place.widget).map { ($0 + 360 - place.page.rotation) % 360 } }
                .flatMap { $0 == 0 ? nil : $0 })
    }

    /// The angle by which the widget is turned counterclockwise on its page (table 189); nil if it says nothing,
    /// and then its text is upright for readers of the page.
    private static func turn(of widget: PDFObject) -> Int? {
        guard let turn = widget["MK"]["R"].integer, turn % 90 == 0, turn % 360 != 0 else { return nil }
        return (turn % 360 + 360) % 360
    }

    /// The reason why the field cannot have the text; nil if it can.
    static func fault(_ text: String, in field: FieldTree.Field) -> String? {
        let flags = field.flags
        if flags & readOnly != 0 { return "it can only be read" }
        if flags & (password | fileSelect) != 0 { return "it is for a password or a file" }
        if flags & richText != 0 || field.object.has("RV") { return "it has a text with styles" }
        if text.utf8.count > HelperLimits.value { return "its text is longer than \(HelperLimits.value) bytes" }
        let format = format(of: field)
        if let longest = format.longest, text.utf16.count > longest { return "it has at most \(longest) characters" }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n" ? format.isMultiline : scalar.properties.generalCategory != .control
        }
        return isPlain ? nil : "its text has line ends or control characters"
    }

    /// The appearance of a widget with a text: the widget's background and border, and the outlines of the text.
    /// - Parameter shown: the widget's rectangle on the page as it is shown.
    static func appearance(
        _ ink: DocumentInk, of widget: PDFObject, in shown: DocumentRectangle, on page: PDFPage,
        _ texts: inout ReadableText, _ writer: inout UpdateWriter
    ) throws(PDFError) -> [UInt8] {
        let turn = turn(of: widget)
        let isOnItsSide = turn.map { ($0 + 360 - page.rotation) % 180 != 0 } ?? false
        let sides = isOnItsSide ? (shown.height, shown.width) : (shown.width, shown.height)
        let place = DocumentRectangle(minX: 0, minY: 0, maxX: sides.0, maxY: sides.1)
        let (width, height) = (place.width / page.unit, place.height / page.unit)
        let frame = try frame(of: widget, width: width, height: height)
        // Programs that edit the field look for this mark (12.7.3.3).
        return try InkAppearance.text(
            ink, in: place, on: page, rotation: turn, before: frame + "/Tx BMC\n", after: "EMC\n", &texts, &writer)
    }

    /// The background and the border of a widget (tables 166 and 189), as viewers draw them where the file has no
    /// picture: a circle for the style of that name, else a rectangle.
    /// - Parameters:
    ///   - width: of the widget, from 0, as `height`.
    static func frame(of widget: PDFObject, width: Double, height: Double) throws(PDFError) -> String {
        let look = widget["MK"]
        let isRound = look["CA"].text == "l"
        var frame = ""
        if let color = try color(look["BG"], "g rg k") {
            frame += "\(color) \(try outline(isRound, inset: 0, width, height)) f\n"
        }
        let line = widget["BS"]["W"].number ?? 1
        if let color = try color(look["BC"], "G RG K"), line > 0, line < min(width, height) / 2 {
            frame += "\(color) \(try PDFSyntax.number(line)) w "
            frame += "\(try outline(isRound, inset: line / 2, width, height)) S\n"
        }
        return frame
    }

    private static func outline(
        _ isRound: Bool, inset: Double, _ width: Double, _ height: Double
    ) throws(PDFError) -> String {
        guard isRound else {
            return try PDFSyntax.number(inset) + " " + PDFSyntax.number(inset) + " "
                + PDFSyntax.number(width - 2 * inset) + " " + PDFSyntax.number(height - 2 * inset) + " re"
        }
        let (middleX, middleY) = (width / 2, height / 2)
        let radius = min(width, height) / 2 - inset
        func point(_ x: Double, _ y: Double) throws(PDFError) -> String {
            try PDFSyntax.number(middleX + x) + " " + PDFSyntax.number(middleY + y) + " "
        }
        var path = try point(radius, 0) + "m "
        var (x, y) = (radius, 0.0)
        for _ in 0..<4 {
            // The handles of a quarter of a circle have this share of the radius.
            let (nextX, nextY, share) = (-y, x, 0.552_285)
            path += try point(x + nextX * share, y + nextY * share) + point(nextX + x * share, nextY + y * share)
            path += try point(nextX, nextY) + "c "
            (x, y) = (nextX, nextY)
        }
        return path + "h"
    }

    /// The operator that sets a colour (table 189); nil for none.
    /// - Parameter operators: those of grey, RGB and CMYK.
    private static func color(_ array: PDFObject, _ operators: String) throws(PDFError) -> String? {
        guard let place = [1: 0, 3: 1, 4: 2][array.count] else { return nil }
        var words: [String] = []
        for index in 0..<array.count {
            guard let number = array[index].number, (0...1).contains(number) else { return nil }
            words.append(try PDFSyntax.number(number))
        }
        words.append(String(operators.split(separator: " ")[place]))
        return words.joined(separator: " ")
    }
}
