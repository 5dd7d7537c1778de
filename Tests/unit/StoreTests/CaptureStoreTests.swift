// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import HostAPI
import Linux
import Record
import TestSupport
import Testing

@testable import Store

@Suite("Capture store")
struct CaptureStoreTests {
    private func append(_ bytes: [UInt8], to path: String) throws {
        let file = try FileDescriptor(opening: path, O_WRONLY | O_APPEND | O_CREAT, permissions: 0o600)
        try file.writeAll(bytes)
    }

    @Test("captures are listed newest first, with header and end")
    func list() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 1)
        var records: [CaptureRecord] = []
        for second in [5, 1, 9, 3, 3] as [Int64] {
            let outcome: RecordOutcome? = second == 1 ? nil : .accepted
            records.append(source.record(outcome, startedAt: second * 1_000_000))
        }
        for record in records { try spool.write(record) }
        #expect(try spool.store.list().captures.count == 4)
        #expect(try spool.store.recover().captures.map(\.description) == [records[1].header.id])
        let list = try spool.store.list()
        records.sort { ($0.header.startedAt, $0.header.id) > ($1.header.startedAt, $1.header.id) }
        #expect(list.captures.map(\.header) == records.map(\.header))
        #expect(list.captures.map(\.endedAt) == records.map(\.end?.endedAt))
        let byteCounts = try records.map { try CaptureEncoder.encode($0).count }
        #expect(list.captures.map(\.byteCount) == byteCounts)
        #expect(list.unreadable == [])
        for (summary, record) in zip(list.captures, records) { #expect(try spool.store.record(summary.id) == record) }
    }

    @Test("the end of a long record is found, and a stroke that looks like an end is not taken for one")
    func longRecords() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 2)
        for outcome in [nil, RecordOutcome.accepted] {
            var record = source.record(outcome)
            let samples = (0..<5000).map { CaptureStroke.Sample(microseconds: Int64($0), x: 1, y: 2) }
            record.entries.append(.stroke(CaptureStroke(pen: "{\"end\":", samples: samples)))
            try spool.write(record)
            _ = try spool.store.recover()
            #expect(
                try spool.store.list().captures.first { $0.id.description == record.header.id }?.endedAt
                    == record.end?.endedAt)
        }
    }

    @Test("an unreadable file does not hide others and can be deleted")
    func unreadable() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 3)
        let record = source.record(.accepted)
        try spool.write(record)
        try append(Array("nonsense\n".utf8), to: spool.file("captures", "bad"))
        try append([], to: spool.file("captures", "empty"))
        try append(try CaptureEncoder.encode(record), to: spool.file("captures", "other-name"))
        try append([1], to: spool.path + "/spool/captures/notes.txt")
        let list = try spool.store.list()
        #expect(list.captures.map(\.header) == [record.header])
        let (bad, empty) = (try #require(CaptureID("bad")), try #require(CaptureID("empty")))
        let renamed = try #require(CaptureID("other-name"))
        #expect(
            list.unreadable == [
                .unreadable(
                    bad,
                    .notARecord(
                        "the first line is not a header: not a JSON object in one line of UTF-8")),
                .unreadable(empty, .notARecord("the first line is incomplete, or too long for a header")),
                .renamed(renamed, from: record.header.id),
            ])
        #expect(thrownError { try spool.store.record(bad) } as? StoreError == list.unreadable[0])
        #expect(thrownError { try spool.store.record(renamed) } as? StoreError == list.unreadable[2])
        for id in [bad, empty, renamed] { try spool.store.delete(id) }
        #expect(try spool.store.list().unreadable == [])
        #expect(try spool.names("captures") == [record.header.id + ".jsonl", "notes.txt"])
    }

    @Test("a capture that does not exist is missing")
    func missing() throws {
        let spool = try Spool()
        let id = CaptureID(startedAt: 1, random: 2)
        #expect(thrownError { try spool.store.record(id) } as? StoreError == .missing(id))
        #expect(thrownError { try spool.store.delete(id) } as? StoreError == .missing(id))
        let nowhere = spool.path + "/none/spool"
        #expect(
            thrownError { try CaptureStore(at: nowhere) } as? StoreError
                == .failed(.makeDirectory, path: nowhere, .noSuchFile))
    }

    @Test("recovery cuts torn lines off journals and keeps everything else", arguments: 0..<10)
    func recovery(seed: Int) throws {
        let spool = try Spool()
        var source = RandomCapture(seed: UInt64(seed))
        var random = SeededGenerator(seed: UInt64(seed))
        let interrupted = source.record(nil)
        let torn = try CaptureEncoder.encode(
            CaptureRecord(
                header: interrupted.header, entries: [source.entry(of: interrupted.header.devices)]))
        let header = try CaptureEncoder.encode(CaptureRecord(header: interrupted.header)).count
        try spool.write(interrupted)
        try append(
            Array(torn[header..<Int.random(in: header + 1..<torn.count, using: &random)]),
            to: spool.file("open", interrupted.header.id))
        // Accepted, but killed before the file was moved.
        let accepted = source.record(.accepted)
        try append(try CaptureEncoder.encode(accepted), to: spool.file("open", accepted.header.id))
        try append(Array("{\"device\":".utf8), to: spool.file("open", "headless"))
        try append([], to: spool.file("open", "empty"))
        let recovery = try spool.store.recover()
        #expect(Set(recovery.captures.map(\.description)) == [interrupted.header.id, accepted.header.id])
        #expect(recovery.failures == [])
        #expect(try spool.names("open") == [])
        #expect(try spool.store.record(CaptureID(interrupted.header.id)!) == interrupted)
        #expect(try spool.store.record(CaptureID(accepted.header.id)!) == accepted)
        let bytes = try InputFile.read(spool.file("captures", interrupted.header.id), maximumByteCount: .max - 1)
        let encoded = try CaptureEncoder.encode(interrupted)
        #expect(bytes == encoded)
        #expect(try spool.store.recover().captures == [])
    }

    @Test("a capture that is being written is not recovered, and one with the same id is not replaced")
    func recoveryLeavesAlone() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 6)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        do {
            var writer = try JournalWriter(record.header, in: spool.store)
            let inUse = StoreError.inUse(path: spool.path + "/spool/open")
            #expect(thrownError { try spool.store.recover() } as? StoreError == inUse)
            for entry in record.entries { try writer.append(entry) }
            try writer.finish(record.end!)
        }
        let other = CaptureRecord(header: record.header)
        try append(try CaptureEncoder.encode(other), to: spool.file("open", record.header.id))
        #expect(try spool.store.recover().failures == [.exists(id)])
        #expect(try spool.store.record(id) == record)
        #expect(try spool.names("open") == [record.header.id + ".jsonl"])
    }

    @Test("captures above the maximum age and count expire")
    func retention() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 7)
        var ids: [String] = []
        for second in 1...6 as ClosedRange<Int64> {
            let record = source.record(.accepted, startedAt: second * 1_000_000)
            ids.append(record.header.id)
            try spool.write(record)
        }
        try append([1], to: spool.file("captures", "unreadable"))
        let now: Int64 = 7_000_000
        func apply(_ retention: CaptureRetention) throws -> [CaptureRetention.Expiry] {
            var removed: [CaptureRetention.Expiry] = []
            try spool.store.apply(retention, now: now) { removed.append($0) }
            return removed
        }
        func expiry(_ number: Int, _ reason: CaptureRetention.Expiry.Reason) -> CaptureRetention.Expiry {
            CaptureRetention.Expiry(id: CaptureID(ids[number])!, reason: reason)
        }
        #expect(try apply(CaptureRetention()) == [])
        #expect(try apply(CaptureRetention(maximumAge: .microseconds(5_000_000))) == [expiry(0, .age)])
        let retention = CaptureRetention(maximumAge: .microseconds(4_000_000), maximumCount: 3)
        #expect(try apply(retention) == [expiry(2, .count), expiry(1, .age)])
        #expect(try apply(retention) == [])
        #expect(try spool.store.list().captures.map(\.id.description) == [ids[5], ids[4], ids[3]])
        #expect(try spool.names("captures").contains("unreadable.jsonl"))
    }

    /// Newest first, as listed.
    private func summaries(
        _ starts: [Int64], isSynchronized: (Int) -> Bool? = { _ in nil }
    ) -> [CaptureSummary] {
        var random = RandomCapture(seed: 4)
        return starts.enumerated().map { index, start in
            var header = random.record(.accepted, startedAt: start).header
            header.clockSynchronized = isSynchronized(index)
            return CaptureSummary(id: CaptureID(header.id)!, header: header, end: nil, byteCount: 1)
        }
    }

    @Test("captures expire in the order of beginning, not by clock; the one just accepted stays")
    func clockSetBack() {
        // Three captures with a fast clock, and one after it was set back.
        let captures = summaries([100, 900, 800, 700])
        let retention = CaptureRetention(maximumCount: 3)
        #expect(retention.expired(captures, now: 110, sparing: captures[0].id).map(\.id) == [captures[3].id])
        // It also stays above the limit, and if the clock was set forward during the capture.
        let strict = CaptureRetention(maximumAge: .microseconds(10), maximumCount: 0)
        #expect(
            strict.expired(captures, now: 5000, sparing: captures[0].id).map(\.id) == captures.dropFirst().map(\.id))
    }

    @Test("a date of an unsynchronized clock does not expire, unless a later capture does")
    func unsynchronizedStarts() {
        let retention = CaptureRetention(maximumAge: .microseconds(100))
        // Newest first: clock in 1970, right time, clock in 1970, long ago.
        let captures = summaries([5, 990, 5, 10]) { [false, true, false, nil][$0] }
        #expect(retention.expired(captures, now: 1000).map(\.id) == [captures[3].id])
        #expect(retention.expired(captures, now: 1091).map(\.id) == captures.dropFirst().map(\.id))
        #expect(retention.expired(captures, now: nil).isEmpty)
    }

    @Test("captures are listed by sequence, those without one last")
    func order() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 9)
        #expect(try spool.store.nextSequence() == 1)
        var ids: [String] = []
        for (start, sequence) in [(50, nil), (900, nil), (800, 1), (10, 2), (700, 9)] as [(Int64, Int64?)] {
            var record = source.record(.accepted, startedAt: start)
            record.header.sequence = sequence
            try spool.write(record)
            ids.append(record.header.id)
        }
        #expect(try spool.store.list().captures.map(\.id.description) == ids.reversed())
        #expect(try spool.store.nextSequence() == 10)
        var record = source.record(.accepted)
        record.header.sequence = 1 << 53 - 1
        try spool.write(record)
        #expect(try spool.store.nextSequence() == record.header.sequence)
        record.header.sequence = 0
        #expect(throws: CaptureFormatError.unencodable("the sequence is not 1 to 2^53 - 1")) {
            try CaptureEncoder.encode(record)
        }
    }

    @Test("a directory with the name of a record is reported, and deleted if empty")
    func directory() throws {
        let spool = try Spool()
        let id = try #require(CaptureID("folder"))
        let path = spool.file("captures", "folder")
        try Directory.make(path, permissions: 0o700)
        try append([1], to: path + "/inside")
        #expect(try spool.store.list().unreadable == [.failed(.read, path: path, .isDirectory)])
        #expect(thrownError { try spool.store.delete(id) } as? StoreError == .fullDirectory(path: path))
        try Directory.remove(path + "/inside")
        try spool.store.delete(id)
        #expect(try spool.store.list().unreadable == [] && spool.names("captures") == [])
        #expect(thrownError { try spool.store.delete(id) } as? StoreError == .missing(id))
    }

    @Test("wiping a capture that was never begun succeeds, also in a broken store")
    func wiping() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 10)
        let (open, ended) = (source.record(nil), source.record(.accepted))
        for record in [open, ended] { try spool.write(record) }
        for record in [open, ended] { try spool.store.wipe(try #require(CaptureID(record.header.id))) }
        #expect(try spool.names("open") + spool.names("captures") == [])
        // Files in place of the directories fail for root, too, unlike permissions.
        for folder in ["open", "captures"] {
            #expect(rmdir("\(spool.store.path)/\(folder)") == 0)
            try append([], to: "\(spool.store.path)/\(folder)")
        }
        #expect(thrownError { _ = try JournalWriter(open.header, in: spool.store) } is StoreError)
        try spool.store.wipe(try #require(CaptureID(open.header.id)))
    }

    @Test("removed directories are created again", arguments: ["", "/open", "/captures"])
    func removedDirectories(folder: String) throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 11)
        Directory.removeTree(spool.store.path + folder)
        try spool.store.checkReady()
        #expect(["", "/open", "/captures"].map(spool.permissions) == [0o700, 0o700, 0o700])
        // Also between the check and the capture.
        Directory.removeTree(spool.store.path + folder)
        let record = source.record(.accepted)
        try spool.write(record)
        #expect(try spool.store.record(try #require(CaptureID(record.header.id))) == record)
    }

    @Test("a capture is stored although its directory was removed, if its journal still exists")
    func removedMeanwhile() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 12)
        let record = source.record(.accepted)
        var writer = try JournalWriter(record.header, in: spool.store)
        for entry in record.entries { try writer.append(entry) }
        Directory.removeTree(spool.store.path + "/captures")
        try writer.finish(record.end!)
        #expect(try spool.store.record(writer.id) == record)
    }

    @Test("a store that cannot be created reports why")
    func notMade() throws {
        let spool = try Spool()
        let path = spool.path + "/none/spool"
        let store = CaptureStore(path: path)
        let missing = StoreError.failed(.makeDirectory, path: path, .noSuchFile)
        #expect(thrownError { try store.checkReady() } as? StoreError == missing)
        #expect(thrownError { try store.list() } is StoreError)
        try Directory.make(spool.path + "/none", permissions: 0o700)
        try store.checkReady()
        #expect(thrownError { try store.checkReady(for: .max) } as? StoreError == .diskFull(path: path))
    }

    @Test("after a jump of the clock, expiry by age follows the new time")
    func clocks() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 8)
        for start in [Int64.min, 0, .max] { try spool.write(source.record(.accepted, startedAt: start)) }
        let captures = try spool.store.list().captures
        let retention = CaptureRetention(maximumAge: .microseconds(10))
        #expect(retention.expired(captures, now: 10).map(\.id) == [captures[2].id])
        #expect(retention.expired(captures, now: 11).map(\.id) == [captures[1].id, captures[2].id])
        #expect(retention.expired(captures, now: .max).map(\.id) == [captures[1].id, captures[2].id])
        #expect(retention.expired(captures, now: .min) == [])
        #expect(Set(CaptureRetention(maximumCount: 0).expired(captures, now: 0).map(\.id)) == Set(captures.map(\.id)))
    }
}
