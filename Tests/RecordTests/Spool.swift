// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import Linux
import Record
import TestSupport

/// A store in a directory that goes with the value.
final class Spool {
    let path: String
    let store: CaptureStore

    init() throws {
        var template = Array("/tmp/inkpanel-spool-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Errno.current }
        path = String(cString: made)
        store = try CaptureStore(at: path + "/spool")
    }

    deinit {
        for folder in ["/spool/open", "/spool/captures", "/spool", ""] {
            for name in (try? Directory.names(of: path + folder)) ?? [] { unlink(path + folder + "/" + name) }
            rmdir(path + folder)
        }
    }

    /// Names in `open` or `captures`, sorted.
    func names(_ folder: String) throws -> [String] { try Directory.names(of: path + "/spool/" + folder).sorted() }

    func file(_ folder: String, _ id: String) -> String { path + "/spool/\(folder)/\(id).jsonl" }

    func permissions(_ name: String) -> mode_t {
        var status = stat()
        return stat(path + "/spool" + name, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// Writes a record as a capture does; left as its journal when it has no end.
    func write(_ record: CaptureRecord) throws {
        var writer = try JournalWriter(record.header, in: store)
        for entry in record.entries { try writer.append(entry) }
        if let end = record.end { try writer.finish(end) }
    }
}

extension RandomCapture {
    /// One with an end of the outcome, or none.
    mutating func record(_ outcome: CaptureEnd.Outcome?, startedAt: Int64? = nil) -> CaptureRecord {
        var record = record()
        record.end = outcome.map { end($0) }
        if let startedAt { record.header.startedAt = startedAt }
        return record
    }
}
