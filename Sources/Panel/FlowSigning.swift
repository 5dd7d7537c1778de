// SPDX-License-Identifier: Apache-2.0
import Document
import Evidence
import HostAPI
import Pad
import Record
import Signing
import Store

/// Signs the document of a capture when all people have finished.
struct FlowSigning {
    private let header: CaptureHeader
    private let helper: DocumentHelper
    private let key: DocumentKey
    /// nil until it is known.
    var document: OpenedDocument?
    /// The entries that the record has now.
    var entries: [CaptureEntry] = []

    init(_ header: CaptureHeader, _ settings: DocumentSettings, key: DocumentKey) {
        self.header = header
        self.key = key
        var helper = settings.helper
        helper.attempts = 2
        self.helper = helper
    }

    /// Blocks for the helper's time for each signature.
    /// - Parameter digest: of the lines of the record, with the end.
    /// - Returns: nil if nobody has signed a field of the document.
    /// - Throws: ``StoreError/unsigned(_:reason:)``.
    func sign(_ end: CaptureEnd, _ digest: SHA256Digest) throws(StoreError) -> [UInt8]? {
        let fields = header.flow?.document?.fields ?? []
        guard fields.contains(where: { $0.kind == .signature }) else { return nil }
        do {
            guard let document else { throw MissingDocument() }
            let record = CaptureRecord(header: header, entries: entries, end: end)
            let contents = try FieldContents(of: record, sha256: digest)
            let seen = entries.compactMap { entry in
                if case .flow(.page(let page), _) = entry { page } else { nil }
            }
            func signed(isInTurns: Bool) throws -> [UInt8]? {
                let updates = try DocumentUpdates(contents, document.plan, in: document.facts, isInTurns: isInTurns)
                if updates.list.isEmpty { return nil }
                let (key, certificates) = try key.read()
                return try DocumentSigning(updates, to: document.bytes, document.facts, helper: helper)
                    .sign(with: key, certificates: certificates, seen: seen)
            }
            do {
                return try signed(isInTurns: false)
            } catch DocumentHelperError.refused {
                // A signature can lock fields that were signed after it. The order of turns was tried before, and no
                // signature locks a later field in it.
                return try signed(isInTurns: true)
            }
        } catch {
            guard let id = CaptureID(header.id) else { return nil }
            throw .unsigned(id, reason: PlainText.printable("\(error)", atMost: 1000))
        }
    }
}

private struct MissingDocument: Error, CustomStringConvertible {
    let description = "the document is not there any more"
}
