// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import Linux
import Record
import Store
import TestSupport

/// A limit of file sizes (setrlimit(2)) at every byte of a line: the kernel writes what fits and refuses the rest, as
/// on a full disk, but anywhere and without rights.
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
        let long = CaptureEntry.stroke(CaptureStroke(
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
                // The line that does not fit is gone, one that fits is not.
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
