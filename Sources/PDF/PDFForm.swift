// SPDX-License-Identifier: Apache-2.0
import Document

/// The fields of a document's form (ISO 32000-1, 12.7) that a person can fill.
struct PDFForm {
    private(set) var fields: [Field] = []
    /// The names of empty fields that demand a value and can be seen, but not filled.
    private(set) var unfillable: [String] = []
    /// The names of fields that an earlier signature has locked.
    private(set) var locked: [String] = []
    /// Whether a signature field has a signature.
    var isSigned: Bool { !tree.signed.isEmpty }
    /// The fully qualified names of all nodes, in alphabetical order.
    var allNames: [String] { tree.names.sorted() }

    let tree: FieldTree
    /// The fields that earlier signatures have locked.
    private var locks: [FieldLock] = []
    /// The page of each annotation.
    private var places: [PDFObject.ID: PDFPage] = [:]

    /// Bits of `Ff` (ISO 32000-1, tables 221 and 226), and of `F` of an annotation (table 165).
    private static let readOnly = 1 << 0
    private static let required = 1 << 1
    private static let radio = 1 << 15
    private static let pushButton = 1 << 16
    private static let unseen = 1 << 1 | 1 << 5
    private static let mostAnnotations = 10_000

    init(of file: PDFFile, pages: [PDFPage]) throws(PDFError) {
        tree = try FieldTree(of: file)
        let form = file.root["AcroForm"]
        guard form.isDictionary else { return }
        for page in pages {
            let annotations = page.object["Annots"]
            if places.count + annotations.count > Self.mostAnnotations {
                throw .tooComplex(reason: "its pages have more than \(Self.mostAnnotations) annotations, and a form")
            }
            for index in 0..<annotations.count {
                // A widget on two pages belongs to the first.
                if let id = annotations[index].id, places[id] == nil { places[id] = page }
            }
        }
        // If no signature may follow, or a lock is damaged, the attempt to sign says so.
        locks = (try? EarlierSignatures(of: file, tree))?.locks ?? []
        locked = tree.all.map(\.name).filter { name in locks.contains { $0.contains(name) } }
        for field in tree.all {
            let count = fields.count
            try add(field)
            if fields.count == count, demandsValue(field) { unfillable.append(field.name) }
        }
    }

    /// Whether the field must be filled, in a place that people see. Those without a signature may stay without.
    private func demandsValue(_ node: FieldTree.Field) -> Bool {
        let isAnswer = node.type == "Ch" || node.type == "Tx" || node.type == "Btn" && node.flags & Self.pushButton == 0
        guard isAnswer, node.flags & Self.required != 0, !isFixed(node) else { return false }
        if let value = node.value, value.text != "", value.name != "Off" { return false }
        return node.widgets.contains { place(of: $0) != nil }
    }

    /// - Returns: nil for a widget that nobody sees, or that is on a page that is shown more than once.
    private func place(of widget: PDFObject) -> (page: PDFPage, rectangle: DocumentRectangle)? {
        guard let id = widget.id, let page = places[id], !page.isRepeated, let own = widget["Rect"].rectangle,
            (widget["F"].integer ?? 0) & Self.unseen == 0
        else { return nil }
        let rectangle = page.shown(own)
        // Signature fields without a size are meant for signatures without ink. A field that is many times larger than
        // any page cannot be filled.
        return rectangle.isPlausible && rectangle.overlaps(page.size) ? (page, rectangle) : nil
    }

    /// Whether nobody can change a field. Locked signature fields stay in the list, so that an attempt to sign one is
    /// refused by name.
    private func isFixed(_ node: FieldTree.Field) -> Bool {
        node.flags & Self.readOnly != 0 || node.type != "Sig" && locks.contains { $0.contains(node.name) }
    }

