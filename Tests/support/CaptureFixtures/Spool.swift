// SPDX-License-Identifier: Apache-2.0
public import Glibc
import Linux
public import Record
public import Store
import TestSupport

/// A store in a temporary directory that is removed with the value.
public final class Spool {
    public let path: String
    public let store: CaptureStore
    private let directory: TemporaryDirectory

    public init() throws {
        directory = try TemporaryDirectory()
        path = directory.path
        store = try CaptureStore(at: path + "/spool")
    }

    /// The sorted names in `open` or `captures`.
    public func names(_ folder: String) throws -> [String] {
        try Directory.names(of: path + "/spool/" + folder).sorted()
    }

    public func file(_ folder: String, _ id: String) -> String { path + "/spool/\(folder)/\(id).jsonl" }

    public func permissions(_ name: String) -> mode_t {
        var status = stat()
        return stat(path + "/spool" + name, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// Writes a record as a capture does; without an end it stays a journal.
    public func write(_ record: CaptureRecord) throws {
        var writer = try JournalWriter(record.header, in: store)
        for entry in record.entries { try writer.append(entry) }
        if let end = record.end { try writer.finish(end) }
    }
}
