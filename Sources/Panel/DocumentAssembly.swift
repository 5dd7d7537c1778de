// SPDX-License-Identifier: Apache-2.0
package import Document
import Pages

/// Everything that is put into a document in one session.
package struct DocumentFilling {
    /// An act, and the field that it signs.
    package struct Signature {
        package var field: DocumentField
        package var act: DocumentSigning.Act
        /// Whether the ink gets a white ground.
        package var hasPlate: Bool

        package init(field: DocumentField, act: DocumentSigning.Act, hasPlate: Bool = false) {
            (self.field, self.act, self.hasPlate) = (field, act, hasPlate)
        }
    }

    /// In the order of signing.
    package var acts: [Signature]
    /// The signature fields that the document does not have yet, also those that nobody signs.
    package var newFields: [DocumentField]
    /// For fields of the document's own form; texts get their outlines when they are put there.
    package var values: [DocumentUpdate.Value]
    /// Ink beside the signature fields, which the first signature covers.
    package var marks: [DocumentUpdate.Mark]
    /// Whether the last signature allows no change at all after it.
    package var isFinal: Bool

    package init(
        acts: [Signature], newFields: [DocumentField], values: [DocumentUpdate.Value],
        marks: [DocumentUpdate.Mark] = [], isFinal: Bool = false
    ) {
        self.acts = acts
        self.newFields = newFields
        self.values = values
        self.marks = marks
        self.isFinal = isFinal
    }
}

/// The updates that put a filling into a document, one for each signature. Without the key: their signatures are holes.
struct DocumentAssembly {
    private var filling: DocumentFilling
    private let facts: DocumentFacts
    private let helper: DocumentHelper
    /// Of each act.
    private var appearances: [DocumentUpdate.Ink]
    private var values: [DocumentUpdate.Value]

    /// - Throws: ``AppearanceFault``, ``FieldTextFault`` or `TextError`.
    init(_ filling: DocumentFilling, facts: DocumentFacts, helper: DocumentHelper) throws {
        self.filling = filling
        self.facts = facts
        self.helper = helper
        appearances = try filling.acts.map { signature in
            let act = signature.act
            return try SignatureAppearance.make(
                act.ink, caption: act.caption, in: signature.field, hasPlate: signature.hasPlate)
        }
        // Texts are drawn here: the helper has no fonts.
        values = try Self.drawn(filling.values, facts)
    }

    private static func drawn(
        _ values: [DocumentUpdate.Value], _ facts: DocumentFacts
    ) throws -> [DocumentUpdate.Value] {
        try values.map { value in
            var value = value
            let field = facts.fields.first { $0.name == value.field && $0.kind == .text }
            if value.appearance == nil, let field { value.appearance = try FieldText.make(value.value, in: field) }
            let places = facts.fields.filter { $0.name == value.field && $0.kind != .text }
            // The name of a choice comes before the text that another choice may have.
            if !places.contains(where: { $0.choices?.contains(value.value) == true }),
                let meant = places.first(where: { $0.meaning == value.value })?.choices?.first
            {
                value.value = meant
            }
            return value
        }
    }

    /// Blocks for up to the helper's time.
    /// - Parameters:
    ///   - number: of the act, from 0.
    ///   - document: with the signatures before.
    /// - Throws: ``DocumentHelperError`` or `SignedDocumentError`.
    func assemble(_ number: Int, on document: [UInt8]) throws -> SignedDocument {
        let (field, act) = (filling.acts[number].field, filling.acts[number].act)
        var update = DocumentUpdate(
            field: field.name, ink: appearances[number], signer: act.signer, reason: act.reason, time: act.time,
            finalField: filling.isFinal ? filling.acts.last?.field.name : nil, record: act.record,
            recordSHA256: act.recordSHA256)
        if number == 0 {
            (update.newFields, update.values, update.marks) = (filling.newFields, values, filling.marks)
            // If answers changed after a signature, it would stand for something else, and a reader would still call it
            // valid.
            update.locksForm = true
        }
        return try SignedDocument(original: document, update: helper.assemble(update, on: document))
    }

