// SPDX-License-Identifier: Apache-2.0
public import Evidence
import Glibc
public import HostAPI
import Linux
public import Record

/// The directory of captures: `captures/ID.jsonl` are those that have ended, accepted or interrupted; `open/ID.jsonl`
/// are journals being written; `captures/ID.pdf` are signed documents; `seals/` has the chain of seals. Only their
/// owner can read the directories and files. ``Outbox`` is for another program.
///
/// A store with recipients keeps captures as `captures/ID.jsonl.age`, and writes journals in memory.
///
/// All calls wait for the medium and work on any thread.
public struct CaptureStore: Sendable {
    /// How records are encrypted.
    public struct Encryption: Sendable {
        /// Each of them can read all records. Not empty.
        public var recipients: [AgeRecipient]
        /// The directory of journals. It must lie in memory (tmpfs), so that nothing readable reaches the medium.
        public var journals: String
        /// The time for which an accepted record stays readable in memory.
        public var readableFor: Duration
        public let readable = ReadableRecords()

        public init(recipients: [AgeRecipient], journals: String, readableFor: Duration) {
            self.recipients = recipients
            self.journals = journals
            self.readableFor = readableFor
        }
    }

    static let suffix = ".jsonl"
    static let encryptedSuffix = ".jsonl.age"

    public let path: String
    /// Seals accepted captures; nil for a store without seals.
    public let chain: SealChain?
    /// nil if records are stored readable.
    public let encryption: Encryption?
    /// nil if records only stay here.
    public let delivery: Delivery?
    /// Damaged records, as ``list()`` has found them; one for all copies of this value.
    public let damage = RecordDamage()

    var journals: String { encryption?.journals ?? unplaced }
    /// Readable journals, and encrypted captures that are not sealed yet.
    var unplaced: String { path + "/open" }
    var captures: String { path + "/captures" }
    var seals: SealFolder { SealFolder(store: path) }
    var outbox: Outbox { Outbox(store: path) }
    func journal(_ id: CaptureID) -> String { "\(journals)/\(id)\(Self.suffix)" }
    func capture(_ id: CaptureID) -> String { "\(captures)/\(id)\(Self.suffix)" }
    func unplacedEncrypted(_ id: CaptureID) -> String { "\(unplaced)/\(id)\(Self.encryptedSuffix)" }
    func encryptedCapture(_ id: CaptureID) -> String { "\(captures)/\(id)\(Self.encryptedSuffix)" }

    /// A store that has not been checked yet; ``prepare()`` creates its directories or throws.
    /// - Parameter delivery: only what is sealed is delivered.
    public init(
        path: String, chain: SealChain? = nil, encryption: Encryption? = nil, delivery: Delivery? = nil
    ) {
        self.path = path
        self.chain = chain
        self.encryption = encryption
        self.delivery = delivery
    }

    /// A store whose directories exist.
    public init(at path: String) throws(StoreError) {
        self.init(path: path)
        try prepare()
    }

    /// Creates missing directories, below a parent that must exist; they are on the medium when this returns. The
    /// permissions of an existing `path` stay as they are.
    public func prepare() throws(StoreError) {
        try checkRestored()
        try Self.makeDirectory(path)
        for inner in Set([unplaced, captures, journals]) {
            try Self.makeDirectory(inner)
            let directory = try Self.open(inner)
            do throws(Errno) { try Directory.makePrivate(directory) } catch {
                throw StoreError(.makeDirectory, inner, error)
            }
        }
        try Self.synchronize(path)
        // Also if it existed: an earlier process may have been killed in between.
        do throws(Errno) { try Directory.synchronizeParent(of: path) } catch {
            throw StoreError(.synchronize, path, error)
        }
    }

