// SPDX-License-Identifier: Apache-2.0
import Document
public import Evidence
import Geometry
import Glibc
public import HostAPI
import Linux
public import Record

/// Writes the record of one capture while it happens. When a call has returned, its data survives the end of the
/// process, and a power cut if the medium keeps what it acknowledges. Calls wait for the medium, so they do not belong
/// on the thread that reads reports.
///
/// A journal with recipients lies in memory, and only the encrypted record reaches the medium, when it is accepted.
///
/// A writer that is destroyed without ``finish(_:signing:)`` leaves its journal for ``CaptureStore/recover()``: the
/// capture was interrupted.
public struct JournalWriter: ~Copyable {
    private enum Stage: Equatable {
        case writing
        /// Accepted and sealed, but moving it to its place failed, and so did withdrawing the seal.
        case sealed(SealHead, openByteCount: Int)
        /// Accepted and moved to its place, but synchronizing failed, and so did moving it back.
        case placed(SealHead?, openByteCount: Int)
        case finished
    }

    public let id: CaptureID
    public let header: CaptureHeader
    private let store: CaptureStore
    private let file: FileDescriptor
    /// The directory of journals; its lock marks that one of them is being written.
    private let directory: LockedFile
    // Set by the initializer: Swift 6.0 fails to compile one that throws after a default value.
    private var stage: Stage
    /// The size of the whole lines that are on the medium.
    private var byteCount: Int
    /// Whether the file may have more, because a write or a synchronization failed.
    private var isTorn = false
    /// The state of the record after the entries written, which checks the next ones.
    private var course: RecordCourse

