// SPDX-License-Identifier: Apache-2.0
import Linux
public import Record

/// The spool directory of captures: `captures/ID.jsonl` are those that have ended, accepted or interrupted;
/// `open/ID.jsonl` are journals being written. Both directories are readable by their owner alone, as are the files.
///
/// All calls wait for the medium; any thread.
public struct CaptureStore: Sendable {
    static let suffix = ".jsonl"

    public let path: String

    var journals: String { path + "/open" }
    var captures: String { path + "/captures" }
    func journal(_ id: CaptureID) -> String { "\(journals)/\(id)\(Self.suffix)" }
    func capture(_ id: CaptureID) -> String { "\(captures)/\(id)\(Self.suffix)" }

    /// A store that is not looked at yet: ``prepare()`` makes it, or says why it cannot be.
    public init(path: String) { self.path = path }

    /// The same, made.
    public init(at path: String) throws(StoreError) {
        self.init(path: path)
        try prepare()
    }

    /// Makes the directories where they are missing, below one that must be there; they are on the medium when this
    /// returns. Permissions of `path` itself are left alone when it exists.
    public func prepare() throws(StoreError) {
        try Self.makeDirectory(path)
        for inner in [journals, captures] {
            try Self.makeDirectory(inner)
            let directory = try Self.open(inner)
            do throws(Errno) { try Directory.makePrivate(directory) } catch {
                throw StoreError(.makeDirectory, inner, error)
            }
        }
        try Self.synchronize(path)
        // Also when it was there: an earlier process may have been killed in between.
        do throws(Errno) { try Directory.synchronizeParent(of: path) } catch {
            throw StoreError(.synchronize, path, error)
        }
    }

    /// Whether a capture can be recorded now, as far as that can be told without writing one. Directories that are
    /// missing are made.
    /// - Parameter byteCount: bytes that must be free.
    /// - Throws: why not.
    public func checkReady(for byteCount: Int = CaptureLimits.reservedByteCount) throws(StoreError) {
        do throws(StoreError) { try checkWritable() } catch {
            guard case .failed(_, _, .noSuchFile) = error else { throw error }
            try prepare()
            try checkWritable()
        }
        if try freeByteCount() < byteCount { throw .diskFull(path: path) }
    }

    private func checkWritable() throws(StoreError) {
        for folder in [journals, captures] {
            do throws(Errno) { try Directory.checkWritable(folder) } catch { throw StoreError(.write, folder, error) }
        }
    }

    /// The whole record.
    public func record(_ id: CaptureID) throws(StoreError) -> CaptureRecord { try read(id).record }

    /// How many bytes the record's file has; it is not looked at.
    public func byteCount(of id: CaptureID) throws(StoreError) -> Int {
        let path = capture(id)
        do throws(Errno) { return try InputFile.open(path).byteCount } catch {
            throw error == .noSuchFile ? .missing(id) : StoreError(.read, path, error)
        }
    }

    /// The whole record, and the bytes of its file.
    public func read(_ id: CaptureID) throws(StoreError) -> (record: CaptureRecord, file: [UInt8]) {
        let path = capture(id)
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount)
        } catch {
            throw error == .noSuchFile ? .missing(id) : StoreError(.read, path, error)
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

    /// How many captures have ended, those that cannot be read included.
    public func count() throws(StoreError) -> Int { try ids(in: captures).count }

    /// What is left for more of them, in bytes.
    public func freeByteCount() throws(StoreError) -> Int {
        do throws(Errno) { return try Directory.freeByteCount(captures) } catch {
            throw StoreError(.read, captures, error)
        }
    }

    /// Removes a capture that has ended, whether it can be read or not; its name is gone from the medium when this
    /// returns.
    public func delete(_ id: CaptureID) throws(StoreError) {
        guard try Self.remove(capture(id)) else { throw .missing(id) }
        try synchronizeCaptures()
    }

    /// Removes whatever there is of a capture that nobody writes, ended or not; nothing where there is nothing.
    public func wipe(_ id: CaptureID) throws(StoreError) {
        if try Self.remove(journal(id)) { try Self.synchronize(journals) }
        if try Self.remove(capture(id)) { try synchronizeCaptures() }
    }

    /// - Returns: whether there was something.
    private static func remove(_ path: String) throws(StoreError) -> Bool {
        do throws(Errno) {
            do throws(Errno) { try Directory.remove(path) } catch {
                // Somebody made a directory of that name.
                guard error == .isDirectory else { throw error }
                try Directory.removeEmpty(path)
            }
            return true
        } catch {
            if error == .notEmpty { throw .fullDirectory(path: path) }
            // Nothing is below what is no directory, and a read-only file system says so before it looks for the name.
            if error == .noSuchFile || error == .notADirectory || (try? Directory.contains(path)) == false {
                return false
            }
            throw StoreError(.remove, path, error)
        }
    }

    func synchronizeCaptures() throws(StoreError) { try Self.synchronize(captures) }

    /// Those with a file in `folder`; files of other names are not ours.
    func ids(in folder: String) throws(StoreError) -> [CaptureID] {
        let names: [String]
        do throws(Errno) { names = try Directory.names(of: folder) } catch { throw StoreError(.list, folder, error) }
        return names.compactMap { name in
            name.hasSuffix(Self.suffix) ? CaptureID(String(name.dropLast(Self.suffix.count))) : nil
        }
    }

    static func open(_ directory: String) throws(StoreError) -> FileDescriptor {
        do throws(Errno) { return try Directory.open(directory) } catch { throw StoreError(.open, directory, error) }
    }

    static func lock(_ directory: String, _ lock: LockedFile.Lock, waits: Bool) throws(StoreError) -> LockedFile {
        let opened = try open(directory)
        do throws(Errno) { return try LockedFile(opened, lock, waits: waits) } catch {
            throw error == .wouldBlock ? .inUse(path: directory) : StoreError(.lock, directory, error)
        }
    }

    /// The lock of who writes a journal; the directories are made where somebody has removed them.
    func lockJournals() throws(StoreError) -> LockedFile {
        // Waits while another process recovers what was interrupted: for milliseconds.
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

    private static func makeDirectory(_ path: String) throws(StoreError) {
        // 0700: a record holds biometric data.
        do throws(Errno) { try Directory.make(path, permissions: 0o700) } catch {
            throw StoreError(.makeDirectory, path, error)
        }
    }
}
