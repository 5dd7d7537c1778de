// SPDX-License-Identifier: Apache-2.0
public import Document

/// The PDF part of signing a document.
public enum PDFUpdate {
    /// Makes an incremental update (ISO 32000-1, 7.5.6) with fields, answers, marks, ink and a signature of PAdES (ETSI
    /// EN 319 142-1) whose value is still missing; ``SignedDocument`` puts the value in.
    ///
    /// The first signature of a document certifies it: afterwards only filling fields and signing count as allowed, or
    /// nothing if it is final. A later signature that is final has a lock in its field. The same update of the same
    /// document has the same bytes. Objects of the document are not changed in place: the update has their new
    /// versions.
    /// - Parameter document: neither encrypted nor damaged.
    /// - Returns: the bytes that follow the document.
    public static func assemble(_ document: [UInt8], _ update: DocumentUpdate) throws(PDFError) -> [UInt8] {
        let file = try PDFFile(document, longest: HelperLimits.signedDocument)
        let assembly = try UpdateAssembly(file, document, update)
        let bytes = try assembly.bytes()
        try file.check()
        return bytes
    }
}

/// The making of one update.
private struct UpdateAssembly {
    /// Bits of `Ff` (ISO 32000-1, tables 221 and 226).
    private static let readOnly = 1 << 0
    private static let pushButton = 1 << 16
    /// Bits of an annotation's `F` (table 165).
    private static let print = 1 << 2
    private static let locked = 1 << 7
    private static let unseen = 1 << 1 | 1 << 5
    private static let noRotate = 1 << 4

    private let update: DocumentUpdate
    private let root: PDFObject
    private let pages: [PDFPage]
    private let tree: FieldTree
    private let earlier: EarlierSignatures
    /// The lock of the form; nil if the signature locks none.
    private let formLock: FieldLock?
    private var writer: UpdateWriter
    private let signature: PDFObject.ID
    /// The widgets that have become their fields, by the numbers of these.
    private var joined: [PDFObject.ID: PDFObject] = [:]
    /// References to the new annotations, by the number of their page.
    private var annotations: [Int: [String]] = [:]
    private var texts = ReadableText()
    /// Only the first update of a document changes its structure: later it would count as a change.
    private var structure: StructureTree?

    init(_ file: PDFFile, _ document: [UInt8], _ update: DocumentUpdate) throws(PDFError) {
        self.update = update
        root = file.root
        pages = try PDFPage.all(of: file)
        tree = try FieldTree(of: file)
        earlier = try EarlierSignatures(of: file, tree)
        try tree.checkAgreement(isSigned: earlier.exist)
        structure = earlier.exist || earlier.isCertified ? nil : StructureTree(of: file.root)
        formLock = update.locksForm ? try .form(tree, pages, update) : nil
        writer = try UpdateWriter(file, document)
        signature = writer.newID()
    }

    consuming func bytes() throws(PDFError) -> [UInt8] {
        try checkNames()
        if isFirst { try joinWidgets() }
        let ink = try addFields()
        try addMarks()
        try structure?.write(&writer)
        for (number, references) in annotations.sorted(by: { $0.key < $1.key }) {
            try add(references, to: pages[number - 1])
        }
        for value in update.values { try fill(value) }
        try lockFinalField()
        if isCertifying, formLock != nil {
            try writer.repeatLooks(of: tree, but: Set(update.values.filter { $0.appearance != nil }.map(\.field)))
        }
        var lock = formLock
        if update.isFinal, !isCertifying { lock = .final }
        if let ink { try sign(new: ink, lock) } else { lock = try signField(lock) }
        if isCertifying { try certify() }
        return try writer.bytes(signature: (signature, signatureText(lock)))
    }