    /// Checks whether a capture can be recorded now, as far as that shows without writing one. Creates missing
    /// directories.
    /// - Parameter byteCount: bytes that must be free.
    /// - Throws: the reason why not.
    public func checkReady(for byteCount: Int = CaptureLimits.reservedByteCount) throws(StoreError) {
        try checkRestored()
        do throws(StoreError) { try checkWritable() } catch {
            guard case .failed(_, _, .noSuchFile) = error else { throw error }
            try prepare()
            try checkWritable()
        }
        // Also for a full disk, which deletions free, and they need the chain.
        var sealFault: StoreError?
        do throws(StoreError) { try chain?.open() } catch { sealFault = error }
        if try freeByteCount() < byteCount { throw .diskFull(path: path) }
        // Otherwise captures go on without a seal, and the status says so.
        if let sealFault, chain?.isRequired == true { throw sealFault }
    }

    /// deploy/backup makes the file before it changes the store. Whatever was recorded meanwhile, another call of the
    /// restore would have to refuse.
    private func checkRestored() throws(StoreError) {
        // Whether the directory can be used, the caller finds out.
        if (try? Directory.contains(path + "/.restoring")) == true { throw .restoring(path: path) }
    }

    private func checkWritable() throws(StoreError) {
        for folder in Set([unplaced, captures, journals]) {
            do throws(Errno) { try Directory.checkWritable(folder) } catch { throw StoreError(.write, folder, error) }
        }
        guard let encryption else { return }
        do throws(Errno) {
            if try Directory.isInMemory(encryption.journals) { return }
        } catch {
            throw StoreError(.read, encryption.journals, error)
        }
        throw .onMedium(path: encryption.journals)
    }

    public func freeByteCount() throws(StoreError) -> Int {
        do throws(Errno) { return try Directory.freeByteCount(captures) } catch {
            throw StoreError(.read, captures, error)
        }
    }

    // MARK: reading

    /// The number of captures that have ended, including unreadable ones.
    public func count() throws(StoreError) -> Int { try ended().count }

    /// Lists the captures that have ended. Reads the first and the last line of each file, whatever its size, and its
    /// seal. An unreadable file does not hide the others, nor a damaged seal its record, which is listed without it. An
    /// encrypted file without a seal is unreadable: whether it is a record, nobody here can say.
    public func list() throws(StoreError) -> CaptureList {
        var list = CaptureList()
        let index = SealIndex(try seals.names())
        list.gaps = index.gaps
        var damaged: [CaptureID: StoreError] = [:]
        for id in try ended() {
            do throws(StoreError) {
                var faults: [StoreError] = []
                let seal = try seal(of: id, index, &faults)
                for fault in faults {
                    // That of the last seal is the chain's, which says so itself.
                    let isTold = chain?.faults.contains(fault.description) == true
                    if isTold { list.unreadable.append(fault) } else { damaged[id] = fault }
                }
                let summary = try summary(id, seal)
                if index.isSealed(id), let reason = try damage(of: summary, seal?.seal) {
                    damaged[id] = .damaged(id, reason: reason)
                }
                if summary.header != nil || index.records[id] != nil {
                    list.captures.append(summary)
                } else {
                    list.unsealed.append(summary)
                    list.unreadable.append(.unsealed(id))
                }
            } catch {
                // Deleted since its name was read.
                if error == .missing(id) { continue }
                if case .unreadable(_, let format) = error, index.isSealed(id) {
                    damaged[id] = .damaged(id, reason: try damage(ofUnreadable: id, format))
                } else {
                    list.unreadable.append(error)
                }
            }
        }
        damage.set(ends: damaged)
        list.unreadable += damage.faults
        list.captures.sort(by: CaptureSummary.isNewer)
        return list
    }

    /// A ``CaptureHeader/sequence`` above that of all captures that have ended; reads a line of each.
    public func nextSequence() throws(StoreError) -> Int64 {
        CaptureHeader.sequence(after: try list().captures.first?.sequence ?? 0)
    }

