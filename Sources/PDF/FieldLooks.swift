// SPDX-License-Identifier: Apache-2.0
import Document

/// The looks of a form's fields beside their values (ISO 32000-1, 12.7.3 and 12.7.4): viewers show the look, programs
/// read the value.
enum FieldLooks {
    /// Bits of `Ff` (tables 226, 228 and 230).
    private static let password = 1 << 13
    private static let pushButton = 1 << 16
    private static let combo = 1 << 17
    private static let unseen = 1 << 1 | 1 << 5
    /// The most looks that are drawn.
    private static let mostLooks = 2 * HelperLimits.fields

    /// A field's widget that people see.
    private struct Place {
        var field: FieldTree.Field
        var widget: PDFObject
        var page: PDFPage
        var width, height: Double
    }

    /// The picture of an annotation in its state; nil if viewers must draw their own.
    static func look(of annotation: PDFObject) -> PDFObject? {
        let looks = annotation["AP"]["N"]
        let look = looks.isStream ? looks : annotation["AS"].name.map { looks[$0] }
        return look?.isStream == true ? look : nil
    }

    /// The widgets of all fields but buttons and signatures, also of those that the form does not list.
    private static func places(_ tree: FieldTree, _ pages: [PDFPage]) -> [Place] {
        var fields: [PDFObject.ID: FieldTree.Field] = [:]
        for field in tree.leaves {
            for id in field.widgets.compactMap(\.id) { fields[id] = field }
        }
        var places: [Place] = []
        for page in pages {
            let annotations = page.object["Annots"]
            for index in 0..<min(annotations.count, HelperLimits.names) {
                let widget = annotations[index]
                guard widget["Subtype"].name == "Widget", let box = widget["Rect"].rectangle else { continue }
                let field = widget.id.flatMap { fields[$0] } ?? FieldTree.Field(alone: widget)
                let isButton = field.type == "Btn" && field.flags & pushButton != 0
                guard !isButton, ["Btn", "Tx", "Ch"].contains(field.type), (widget["F"].integer ?? 0) & unseen == 0,
                    box.maxX > box.minX, box.maxY > box.minY
                else { continue }
                places.append(
                    Place(
                        field: field, widget: widget, page: page, width: box.maxX - box.minX,
                        height: box.maxY - box.minY))
            }
        }
        return places
    }

    /// Whether a field has a value and no look, or a look in another state than its value.
    static func mislead(_ tree: FieldTree, _ pages: [PDFPage]) -> Bool {
        places(tree, pages).contains { place in
            if place.field.type == "Btn" { return !isInState(place) }
            return texts(of: place.field)?.isEmpty == false && look(of: place.widget) == nil
        }
    }

    private static func isInState(_ place: Place) -> Bool {
        let value = place.field.value.map { $0.name ?? $0.text ?? "" } ?? "Off"
        let states = place.widget["AP"]["N"]
        let expected = value != "Off" && states.has(value) ? value : "Off"
        return place.widget["AS"].name ?? "Off" == expected
    }

    /// The texts that a field should show; nil if nobody can say.
    private static func texts(of field: FieldTree.Field) -> [String]? {
        if field.type == "Tx", field.flags & password != 0 { return nil }
        guard let value = field.value else { return [] }
        // A stream is a long text; comparing it is not worth its memory.
        let values = value.isArray ? (0..<min(value.count, HelperLimits.choices)).map { value[$0] } : [value]
        let texts = values.compactMap { $0.text ?? $0.name }
        guard texts.count == values.count else { return nil }
        guard field.type == "Ch" else { return texts.filter { !$0.isEmpty } }
        // Choices are pairs of a value and what is shown for it (table 231).
        let choices = field.object["Opt"]
        return texts.filter { !$0.isEmpty }.map { text in
            for index in 0..<min(choices.count, HelperLimits.names) where choices[index][0].text == text {
                return choices[index][1].text ?? text
            }
            return text
        }
    }

    // MARK: drawn looks

    /// The expected look of a page of a ``Sheet``.
    enum Expectation: Equatable {
        /// All of these texts, and no other if `isOnly`.
        case texts([String], isOnly: Bool)
        /// The picture of a box that is not ticked. The next one is that of the ticked box, which must have more ink.
        case empty
        case ticked
    }

    /// A file with a page for each look that must be drawn to be compared with a value.
    struct Sheet {
        let file: [UInt8]
        let expectations: [Expectation]
    }