    /// Opens the journal of a new capture, reserves disk space and writes the header. Leaves no file behind on error.
    /// - Parameter reserve: bytes to reserve, whatever else is written to the medium. A document to sign has its size
    ///   reserved besides.
    /// - Throws: ``StoreError/exists(_:)`` if the store has a capture of that id; ``StoreError/diskFull(path:)`` if
    ///   there is too little space; ``StoreError/refused(_:)`` for an invalid header.
    public init(
        _ header: CaptureHeader, in store: CaptureStore, reserving reserve: Int = CaptureLimits.reservedByteCount
    ) throws(StoreError) {
        let line: [UInt8]
        do throws(CaptureFormatError) { line = try CaptureEncoder.line(header) } catch { throw .refused(error) }
        guard let id = CaptureID(header.id) else { throw .refused(.unencodable("the id is not valid")) }
        let path = store.journal(id)
        let directory = try store.lockJournals()
        let file: FileDescriptor
        do throws(Errno) {
            file = try FileDescriptor(
                opening: path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
        } catch {
            throw error == .alreadyExists ? .exists(id) : StoreError(.open, path, error)
        }
        do throws(Errno) {
            // Checked now, because from here on no other writer can take this id.
            for path in [store.capture(id), store.encryptedCapture(id)] where try Directory.contains(path) {
                throw .alreadyExists
            }
            let document = Self.documentReserve(header)
            if store.encryption != nil, document > 0 {
                // The journal lies in memory, the document does not.
                if try Directory.freeByteCount(store.unplaced) < document { throw .noSpace }
                if reserve > 0 { try Self.reserve(reserve, for: file, in: store.journals) }
            } else if reserve > 0 {
                try Self.reserve(reserve + document, for: file, in: store.journals)
            }
            try file.writeAll(line)
            try file.synchronize()
            try Directory.synchronize(directory.file)
        } catch {
            try? Directory.remove(path)
            throw error == .alreadyExists ? .exists(id) : StoreError(.write, path, error)
        }
        self.id = id
        self.header = header
        self.store = store
        self.file = file
        self.directory = directory
        byteCount = line.count
        course = RecordCourse(header)
        stage = .writing
    }

    /// The space for the signed document: its bytes and, for each signature, about 32 kB.
    private static func documentReserve(_ header: CaptureHeader) -> Int {
        guard let document = header.flow?.document else { return 0 }
        let signatures = document.fields.count { $0.kind == .signature }
        return document.bytes + (signatures + 1) * CaptureLimits.signatureReserve
    }

    private static func reserve(
        _ byteCount: Int, for file: borrowing FileDescriptor, in folder: String
    ) throws(Errno) {
        do throws(Errno) { try file.reserve(byteCount) } catch {
            // NFS and FAT cannot, among others. Then the space is free now, but not reserved.
            guard error == .notSupported || error == .notImplemented else { throw error }
            if try Directory.freeByteCount(folder) < byteCount { throw .noSpace }
        }
    }

    /// Appends an entry; it is on the medium when this returns.
    /// - Throws: ``StoreError``; the journal is then as before, and the entry can be tried again.
    public mutating func append(_ entry: CaptureEntry) throws(StoreError) {
        let line: [UInt8]
        do throws(CaptureFormatError) {
            line = try CaptureEncoder.line(entry, after: course)
        } catch {
            throw .refused(error)
        }
        try append(line, leaving: CaptureLimits.endByteCount(version: header.version))
        course.add(entry)
    }

    /// Ends an accepted capture: it is sealed, in its place and on the medium when this returns, and so is its signed
    /// document. Destroy the writer then: it holds the lock of journals.
    ///
    /// The document is on the medium before the record has its end. So whatever ends this process or the power: after
    /// ``CaptureStore/recover()`` there is an accepted capture with its document, or an interrupted one.
    /// - Parameter sign: makes the signed document of a record whose flow has a document; called for no other record,
    ///   at most once, unless this throws. Its parameter is the digest of the record's JSON lines, with the end. It
    ///   returns nil if there is nothing to sign. It must not use this writer.
    /// - Returns: its seal; nil if the store has no chain, or it is not open.
    /// - Throws: ``StoreError``, also the one of `sign`; the capture then goes on, and can be finished or wiped later.
    @discardableResult
    public mutating func finish(
        _ end: CaptureEnd,
        signing sign: (SHA256Digest) throws(StoreError) -> [UInt8]? = { (_) throws(StoreError) in nil }
    ) throws(StoreError) -> SealHead? {
        precondition(stage != .finished, "a capture ends once")
        guard end.outcome == .accepted else { throw .refused(.unencodable("only an accepted capture is kept")) }
        if stage == .writing { try sealRecord(end, sign) }
        if case .sealed(let head, let openByteCount) = stage { try place(head, openByteCount: openByteCount) }
        guard case .placed(let head, _) = stage else { return nil }
        do throws(StoreError) { try store.synchronizeCaptures() } catch {
            withdraw()
            throw error
        }
        // The capture is safe; this only removes its old name, or its journal in memory.
        if store.encryption != nil { try? Directory.remove(store.journal(id)) }
        try? Directory.synchronize(directory.file)
        stage = .finished
        return head
    }

    /// Has the document signed, appends the end, encrypts the record for its recipients, and seals it.
    private mutating func sealRecord(
        _ end: CaptureEnd, _ sign: (SHA256Digest) throws(StoreError) -> [UInt8]?
    ) throws(StoreError) {
        if let chain = store.chain, chain.isRequired, !chain.isOpen { throw .seals(.closed) }
        let line: [UInt8]
        do throws(CaptureFormatError) { line = try CaptureEncoder.line(end, of: header) } catch {
            throw .refused(error)
        }
        let before = byteCount
        do throws(StoreError) {
            var document = try signDocument(line, sign)
            defer { if document != nil { LockedMemory.wipe(&document!.bytes) } }
            try append(line, leaving: 0)
            // Returns the reserved space that was not needed.
            try? file.truncate(to: byteCount)
            if document != nil || store.chain?.isOpen == true || store.encryption != nil {
                try seal(end, document, openByteCount: before)
            }
        } catch {
            reopen(byteCount: before)
            throw error
        }
        if stage == .writing { try place(nil, openByteCount: before) }
    }

    /// The signed document, as it was written.
    private struct WrittenDocument {
        /// The digest of the record that it names.
        var record: SHA256Digest
        var digest: SHA256Digest
        /// The digest of its encrypted file.
        var stored: SHA256Digest?
        /// The document, if it stays readable for a while.
        var bytes: [UInt8]
    }

    /// Has the document signed for the record with `end`, and writes it beside the journals on the medium.
    /// - Returns: nil if there is no document to sign.
    private mutating func signDocument(
        _ end: [UInt8], _ sign: (SHA256Digest) throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> WrittenDocument? {
        guard header.flow?.document != nil else { return nil }
        var plain = try contents(of: store.journal(id), byteCount: byteCount) + end
        defer { if store.encryption != nil { LockedMemory.wipe(&plain) } }
        let record = SHA256Digest(of: plain)
        guard var document = try sign(record) else { return nil }
        let isReadable = (store.encryption?.readableFor ?? .zero) > .zero
        defer { if store.encryption != nil, !isReadable { LockedMemory.wipe(&document) } }
        if document.count > CaptureLimits.documentByteCount {
            throw .unsigned(id, reason: "it would have more than \(CaptureLimits.documentByteCount) bytes")
        }
        // Returns the space that was reserved for it.
        if store.encryption == nil { try? file.truncate(to: byteCount) }
        let stored = try write(document, to: store.unplacedDocument(id))
        return WrittenDocument(
            record: record, digest: SHA256Digest(of: document), stored: stored, bytes: isReadable ? document : [])
    }

    /// Writes a file for the recipients, or as it is.
    /// - Returns: the digest of the encrypted file; nil if files are stored readable.
    private func write(_ plain: [UInt8], to path: String) throws(StoreError) -> SHA256Digest? {
        var file = plain
        if let encryption = store.encryption {
            do throws(EvidenceError) { file = try Age.encrypt(plain, to: encryption.recipients) } catch {
                throw .encryption(error)
            }
        }
        do throws(Errno) { try AtomicFile.writeSynchronized(file, to: path) } catch {
            throw StoreError(.write, path, error)
        }
        return store.encryption == nil ? nil : SHA256Digest(of: file)
    }

    private func keepReadable(_ plain: [UInt8], as part: ReadableRecords.Part) {
        guard let encryption = store.encryption, encryption.readableFor > .zero else { return }
        let until = MonotonicClock.now + encryption.readableFor
        // Without locked memory only the recipients can read it.
        try? encryption.readable.keep(plain, as: part, of: id, until: until)
    }

    /// Encrypts and seals the record, whose lines are on the medium.
    private mutating func seal(
        _ end: CaptureEnd, _ document: WrittenDocument?, openByteCount: Int
    ) throws(StoreError) {
        // The seal is about the data on the medium, not about what was meant to be there.
        var plain = try contents(of: store.journal(id))
        defer { if store.encryption != nil { LockedMemory.wipe(&plain) } }
        let record = SHA256Digest(of: plain)
        if let document, document.record != record { throw .seals(.differs(path: store.journal(id))) }
        let stored = store.encryption == nil ? nil : try write(plain, to: store.unplacedEncrypted(id))
        if let chain = store.chain, chain.isOpen {
            let (id, header) = (id, header)
            let head = try chain.append { seal in
                seal.id = id.description
                seal.record = record.description
                seal.stored = stored?.description
                seal.document = header.request.document?.sha256
                seal.signed = document?.digest.description
                seal.signedStored = document?.stored?.description
                seal.shown = end.shown.map { [$0.page, $0.signed] }
                (seal.startedAt, seal.sequence, seal.askedBy) = (header.startedAt, header.sequence, header.askedBy)
            }
            stage = .sealed(head, openByteCount: openByteCount)
        }
        // The record first: there may be no locked memory for both.
        keepReadable(plain, as: .record)
        if let document { keepReadable(document.bytes, as: .document) }
    }

    /// - Parameter byteCount: the bytes to read; nil for all.
    private func contents(of path: String, byteCount: Int? = nil) throws(StoreError) -> [UInt8] {
        do throws(Errno) {
            if let byteCount { return try InputFile.open(path).read(byteCount, from: 0) }
            guard let bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount) else {
                throw Errno.fileTooLarge
            }
            return bytes
        } catch {
            throw StoreError(.read, path, error)
        }
    }

    private var openPath: String { store.encryption == nil ? store.journal(id) : store.unplacedEncrypted(id) }
    private var placedPath: String { store.encryption == nil ? store.capture(id) : store.encryptedCapture(id) }

    private mutating func place(_ head: SealHead?, openByteCount: Int) throws(StoreError) {
        do throws(StoreError) {
            // First: an accepted record has its document.
            try store.placeDocument(of: id)
            try rename()
        } catch {
            if head.map({ store.chain?.withdraw($0) == true }) ?? true { reopen(byteCount: openByteCount) }
            throw error
        }
        stage = .placed(head, openByteCount: openByteCount)
    }

    private func rename() throws(StoreError) {
        do throws(Errno) {
            do throws(Errno) { try Directory.rename(openPath, to: placedPath) } catch {
                // Somebody has removed the directory of captures.
                guard error == .noSuchFile, (try? store.prepare()) != nil else { throw error }
                try Directory.rename(openPath, to: placedPath)
            }
        } catch {
            throw StoreError(.rename, openPath, error)
        }
    }

    /// A host that hears that a capture failed must not find it accepted later.
    private mutating func withdraw() {
        guard case .placed(let head, let openByteCount) = stage,
            (try? Directory.rename(placedPath, to: openPath)) != nil
        else { return }
        if let head {
            stage = .sealed(head, openByteCount: openByteCount)
            guard store.chain?.withdraw(head) == true else { return }
        }
        reopen(byteCount: openByteCount)
    }

    /// Goes back to before the end.
    private mutating func reopen(byteCount: Int) {
        stage = .writing
        if store.encryption != nil {
            store.encryption?.readable.remove(id)
            try? Directory.remove(store.unplacedEncrypted(id))
        }
        self.byteCount = byteCount
        isTorn = true
        // Recovery may find the record accepted while its end is in the file, so its document is removed only after the
        // cut.
        guard (try? cut()) != nil, header.flow?.document != nil else { return }
        _ = try? store.removeDocuments(of: id)
    }

    /// Removes a capture that was not accepted. Destroy the writer then: it holds the lock of journals.
    /// - Throws: ``StoreError``; the capture then goes on, and can be finished or wiped later.
    public mutating func wipe() throws(StoreError) {
        precondition(stage != .finished, "a capture ends once")
        if stage == .writing {
            let path = store.journal(id)
            do throws(Errno) {
                try Directory.remove(path)
            } catch {
                // An earlier attempt may have removed it and failed afterwards.
                if error != .noSuchFile { throw StoreError(.remove, path, error) }
            }
            if header.flow?.document != nil { _ = try store.removeDocuments(of: id) }
            try CaptureStore.synchronize(directory.file, store.journals)
        } else {
            // Seals its removal, too.
            try store.wipe(id)
        }
        stage = .finished
    }

    /// - Parameter reserve: bytes of the limit to leave free.
    private mutating func append(_ line: [UInt8], leaving reserve: Int) throws(StoreError) {
        precondition(stage != .finished, "a capture has ended")
        if stage != .writing { throw .exists(id) }
        if byteCount + line.count > CaptureLimits.recordByteCount - reserve {
            throw .refused(.tooLarge(limit: CaptureLimits.recordByteCount))
        }
        let path = store.journal(id)
        if isTorn {
            do throws(Errno) { try cut() } catch { throw StoreError(.cut, path, error) }
        }
        do throws(Errno) {
            try file.writeAll(line)
            try file.synchronizeData()
        } catch {
            isTorn = true
            // If this fails too, the next attempt begins with it; readers ignore a torn line.
            try? cut()
            throw StoreError(.write, path, error)
        }
        byteCount += line.count
    }

    private mutating func cut() throws(Errno) {
        try file.truncate(to: byteCount)
        isTorn = false
    }
}
