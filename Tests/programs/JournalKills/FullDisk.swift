// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import HostAPI
import Linux
import Record
import Store
import TestSupport

/// Writes captures to a small file system until it is full, and checks what is there.
struct FullDisk {
    private let store: CaptureStore
    private let directory: String
    /// The maximum, so that a large file system is not filled by mistake.
    private static let maximumByteCount = 4 << 20

    init(in directory: String) throws {
        store = try CaptureStore(at: directory)
        self.directory = directory
    }

    func run() throws -> String {
        try requireRoomIsReserved()
        try requireDocumentIsRefused()
        var kept: [CaptureRecord] = []
        var source = RandomCapture(seed: 1)
        var byteCount = 0
        var refusedEntries = 0
        var refusedHeaders = 0
        var refusedEnds = 0
        // Goes on until each kind of call has failed.
        while refusedEntries < 20 || refusedHeaders < 1 || refusedEnds < 1 {
            var record = CaptureRecord(header: source.header())
            // Different lengths, so that the space ends at different places of a line.
            record.header.program = String(repeating: "x", count: byteCount % 5000)
            do {
                // Without reserved space, so that each call can fail.
                var writer = try JournalWriter(record.header, in: store, reserving: 0)
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
                    try writer.wipe()
                }
            } catch let error as StoreError {
                try requireFull(error)
                refusedHeaders += 1
                // Makes space for some entries of another capture.
                if let first = kept.first, let id = CaptureID(first.header.id), refusedEntries < 20 || refusedEnds < 1 {
                    try store.delete(id)
                    kept.removeFirst()
                }
            }
            try require(byteCount < Self.maximumByteCount, "this file system is not small")
            try requireKept(kept)
        }
        // After space was freed, writing works again.
        guard let first = kept.first, let id = CaptureID(first.header.id) else { throw Failure("nothing was kept") }
        try store.delete(id)
        var record = CaptureRecord(header: source.header())
        record.end = source.end(.accepted)
        var writer = try JournalWriter(record.header, in: store, reserving: 0)
        try writer.finish(record.end!)
        kept[0] = record
        try requireKept(kept)
        return "disk full: \(refusedHeaders) headers, \(refusedEntries) entries and \(refusedEnds) ends were refused, "
            + "\(kept.count) accepted captures are whole"
    }

    /// A capture is refused without space for it at its start, and keeps its reserved space when the rest of the disk
    /// is filled; afterwards its file is no larger than its record.
    private func requireRoomIsReserved() throws {
        var source = RandomCapture(seed: 3)
        var record = CaptureRecord(header: source.header())
        do {
            _ = try JournalWriter(record.header, in: store, reserving: Self.maximumByteCount)
            throw Failure("a capture began without the room for one")
        } catch let error as StoreError {
            try requireFull(error)
        }
        try require(try Directory.names(of: directory + "/open").isEmpty, "a refused journal is left")
        do {
            try store.checkReady(for: Self.maximumByteCount)
            throw Failure("a store without room for a capture is ready")
        } catch let error as StoreError {
            try requireFull(error)
        }
        let reserve = 200 << 10
        var writer = try JournalWriter(record.header, in: store, reserving: reserve)
        let ballast = directory + "/ballast"
        do {
            let file = try FileDescriptor(opening: ballast, O_WRONLY | O_CREAT, permissions: 0o600)
            while (try? file.writeAll([UInt8](repeating: 1, count: 4096))) != nil {}
        }
        let stroke = CaptureEntry.stroke(
            CaptureStroke(
                pen: "ink", samples: (0..<1000).map { CaptureStroke.Sample(microseconds: $0, x: 1, y: 2) }))
        while try CaptureEncoder.encode(record).count < reserve - 30_000 {
            try writer.append(stroke)
            record.entries.append(stroke)
        }
        record.end = source.end(.accepted)
        try writer.finish(record.end!)
        try require(try store.record(writer.id) == record, "not what was written in the room taken before")
        _ = consume writer
        // The space of a killed writer is returned, too.
        unlink(ballast)
        let interrupted = CaptureRecord(header: source.header())
        do { _ = try JournalWriter(interrupted.header, in: store, reserving: reserve) }
        _ = try store.recover()
        for name in try Directory.names(of: directory + "/captures") {
            var status = stat()
            try require(stat("\(directory)/captures/\(name)", &status) == 0, "\(Errno.current)")
            try require(
                Int(status.st_blocks) * 512 < Int(status.st_size) + 8192, "\(name) takes \(status.st_blocks) blocks")
        }
        for capture in try store.list().captures { try store.delete(capture.id) }
    }

    /// A capture with a document is refused without room for both at its start. If there is no room for the signed
    /// document later, the capture goes on, and can be accepted when there is.
    private func requireDocumentIsRefused() throws {
        var source = RandomCapture(seed: 4)
        var record = source.flowRecord(hasDocument: true)
        guard let end = record.end else { throw Failure("no end") }
        record.header.flow?.document?.bytes = Self.maximumByteCount
        do {
            _ = try JournalWriter(record.header, in: store, reserving: 1)
            throw Failure("a capture began without the room for its document")
        } catch let error as StoreError {
            try requireFull(error)
        }
        var writer = try JournalWriter(record.header, in: store, reserving: 0)
        for entry in record.entries { try writer.append(entry) }
        let id = writer.id
        do {
            try writer.finish(end) { (_) throws(StoreError) in [UInt8](repeating: 7, count: Self.maximumByteCount) }
            throw Failure("a document was written without the room for it")
        } catch let error as StoreError {
            try requireFull(error)
        }
        record.end = nil
        try requireIntact(record)
        try require(try Directory.names(of: directory + "/open") == ["\(id).jsonl"], "a part of a document is left")
        let document = Array("%PDF-1.7".utf8)
        try writer.finish(end) { (_) throws(StoreError) in document }
        record.end = end
        try require(try store.record(id) == record && store.signedDocument(of: id) == document, "not what was accepted")
        _ = consume writer
        try store.delete(id)
        try require(try Directory.names(of: directory + "/captures").isEmpty, "a document is left")
    }

    private func requireFull(_ error: StoreError) throws {
        guard case .diskFull = error else { throw error }
    }

    /// Checks that the journal has exactly what was acknowledged.
    private func requireIntact(_ record: CaptureRecord) throws {
        let bytes = try InputFile.read(
            directory + "/open/\(record.header.id).jsonl", maximumByteCount: Self.maximumByteCount)
        try require(try bytes == CaptureEncoder.encode(record), "\(record.header.id): not what was acknowledged")
    }

    private func requireKept(_ records: [CaptureRecord]) throws {
        let list = try store.list()
        try require(list.unreadable.isEmpty, "\(list.unreadable)")
        try require(
            Set(list.captures.map(\.id.description)) == Set(records.map(\.header.id)),
            "other captures than those accepted")
        try require(try Directory.names(of: directory + "/open").isEmpty, "a journal is left")
        guard let last = records.last, let id = CaptureID(last.header.id) else { return }
        try require(try store.record(id) == last, "\(id): not what was accepted")
    }
}

