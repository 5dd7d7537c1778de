// SPDX-License-Identifier: Apache-2.0
import Glibc
import Linux
public import Record

/// The directory of captures: `captures/ID.jsonl` are those that have ended, accepted or interrupted; `open/ID.jsonl`
/// are journals being written. Only their owner can read the directories and files.
///
/// All calls wait for the medium and work on any thread.
public struct CaptureStore: Sendable {
    private static let suffix = ".jsonl"

    public let path: String

    var journals: String { path + "/open" }
    private var captures: String { path + "/captures" }
    func journal(_ id: CaptureID) -> String { "\(journals)/\(id)\(Self.suffix)" }
    func capture(_ id: CaptureID) -> String { "\(captures)/\(id)\(Self.suffix)" }

    /// A store that has not been checked yet; ``prepare()`` creates its directories or throws.
    public init(path: String) { self.path = path }

    /// A store whose directories exist.
    public init(at path: String) throws(StoreError) {
        self.init(path: path)
        try prepare()
    }

    /// Creates missing directories, below a parent that must exist; they are on the medium when this returns. The
    /// permissions of an existing `path` stay as they are.
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

    public func freeByteCount() throws(StoreError) -> Int {
        do throws(Errno) { return try Directory.freeByteCount(captures) } catch {
            throw StoreError(.read, captures, error)
        }
    }

    // MARK: reading

    /// The number of captures that have ended, including unreadable ones.
    public func count() throws(StoreError) -> Int { try ids(in: captures).count }

    /// Lists the captures that have ended. Reads the first and the last line of each file, whatever its size; an
    /// unreadable file does not hide the others.
    public func list() throws(StoreError) -> CaptureList {
        var list = CaptureList()
        for id in try ids(in: captures) {
            do throws(StoreError) {
                list.captures.append(try summary(id))
            } catch {
                // Deleted since its name was read.
                if error != .missing(id) { list.unreadable.append(error) }
            }
        }
        list.captures.sort { a, b in
            (a.header.sequence ?? 0, a.header.startedAt, a.id.description)
                > (b.header.sequence ?? 0, b.header.startedAt, b.id.description)
        }
        return list
    }

    /// A ``CaptureHeader/sequence`` above that of all captures that have ended; reads a line of each.
    public func nextSequence() throws(StoreError) -> Int64 {
        CaptureHeader.sequence(after: try list().captures.first?.header.sequence ?? 0)
    }

    /// The first and the last line of a capture that has ended, whatever its size.
    public func summary(_ id: CaptureID) throws(StoreError) -> CaptureSummary {
        let path = capture(id)
        let (start, tail, byteCount): ([UInt8], [UInt8], Int)
        do throws(Errno) {
            let file = try InputFile.open(path)
            byteCount = try file.byteCount
            start = try file.read(min(byteCount, CaptureLimits.headerByteCount), from: 0)
            let tailCount = min(byteCount, CaptureLimits.endByteCount)
            tail = try file.read(tailCount, from: byteCount - tailCount)
        } catch {
            throw Self.readError(id, path, error)
        }
        let header: CaptureHeader
        do throws(CaptureFormatError) {
            guard let end = start.firstIndex(of: JSONLines.newline) else {
                throw .notARecord("the first line is incomplete, or too long for a header")
            }
            header = try CaptureDecoder.header(start[..<end])
        } catch {
            throw .unreadable(id, error)
        }
        if header.id != id.description { throw .renamed(id, from: header.id) }
        let end = JSONLines.whole(tail).last.flatMap(CaptureDecoder.end)
        return CaptureSummary(id: id, header: header, end: end, byteCount: byteCount)
    }

    public func record(_ id: CaptureID) throws(StoreError) -> CaptureRecord { try read(id).record }

    /// The record and the bytes of its file.
    public func read(_ id: CaptureID) throws(StoreError) -> (record: CaptureRecord, file: [UInt8]) {
        let path = capture(id)
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: CaptureLimits.recordByteCount)
        } catch {
            throw Self.readError(id, path, error)
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

    /// The size of the record's file in bytes, without reading it.
    public func byteCount(of id: CaptureID) throws(StoreError) -> Int {
        let path = capture(id)
        do throws(Errno) { return try InputFile.open(path).byteCount } catch {
            throw Self.readError(id, path, error)
        }
    }

    private static func readError(_ id: CaptureID, _ path: String, _ error: Errno) -> StoreError {
        error == .noSuchFile ? .missing(id) : StoreError(.read, path, error)
    }

    /// The ids of the files in `folder`, sorted. Ignores files with other names.
    func ids(in folder: String) throws(StoreError) -> [CaptureID] {
        let names: [String]
        do throws(Errno) { names = try Directory.names(of: folder) } catch { throw StoreError(.list, folder, error) }
        return names.compactMap { name in
            name.hasSuffix(Self.suffix) ? CaptureID(String(name.dropLast(Self.suffix.count))) : nil
        }.sorted { $0.description < $1.description }
    }

    // MARK: removing

    /// Removes a capture that has ended, readable or not; its name is gone from the medium when this returns.
    public func delete(_ id: CaptureID) throws(StoreError) {
        guard try Self.remove(capture(id)) else { throw .missing(id) }
        try synchronizeCaptures()
    }

    /// Removes the files of a capture that is not being written, ended or not, if there are any.
    public func wipe(_ id: CaptureID) throws(StoreError) {
        if try Self.remove(journal(id)) { try Self.synchronize(journals) }
        if try Self.remove(capture(id)) { try synchronizeCaptures() }
    }

    /// - Returns: whether `path` existed.
    private static func remove(_ path: String) throws(StoreError) -> Bool {
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

    private static func synchronize(_ directory: String) throws(StoreError) {
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

/// A capture in a list: the first and the last line of its record.
public struct CaptureSummary: Equatable, Sendable {
    public let id: CaptureID
    public let header: CaptureHeader
    /// nil if the capture was interrupted.
    public let end: CaptureEnd?
    public let byteCount: Int
    public var outcome: RecordOutcome { end?.outcome ?? .interrupted }
}

public struct CaptureList: Equatable, Sendable {
    /// Newest first: by ``CaptureHeader/sequence``, then those without one by their start.
    public var captures: [CaptureSummary] = []
    /// The errors of unreadable files, by file name.
    public var unreadable: [StoreError] = []
}