    private func checkNames() throws(PDFError) {
        var names = tree.names
        if let first = update.newFields.first, earlier.isCertified {
            throw .field(name: first.name, reason: "the document is certified; later updates can add no fields to it")
        }
        for field in update.newFields {
            guard !earlier.locks(field.name) else {
                throw .field(
                    name: field.name, reason: "an earlier signature has locked the form; fields cannot be added to it")
            }
            guard field.kind == .signature else {
                throw .field(name: field.name, reason: "only signature fields can be added")
            }
            guard !field.name.isEmpty, field.name.utf8.count <= HelperLimits.text, !field.name.contains("."),
                field.name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else {
                throw .field(name: field.name, reason: "a name has 1 to \(HelperLimits.text) bytes and no full stop")
            }
            guard names.insert(field.name).inserted else {
                throw .field(name: field.name, reason: "there is one of that name already")
            }
        }
        for text in [update.signer, update.reason, update.record] where text?.utf8.count ?? 0 > HelperLimits.text {
            throw .failed(doing: "sign", reason: "a text is longer than \(HelperLimits.text) bytes")
        }
        guard (0...253_402_300_799).contains(update.time) else {
            throw .failed(doing: "sign", reason: "the time is not between the years 1970 and 9999")
        }
        let digits = Set("0123456789abcdefABCDEF".utf8)
        if let digest = update.recordSHA256, digest.utf8.count != 64 || !digest.utf8.allSatisfy(digits.contains) {
            throw .failed(doing: "sign", reason: "the record's digest has not 64 hexadecimal digits")
        }
    }

    // MARK: fields

    /// A new field. Its text still lacks an appearance and, if the field is signed, the signature.
    private struct NewField {
        var id: PDFObject.ID
        var text: PDFDictionaryText
        var field: Field
        var page: PDFPage
    }

    /// Makes one object of each signature field and its only widget, as most programs write them: a later signature
    /// changes both, and pyHanko takes a change of a widget that is an object of its own for a forgery.
    private mutating func joinWidgets() throws(PDFError) {
        let unsigned = tree.all.filter { $0.type == "Sig" && $0.value == nil }
        for field in unsigned.prefix(HelperLimits.signers) {
            guard field.widgets.count == 1, let widget = field.widgets.first, widget.isDictionary,
                widget.id != nil, !widget.has("V"), let id = field.object.id, widget.id != id
            else { continue }
            let parent = field.object["Parent"]
            let list = parent.isNull ? tree.form["Fields"] : parent["Kids"]
            let isFree = !joined.values.contains { $0.id == widget.id }
            guard isFree, list.contains(id), parent.isNull || parent.id != nil else { continue }
            for key in field.object.keys where !key.elementsEqual("Kids".utf8) {
                // The widget's own entries hold for what is drawn. Its parent is the field.
                guard let name = String(validating: key, as: UTF8.self), !widget.has(name) || name == "Parent" else {
                    continue
                }
                try writer.set(name, to: field.object[key].text(isResolved: false), in: widget)
            }
            if parent.isNull { try writer.set("Parent", to: nil, in: widget) }
            joined[id] = widget
            if !parent.isNull { try writer.set("Kids", to: list.arrayText(with: joined), in: parent) }
        }
    }

    /// The object that has the entries of a field.
    private func object(of field: FieldTree.Field) -> PDFObject {
        field.object.id.flatMap { joined[$0] } ?? field.object
    }

    /// Adds the new fields to their pages and to the form. The object of the field that is signed is not written yet.
    /// - Returns: the field that is signed, if it is new.
    private mutating func addFields() throws(PDFError) -> NewField? {
        var signed: NewField?
        var references: [String] = []
        var empty: PDFObject.ID?
        for field in update.newFields {
            guard field.page >= 1, field.page <= pages.count else { throw .noPage(field.page) }
            let page = pages[field.page - 1]
            var new = NewField(id: writer.newID(), text: try Self.text(of: field, on: page), field: field, page: page)
            let key = structure?.add(
                new.id, as: "Form", on: page.object.id, words: field.label ?? field.name, &writer)
            if let key { new.text.set("StructParent", "\(key)") }
            references.append(PDFSyntax.reference(new.id))
            annotations[field.page, default: []].append(PDFSyntax.reference(new.id))
            if field.name == update.field {
                signed = new
                continue
            }
            if field.name == update.finalField {
                let lock = writer.add(FieldLock.final.text(type: "/SigFieldLock").text)
                new.text.set("Lock", PDFSyntax.reference(lock))
            }
            let appearance = if let empty { empty } else { writer.add(try InkAppearance.empty) }
            empty = appearance
            new.text.set("AP", "<< /N \(PDFSyntax.reference(appearance)) >>")
            writer.add(new.text.text, as: new.id)
        }
        try addToForm(references)
        return signed
    }

