// SPDX-License-Identifier: Apache-2.0
package import Document
package import Evidence
package import Formats
package import Record

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

    /// Signs a document at places. Blocks for up to the helper's time for each act, for each anchor and for one
    /// inspection.
    /// - Parameters:
    ///   - facts: of the document, from the helper.
    ///   - acts: one at least, in the order of signing.
    ///   - values: for fields of the document's own form; texts get their outlines here.
    ///   - isFinal: whether the last signature allows no change at all after it.
    /// - Returns: the document with an update for each act, and the name of the field of each.
    /// - Throws: ``SigningPlanFault``, or as ``sign(_:facts:_:)``.
    package func sign(
        _ document: [UInt8], facts: DocumentFacts, _ acts: [Act], values: [DocumentUpdate.Value],
        isFinal: Bool = false
    ) throws -> (document: [UInt8], fields: [String]) {
        let plan = try SigningPlan(acts.map(\.place), in: facts) { try helper.find($0, in: document) }
        try plan.checkOverlaps(in: facts)
        let filling = DocumentFilling(
            acts: zip(plan.fields, acts).map { DocumentFilling.Signature(field: $0, act: $1) },
            newFields: plan.newFields, values: values, isFinal: isFinal)
        return (try sign(document, facts: facts, filling, values: values), plan.fields.map(\.name))
    }

    /// Puts everything into a document, and signs it. Blocks for up to the helper's time for each act and for one
    /// inspection.
    /// - Parameters:
    ///   - facts: of the document, from the helper.
    ///   - filling: has one act at least.
    ///   - values: the part of the filling that the host has filled in, and people have seen.
    ///   - seen: the pictures of pages that people saw.
    /// - Returns: the document with an update for each act. It was drawn again, and shows what people saw.
    /// - Throws: ``AppearanceFault``, ``FieldTextFault``, ``SignedFileFault``, ``SignedPictureFault``,
    ///   ``DocumentHelperError``, `SignedDocumentError`, `EvidenceError` or `TextError`.
    package func sign(
        _ document: [UInt8], facts: DocumentFacts, _ filling: DocumentFilling, values: [DocumentUpdate.Value],
        seen: [SeenPage] = []
    ) throws -> [UInt8] {
        let assembly = try DocumentAssembly(filling, facts: facts, helper: helper)
        var signed = document
        for number in filling.acts.indices {
            var next = try assembly.assemble(number, on: signed)
            var hash = SHA256Hash()
            next.bytes.withUnsafeBytes { bytes in
                for range in next.signedRanges { hash.update(UnsafeRawBufferPointer(rebasing: bytes[range])) }
            }
            try next.fill(with: key.cmsSignature(of: hash.finish(), certificates: certificates))
            signed = next.bytes
        }
        try assembly.check(signed)
        guard let first = filling.acts.first else { return signed }
        let shown = try DocumentAssembly.shown(
            document, facts: facts, values: values, newFields: filling.newFields, field: first.field, helper: helper)
        let overlays = assembly.overlays(of: filling.acts.count, besides: values)
        let ground = try assembly.ground(of: document, overlays, besides: values)
        try SignedPictures(
            helper: helper, pages: facts.pages, shown: shown, ground: ground, overlays: overlays, seen: seen
        ).compare(with: signed)
        return signed
    }
}
