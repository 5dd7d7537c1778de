// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import Linux
import Record
import TestSupport

/// Captures into a directory on a small file system until it is full, and what is there then.
struct FullDisk {
    private let store: CaptureStore
    private let directory: String
    /// More than any file system that this is for, so that a wrong one is not filled.
    private static let maximumByteCount = 4 << 20

    init(in directory: String) throws {
        store = try CaptureStore(at: directory)
        self.directory = directory
    }

    func run() throws -> String {
        var kept: [CaptureRecord] = []
        var source = RandomCapture(seed: 1)
        var byteCount = 0
        var refusedEntries = 0, refusedHeaders = 0, refusedEnds = 0
        // A few that fail, so that each of the calls does.
        while refusedEntries < 20 || refusedHeaders < 1 || refusedEnds < 1 {
            var record = CaptureRecord(header: source.header())
            // Long in different ways, so that the space ends at different places of a line.
            record.header.program = String(repeating: "x", count: byteCount % 5000)
            do {
                var writer = try JournalWriter(record.header, in: store)
                for _ in 0..<20 {
                    let entry = source.entry(of: record.header.devices)
                    do throws(StoreError) {
                        try writer.append(entry)
                        record.entries.append(entry)
                    } catch {
                        try requireFull(error)
                        refusedEntries += 1
                        try requireIntact(record)
                    }
                }
                let end = source.end(.accepted)
                do {
                    try writer.finish(end)
                    record.end = end
                    kept.append(record)
                    byteCount += try CaptureEncoder.encode(record).count
                } catch let error as StoreError {
                    try requireFull(error)
                    refusedEnds += 1
                    try requireIntact(record)
                    try writer.finish(source.end(.cancelled))
                }
            } catch let error as StoreError {
                try requireFull(error)
                refusedHeaders += 1
                // Room for some entries of another.
                if let first = kept.first, let id = CaptureID(first.header.id), refusedEntries < 20 || refusedEnds < 1 {
                    try store.delete(id)
                    kept.removeFirst()
                }
            }
            try require(byteCount < Self.maximumByteCount, "this file system is not small")
            try requireKept(kept)
        }
        // With some space again, all goes on.
        guard let first = kept.first, let id = CaptureID(first.header.id) else { throw Failure("nothing was kept") }
        try store.delete(id)
        var record = CaptureRecord(header: source.header())
        record.end = source.end(.accepted)
        var writer = try JournalWriter(record.header, in: store)
        try writer.finish(record.end!)
        kept[0] = record
        try requireKept(kept)
        return "disk full: \(refusedHeaders) headers, \(refusedEntries) entries and \(refusedEnds) ends were refused, "
            + "\(kept.count) accepted captures are whole"
    }

    private func requireFull(_ error: StoreError) throws {
        guard case .diskFull = error else { throw error }
    }

    /// The journal has what was acknowledged and not a byte more.
    private func requireIntact(_ record: CaptureRecord) throws {
        let bytes = try InputFile.read(
            directory + "/open/\(record.header.id).jsonl", maximumByteCount: Self.maximumByteCount)
        try require(try bytes == CaptureEncoder.encode(record), "\(record.header.id): not what was acknowledged")
    }

    private func requireKept(_ records: [CaptureRecord]) throws {
        let list = try store.list()
        try require(list.unreadable.isEmpty, "\(list.unreadable)")
        try require(
            Set(list.captures.map(\.header.id)) == Set(records.map(\.header.id)), "other captures than those accepted")
        try require(try Directory.names(of: directory + "/open").isEmpty, "a journal is left")
        guard let last = records.last, let id = CaptureID(last.header.id) else { return }
        try require(try store.record(id) == last, "\(id): not what was accepted")
    }
}