    private static func text(of field: Field, on page: PDFPage) throws(PDFError) -> PDFDictionaryText {
        guard page.holds(field.rectangle) else {
            throw .field(name: field.name, reason: "its rectangle is not on page \(page.number)")
        }
        guard let id = page.object.id else { throw .damaged(reason: "a page is not an object of its own") }
        guard !page.isRepeated else {
            throw .field(
                name: field.name, reason: "page \(page.number) is in the document twice, so the field would be")
        }
        var text = PDFDictionaryText()
        text.set("Type", "/Annot")
        text.set("Subtype", "/Widget")
        text.set("FT", "/Sig")
        text["T"] = PDFSyntax.string(field.name)
        // Screen readers say it (ISO 14289-1, 7.18.1).
        text["TU"] = PDFSyntax.string(String((field.label ?? field.name).prefix(HelperLimits.text / 4)))
        if field.isRequired { text.set("Ff", "2") }
        text.set("F", "\(print | locked)")
        text.set("Rect", try PDFSyntax.rectangle(page.own(field.rectangle)))
        text.set("P", PDFSyntax.reference(id))
        if page.rotation != 0 { text.set("MK", "<< /R \(page.rotation) >>") }
        return text
    }

    /// Adds the marks, which are no fields.
    private mutating func addMarks() throws(PDFError) {
        if update.marks.isEmpty { return }
        guard !earlier.exist, !earlier.isCertified else {
            throw .failed(
                doing: "place the marks", reason: "the document is signed; only its first signature can have marks")
        }
        // Initials are often the same on all pages.
        var looks: [[UInt8]: PDFObject.ID] = [:]
        for mark in update.marks {
            guard mark.page >= 1, mark.page <= pages.count else { throw .noPage(mark.page) }
            let page = pages[mark.page - 1]
            guard !page.isRepeated else {
                throw .failed(
                    doing: "place the marks", reason: "page \(mark.page) is in the document twice, so they would be")
            }
            let text = try PageMark.appearance(of: mark, on: page, &texts, &writer)
            let look = if let look = looks[text] { look } else { writer.add(text) }
            looks[text] = look
            let id = writer.newID()
            let key = structure?.add(id, as: "Annot", on: page.object.id, words: mark.words, &writer)
            writer.add(
                try PageMark.text(of: mark, on: page, appearance: look, time: update.time, structureKey: key), as: id)
            annotations[mark.page, default: []].append(PDFSyntax.reference(id))
        }
    }

    private mutating func add(_ references: [String], to page: PDFPage) throws(PDFError) {
        let annotations = page.object["Annots"]
        guard annotations.isArray || annotations.isNull else {
            throw .damaged(reason: "the annotations of page \(page.number) are no array")
        }
        guard annotations.count <= 10 * HelperLimits.fields else {
            throw .tooComplex(reason: "page \(page.number) has very many annotations")
        }
        let text = annotations.arrayText(appending: references)
        // An array that two pages share would show the field on both.
        if let id = annotations.id, annotations.isArray, pages.count(where: { $0.object["Annots"].id == id }) == 1 {
            writer.add(text, as: id)
        } else {
            try writer.set("Annots", to: text, in: page.object)
        }
    }