    /// - Returns: nil if there is nothing to draw.
    static func sheet(of document: [UInt8]) throws(PDFError) -> Sheet? {
        let file = try PDFFile(document)
        let tree = try FieldTree(of: file)
        let places = places(tree, try PDFPage.all(of: file))
        if places.isEmpty { return nil }
        var writer = try UpdateWriter(file, document)
        let list = writer.newID()
        let fonts = tree.form["DR"]
        let resources = fonts.isDictionary ? fonts.text(isResolved: false) : Array("<< >>".utf8)
        var pages: [String] = []
        var expectations: [Expectation] = []
        func add(_ look: PDFObject?, _ place: Place, _ expectation: Expectation) throws(PDFError) {
            let box = try PDFSyntax.rectangle((0, 0, place.width, place.height))
            var page = Array("<< /Type /Page /Parent \(PDFSyntax.reference(list)) /MediaBox \(box) ".utf8)
            page += Array("/Resources ".utf8) + resources
            if let id = look?.id {
                let picture = "<< /N \(PDFSyntax.reference(id)) >>"
                page += Array(" /Annots [ << /Type /Annot /Subtype /Stamp /F 4 /Rect \(box) /AP \(picture) >> ]".utf8)
            }
            pages.append(PDFSyntax.reference(writer.add(page + Array(" >>".utf8))))
            expectations.append(expectation)
            if pages.count > mostLooks { throw .tooComplex(reason: "the form has very many fields") }
        }
        for place in places where max(place.width, place.height) <= PDFLimits.pageSide {
            if place.field.type == "Btn" {
                let states = place.widget["AP"]["N"]
                let names = states.isDictionary ? states.keys.filter { !$0.elementsEqual("Off".utf8) } : []
                for name in names.prefix(HelperLimits.choices) where states[name].isStream {
                    try add(states["Off"].isStream ? states["Off"] : nil, place, .empty)
                    try add(states[name], place, .ticked)
                }
            } else if let texts = texts(of: place.field), let look = look(of: place.widget) {
                // A list shows all choices, and marks those that are chosen.
                let isList = place.field.type == "Ch" && place.field.flags & combo == 0
                if !isList || !texts.isEmpty { try add(look, place, .texts(texts, isOnly: !isList)) }
            }
        }
        try file.check()
        if pages.isEmpty { return nil }
        let kids = pages.joined(separator: " ")
        writer.add(Array("<< /Type /Pages /Count \(pages.count) /Kids [ \(kids) ] >>".utf8), as: list)
        let root = writer.add(Array("<< /Type /Catalog /Pages \(PDFSyntax.reference(list)) >>".utf8))
        return Sheet(file: document + (try writer.bytes(signature: nil, root: root)), expectations: expectations)
    }
}

extension FieldTree.Field {
    /// A widget that no form lists.
    fileprivate init(alone widget: PDFObject) {
        let value = widget["V"]
        self.init(
            object: widget, name: widget["T"].text ?? "", label: nil, type: widget["FT"].name,
            flags: widget["Ff"].integer ?? 0, value: value.isNull ? nil : value, texts: .init(), widgets: [widget])
    }
}

extension PDFRenderer {
    /// Whether a look of the form shows something else than the value of its field: another text, or a tick in a box
    /// that is not ticked.
    func misleads(_ document: [UInt8]) throws(PDFError) -> Bool {
        guard let sheet = try FieldLooks.sheet(of: document) else { return false }
        let count = sheet.expectations.count
        let failed = PDFError.failed(doing: "draw the fields", reason: "poppler writes something unexpected")
        if sheet.expectations.contains(where: { if case .texts = $0 { true } else { false } }) {
            let output = try run(
                "pdftotext", ["-q", "-raw", "-enc", "UTF-8", "-", "-"], sheet.file, doing: "read the fields",
                mostOutput: HelperLimits.document)
            let pages = output.split(separator: 12, omittingEmptySubsequences: false)
            guard pages.count == count + 1 else { throw failed }
            for (page, expectation) in zip(pages, sheet.expectations) {
                guard case .texts(let texts, let isOnly) = expectation else { continue }
                let shown = FieldLooks.letters(of: page)
                let wanted = texts.map { FieldLooks.letters(of: Array($0.utf8)) }
                let isShown = isOnly ? shown == wanted.joined() : wanted.allSatisfy { shown.contains($0) }
                if !isShown { return true }
            }
        }
        guard sheet.expectations.contains(.empty) else { return false }
        let output = try run(
            "pdftoppm", ["-q", "-gray", "-scale-to", "\(FieldLooks.pixels)", "-"], sheet.file, doing: "draw the fields",
            mostOutput: count * (FieldLooks.pixels + 8) * (FieldLooks.pixels + 8))
        guard let ink = FieldLooks.ink(in: output), ink.count == count else { throw failed }
        return sheet.expectations.indices.contains { index in
            sheet.expectations[index] == .empty && ink[index] > ink[index + 1]
        }
    }
}

extension FieldLooks {
    /// The longer side of a drawn box.
    fileprivate static let pixels = 64

    /// The text as people read it, without white space.
    fileprivate static func letters(of text: some Sequence<UInt8>) -> String {
        let letters = SearchLetters.of(String(decoding: Array(text), as: UTF8.self))
        return SearchLetters.text(letters.filter { $0 != 0x20 })
    }

    /// The ink on each of several pictures, one after the other (netpbm, pgm(5)); nil if a picture is malformed.
    static func ink(in pictures: [UInt8]) -> [Int]? {
        var rest = pictures[...]
        var all: [Int] = []
        while !rest.isEmpty {
            let lines = rest.prefix(40).split(separator: 10, maxSplits: 3, omittingEmptySubsequences: false)
            guard lines.count == 4, lines[0].elementsEqual("P5".utf8), lines[2].elementsEqual("255".utf8) else {
                return nil
            }
            let sides = String(decoding: lines[1], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
            let start = lines[3].startIndex
            guard sides.count == 2, sides.allSatisfy({ (1...4096).contains($0) }),
                rest.endIndex - start >= sides[0] * sides[1]
            else { return nil }
            let end = start + sides[0] * sides[1]
            all.append(rest[start..<end].reduce(0) { $0 + 255 - Int($1) })
            rest = rest[end...]
        }
        return all
    }
}
