// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
public import Record

/// Writes one capture while it happens. What a call has returned from survives the end of the process, and a power cut
/// where the medium keeps what it acknowledges. Each call may wait for the medium: not for the thread that reads
/// reports.
///
/// A writer that goes without ``finish(_:)`` leaves its journal where ``CaptureStore/recover()`` finds it: the capture
/// was interrupted.
public struct JournalWriter: ~Copyable {
    private enum Stage: Equatable {
        case writing
        /// Accepted and in its place, but that is not known to be on the medium, and moving it back failed as well.
        case placed(openByteCount: Int)
        case finished
    }

    public let id: CaptureID
    private let devices: [CaptureDevice]
    private let store: CaptureStore
    private let file: FileDescriptor
    /// Of journals: its lock says that one of them is being written.
    private let directory: LockedFile
    private var stage = Stage.writing
    /// Whole lines that are known to be on the medium.
    private var byteCount: Int
    /// Whether the file may have more than those, because a write or a synchronization failed.
    private var isTorn = false

    /// Opens the journal of a new capture, takes room for the rest of it and writes its header.
    /// - Parameter reserve: bytes for which there is room from now on, whatever else is written to the medium.
    /// - Throws: ``StoreError/exists(_:)`` when the store has a capture of that id; ``StoreError/diskFull(path:)`` when
    ///   there is not that much room; ``StoreError/refused(_:)`` for a header that no record may have. Then nothing is
    ///   left behind.
    public init(
        _ header: CaptureHeader, in store: CaptureStore, reserving reserve: Int = CaptureLimits.reservedByteCount
    ) throws(StoreError) {
        let line: [UInt8]
        do throws(CaptureFormatError) { line = try CaptureEncoder.line(header) } catch { throw .refused(error) }
        guard let id = CaptureID(header.id) else { throw .refused(.unencodable("the id is none")) }
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
            // Only now, because now no other writer can put one there.
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
            // NFS and FAT cannot, among others. Then the room may be somebody else's later, but is there now.
            guard error == .notSupported || error == .notImplemented else { throw error }
            if try Directory.freeByteCount(folder) < byteCount { throw .noSpace }
        }
    }

    /// Adds a stroke that has ended, or an action; it is on the medium when this returns.
    /// - Throws: ``StoreError``; then the journal is what it was before, and the same entry can be tried again.
    public mutating func append(_ entry: CaptureEntry) throws(StoreError) {
        let line: [UInt8]
        do throws(CaptureFormatError) {
            line = try CaptureEncoder.line(entry, devices: devices)
        } catch {
            throw .refused(error)
        }
        try append(line, leaving: CaptureLimits.endByteCount)
    }

    /// Ends the capture. An accepted one is kept: complete, in its place and on the medium when this returns. Of one
    /// that was cancelled or ran out of time nothing is kept. Nothing can be added after that; let go of the writer
    /// then, because it holds the lock of journals.
    /// - Throws: ``StoreError``; then the capture goes on, and this can be tried again, with another outcome too.
    public mutating func finish(_ end: CaptureEnd) throws(StoreError) {
        switch end.outcome {
        case .accepted: try keep(end)
        case .cancelled, .timedOut: try wipe()
        }
        stage = .finished
    }

    private mutating func keep(_ end: CaptureEnd) throws(StoreError) {
        precondition(stage != .finished, "a capture ends once")
        if stage == .writing {
            let line: [UInt8]
            do throws(CaptureFormatError) { line = try CaptureEncoder.line(end) } catch { throw .refused(error) }
            let before = byteCount
            try append(line, leaving: 0)
            // Gives back the room that was not needed.
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
        // The capture is safe where it is; what could fail is only that the other name is gone.
        try? Directory.synchronize(directory.file)
    }

    private func place() throws(Errno) {
        do throws(Errno) { try Directory.rename(store.journal(id), to: store.capture(id)) } catch {
            // Somebody has removed the directory that it goes to.
            guard error == .noSuchFile, (try? store.prepare()) != nil else { throw error }
            try Directory.rename(store.journal(id), to: store.capture(id))
        }
    }

    /// Who is told that a capture was not accepted must not find it accepted later.
    private mutating func withdraw() {
        guard case .placed(let openByteCount) = stage,
            (try? Directory.rename(store.capture(id), to: store.journal(id))) != nil
        else { return }
        reopen(byteCount: openByteCount)
    }

    /// Back to before the end.
    private mutating func reopen(byteCount: Int) {
        stage = .writing
        self.byteCount = byteCount
        isTorn = true
        try? cut()
    }

    private mutating func wipe() throws(StoreError) {
        precondition(stage != .finished, "a capture ends once")
        let path = stage == .writing ? store.journal(id) : store.capture(id)
        do throws(Errno) {
            try Directory.remove(path)
        } catch {
            // Gone in an earlier attempt that failed after this.
            if error != .noSuchFile { throw StoreError(.remove, path, error) }
        }
        if stage != .writing { return try store.synchronizeCaptures() }
        try CaptureStore.synchronize(directory.file, store.journals)
    }

    /// - Parameter reserve: bytes of the limit that must be left.
    private mutating func append(_ line: [UInt8], leaving reserve: Int) throws(StoreError) {
        precondition(stage != .finished, "nothing follows the end of a capture")
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
            // When this fails too, the next attempt begins with it, and readers leave a torn line out.
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