    private mutating func addToForm(_ references: [String]) throws(PDFError) {
        let form = tree.form
        guard form.isDictionary else {
            let id = writer.newID()
            writer.add(Array("<< /Fields [ \(references.joined(separator: " ")) ] /SigFlags 3 >>".utf8), as: id)
            return try writer.set("AcroForm", to: PDFSyntax.reference(id), in: root)
        }
        var changes: [(key: String, value: [UInt8])] = []
        // Signatures exist; the file may only be appended to (ISO 32000-1, table 219).
        let flags = form["SigFlags"].integer ?? 0
        if flags & 3 != 3 { changes.append(("SigFlags", Array("\(flags & 0xFFFF | 3)".utf8))) }
        let roots = form["Fields"]
        if !references.isEmpty || joined.keys.contains(where: { roots.contains($0) }) {
            // The array is a new one: other objects may refer to that of the document.
            changes.append(("Fields", roots.arrayText(with: joined, appending: references)))
        }
        if changes.isEmpty { return }
        if form.id != nil {
            for (key, value) in changes { try writer.set(key, to: value, in: form) }
        } else {
            var text = PDFDictionaryText(form)
            for (key, value) in changes { text[key] = value }
            try writer.set("AcroForm", to: text.text, in: root)
        }
    }

    /// Gives a check box, radio buttons or a text field their value.
    private mutating func fill(_ value: DocumentUpdate.Value) throws(PDFError) {
        let field = try tree.field(value.field)
        func refuse(_ reason: String) -> PDFError { .field(name: value.field, reason: reason) }
        guard field.type == "Btn" && field.flags & Self.pushButton == 0 || field.type == "Tx" else {
            throw refuse("only check boxes, radio buttons and texts are filled")
        }
        guard field.flags & Self.readOnly == 0 else { throw refuse("it can only be read") }
        guard !earlier.locks(value.field) else { throw refuse("an earlier signature has locked it") }
        guard update.values.count(where: { $0.field == value.field }) == 1 else { throw refuse("it gets two values") }
        guard field.widgets.count <= HelperLimits.fields else {
            throw .tooComplex(reason: "a field has very many boxes")
        }
        if field.type == "Tx" { return try fill(text: value, field) }
        let off = PDFSyntax.name("Off".utf8)
        var chosen: [UInt8]? = value.value == "Off" ? off : nil
        for widget in field.widgets {
            let names = PDFDictionaryText(widget["AP"]["N"]).keys
            let name = names.first { $0.elementsEqual(value.value.utf8) }.map { PDFSyntax.name($0) }
            chosen = chosen ?? name
            try writer.set("AS", to: name ?? off, in: widget)
            if let name, let tick = value.appearance, let own = widget["Rect"].rectangle, let page = page(of: widget) {
                let looks = try BoxAppearance.text(tick, of: widget, name, own, on: page, &texts, &writer)
                try writer.set("AP", to: looks, in: widget)
            }
        }
        guard let chosen else { throw refuse("it has no choice \"\(value.value)\"") }
        try writer.set("V", to: chosen, in: field.object)
    }

    private mutating func fill(text value: DocumentUpdate.Value, _ field: FieldTree.Field) throws(PDFError) {
        func refuse(_ reason: String) -> PDFError { .field(name: value.field, reason: reason) }
        if let fault = TextField.fault(value.value, in: field) { throw refuse(fault) }
        guard let ink = value.appearance else { throw refuse("its text has no outlines") }
        var isShown = false
        for widget in field.widgets {
            guard let page = page(of: widget), let own = widget["Rect"].rectangle else { continue }
            let shown = page.shown(own)
            guard shown.width >= 1, shown.height >= 1 else { continue }
            let look = writer.add(
                try TextField.appearance(ink, of: widget, in: shown, on: page, &texts, &writer))
            try writer.set("AP", to: "<< /N \(PDFSyntax.reference(look)) >>", in: widget)
            isShown = true
        }
        guard isShown else { throw refuse("it is on no page") }
        try writer.set("V", to: PDFSyntax.string(value.value), in: field.object)
    }

    // MARK: the signature

