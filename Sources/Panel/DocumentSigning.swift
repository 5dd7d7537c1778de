// SPDX-License-Identifier: Apache-2.0
package import Document
package import Evidence
package import Record
package import Signing

/// Puts updates into a document, and draws it again. The helper makes the updates and has no key. This process has the
/// key: it signs bytes and parses no PDF.
package struct DocumentSigning {
    private let document: [UInt8]
    private let facts: DocumentFacts
    private let updates: DocumentUpdates
    private let helper: DocumentHelper

    /// - Parameters:
    ///   - updates: one at least.
    ///   - facts: of the document, from the helper.
    package init(_ updates: DocumentUpdates, to document: [UInt8], _ facts: DocumentFacts, helper: DocumentHelper) {
        self.updates = updates
        self.document = document
        self.facts = facts
        self.helper = helper
    }

    /// Signs the document. Blocks for up to the helper's time for each update, for one inspection, and for drawings.
    /// - Parameters:
    ///   - certificates: a PEM file: the key's certificate, then those of its issuers.
    ///   - seen: the pictures of pages that people saw.
    /// - Returns: the document with all updates. It was drawn again, and shows what people saw.
    /// - Throws: ``SignedFileFault``, ``SignedPictureFault``, ``DocumentHelperError``, `SignedDocumentError`,
    ///   `EvidenceError` or `TextError`.
    package func sign(
        with key: SigningKey, certificates: [UInt8], seen: [SeenPage] = []
    ) throws -> [UInt8] {
        let signed = try assembled(updates.list) { next in
            var hash = SHA256Hash()
            next.bytes.withUnsafeBytes { bytes in
                for range in next.signedRanges { hash.update(UnsafeRawBufferPointer(rebasing: bytes[range])) }
            }
            try next.fill(with: key.cmsSignature(of: hash.finish(), certificates: certificates))
        }
        try updates.check(helper.inspect(signed))
        try pictures(of: updates.list.count).compare(with: signed, seen: seen) { try helper.render($0, of: $1) }
        return signed
    }

    /// Tries everything without the key: the signatures stay holes.
    /// - Parameter count: of the updates that are tried, from the first.
    /// - Returns: the document with them, and the pictures that it must look like.
    func trial(of count: Int) throws -> (bytes: [UInt8], pictures: SignedPictures) {
        let bytes = try assembled(updates.list.prefix(count))
        try updates.check(helper.inspect(bytes))
        return (bytes, try pictures(of: count))
    }

    /// The pictures of the document after a number of updates.
    private func pictures(of count: Int) throws -> SignedPictures {
        let overlays = updates.overlays(of: count)
        let shown = try updates.shown.map { try assembled([$0]) } ?? document
        let ground = try overlays.contains(where: \.replaces) ? assembled(updates.emptied) : nil
        return SignedPictures(pages: facts.pages, shown: shown, ground: ground, overlays: overlays)
    }

    /// The document with updates, one after the other. Blocks for up to the helper's time for each.
    /// - Parameter fill: fills the hole of a signature.
    /// - Throws: ``DocumentHelperError``, `SignedDocumentError`, or what `fill` throws.
    func assembled(
        _ updates: some Sequence<DocumentUpdate>, fill: (inout SignedDocument) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        var bytes = document
        for update in updates {
            var next = try SignedDocument(original: bytes, update: helper.assemble(update, on: bytes))
            try fill(&next)
            bytes = next.bytes
        }
        return bytes
    }
}
