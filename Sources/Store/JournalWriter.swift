// SPDX-License-Identifier: Apache-2.0
import Evidence
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
/// A writer that is destroyed without ``finish(_:)`` leaves its journal for ``CaptureStore/recover()``: the capture was
/// interrupted.
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

    /// Opens the journal of a new capture, reserves disk space and writes the header. Leaves no file behind on error.
    /// - Parameter reserve: bytes to reserve, whatever else is written to the medium.
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
            if reserve > 0 { try Self.reserve(reserve, for: file, in: store.journals) }
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
        stage = .writing
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
            line = try CaptureEncoder.line(entry, devices: header.devices)
        } catch {
            throw .refused(error)
        }
        try append(line, leaving: CaptureLimits.endByteCount)
    }

    /// Ends an accepted capture: it is sealed, in its place and on the medium when this returns. Destroy the writer
    /// then: it holds the lock of journals.
    /// - Returns: its seal; nil if the store has no chain, or it is not open.
    /// - Throws: ``StoreError``; the capture then goes on, and can be finished or wiped later.
    @discardableResult
    public mutating func finish(_ end: CaptureEnd) throws(StoreError) -> SealHead? {
        precondition(stage != .finished, "a capture ends once")
        guard end.outcome == .accepted else { throw .refused(.unencodable("only an accepted capture is kept")) }
        if stage == .writing { try sealRecord(end) }
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

    /// Appends the end, encrypts the record for its recipients, and seals it.
    private mutating func sealRecord(_ end: CaptureEnd) throws(StoreError) {
        if let chain = store.chain, chain.isRequired, !chain.isOpen { throw .seals(.closed) }
        let line: [UInt8]
        do throws(CaptureFormatError) { line = try CaptureEncoder.line(end) } catch { throw .refused(error) }
        let before = byteCount
        try append(line, leaving: 0)
        // Returns the reserved space that was not needed.
        try? file.truncate(to: byteCount)
        guard store.chain?.isOpen == true || store.encryption != nil else {
            return try place(nil, openByteCount: before)
        }
        do throws(StoreError) {
            // The seal is about the data on the medium, not about what was meant to be there.
            var plain = try contents(of: store.journal(id))
            defer { if store.encryption != nil { LockedMemory.wipe(&plain) } }
            let stored = try encrypt(plain)
            if let chain = store.chain, chain.isOpen {
                let (id, header) = (id, header)
                let head = try chain.append { seal in
                    seal.id = id.description
                    seal.record = SHA256Digest(of: plain).description
                    seal.stored = stored?.description
                    seal.document = header.request.document?.sha256
                    seal.shown = end.shown.map { [$0.page, $0.signed] }
                    (seal.startedAt, seal.sequence, seal.askedBy) = (header.startedAt, header.sequence, header.askedBy)
                }
                stage = .sealed(head, openByteCount: before)
            }
            if let encryption = store.encryption {
                let until = MonotonicClock.now + encryption.readableFor
                // Without locked memory only the recipients can read it.
                if encryption.readableFor > .zero { try? encryption.readable.keep(plain, of: id, until: until) }
            }
        } catch {
            reopen(byteCount: before)
            throw error
        }
        if stage == .writing { try place(nil, openByteCount: before) }
    }

    private func contents(of path: String) throws(StoreError) -> [UInt8] {
        do throws(Errno) {
            guard let bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount) else {
                throw Errno.fileTooLarge
            }
            return bytes
        } catch {
            throw StoreError(.read, path, error)
        }
    }

    /// Writes the encrypted record beside the journals on the medium.
    /// - Returns: its digest; nil if records are stored readable.
    private func encrypt(_ plain: [UInt8]) throws(StoreError) -> SHA256Digest? {
        guard let encryption = store.encryption else { return nil }
        let file: [UInt8]
        do throws(EvidenceError) { file = try Age.encrypt(plain, to: encryption.recipients) } catch {
            throw .encryption(error)
        }
        let path = store.unplacedEncrypted(id)
        do throws(Errno) { try AtomicFile.writeSynchronized(file, to: path) } catch {
            throw StoreError(.write, path, error)
        }
        return SHA256Digest(of: file)
    }

    private var openPath: String { store.encryption == nil ? store.journal(id) : store.unplacedEncrypted(id) }
    private var placedPath: String { store.encryption == nil ? store.capture(id) : store.encryptedCapture(id) }

    private mutating func place(_ head: SealHead?, openByteCount: Int) throws(StoreError) {
        do throws(Errno) {
            do throws(Errno) { try Directory.rename(openPath, to: placedPath) } catch {
                // Somebody has removed the directory of captures.
                guard error == .noSuchFile, (try? store.prepare()) != nil else { throw error }
                try Directory.rename(openPath, to: placedPath)
            }
        } catch {
            if head.map({ store.chain?.withdraw($0) == true }) ?? true { reopen(byteCount: openByteCount) }
            throw StoreError(.rename, openPath, error)
        }
        stage = .placed(head, openByteCount: openByteCount)
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
        try? cut()
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