    /// The first and the last line of a capture that has ended, whatever its size, or what its seal says.
    /// - Throws: ``StoreError/unsealed(_:)`` for an encrypted file without a seal.
    public func summary(_ id: CaptureID) throws(StoreError) -> CaptureSummary {
        let index = SealIndex(try seals.names())
        var faults: [StoreError] = []
        let seal = try seal(of: id, index, &faults)
        let summary = try summary(id, seal)
        if summary.header == nil, index.records[id] == nil { throw .unsealed(id) }
        return summary
    }

    /// - Parameter faults: receives the one of a damaged seal, for which this returns nil.
    func seal(
        of id: CaptureID, _ index: SealIndex, _ faults: inout [StoreError]
    ) throws(StoreError) -> SealFile? {
        guard let name = index.records[id] else { return nil }
        do throws(StoreError) { return try seals.read(name) } catch {
            guard case .seals(.damaged) = error else { throw error }
            faults.append(error)
            return nil
        }
    }

    /// - Parameter seal: nil also for a damaged one.
    private func summary(_ id: CaptureID, _ seal: SealFile?) throws(StoreError) -> CaptureSummary {
        do throws(StoreError) { return try readableSummary(id, seal) } catch {
            guard error == .missing(id) else { throw error }
        }
        let path = encryptedCapture(id)
        do throws(Errno) {
            let file = try InputFile.open(path)
            let (byteCount, written) = (try file.byteCount, try file.modifiedAt)
            return CaptureSummary(
                id: id, sequence: seal?.seal.sequence, startedAt: seal?.seal.startedAt ?? written,
                clockSynchronized: seal?.seal.clock.synchronized, asker: seal?.seal.askedBy ?? .operator, header: nil,
                // Only an accepted capture has a seal.
                outcome: .accepted, endedAt: seal?.seal.at, byteCount: byteCount, seal: seal?.head)
        } catch {
            throw Self.readError(id, path, error)
        }
    }

    private func readableSummary(_ id: CaptureID, _ seal: SealFile?) throws(StoreError) -> CaptureSummary {
        let path = capture(id)
        let (header, tail, byteCount): (Result<CaptureHeader, CaptureFormatError>, [UInt8], Int)
        do throws(Errno) {
            let file = try InputFile.open(path)
            byteCount = try file.byteCount
            var start = try file.read(min(byteCount, CaptureLimits.headerByteCount), from: 0)
            if !start.contains(JSONLines.newline), byteCount > start.count {
                // A header with a flow may be longer.
                start = try file.read(min(byteCount, CaptureLimits.flowHeaderByteCount), from: 0)
            }
            header = Self.header(start)
            let version = (try? header.get().version) ?? CaptureHeader.version
            let tailCount = min(byteCount, CaptureLimits.endByteCount(version: version))
            tail = try file.read(tailCount, from: byteCount - tailCount)
        } catch {
            throw Self.readError(id, path, error)
        }
        switch header {
        case .failure(let error): throw .unreadable(id, error)
        case .success(let header):
            if header.id != id.description { throw .renamed(id, from: header.id) }
            let end = JSONLines.whole(tail).last.flatMap { CaptureDecoder.end($0, of: header) }
            return CaptureSummary(id: id, header: header, end: end, byteCount: byteCount, seal: seal?.head)
        }
    }

    private static func header(_ start: [UInt8]) -> Result<CaptureHeader, CaptureFormatError> {
        guard let end = start.firstIndex(of: JSONLines.newline) else {
            return .failure(.notARecord("the first line is incomplete, or too long for a header"))
        }
        do throws(CaptureFormatError) { return .success(try CaptureDecoder.header(start[..<end])) } catch {
            return .failure(error)
        }
    }

    public func record(_ id: CaptureID) throws(StoreError) -> CaptureRecord { try read(id).record }

