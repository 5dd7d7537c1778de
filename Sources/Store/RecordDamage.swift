// SPDX-License-Identifier: Apache-2.0
import Evidence
import HostAPI
import Linux
import Record
import Synchronization

/// Sealed records whose files are not what was sealed, as a power cut or a failing medium leaves them: empty, full of
/// NUL bytes, or cut; and seals that are. Any thread.
public final class RecordDamage: Sendable {
    private struct Found {
        /// The damage that the ends of files showed in the last list.
        var ends: [CaptureID: StoreError] = [:]
        /// The damage that the digests of whole files have shown since the start.
        var digests: [CaptureID: StoreError] = [:]
    }

    private let found = Mutex(Found())

    init() {}

    /// ``StoreError/damaged(_:reason:)`` or ``SealFault/damaged(path:_:)`` of each record, by their ids.
    public var faults: [StoreError] {
        let all = found.withLock { found in found.ends.merging(found.digests) { end, _ in end } }
        return all.sorted { $0.key.description < $1.key.description }.map(\.value)
    }

    /// The damage in words; nil without damage.
    public var summary: String? {
        let faults = faults
        let more = faults.count > 1 ? " (and \(faults.count - 1) more: see inkpanel list)" : ""
        return faults.first.map { "\($0)\(more)" }
    }

    func set(ends: [CaptureID: StoreError]) { found.withLock { $0.ends = ends } }
    func set(digests: [CaptureID: StoreError]) { found.withLock { $0.digests = digests } }
    func remove(_ id: CaptureID) { found.withLock { ($0.ends[id], $0.digests[id]) = (nil, nil) } }
}

extension CaptureStore {
    /// How a file of an encrypted record begins (age-encryption.org/v1).
    private static let ageStart = Array("age-encryption.org/v1\n".utf8)
    private static let pdfStart = Array("%PDF-".utf8)

    /// Looks through all records, and reads the newest sealed ones whole: a power cut damages what was written last.
    /// - Parameter byteLimit: of what is read whole.
    /// - Returns: a ``CaptureHeader/sequence`` above that of all captures, and the faults of sealed records.
    public func inspect(byteLimit: Int = 16 << 20) throws(StoreError) -> (sequence: Int64, damage: [StoreError]) {
        damage.set(digests: [:])
        let list = try list()
        let index = SealIndex(try seals.names())
        let known = Set(damage.faults.compactMap(\.damagedRecord))
        var rest = byteLimit
        var changed: [CaptureID: StoreError] = [:]
        for summary in list.captures where index.isSealed(summary.id) && !known.contains(summary.id) {
            rest -= summary.byteCount
            guard rest >= 0 else { break }
            var faults: [StoreError] = []
            guard let seal = try seal(of: summary.id, index, &faults)?.seal else { continue }
            let isEncrypted = summary.header == nil
            let path = isEncrypted ? encryptedCapture(summary.id) : capture(summary.id)
            guard let digest = isEncrypted ? seal.stored : seal.record,
                let bytes = try? InputFile.read(path, maximumByteCount: max(summary.byteCount, 1)),
                SHA256Digest(of: bytes).description != digest
            else { continue }
            changed[summary.id] = .damaged(summary.id, reason: "it is not what its seal says")
        }
        damage.set(digests: changed)
        return (CaptureHeader.sequence(after: list.captures.first?.sequence ?? 0), damage.faults)
    }

    /// The damage that the ends of a sealed record's files show; nil if they look whole.
    func damage(of summary: CaptureSummary, _ seal: Seal?) throws(StoreError) -> String? {
        if summary.header == nil {
            if let fault = try fault(of: encryptedCapture(summary.id), Self.ageStart) { return "it \(fault)" }
        } else if summary.outcome == .interrupted {
            return "its end is missing"
        }
        guard let seal, seal.signed != nil else { return nil }
        let isEncrypted = seal.signedStored != nil
        let path = "\(captures)/\(summary.id)" + (isEncrypted ? Self.encryptedDocumentSuffix : Self.documentSuffix)
        return try fault(of: path, isEncrypted ? Self.ageStart : Self.pdfStart).map { "its signed document \($0)" }
    }

    /// The fault of a sealed record's file that cannot be read as one.
    func damage(ofUnreadable id: CaptureID, _ error: CaptureFormatError) throws(StoreError) -> String {
        try fault(of: capture(id), [UInt8(ascii: "{")]).map { "it \($0)" } ?? error.description
    }

    /// The fault of the ends of a file, as a predicate.
    private func fault(of path: String, _ start: [UInt8]) throws(StoreError) -> String? {
        let (first, last): ([UInt8], [UInt8])
        do throws(Errno) {
            let file = try InputFile.open(path)
            let count = try file.byteCount
            if count == 0 { return "is empty" }
            first = try file.read(min(count, start.count), from: 0)
            last = try file.read(min(count, 16), from: max(0, count - 16))
        } catch {
            if error == .noSuchFile { return "is missing" }
            throw StoreError(.read, path, error)
        }
        if first.allSatisfy({ $0 == 0 }) { return "is full of NUL bytes" }
        if first != start { return "is something else" }
        return last.allSatisfy { $0 == 0 } ? "ends in NUL bytes" : nil
    }
}

extension SealIndex {
    /// Whether a seal names the record and none says that it was deleted.
    func isSealed(_ id: CaptureID) -> Bool { records[id] != nil && !deleted.contains(id) }
}

extension StoreError {
    fileprivate var damagedRecord: CaptureID? { if case .damaged(let id, _) = self { id } else { nil } }
}