    /// The document as people see it before they fill it: with the host's values. Its signature stays a hole; it is
    /// only drawn.
    static func shown(
        _ document: [UInt8], facts: DocumentFacts, values: [DocumentUpdate.Value], newFields: [DocumentField],
        field: DocumentField, helper: DocumentHelper
    ) throws -> [UInt8] {
        if values.isEmpty { return document }
        let update = DocumentUpdate(
            newFields: newFields, values: try drawn(values, facts), field: field.name, time: 0)
        return try SignedDocument(original: document, update: helper.assemble(update, on: document)).bytes
    }

    /// The ground below the ink: the document with all fields filled, but without a line of ink. It lacks the looks
    /// that the file's own fields had before, such as a frame with "sign here". Blocks for up to the helper's time for
    /// each act.
    /// - Parameter values: those that the host has filled in, which stay.
    /// - Returns: nil if no overlay replaces anything.
    func ground(
        of document: [UInt8], _ overlays: [SignedPictures.Overlay], besides values: [DocumentUpdate.Value]
    ) throws -> [UInt8]? {
        guard overlays.contains(where: \.replaces) else { return nil }
        var empty = self
        empty.filling.marks = []
        for number in appearances.indices {
            empty.appearances[number].content = ""
            empty.appearances[number].texts = nil
        }
        for number in self.values.indices where !self.values[number].isAmong(values) {
            empty.values[number].appearance?.content = ""
            empty.values[number].appearance?.texts = nil
        }
        return try empty.assembleAll(on: document)
    }

    /// The ink on the pages after a number of acts, with the answers and marks, but without what the host has filled
    /// in.
    /// - Parameter values: those that the host has filled in.
    func overlays(of count: Int, besides values: [DocumentUpdate.Value]) -> [SignedPictures.Overlay] {
        let new = Set(filling.newFields.map(\.name))
        var overlays = zip(filling.acts, appearances).prefix(count).map { signature, ink in
            SignedPictures.Overlay(
                page: signature.field.page, rectangle: signature.field.rectangle, ink: ink,
                replaces: !new.contains(signature.field.name))
        }
        overlays += filling.marks.map {
            SignedPictures.Overlay(page: $0.page, rectangle: $0.rectangle, ink: $0.ink, replaces: false)
        }
        for value in self.values where !value.isAmong(values) {
            guard let ink = value.appearance else { continue }
            for field in facts.fields where field.name == value.field {
                if field.kind != .text, field.choices != [value.value] { continue }
                // The file may have no picture of an empty box: then each viewer draws its own frame below the tick.
                overlays.append(
                    SignedPictures.Overlay(
                        page: field.page, rectangle: field.rectangle, ink: ink, turn: field.format?.turn ?? 0,
                        replaces: true))
            }
        }
        return overlays
    }

    /// The document with all updates, one after the other. Blocks for up to the helper's time for each.
    func assembleAll(on document: [UInt8]) throws -> [UInt8] {
        var bytes = document
        for number in filling.acts.indices { bytes = try assemble(number, on: bytes).bytes }
        return bytes
    }

    /// Inspects the document with its updates: another process made them than the one that inspected the document.
    /// Blocks for up to the helper's time.
    /// - Throws: ``SignedFileFault`` or ``DocumentHelperError``.
    func check(_ signed: [UInt8]) throws {
        let after = try helper.inspect(signed)
        // The looks of texts that the host has filled are outlines, which nobody can read to compare them.
        let own: Set<DocumentFacts.Warning> =
            values.isEmpty ? [.existingSignatures] : [.existingSignatures, .misleadingFields]
        guard after.pages == facts.pages, after.missingFonts == facts.missingFonts,
            Set(after.warnings).subtracting(facts.warnings).subtracting(own).isEmpty
        else { throw SignedFileFault() }
    }
}

extension DocumentUpdate.Value {
    fileprivate func isAmong(_ values: [Self]) -> Bool { values.contains { $0.field == field && $0.value == value } }
}

/// The signed file would have other pages, other missing fonts or more warnings than the file that was inspected.
package struct SignedFileFault: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String {
        "the signed file would not look like the document: flatten the document (inkpanel document flatten IN OUT), "
            + "and have it signed again"
    }
}