    /// The record and its JSON lines.
    /// - Throws: ``StoreError/encrypted(_:)`` if only recipients can read it by now.
    public func read(_ id: CaptureID) throws(StoreError) -> (record: CaptureRecord, file: [UInt8]) {
        let path = capture(id)
        let bytes: [UInt8]?
        if let readable = encryption?.readable.bytes(of: id) {
            bytes = readable
        } else {
            do throws(Errno) {
                bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount)
            } catch {
                throw isEncrypted(id, error) ? .encrypted(id) : Self.readError(id, path, error)
            }
        }
        guard let bytes else { throw .unreadable(id, .tooLarge(limit: CaptureLimits.recordByteCount)) }
        let record: CaptureRecord
        do throws(CaptureFormatError) {
            record = try CaptureDecoder.decode(bytes)
        } catch {
            throw .unreadable(id, error)
        }
        if record.header.id != id.description { throw .renamed(id, from: record.header.id) }
        return (record, bytes)
    }

    private func isEncrypted(_ id: CaptureID, _ error: Errno) -> Bool {
        error == .noSuchFile && (try? Directory.contains(encryptedCapture(id))) == true
    }

    /// The size of the record in bytes, without reading it.
    public func byteCount(of id: CaptureID) throws(StoreError) -> Int {
        if let readable = encryption?.readable.byteCount(of: id) { return readable }
        let path = capture(id)
        do throws(Errno) { return try InputFile.open(path).byteCount } catch {
            throw isEncrypted(id, error) ? .encrypted(id) : Self.readError(id, path, error)
        }
    }

    /// The record as its recipients open it with age; nil if it is stored readable.
    public func encryptedFile(of id: CaptureID) throws(StoreError) -> [UInt8]? {
        let path = encryptedCapture(id)
        do throws(Errno) {
            return try InputFile.read(path, maximumByteCount: CaptureLimits.encryptedByteCount)
        } catch {
            if error == .noSuchFile, (try? Directory.contains(capture(id))) == true { return nil }
            throw Self.readError(id, path, error)
        }
    }

    /// The seal of a capture; nil if it has none.
    public func seal(of id: CaptureID) throws(StoreError) -> SealFile? {
        try SealIndex(try seals.names()).records[id].map { name throws(StoreError) in try seals.read(name) }
    }

    private static func readError(_ id: CaptureID, _ path: String, _ error: Errno) -> StoreError {
        error == .noSuchFile ? .missing(id) : StoreError(.read, path, error)
    }

    /// The ids of the captures that have ended, sorted.
    private func ended() throws(StoreError) -> [CaptureID] {
        try ids(in: captures, Self.suffix) + ids(in: captures, Self.encryptedSuffix)
    }

    /// The ids of the files in `folder` with names that end in `suffix`, sorted. Ignores files with other names.
    func ids(in folder: String, _ suffix: String) throws(StoreError) -> [CaptureID] {
        let names: [String]
        do throws(Errno) { names = try Directory.names(of: folder) } catch { throw StoreError(.list, folder, error) }
        return names.compactMap { name in
            name.hasSuffix(suffix) ? CaptureID(String(name.dropLast(suffix.count))) : nil
        }.sorted { $0.description < $1.description }
    }

    // MARK: removing

    /// Removes a capture that has ended, readable or not; its name is gone from the medium when this returns. Its seal
    /// stays, and another one says that it was deleted. What waits in the outbox is removed, too, unless only retention
    /// wants it: then it is still delivered.
    /// - Throws: ``StoreError``, also if that seal cannot be made: a sealed capture stays then, because without the
    ///   seal it would count as removed by a forger; ``StoreError/undelivered(_:)`` if delivery is required.
    public func delete(_ id: CaptureID, reason: Seal.Deletion = .host) throws(StoreError) {
        if delivery?.isRequired == true, try undelivered(SealIndex(try seals.names())).contains(id) {
            throw .undelivered(id)
        }
        try seal(deletionOf: id, reason)
        guard try removeFiles(of: id) else { throw .missing(id) }
        // Last: as long as the file had its own name, it could have been linked.
        if !reason.isByRetention { try outbox.remove(id) }
    }

    /// Removes the files of a capture that is not being written, ended or not, if there are any.
    /// - Throws: as ``delete(_:reason:)``.
    public func wipe(_ id: CaptureID) throws(StoreError) {
        try seal(deletionOf: id, .withdrawn)
        for path in [journal(id), unplacedEncrypted(id)] where try Self.remove(path) {
            try Self.synchronize(path == journal(id) ? journals : unplaced)
        }
        _ = try removeFiles(of: id)
        try outbox.remove(id)
    }

    /// Adds a seal that says that a sealed capture is deleted. Written before its file is removed, so that
    /// ``recover()`` can finish what a power cut interrupted.
    private func seal(deletionOf id: CaptureID, _ reason: Seal.Deletion) throws(StoreError) {
        guard let chain else { return }
        let index = SealIndex(try seals.names())
        guard index.records[id] != nil, !index.deleted.contains(id) else { return }
        try chain.open()
        _ = try chain.append { seal in (seal.deleted, seal.reason) = (id.description, reason) }
    }

    /// - Returns: whether there was one.
    func removeFiles(of id: CaptureID) throws(StoreError) -> Bool {
        damage.remove(id)
        encryption?.readable.remove(id)
        let isRemoved = try Self.remove(capture(id))
        let isRemovedToo = try Self.remove(encryptedCapture(id))
        if isRemoved || isRemovedToo { try synchronizeCaptures() }
        // After its record: alone it is a remainder that recovery removes.
        try removeDocuments(of: id)
        return isRemoved || isRemovedToo
    }

    /// - Returns: whether `path` existed.
    static func remove(_ path: String) throws(StoreError) -> Bool {
        do throws(Errno) {
            do throws(Errno) { try Directory.remove(path) } catch {
                // Somebody created a directory of that name.
                guard error == .isDirectory else { throw error }
                try Directory.removeEmpty(path)
            }
            return true
        } catch {
            if error == .notEmpty { throw .fullDirectory(path: path) }
            // A read-only file system reports that before it looks for the name.
            if error == .noSuchFile || error == .notADirectory || (try? Directory.contains(path)) == false {
                return false
            }
            throw StoreError(.remove, path, error)
        }
    }

    // MARK: directories and locks

    func synchronizeCaptures() throws(StoreError) { try Self.synchronize(captures) }

    static func open(_ directory: String) throws(StoreError) -> FileDescriptor {
        do throws(Errno) { return try Directory.open(directory) } catch { throw StoreError(.open, directory, error) }
    }

    static func lock(_ directory: String, _ lock: LockedFile.Lock, waits: Bool) throws(StoreError) -> LockedFile {
        let opened = try open(directory)
        do throws(Errno) { return try LockedFile(opened, lock, waits: waits) } catch {
            throw error == .wouldBlock ? .inUse(path: directory) : StoreError(.lock, directory, error)
        }
    }

    /// Takes the lock of a process that writes a journal; creates directories that somebody has removed.
    func lockJournals() throws(StoreError) -> LockedFile {
        // Waits for milliseconds while another process recovers interrupted captures.
        do throws(StoreError) { return try Self.lock(journals, .shared, waits: true) } catch {
            guard case .failed(_, _, .noSuchFile) = error else { throw error }
        }
        try prepare()
        return try Self.lock(journals, .shared, waits: true)
    }

    static func synchronize(_ directory: String) throws(StoreError) {
        try synchronize(open(directory), directory)
    }

    /// - Parameter path: for the error.
    static func synchronize(_ opened: borrowing FileDescriptor, _ path: String) throws(StoreError) {
        do throws(Errno) { try Directory.synchronize(opened) } catch {
            throw StoreError(.synchronize, path, error)
        }
    }

    /// - Returns: whether it was created.
    @discardableResult
    static func makeDirectory(_ path: String) throws(StoreError) -> Bool {
        // Private: a record holds biometric data.
        do throws(PrivateFileError) { return try PrivateFile.makeDirectory(path) } catch {
            throw StoreError(error, .makeDirectory)
        }
    }
}