    private mutating func sign(new: NewField, _ lock: FieldLock?) throws(PDFError) {
        var text = new.text
        text.set("V", PDFSyntax.reference(signature))
        let appearance =
            if let ink = update.ink {
                try InkAppearance.text(ink, in: new.field.rectangle, on: new.page, &texts, &writer)
            } else {
                try InkAppearance.empty
            }
        text.set("AP", "<< /N \(PDFSyntax.reference(writer.add(appearance))) >>")
        // The lock must be indirect (ISO 32000-1, table 232).
        if let lock { text.set("Lock", PDFSyntax.reference(writer.add(lock.text(type: "/SigFieldLock").text))) }
        writer.add(text.text, as: new.id)
    }

    /// Signs a field that the document has.
    /// - Returns: `lock`, joined with the field's own lock.
    private mutating func signField(_ lock: FieldLock?) throws(PDFError) -> FieldLock? {
        let field = try tree.field(update.field)
        func refuse(_ reason: String) -> PDFError { .field(name: update.field, reason: reason) }
        guard field.type == "Sig" else { throw refuse("it is no signature field") }
        guard field.value == nil else { throw refuse("it is signed already") }
        guard !earlier.locks(update.field) else { throw refuse("an earlier signature has locked it") }
        guard field.widgets.count == 1, let widget = field.widgets.first else {
            throw refuse("it is not in one place")
        }
        let object = object(of: field)
        // pyHanko takes a changed widget that is an object of its own for a forgery, and doubts the earlier signature.
        guard isFirst || widget.id == object.id else {
            throw refuse(
                "it has its place in an object of its own, and another program has signed before, whose signature "
                    + "readers would doubt: name a rectangle in place of the field")
        }
        try writer.set("V", to: PDFSyntax.reference(signature), in: object)
        // MuPDF and poppler look for the value of a field in its widget, even if that is an object of its own.
        if widget.id != object.id { try writer.set("V", to: PDFSyntax.reference(signature), in: widget) }
        if let ink = update.ink {
            let flags = widget["F"].integer ?? 0
            guard flags & Self.unseen == 0 else { throw refuse("it is hidden, and there is ink") }
            guard let page = page(of: widget), let own = widget["Rect"].rectangle else {
                throw refuse("it is on no page, and there is ink")
            }
            guard !page.isRepeated else { throw refuse("its page is in the document twice, and there is ink") }
            let shown = page.shown(own)
            if let fault = SignatureWidget.fault(widget, shown, on: page) { throw refuse("\(fault), and there is ink") }
            guard page.rotation == 0 || flags & Self.noRotate == 0 else {
                throw refuse("it does not turn with its page")
            }
            let appearance = writer.add(try InkAppearance.text(ink, in: shown, on: page, &texts, &writer))
            try writer.set("AP", to: "<< /N \(PDFSyntax.reference(appearance)) >>", in: widget)
        } else if widget["AP"].isNull {
            let appearance = writer.add(try InkAppearance.empty)
            try writer.set("AP", to: "<< /N \(PDFSyntax.reference(appearance)) >>", in: widget)
        }
        // The field's own lock holds for its signature. Its object stays as it is: earlier signatures forbid to change
        // it.
        let own = field.object["Lock"]
        var lock = lock
        if own.isDictionary {
            var joined = try FieldLock(own)
            if let lock { joined.add(lock) }
            lock = joined
        }
        let certification = isCertifying ? permissions(lock) : nil
        let fault = SeedValues.fault(field.object["SV"], reason: update.reason, certification: certification)
        if let fault { throw refuse(fault) }
        return lock
    }

    private func page(of widget: PDFObject) -> PDFPage? {
        guard let id = widget.id else { return nil }
        return pages.first { page in
            let annotations = page.object["Annots"]
            return (0..<min(annotations.count, 10 * HelperLimits.fields)).contains { annotations[$0].id == id }
        }
    }

    /// Whether this is the document's first signature.
    private var isFirst: Bool { !earlier.exist && !earlier.isCertified }

