// SPDX-License-Identifier: Apache-2.0
import Linux

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

    /// Makes the directories where they are missing, below one that must be there. Permissions of `path` itself are
    /// left alone when it exists.
    public init(at path: String) throws(StoreError) {
        self.path = path
        try Self.makeDirectory(path)
        for inner in [journals, captures] {
            try Self.makeDirectory(inner)
            let directory = try Self.open(inner)
            do throws(Errno) { try Directory.makePrivate(directory) } catch {
                throw StoreError(.makeDirectory, inner, error)
            }
        }
        try Self.synchronize(path)
    }

    /// The whole record.
    public func record(_ id: CaptureID) throws(StoreError) -> CaptureRecord { try read(id).record }

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
        let path = capture(id)
        do throws(Errno) { try Directory.remove(path) } catch {
            throw error == .noSuchFile ? .missing(id) : StoreError(.remove, path, error)
        }
        try synchronizeCaptures()
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