/// A store on a read-only file system.
struct ReadOnlyStore {
    private let store: CaptureStore

    init(in directory: String) { store = CaptureStore(path: directory) }

    func run() throws -> String {
        var source = RandomCapture(seed: 1)
        let header = source.header()
        guard let id = CaptureID(header.id) else { throw Failure("no id") }
        try refuses { try store.checkReady() }
        try refuses { _ = try JournalWriter(header, in: store) }
        // It was never begun, so wiping succeeds.
        try store.wipe(id)
        do throws(StoreError) { try store.delete(id) } catch {
            try require(error == .missing(id), "\(error)")
            return "read-only: nothing is begun, and nothing has to be wiped"
        }
        throw Failure("something was deleted")
    }

    private func refuses(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError {
            guard case .failed(_, _, .readOnlyFileSystem) = error else { throw error }
            return
        }
        throw Failure("a read-only store takes captures")
    }
}

/// Sets a limit of file sizes (setrlimit(2)) at every byte of a line: the kernel writes what fits and refuses the rest,
/// as on a full disk, at any byte and without privileges.
struct SizeLimit {
    private let store: CaptureStore
    private let directory: String

    init(in directory: String) throws {
        store = try CaptureStore(at: directory)
        self.directory = directory
    }

    func run() throws -> String {
        signal(SIGXFSZ, SIG_IGN)
        var source = RandomCapture(seed: 2)
        var record = CaptureRecord(header: source.header())
        let long = CaptureEntry.stroke(
            CaptureStroke(
                pen: "ink", samples: (0..<20).map { CaptureStroke.Sample(microseconds: $0, x: 1, y: 2) }))
        let short = CaptureEntry.action(.undo, microseconds: 1)
        var writer = try JournalWriter(record.header, in: store)
        var count = 0
        for room in 0..<160 {
            let whole = try CaptureEncoder.encode(record)
            try limit(whole.count + room)
            try refuses { try writer.append(long) }
            try require(try bytes(record) == whole, "half a line is left at \(room)")
            count += 1
            if room % 40 == 39 {
                // A line that fits is kept.
                try writer.append(short)
                record.entries.append(short)
            }
        }
        try limit(try CaptureEncoder.encode(record).count + 10)
        let end = source.end(.accepted)
        try refuses { try writer.finish(end) }
        try require(try store.list().captures.isEmpty, "accepted without its end")
        try limit(nil)
        try writer.append(long)
        try writer.finish(end)
        record.entries.append(long)
        record.end = end
        try require(try store.record(writer.id) == record, "not what was accepted")
        try store.delete(writer.id)
        return "\(count) lines were refused half-way, and none was left"
    }

    private func refuses(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StoreError {
            guard case .failed(.write, _, .fileTooLarge) = error else { throw error }
            return
        }
        throw Failure("a line beyond the limit was taken")
    }

    private func bytes(_ record: CaptureRecord) throws -> [UInt8]? {
        try InputFile.read(directory + "/open/\(record.header.id).jsonl", maximumByteCount: 1 << 20)
    }

    private func limit(_ byteCount: Int?) throws {
        var limit = rlimit()
        try retryingOnInterrupt { getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
        limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
        try retryingOnInterrupt { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
    }
}