    /// The demand of the field that is signed (ISO 32000-1, table 235): 0 for no certification, else what the
    /// certification allows; nil without a demand.
    private var demand: Int? {
        guard let field = try? tree.field(update.field) else { return nil }
        return field.object["SV"]["MDP"]["P"].integer
    }

    /// Whether this signature certifies the document.
    private var isCertifying: Bool { isFirst && demand != 0 }

    /// The changes that the certification allows (ISO 32000-1, table 254): 1 for none, 2 for filling fields and
    /// signing, 3 for notes, too.
    private func permissions(_ lock: FieldLock?) -> Int {
        if update.isFinal || lock?.isFinal == true { return 1 }
        switch demand {
        case 1:
            let others =
                update.newFields.map(\.name) + tree.all.filter { $0.type == "Sig" && $0.value == nil }.map(\.name)
            // Others could not sign after it.
            return others.contains { $0 != update.field } ? 2 : 1
        case 3: return 3
        default: return 2
        }
    }

    /// Locks the field of the last signer of a session if it is one of the document. A later update could not: it would
    /// change the field besides signing it.
    private mutating func lockFinalField() throws(PDFError) {
        guard let name = update.finalField, !update.newFields.contains(where: { $0.name == name }) else { return }
        let field = try tree.field(name)
        guard field.type == "Sig", field.value == nil else {
            throw .field(name: name, reason: "it is no signature field, or is signed already")
        }
        if update.isFinal && isCertifying || field.object["Lock"]["P"].integer == 1 { return }
        guard isFirst else {
            throw .field(
                name: name, reason: "it is older than an earlier signature, so its signature cannot forbid changes")
        }
        let lock = writer.add(FieldLock.final.text(type: "/SigFieldLock").text)
        try writer.set("Lock", to: PDFSyntax.reference(lock), in: object(of: field))
    }

    private mutating func certify() throws(PDFError) {
        let permissions = root["Perms"]
        if permissions.isDictionary, permissions.id != nil {
            try writer.set("DocMDP", to: PDFSyntax.reference(signature), in: permissions)
        } else {
            var text = PDFDictionaryText(permissions)
            text.set("DocMDP", PDFSyntax.reference(signature))
            try writer.set("Perms", to: text.text, in: root)
        }
    }

    /// The signature dictionary (ISO 32000-1, 12.8.1).
    private func signatureText(_ lock: FieldLock?) -> [UInt8] {
        var text = Array("<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached ".utf8)
        text += SignedDocument.rangePlaceholder + [10] + SignedDocument.emptyHole + [10]
        func add(_ key: String, _ value: [UInt8]) { text += Array("/\(key) ".utf8) + value + [32] }
        add("M", Array("(\(PDFSyntax.date(update.time)))".utf8))
        if let signer = update.signer { add("Name", PDFSyntax.string(signer)) }
        if let reason = update.reason { add("Reason", PDFSyntax.string(reason)) }
        // These names are Inkpanel's own; other readers ignore them.
        if let record = update.record { add("INKP_Record", PDFSyntax.string(record)) }
        if let digest = update.recordSHA256 { add("INKP_RecordSHA256", Array("<\(digest)>".utf8)) }
        var references: [[UInt8]] = []
        if isCertifying {
            references.append(
                Array(
                    ("<< /Type /SigRef /TransformMethod /DocMDP"
                        + " /TransformParams << /Type /TransformParams /P \(permissions(lock)) /V /1.2 >> >>").utf8))
        }
        if let lock, let catalogue = root.id {
            let parameters = lock.text(type: "/TransformParams", version: "/1.2").text
            references.append(
                Array("<< /Type /SigRef /TransformMethod /FieldMDP /Data \(PDFSyntax.reference(catalogue))".utf8)
                    + Array(" /TransformParams ".utf8) + parameters + Array(" >>".utf8))
        }
        if !references.isEmpty {
            add("Reference", Array("[ ".utf8) + references.flatMap { $0 + [32] } + [UInt8(ascii: "]")])
        }
        return text + Array(">>".utf8)
    }
}
