// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Evidence
import Glibc
import HostAPI
import Linux
import Record
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Seals on a faulty machine")
struct SealFaultTests {
    private func bytes(_ path: String) throws -> [UInt8] {
        try #require(try InputFile.read(path, maximumByteCount: 1 << 24))
    }

    @Test("a sealed record stays while its deletion cannot be sealed; an unsealed one does not")
    func deletionWithoutKey() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 20)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        try sealed.write(record)
        sealed.store = CaptureStore(path: sealed.path)
        let closed = CaptureStore(
            path: sealed.path, chain: sealed.chain(isRequired: false) { _ throws(SealFault) in throw .key("gone") })
        sealed.store = closed
        let unsealed = source.record(.accepted)
        #expect(try sealed.write(unsealed) == nil)
        #expect(thrownError { try closed.delete(id) } as? StoreError == .seals(.key("gone")))
        #expect(thrownError { try closed.wipe(id) } as? StoreError == .seals(.key("gone")))
        let retention = CaptureRetention(maximumCount: 0)
        #expect(
            thrownError { try closed.apply(retention, now: nil) { _ in } } as? StoreError == .seals(.key("gone")))
        #expect(try closed.list().captures.map(\.id) == [id])
        try sealed.reopen()
        try sealed.store.delete(id)
        #expect(try sealed.names() == ["0000000001-\(id).seal", "0000000002-\(id).deleted.seal"])
    }

    @Test("a full disk keeps the chain from being opened no more than deletions from being sealed")
    func deletionOnFullDisk() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 21)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        try sealed.write(record)
        let key = sealed.key
        sealed.store = CaptureStore(path: sealed.path)
        sealed.store = CaptureStore(path: sealed.path, chain: sealed.chain { _ in key })
        #expect(thrownError { try sealed.store.checkReady(for: .max) } as? StoreError == .diskFull(path: sealed.path))
        #expect(sealed.store.chain?.isOpen == true)
        sealed.medium.results.withLock { $0 = [.noSpace] }
        let error = thrownError { try sealed.store.delete(id) } as? StoreError
        guard case .diskFull? = error else {
            Issue.record("the record was deleted")
            return
        }
        #expect(try sealed.store.record(id) == record && sealed.names().count == 1)
        // As soon as a file of a kilobyte has room.
        try sealed.store.delete(id)
        #expect(try sealed.names().last == "0000000002-\(id).deleted.seal")
        #expect(try sealed.store.list().captures.isEmpty)
    }

    @Test("a seal whose name does not reach the medium is taken back, and its number used again")
    func unsynchronizedSeal() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 22)
        let record = source.record(.accepted)
        var writer = try sealed.writer(of: record)
        sealed.medium.results.withLock { $0 = [.inputOutput] }
        #expect(thrownError { try writer.finish(record.end!) } is StoreError)
        #expect(try sealed.names().isEmpty && sealed.store.list().captures.isEmpty)
        #expect(try writer.finish(record.end!)?.n == 1)
        #expect(try sealed.store.record(writer.id) == record && sealed.names().count == 1)
    }

    @Test("a seal that was removed counts as withdrawn, also if that is not on the medium yet")
    func unsynchronizedWithdrawal() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 23)
        let record = source.record(.accepted)
        var writer = try sealed.writer(of: record)
        let (folder, aside) = (sealed.path + "/captures", sealed.path + "/aside")
        #expect(rename(folder, aside) == 0)
        try AtomicFile.write([], to: folder)
        // The seal is written, but removing it is not synchronized.
        sealed.medium.results.withLock { $0 = [nil, .inputOutput] }
        #expect(thrownError { try writer.finish(record.end!) } is StoreError)
        #expect(try sealed.names().isEmpty)
        #expect(sealed.store.chain?.faults.count == 1)
        #expect(unlink(folder) == 0 && rename(aside, folder) == 0)
        #expect(try writer.finish(record.end!)?.n == 1)
        #expect(try sealed.names() == ["0000000001-\(writer.id).seal"])
        #expect(try sealed.store.record(writer.id) == record)
    }

    @Test("an open capture that is not what its seal says stays as it is", arguments: [false, true])
    func differingCapture(isEncrypted: Bool) throws {
        let sealed = try Sealed(encrypted: isEncrypted)
        var source = RandomCapture(seed: 24)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        try sealed.write(record)
        let name = isEncrypted ? "\(id).jsonl.age" : "\(id).jsonl"
        let (open, ended) = ("\(sealed.path)/open/\(name)", "\(sealed.path)/captures/\(name)")
        let whole = try bytes(ended)
        #expect(unlink(ended) == 0)
        var changed = whole
        changed[whole.count / 2] ^= 1
        for damaged in [changed, Array(whole.dropLast(5)), whole + [UInt8(ascii: "{")], []] {
            try AtomicFile.write(damaged, to: open)
            let recovery = try sealed.store.recover()
            #expect(recovery.captures.isEmpty && recovery.failures == [.seals(.differs(path: open))])
            #expect(try bytes(open) == damaged)
        }
        try AtomicFile.write(whole, to: open)
        #expect(try sealed.store.recover().captures == [id])
        #expect(try bytes(ended) == whole)
    }

    @Test("files in the directory of seals with numbers that no seal has are none of its business")
    func numbers() throws {
        let sealed = try Sealed()
        let numbers = ["9223372036854775807", "9007199254740992", "0000000000"]
        for number in numbers { try AtomicFile.write([], to: "\(sealed.path)/seals/\(number).key.seal") }
        try sealed.reopen()
        var source = RandomCapture(seed: 25)
        #expect(try sealed.write(source.record(.accepted))?.n == 1)
        #expect(try sealed.store.list().gaps.isEmpty)
        // The last number that a seal can have leaves none for another.
        try AtomicFile.write([], to: "\(sealed.path)/seals/9007199254740991.key.seal")
        try sealed.reopen()
        #expect(thrownError { try sealed.write(source.record(.accepted)) } is StoreError)
    }

    @Test("a damaged seal hides no record", arguments: [false, true])
    func damagedSeal(isEncrypted: Bool) throws {
        let sealed = try Sealed(encrypted: isEncrypted)
        var source = RandomCapture(seed: 26)
        var record = source.record(.accepted)
        record.header.sequence = 7
        let id = try #require(CaptureID(record.header.id))
        try sealed.write(record)
        let seal = "\(sealed.path)/seals/0000000001-\(id).seal"
        try AtomicFile.write(Array("{}\n".utf8), to: seal)
        let list = try sealed.store.list()
        let listed = try #require(list.captures.first)
        #expect(listed.id == id && listed.seal == nil && listed.outcome == .accepted)
        #expect(list.unreadable.count == 1 && list.unreadable[0].description.contains(seal))
        #expect(try sealed.store.summary(id) == listed)
        if !isEncrypted { #expect(try sealed.store.nextSequence() == 8) }
        try sealed.store.apply(CaptureRetention(maximumCount: 0), now: nil) { _ in }
        #expect(try sealed.store.list() == CaptureList())
        #expect(try sealed.names().last == "0000000002-\(id).deleted.seal")
    }
}