    private mutating func add(_ node: FieldTree.Field) throws(PDFError) {
        guard let kind = Self.kind(of: node), !isFixed(node) else { return }
        if kind == .signature, node.value != nil { return }
        for (number, widget) in node.widgets.enumerated() {
            guard let (page, rectangle) = place(of: widget) else { continue }
            var field = Field(
                name: node.name, kind: kind, page: page.number, rectangle: rectangle,
                isRequired: node.flags & Self.required != 0, label: node.label)
            switch kind {
            case .check, .choice:
                // A tick in a layer that is hidden would be seen on the pad only, as a signature would.
                guard let choice = Self.choice(of: widget), !widget.has("OC") else { continue }
                field.choice = choice
                field.meaning = Self.meaning(of: choice, number, in: node)
                field.value = Self.ticked(node).flatMap { $0.utf8.count <= HelperLimits.text ? $0 : nil }
            case .text:
                field.value = node.value?.text.map { PlainText.printable($0, atMost: HelperLimits.text / 4) }
                field.format = TextField.format(of: node, at: (widget, page))
            case .signature, .initials, .date, .name:
                if SignatureWidget.fault(widget, rectangle, on: page) != nil { continue }
            }
            if fields.count == HelperLimits.fields { throw .tooComplex(reason: "the form has very many fields") }
            fields.append(field)
        }
    }

    private static func kind(of node: FieldTree.Field) -> Field.Kind? {
        switch node.type {
        case "Sig": .signature
        case "Tx": .text
        case "Btn" where node.flags & pushButton != 0: nil
        case "Btn": node.flags & radio != 0 ? .choice : .check
        default: nil
        }
    }

    /// The choice that a check box or radio buttons have, in their value or only in what readers draw of them (`AS`).
    private static func ticked(_ node: FieldTree.Field) -> String? {
        let value = node.value?.name
        if let value, value != "Off" { return value }
        return node.widgets.lazy.compactMap { $0["AS"].name }.first { $0 != "Off" } ?? value
    }

    /// The text of a choice in `Opt` (tables 227 and 228), which has one for each widget. Programs name the choices by
    /// their numbers there.
    private static func meaning(of choice: String, _ number: Int, in node: FieldTree.Field) -> String? {
        var texts = node.object["Opt"]
        if texts.isNull { texts = node.object["Parent"]["Opt"] }
        let place = texts.count == node.widgets.count ? number : Int(choice) ?? -1
        guard let text = texts[place].text.map({ PlainText.printable($0, atMost: HelperLimits.text / 4) }),
            !text.isEmpty, text != choice
        else { return nil }
        return text
    }

    /// The name of the appearance that is not "Off" (ISO 32000-1, 12.7.4.2.3).
    private static func choice(of widget: PDFObject) -> String? {
        let appearances = widget["AP"]["N"]
        guard appearances.isDictionary else { return nil }
        let names = appearances.keys.filter { !$0.elementsEqual("Off".utf8) }
        // The choice of a click is unclear if there are two names. A name that is not UTF-8 cannot be answered.
        guard names.count == 1, let name = names.first, !name.isEmpty, name.count <= HelperLimits.text else {
            return nil
        }
        return String(validating: name, as: UTF8.self)
    }
}

/// The place of a signature field of the document's own form.
enum SignatureWidget {
    /// The reason why ink in the field would not be seen as it was written; nil if it would. New fields have the same
    /// rules (`DocumentPlan`).
    /// - Parameter shown: the field's rectangle on the page as it is shown.
    static func fault(_ widget: PDFObject, _ shown: DocumentRectangle, on page: PDFPage) -> String? {
        let least = SignaturePlace.leastSide
        guard shown.width >= least, shown.height >= least else {
            return "a side of it is shorter than \(Int(least)) points"
        }
        let size = page.size
        // Half a point allows for rounded coordinates.
        let spaces = [shown.minX, shown.minY, size.width - shown.maxX, size.height - shown.maxY]
        guard spaces.allSatisfy({ $0 >= -0.5 }) else { return "it is not within page \(page.number)" }
        return widget.has("OC") ? "it is in a layer that can be hidden" : nil
    }
}

extension DocumentRectangle {
    fileprivate func overlaps(_ page: DocumentFacts.PageSize) -> Bool {
        minX < page.width && maxX > 0 && minY < page.height && maxY > 0
    }
}
