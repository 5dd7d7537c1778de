// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import HostAPI
import Linux
import Record
import Store
import TestSupport
import Testing

@Suite("Journal writer")
struct JournalWriterTests {
    @Test("a capture appears in the store when it is accepted", arguments: 0..<10)
    func accepted(seed: Int) throws {
        let spool = try Spool()
        var source = RandomCapture(seed: UInt64(seed))
        let record = source.record(.accepted)
        let name = record.header.id + ".jsonl"
        var writer = try JournalWriter(record.header, in: spool.store)
        var written = CaptureRecord(header: record.header)
        for entry in record.entries {
            try writer.append(entry)
            written.entries.append(entry)
            let bytes = try InputFile.read(spool.file("open", record.header.id), maximumByteCount: .max - 1)
            #expect(try CaptureDecoder.decode(bytes ?? []) == written)
        }
        #expect(try spool.names("captures") == [])
        try writer.finish(record.end!)
        #expect(try spool.names("open") == [])
        #expect(try spool.names("captures") == [name])
        #expect(try spool.store.record(writer.id) == record)
    }

    @Test("a capture that is wiped leaves nothing; only an accepted one is kept")
    func wiped() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 1)
        let record = source.record(.cancelled)
        var writer = try JournalWriter(record.header, in: spool.store)
        for entry in record.entries { try writer.append(entry) }
        #expect(thrownError { try writer.finish(record.end!) } is StoreError)
        try writer.wipe()
        #expect(try spool.names("open") + spool.names("captures") == [])
    }

    @Test("files and directories are private to their owner")
    func permissions() throws {
        let spool = try Spool()
        #expect(["", "/open", "/captures"].map(spool.permissions) == [0o700, 0o700, 0o700])
        chmod(spool.path + "/spool", 0o755)
        chmod(spool.path + "/spool/open", 0o777)
        chmod(spool.path + "/spool/captures", 0o750)
        let store = try CaptureStore(at: spool.path + "/spool")
        // The outer directory belongs to the administrator.
        #expect(["", "/open", "/captures"].map(spool.permissions) == [0o755, 0o700, 0o700])
        var source = RandomCapture(seed: 2)
        let record = source.record(.accepted)
        var writer = try JournalWriter(record.header, in: store)
        #expect(spool.permissions("/open/\(writer.id).jsonl") == 0o600)
        try writer.finish(record.end!)
        #expect(spool.permissions("/captures/\(writer.id).jsonl") == 0o600)
    }

    @Test("an id cannot be used twice, by journals or captures")
    func taken() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 3)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        func again() -> StoreError? {
            do throws(StoreError) {
                _ = try JournalWriter(record.header, in: spool.store)
                return nil
            } catch {
                return error
            }
        }
        var writer = try JournalWriter(record.header, in: spool.store)
        #expect(again() == .exists(id))
        for entry in record.entries { try writer.append(entry) }
        try writer.finish(record.end!)
        #expect(again() == .exists(id))
        #expect(try spool.store.record(id) == record)
        #expect(try spool.names("open") == [])
    }

    @Test("an invalid header or entry is refused, and the journal continues")
    func refused() throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 4)
        var record = source.record(.accepted)
        var bad = record.header
        bad.id = "../escaped"
        #expect(thrownError { _ = try JournalWriter(bad, in: spool.store) } is StoreError)
        #expect(try spool.names("open") == [])
        record.header.devices[0].pressure = nil
        record.entries = [.stroke(CaptureStroke(pen: "ink", samples: [.init(microseconds: 1, x: 2, y: 3)]))]
        var writer = try JournalWriter(record.header, in: spool.store)
        var error: StoreError?
        do throws(StoreError) {
            try writer.append(
                .stroke(
                    CaptureStroke(
                        pen: "ink", samples: [.init(microseconds: 1, x: 2, y: 3, pressure: 4)])))
        } catch let thrown {
            error = thrown
        }
        #expect(error == .refused(.unencodable("a pressure, which this device does not measure")))
        try writer.append(record.entries[0])
        try writer.finish(record.end!)
        #expect(try spool.store.record(writer.id) == record)
    }

    @Test("if accepting fails, the capture can be accepted or wiped later", arguments: [true, false])
    func failedAcceptance(isAccepted: Bool) throws {
        let spool = try Spool()
        var source = RandomCapture(seed: 5)
        let record = source.record(.accepted)
        var writer = try JournalWriter(record.header, in: spool.store)
        for entry in record.entries { try writer.append(entry) }
        // A file in place of the directory fails for root, too, unlike permissions.
        let (folder, aside) = (spool.path + "/spool/captures", spool.path + "/aside")
        #expect(rename(folder, aside) == 0)
        try FileDescriptor(opening: folder, O_WRONLY | O_CREAT, permissions: 0o600).synchronize()
        var error: StoreError?
        do throws(StoreError) { try writer.finish(record.end!) } catch let thrown { error = thrown }
        #expect(error == .failed(.rename, path: spool.file("open", record.header.id), Errno(code: ENOTDIR)))
        let bytes = try InputFile.read(spool.file("open", record.header.id), maximumByteCount: .max - 1)
        #expect(try CaptureDecoder.decode(bytes ?? []).end == nil)
        #expect(unlink(folder) == 0 && rename(aside, folder) == 0)
        try writer.append(.action(.clear, microseconds: 7))
        if isAccepted { try writer.finish(record.end!) } else { try writer.wipe() }
        #expect(try spool.names("open") == [])
        #expect(try spool.names("captures") == (isAccepted ? [record.header.id + ".jsonl"] : []))
        if isAccepted {
            #expect(try spool.store.record(writer.id).entries == record.entries + [.action(.clear, microseconds: 7)])
        }
    }

    @Test("errors say what to do")
    func messages() {
        #expect(
            StoreError.diskFull(path: "/spool").description
                == "the disk is full: nothing can be recorded in /spool; free some space there, or keep fewer captures")
        #expect(
            StoreError.failed(.synchronize, path: "/spool", .inputOutput).description
                == "cannot sync /spool: Input/output error")
    }
}
