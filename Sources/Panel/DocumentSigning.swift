// SPDX-License-Identifier: Apache-2.0
package import Document
package import Evidence
package import Formats
import Pages

/// Signs a document for each of its signers in turn. The helper makes the updates and has no key. This process has the
/// key: it signs bytes and parses no PDF.
package struct DocumentSigning {
    /// The signature of one person: its place, its ink and its texts.
    package struct Act {
        package var place: SignaturePlace
        package var ink: PDFInk
        /// A line below the ink; nil for none.
        package var caption: String?
        package var signer, reason: String?
        /// When the ink was accepted: seconds since 1970, UTC.
        package var time: Int64
        /// The ID of the record, and the SHA-256 of its lines in hexadecimal.
        package var record, recordSHA256: String

        package init(
            place: SignaturePlace, ink: PDFInk, caption: String? = nil, signer: String?, reason: String?, time: Int64,
            record: String, recordSHA256: String
        ) {
            self.place = place
            self.ink = ink
            self.caption = caption
            self.signer = signer
            self.reason = reason
            self.time = time
            self.record = record
            self.recordSHA256 = recordSHA256
        }
    }

    private let helper: DocumentHelper
    private let key: SigningKey
    /// A PEM file: the key's certificate, then those of its issuers.
    private let certificates: [UInt8]

    package init(helper: DocumentHelper, key: SigningKey, certificates: [UInt8]) {
        self.helper = helper
        self.key = key
        self.certificates = certificates
    }

    /// Signs a document. Blocks for up to the helper's time for each act, for each anchor and for one inspection.
    /// - Parameters:
    ///   - facts: of the document, from the helper.
    ///   - acts: one at least, in the order of signing.
    ///   - values: for fields of the document's own form; texts get their outlines here.
    ///   - marks: ink beside the signature fields, which the first signature covers.
    ///   - isFinal: whether the last signature allows no change at all after it.
    /// - Returns: the document with an update for each act, and the name of the field of each.
    /// - Throws: ``SigningPlanFault``, ``AppearanceFault``, ``FieldTextFault``, ``SignedFileFault``, ``DocumentHelperError``,
    ///   `SignedDocumentError`, `EvidenceError` or `TextError`.
    package func sign(
        _ document: [UInt8], facts: DocumentFacts, _ acts: [Act], values: [DocumentUpdate.Value],
        marks: [DocumentUpdate.Mark] = [], isFinal: Bool = false
    ) throws -> (document: [UInt8], fields: [String]) {
        let plan = try SigningPlan(acts.map(\.place), in: facts) { try helper.find($0, in: document) }
        var appearances: [DocumentUpdate.Ink] = []
        for (field, act) in zip(plan.fields, acts) {
            appearances.append(try SignatureAppearance.make(act.ink, caption: act.caption, in: field))
        }
        // Texts are drawn here: the helper has no fonts.
        var values = values
        for (index, value) in values.enumerated() where value.appearance == nil {
            let field = facts.fields.first { $0.name == value.field && $0.kind == .text }
            values[index].appearance = try field.map { try FieldText.make(value.value, in: $0) }
        }
        // If answers changed after a signature, it would stand for something else, and a reader would still call it
        // valid.
        var locks: [String] = []
        for field in facts.fields where field.kind != .signature && !locks.contains(field.name) {
            locks.append(field.name)
        }
        var signed = document
        for (number, act) in acts.enumerated() {
            let isFirst = number == 0
            let update = DocumentUpdate(
                newFields: isFirst ? plan.newFields : [], values: isFirst ? values : [],
                marks: isFirst ? marks : [], field: plan.fields[number].name, ink: appearances[number],
                signer: act.signer, reason: act.reason, time: act.time, locks: isFirst ? locks : [],
                finalField: isFinal ? plan.fields.last?.name : nil, record: act.record, recordSHA256: act.recordSHA256)
            let bytes = try helper.assemble(update, on: signed)
            var next = try SignedDocument(original: signed, update: bytes)
            var hash = SHA256Hash()
            next.bytes.withUnsafeBytes { bytes in
                for range in next.signedRanges { hash.update(UnsafeRawBufferPointer(rebasing: bytes[range])) }
            }
            try next.fill(with: key.cmsSignature(of: hash.finish(), certificates: certificates))
            signed = next.bytes
        }
        // Another process made the updates than the one that inspected the file, so the signed file is inspected, too.
        let after = try helper.inspect(signed)
        guard after.pages == facts.pages, after.missingFonts == facts.missingFonts,
            Set(after.warnings).subtracting(facts.warnings).subtracting([.existingSignatures]).isEmpty
        else { throw SignedFileFault() }
        return (signed, plan.fields.map(\.name))
    }
}

/// The signed file would have other pages, other missing fonts or more warnings than the file that was inspected.
package struct SignedFileFault: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String {
        "the signed file would not look like the document: rewrite the document, for example with qpdf IN OUT, and "
            + "have it signed again"
    }
}
