// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
public import Record

/// Writes the record of one capture while it happens. When a call has returned, its data survives the end of the
/// process, and a power cut if the medium keeps what it acknowledges. Calls wait for the medium, so they do not belong
/// on the thread that reads reports.
///
/// A writer that is destroyed without ``finish(_:)`` leaves its journal for ``CaptureStore/recover()``: the capture was
/// interrupted.
public struct JournalWriter: ~Copyable {
    private enum Stage: Equatable {
        case writing
        /// Accepted and moved to its place, but synchronizing failed, and so did moving it back.
        case placed(openByteCount: Int)
        case finished
    }

    public let id: CaptureID
    private let devices: [CaptureDevice]
    private let store: CaptureStore
    private let file: FileDescriptor
    /// The directory of journals; its lock marks that one of them is being written.
    private let directory: LockedFile
    private var stage = Stage.writing
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
            if try Directory.contains(store.capture(id)) { throw .alreadyExists }
            if reserve > 0 { try Self.reserve(reserve, for: file, in: store.journals) }
            try file.writeAll(line)
            try file.synchronize()
            try Directory.synchronize(directory.file)
        } catch {
            try? Directory.remove(path)
            throw error == .alreadyExists ? .exists(id) : StoreError(.write, path, error)
        }
        self.id = id
        devices = header.devices
        self.store = store
        self.file = file
        self.directory = directory
        byteCount = line.count
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
            line = try CaptureEncoder.line(entry, devices: devices)
        } catch {
            throw .refused(error)
        }
        try append(line, leaving: CaptureLimits.endByteCount)
    }

    /// Ends an accepted capture: it is in its place and on the medium when this returns. Destroy the writer then: it
    /// holds the lock of journals.
    /// - Throws: ``StoreError``; the capture then goes on, and can be finished or wiped later.
    public mutating func finish(_ end: CaptureEnd) throws(StoreError) {
        precondition(stage != .finished, "a capture ends once")
        guard end.outcome == .accepted else { throw .refused(.unencodable("only an accepted capture is kept")) }
        if stage == .writing {
            let line: [UInt8]
            do throws(CaptureFormatError) { line = try CaptureEncoder.line(end) } catch { throw .refused(error) }
            let before = byteCount
            try append(line, leaving: 0)
            // Returns the reserved space that was not needed.
            try? file.truncate(to: byteCount)
            do throws(Errno) { try place() } catch {
                reopen(byteCount: before)
                throw StoreError(.rename, store.journal(id), error)
            }
            stage = .placed(openByteCount: before)
        }
        do throws(StoreError) { try store.synchronizeCaptures() } catch {
            withdraw()
            throw error
        }
        // The capture is safe; this only removes its old name.
        try? Directory.synchronize(directory.file)
        stage = .finished
    }

    private func place() throws(Errno) {
        do throws(Errno) { try Directory.rename(store.journal(id), to: store.capture(id)) } catch {
            // Somebody has removed the directory of captures.
            guard error == .noSuchFile, (try? store.prepare()) != nil else { throw error }
            try Directory.rename(store.journal(id), to: store.capture(id))
        }
    }

    /// A host that hears that a capture failed must not find it accepted later.
    private mutating func withdraw() {
        guard case .placed(let openByteCount) = stage,
            (try? Directory.rename(store.capture(id), to: store.journal(id))) != nil
        else { return }
        reopen(byteCount: openByteCount)
    }

    /// Goes back to before the end.
    private mutating func reopen(byteCount: Int) {
        stage = .writing
        self.byteCount = byteCount
        isTorn = true
        try? cut()
    }

    /// Removes a capture that was not accepted. Destroy the writer then: it holds the lock of journals.
    /// - Throws: ``StoreError``; the capture then goes on, and can be finished or wiped later.
    public mutating func wipe() throws(StoreError) {
        precondition(stage != .finished, "a capture ends once")
        let path = stage == .writing ? store.journal(id) : store.capture(id)
        do throws(Errno) {
            try Directory.remove(path)
        } catch {
            // An earlier attempt may have removed it and failed afterwards.
            if error != .noSuchFile { throw StoreError(.remove, path, error) }
        }
        if stage == .writing {
            try CaptureStore.synchronize(directory.file, store.journals)
        } else {
            try store.synchronizeCaptures()
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
