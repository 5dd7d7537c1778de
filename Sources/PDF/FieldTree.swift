// SPDX-License-Identifier: Apache-2.0
import Document

/// The fields of a document's form (ISO 32000-1, 12.7.3), for inspections and updates.
struct FieldTree {
    /// A field: a node with a name and without named kids. Inherited values are its own.
    struct Field {
        var object: PDFObject
        /// The fully qualified name.
        var name: String
        /// The words beside the field (`TU`); nil if it has none, or very long ones.
        var label: String?
        var type: String?
        var flags: Int
        /// nil if it has none.
        var value: PDFObject?
        var texts: TextAttributes
        /// The annotations of the field; the field itself if it is its own annotation.
        var widgets: [PDFObject]
    }

    /// The values of text fields that they may inherit (ISO 32000-1, table 222 and 229).
    struct TextAttributes {
        /// The string `DA`, as operators.
        private var appearance: [UInt8]?
        private var alignment: Int?
        private(set) var longest: Int?

        mutating func add(_ node: PDFObject) {
            if let bytes = node["DA"].bytes, bytes.count <= HelperLimits.text { appearance = bytes }
            alignment = node["Q"].integer ?? alignment
            longest = node["MaxLen"].integer ?? longest
        }

        /// The size before the operator `Tf`; nil for 0, which fits the text to the field.
        var em: Double? {
            let words = (appearance ?? []).split { $0 <= 32 }
            guard let place = words.lastIndex(where: { $0.elementsEqual("Tf".utf8) }), place > 0,
                let em = Double(String(decoding: words[place - 1], as: UTF8.self)), TextFormat.ems.contains(em)
            else { return nil }
            return em
        }

        var place: TextFormat.Alignment { alignment == 1 ? .center : alignment == 2 ? .right : .left }
    }

    /// The dictionary of the form; null if the document has no form.
    let form: PDFObject
    /// The fields by name; nil for a name that two fields have.
    private var fields: [String: Field?] = [:]
    /// The names of ``fields``, in the order of the form.
    private var order: [String] = []
    /// The fully qualified names of all nodes, also of those with kids.
    private(set) var names: Set<String> = []
    /// Fields with a signature.
    private(set) var signed: [Field] = []
    /// The name of a field that is in the tree twice, such as below itself.
    private var repeated: String?
    /// The numbers of all fields and widgets.
    private(set) var ids: Set<PDFObject.ID> = []
    /// All fields without fields below them, or with widgets: also those that ``field(_:)`` does not find.
    private(set) var leaves: [Field] = []
    /// A field whose name readers understand differently, and why.
    private var unclear: (name: String, reason: String)?

    private struct Node {
        var object: PDFObject
        var level = 0
        /// The fully qualified name of its parent; empty for a root.
        var name = ""
        var type: String?
        var flags: Int?
        var value: PDFObject?
        var label: String?
        var texts = TextAttributes()
    }

    /// - Throws: ``PDFError/xfa``, ``PDFError/tooComplex(reason:)``, ``PDFError/damaged(reason:)``
    init(of file: PDFFile) throws(PDFError) {
        form = file.root["AcroForm"]
        guard form.isDictionary else {
            guard form.isNull else { throw .damaged(reason: "the form is no dictionary") }
            return
        }
        // An empty list has no form in it.
        let packets = form["XFA"]
        if !packets.isNull, !packets.isArray || packets.count > 0 { throw .xfa }
        let roots = form["Fields"]
        try Self.check(roots.count)
        var texts = TextAttributes()
        texts.add(form)
        var waiting = (0..<roots.count).reversed().map { Node(object: roots[$0], texts: texts) }
        var count = 0
        while let node = waiting.popLast() {
            if let id = node.object.id, !ids.insert(id).inserted {
                repeated = repeated ?? node.object["T"].text ?? node.name
                continue
            }
            count += 1
            try Self.check(count + waiting.count)
            waiting += try kids(of: node)
        }
    }

    private static func check(_ count: Int) throws(PDFError) {
        if count > HelperLimits.names { throw .tooComplex(reason: "the form has very many fields") }
    }

    /// Replaces inherited values by the node's own, and adds the node if it is a field.
    /// - Returns: the fields below it, the last one first.
    private mutating func kids(of node: Node) throws(PDFError) -> [Node] {
        var node = node
        let object = node.object
        guard object.isDictionary else { return [] }
        if let part = object["T"].text, !part.isEmpty {
            node.name += (node.name.isEmpty ? "" : ".") + part
            if node.name.utf8.count > HelperLimits.text { throw .tooComplex(reason: "a field has a very long name") }
            let isNew = names.insert(node.name).inserted
            if part.contains(".") {
                unclear = unclear ?? (node.name, "a part of its name has a full stop")
            } else if !isNew {
                unclear = unclear ?? (node.name, "another field has its name")
            }
        }
        node.type = object["FT"].name ?? node.type
        node.flags = object["Ff"].integer ?? node.flags
        let value = object["V"]
        if !value.isNull { node.value = value }
        node.texts.add(object)
        if let label = object["TU"].text, label.utf8.count <= HelperLimits.text { node.label = label }
        let kids = object["Kids"]
        try Self.check(kids.count)
        var below: [Node] = []
        var widgets: [PDFObject] = []
        for index in 0..<kids.count {
            let kid = kids[index]
            // A kid without a name is an inner node if it has kids, else a widget.
            if kid["T"].isNull, kid["Kids"].isNull {
                widgets.append(kid)
                continue
            }
            guard node.level < PDFLimits.depth else { throw .tooComplex(reason: "fields are nested very deep") }
            var child = node
            (child.object, child.level) = (kid, node.level + 1)
            below.append(child)
        }
        var field = Field(
            object: object, name: node.name, label: node.label, type: node.type, flags: node.flags ?? 0,
            value: node.value, texts: node.texts, widgets: kids.count == 0 ? [object] : widgets)
        // A node with fields below it can have widgets, too.
        if below.isEmpty || !widgets.isEmpty {
            for id in widgets.compactMap(\.id) { ids.insert(id) }
            leaves.append(field)
        }
        if below.isEmpty {
            add(field)
        } else if node.type == "Sig", !value.isNull {
            // A signature counts even in an inner node.
            field.value = value
            signed.append(field)
        }
        return below.reversed()
    }

    private mutating func add(_ field: Field) {
        if field.type == "Sig", field.value != nil { signed.append(field) }
        if fields[field.name] == nil {
            fields[field.name] = .some(field)
            order.append(field.name)
        } else {
            fields[field.name] = .some(nil)
        }
    }

    /// The fields that ``field(_:)`` finds, in the order of the form.
    var all: [Field] { order.compactMap { $0.isEmpty ? nil : fields[$0] ?? nil } }

    /// Refuses forms that verifiers do not read: any that has a field twice; and, with several signatures, whose forms
    /// pyHanko compares, names against the rules (ISO 32000-1, 12.7.3.2).
    /// - Parameter isSigned: whether another signature will follow one.
    func checkAgreement(isSigned: Bool) throws(PDFError) {
        if let repeated { throw .field(name: repeated, reason: "it is in the form twice: make the form anew") }
        guard isSigned, let unclear else { return }
        throw .field(
            name: unclear.name, reason: "\(unclear.reason), so a second signature could not be verified: rename it")
    }

    /// - Throws: ``PDFError/fieldNotFound(name:)`` also if two fields have the name.
    func field(_ name: String) throws(PDFError) -> Field {
        guard !name.isEmpty, case let field?? = fields[name] else { throw .fieldNotFound(name: name) }
        return field
    }
}
