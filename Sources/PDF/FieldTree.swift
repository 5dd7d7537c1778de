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
        if !form["XFA"].isNull { throw .xfa }
        let roots = form["Fields"]
        try Self.check(roots.count)
        var texts = TextAttributes()
        texts.add(form)
        var waiting = (0..<roots.count).reversed().map { Node(object: roots[$0], texts: texts) }
        var seen: Set<PDFObject.ID> = []
        var count = 0
        while let node = waiting.popLast() {
            if let id = node.object.id, !seen.insert(id).inserted {
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

/// The restrictions of earlier signatures on an update.
struct EarlierSignatures {
    /// Whether the document has an earlier signature.
    let exist: Bool
    /// Whether a signature certifies the document (ISO 32000-1, 12.8.2.2). Fields can then no longer be added.
    private(set) var isCertified = false
    private(set) var locks: [FieldLock] = []

    /// - Throws: ``PDFError/changesForbidden(reason:)`` if no signature may follow.
    init(of file: PDFFile, _ tree: FieldTree) throws(PDFError) {
        exist = !tree.signed.isEmpty
        try add(references: file.root["Perms"]["DocMDP"])
        for field in tree.signed {
            if let signature = field.value { try add(references: signature) }
            // ISO 32000-2, table 236. Acrobat writes it into the reference, too.
            if field.object["Lock"]["P"].integer == 1 { throw Self.final }
        }
    }

    private static let final = PDFError.changesForbidden(reason: "an earlier signature allows no changes")

    private mutating func add(references signature: PDFObject) throws(PDFError) {
        let references = signature["Reference"]
        guard references.count <= 64 else { throw .tooComplex(reason: "a signature has very many references") }
        for index in 0..<references.count {
            let (method, parameters) = (references[index]["TransformMethod"].name, references[index]["TransformParams"])
            switch method {
            case "DocMDP":
                isCertified = true
                if parameters["P"].integer == 1 {
                    throw .changesForbidden(reason: "its certification allows no signatures")
                }
            case "FieldMDP":
                if parameters["P"].integer == 1 { throw Self.final }
                locks.append(try FieldLock(parameters))
            default: break
            }
        }
    }

    func locks(_ name: String) -> Bool { locks.contains { $0.contains(name) } }
}

/// The fields that nobody may change after a signature (ISO 32000-1, 12.8.2.4).
struct FieldLock {
    enum Action: String {
        case all = "All"
        case include = "Include"
        case exclude = "Exclude"
    }

    private(set) var action: Action
    private(set) var names: [String]
    /// Whether nothing at all may change, not only the fields.
    private(set) var isFinal = false

    init(including names: [String]) { (action, self.names) = (.include, names) }

    /// Locks all fields, and forbids every other change.
    static var final: FieldLock {
        var lock = FieldLock(including: [])
        (lock.action, lock.isFinal) = (.all, true)
        return lock
    }

    /// - Parameter parameters: those of a signature's reference, or the lock of a signature field.
    init(_ parameters: PDFObject) throws(PDFError) {
        guard let action = parameters["Action"].name.flatMap({ Action(rawValue: $0) }) else {
            throw .damaged(reason: "a lock of fields does not say what it locks")
        }
        self.action = action
        let fields = parameters["Fields"]
        guard fields.count <= 10 * HelperLimits.fields else { throw .tooComplex(reason: "a lock has very many fields") }
        names = (0..<fields.count).compactMap { fields[$0].text }
        isFinal = parameters["P"].integer == 1
    }

    /// Whether a field is locked. A name in the lock stands for the fields below it, too.
    func contains(_ name: String) -> Bool {
        let isNamed = names.contains { name == $0 || name.hasPrefix($0 + ".") }
        return switch action {
        case .all: true
        case .include: isNamed
        case .exclude: !isNamed
        }
    }

    /// Locks these fields, too.
    mutating func add(_ others: [String]) {
        switch action {
        case .all: break
        case .include: names += others.filter { !names.contains($0) }
        case .exclude: names.removeAll { others.contains($0) }
        }
    }

    /// - Parameter type: the dictionary's `Type`.
    func text(type: String, version: String? = nil) -> PDFDictionaryText {
        var text = PDFDictionaryText()
        text.set("Type", type)
        text.set("Action", "/" + action.rawValue)
        if action != .all {
            text["Fields"] = Array("[ ".utf8) + names.flatMap { PDFSyntax.string($0) + [32] } + Array("]".utf8)
        }
        // An entry of locks in PDF 2.0 (ISO 32000-2, table 236). For signatures it is Acrobat's own.
        if isFinal { text.set("P", "1") }
        if let version { text.set("V", version) }
        return text
    }
}
