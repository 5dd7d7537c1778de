// SPDX-License-Identifier: Apache-2.0
import Document

/// Ink beside the signature fields, as an annotation (ISO 32000-1, 12.5.6.12). A stamp is the kind that readers draw by
/// its appearance and that PDF/A-1 allows (ISO 19005-1, 6.5.2); the other kinds for drawings have points or texts of
/// their own, which readers draw anew.
enum PageMark {
    /// Printed, locked and not for clicks (table 165): bits 3, 8 and 7. PDF/A demands the first.
    private static let flags = 1 << 2 | 1 << 7 | 1 << 6

    /// The appearance of a mark. Marks with the same text can share an object.
    static func appearance(
        of mark: DocumentUpdate.Mark, on page: PDFPage, _ texts: inout ReadableText, _ writer: inout UpdateWriter
    ) throws(PDFError) -> [UInt8] {
        guard page.holds(mark.rectangle) else {
            throw .failed(doing: "place a mark", reason: "its rectangle is not on page \(page.number)")
        }
        return try InkAppearance.text(mark.ink, in: mark.rectangle, on: page, &texts, &writer)
    }

    /// The annotation's dictionary.
    /// - Parameter structureKey: its entry `StructParent`; nil for a document that is not tagged.
    static func text(
        of mark: DocumentUpdate.Mark, on page: PDFPage, appearance: PDFObject.ID, time: Int64,
        structureKey: Int?
    ) throws(PDFError) -> [UInt8] {
        guard let id = page.object.id else { throw .damaged(reason: "a page is not an object of its own") }
        var text = PDFDictionaryText()
        text.set("Type", "/Annot")
        text.set("Subtype", "/Stamp")
        text.set("F", "\(flags)")
        text.set("Rect", try PDFSyntax.rectangle(page.own(mark.rectangle)))
        text.set("P", PDFSyntax.reference(id))
        text.set("M", "(\(PDFSyntax.date(time)))")
        if let label = mark.label {
            guard label.utf8.count <= HelperLimits.text else {
                throw .failed(doing: "place a mark", reason: "its label is longer than \(HelperLimits.text) bytes")
            }
            // A screen reader reads it in place of the ink.
            text["Contents"] = PDFSyntax.string(mark.words ?? label)
        }
        text.set("AP", "<< /N \(PDFSyntax.reference(appearance)) >>")
        if let structureKey { text.set("StructParent", "\(structureKey)") }
        return text.text
    }
}

extension DocumentUpdate.Mark {
    /// The mark in words: its label and the texts that it shows.
    var words: String? {
        guard let label else { return nil }
        let shown = (ink.texts ?? []).map(\.text).joined(separator: " ")
        return shown.isEmpty ? label : "\(label): \(shown)"
    }
}
