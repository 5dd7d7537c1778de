// SPDX-License-Identifier: Apache-2.0
import CQpdf
import Document
import Glibc

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

    /// Locks all fields but these. A list of the locked ones would leave out those that have no name of their own.
    init(allBut names: [String]) { (action, self.names) = (names.isEmpty ? .all : .exclude, names) }

    /// Locks all fields, and forbids every other change.
    static var final: FieldLock {
        var lock = FieldLock(allBut: [])
        lock.isFinal = true
        return lock
    }

    /// The lock of the first signature; nil for a form that has signature fields only.
    /// - Throws: ``PDFError/field(name:reason:)`` if a field has the name of a signature field that stays open.
    static func form(_ tree: FieldTree, _ pages: [PDFPage], _ update: DocumentUpdate) throws(PDFError) -> FieldLock? {
        let answers = tree.leaves.filter { $0.type != "Sig" }
        guard !answers.isEmpty || pages.contains(where: { hasWidgets(on: $0, besides: tree) }) else { return nil }
        let unsigned = tree.all.filter { $0.type == "Sig" && $0.value == nil }.map(\.name)
        let open = (unsigned + update.newFields.map(\.name)).filter { $0 != update.field }
        guard open.count <= mostFields else { throw .tooComplex(reason: "the form has very many signature fields") }
        let lock = FieldLock(allBut: open)
        if let field = answers.first(where: { !lock.contains($0.name) }) {
            throw .field(
                name: field.name,
                reason: "it has the name of a signature field, so it would stay open to changes: rename it")
        }
        return lock
    }

    /// Whether a page has fields that are not in the form. Some viewers fill them all the same.
    private static func hasWidgets(on page: PDFPage, besides tree: FieldTree) -> Bool {
        let annotations = page.object["Annots"]
        return (0..<min(annotations.count, mostFields)).contains { index in
            let annotation = annotations[index]
            let isKnown = annotation.id.map { tree.ids.contains($0) } ?? false
            return !isKnown && annotation["Subtype"].name == "Widget"
        }
    }

    private static let mostFields = 10 * HelperLimits.fields

    /// - Parameter parameters: those of a signature's reference, or the lock of a signature field.
    init(_ parameters: PDFObject) throws(PDFError) {
        guard let action = parameters["Action"].name.flatMap({ Action(rawValue: $0) }) else {
            throw .damaged(reason: "a lock of fields does not say what it locks")
        }
        self.action = action
        let fields = parameters["Fields"]
        guard fields.count <= Self.mostFields else { throw .tooComplex(reason: "a lock has very many fields") }
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

    /// Locks what `other` locks, too.
    mutating func add(_ other: FieldLock) {
        switch (action, other.action) {
        case (.all, _), (_, .all): (action, names) = (.all, [])
        case (.include, .include): names += other.names.filter { !names.contains($0) }
        case (.exclude, _):
            names.removeAll { other.contains($0) }
        case (.include, .exclude): (action, names) = (.exclude, other.names.filter { !contains($0) })
        }
        if action == .exclude, names.isEmpty { action = .all }
        isFinal = isFinal || other.isFinal
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

extension UpdateWriter {
    /// Repeats the looks of a form's locked fields as they are. pyHanko 0.38 takes a look that is older than a
    /// signature with a lock for one that was changed after it, and calls the signature invalid as soon as another one
    /// follows.
    /// - Parameter names: of fields that get new looks.
    mutating func repeatLooks(of tree: FieldTree, but names: Set<String>) throws(PDFError) {
        var seen: Set<PDFObject.ID> = []
        for field in tree.leaves where field.type != "Sig" && !names.contains(field.name) {
            for widget in field.widgets where !widget.has("AS") {
                for key in ["N", "R", "D"] {
                    let look = widget["AP"][key]
                    guard look.isStream, let id = look.id, seen.insert(id).inserted else { continue }
                    add(try look.streamText(), as: id)
                }
            }
        }
    }
}

extension PDFObject {
    /// The text of a stream, with its data as they are in the file.
    fileprivate func streamText() throws(PDFError) -> [UInt8] {
        var data: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = call { qpdf_oh_get_stream_data($0, $1, qpdf_dl_none, nil, &data, &count) }
        defer { free(data) }
        guard status & QPDF_ERROR_CODE(QPDF_ERRORS) == 0, count <= HelperLimits.update else {
            throw .tooComplex(reason: "the look of a field is very long")
        }
        var text = PDFDictionaryText(self)
        text.set("Length", "\(count)")
        let bytes = UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : count)
        return text.text + Array("\nstream\n".utf8) + Array(bytes) + Array("\nendstream".utf8)
    }
}
