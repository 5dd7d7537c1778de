// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Evidence
import Geometry
import Glibc
import HostAPI
import Linux
import Record
import Store
import TestSupport
import Testing

@Suite("Seals")
struct SealChainTests {
    @Test("an accepted record has a seal that names its digest, the seal before it and its request")
    func sealed() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 1)
        var heads: [SealHead] = []
        var records: [CaptureRecord] = []
        for number in 0..<3 {
            var record = source.record(.accepted)
            record.header.request.document = CaptureRequest.Document(sha256: String(repeating: "0a", count: 32))
            record.header.sequence = Int64(number + 1)
            record.end?.shown = ShownPage(
                page: String(repeating: "1", count: 64), signed: String(repeating: "2", count: 64), from: 1, until: 2,
                fonts: [])
            heads.append(try #require(try sealed.write(record)))
            records.append(record)
        }
        let files = try sealed.names().map(sealed.seal)
        #expect(files.map(\.head) == heads && heads.map(\.n) == [1, 2, 3])
        #expect(files.map(\.seal.previous) == [Seal.noDigest, heads[0].digest, heads[1].digest])
        for (record, file) in zip(records, files) {
            let bytes = try CaptureEncoder.encode(record)
            let seal = file.seal
            #expect(seal.id == record.header.id && seal.record == SHA256Digest(of: bytes).description)
            #expect(seal.document == record.header.request.document?.sha256 && seal.stored == nil)
            #expect(seal.shown == record.end?.shown.map { [$0.page, $0.signed] })
            #expect(seal.startedAt == record.header.startedAt && seal.sequence == record.header.sequence)
            #expect(seal.at == 1_700_000_000_000_000 && seal.boot == "a boot" && seal.program == "test 1")
            let signature = try SSHSignature(armoured: file.signatures[0])
            #expect(signature.isValid(for: file.line) && signature.publicKey == sealed.key.publicKey)
            #expect(file.bytes.count < 1500)
        }
        #expect(sealed.store.chain?.head == heads[2])
        #expect(try sealed.store.list().captures.compactMap(\.seal?.n).sorted() == [1, 2, 3])
    }

    @Test("the chain goes on after a restart, and a deletion adds a seal and leaves that of the record")
    func deletion() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 2)
        let record = source.record(.accepted)
        try sealed.write(record)
        try sealed.reopen()
        let id = try #require(CaptureID(record.header.id))
        try sealed.store.delete(id, reason: .age)
        #expect(try sealed.names() == ["0000000001-\(id).seal", "0000000002-\(id).deleted.seal"])
        let seal = try sealed.seal(try sealed.names()[1]).seal
        #expect(seal.deleted == id.description && seal.reason == .age && seal.id == nil)
        #expect(thrownError { try sealed.store.delete(id) } as? StoreError == .missing(id))
        #expect(try sealed.names().count == 2)
    }

    @Test("a deletion that a power cut interrupted is finished at the start")
    func interruptedDeletion() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 3)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        try sealed.write(record)
        let file = "\(sealed.path)/captures/\(id).jsonl"
        let bytes = try #require(try InputFile.read(file, maximumByteCount: 1 << 24))
        try sealed.store.delete(id)
        try AtomicFile.write(bytes, to: file)
        try sealed.reopen()
        #expect(try sealed.store.list().captures.isEmpty)
    }

    @Test("a capture that is wiped after it was sealed has a seal that says so")
    func withdrawn() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 4)
        let record = source.record(.accepted)
        try sealed.write(record)
        try sealed.store.wipe(try #require(CaptureID(record.header.id)))
        #expect(try sealed.seal(try sealed.names()[1]).seal.reason == .withdrawn)
    }

    @Test("if storing fails after sealing, the seal is withdrawn and its number used again")
    func failedCommit() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 5)
        let record = source.record(.accepted)
        var writer = try sealed.writer(of: record)
        // A file in place of the directory fails for root, too.
        let (folder, aside) = (sealed.path + "/captures", sealed.path + "/aside")
        #expect(rename(folder, aside) == 0)
        try AtomicFile.write([], to: folder)
        #expect(thrownError { try writer.finish(record.end!) } is StoreError)
        #expect(try sealed.names().isEmpty)
        #expect(unlink(folder) == 0 && rename(aside, folder) == 0)
        let head = try writer.finish(record.end!)
        #expect(head?.n == 1)
        #expect(try sealed.store.record(writer.id) == record)
    }

    @Test("an accepted journal that no seal names becomes interrupted, and is never sealed")
    func unsealedJournal() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 6)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        try AtomicFile.write(try CaptureEncoder.encode(record), to: "\(sealed.path)/open/\(id).jsonl")
        try sealed.reopen()
        let listed = try #require(try sealed.store.list().captures.first)
        #expect(listed.outcome == .interrupted && listed.seal == nil)
        #expect(try sealed.store.record(id).entries == record.entries)
        #expect(try sealed.names().isEmpty)
    }

    @Test("another key, without a seal that says that it replaces the one before, seals nothing")
    func otherKey() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 7)
        try sealed.write(source.record(.accepted))
        let other = try SigningKey.generate()
        let error = thrownError { try sealed.reopen(key: other) } as? StoreError
        #expect(error == .seals(.otherKey(seal: 1, key: sealed.key.publicKey.fingerprint)))
        sealed.store = CaptureStore(path: sealed.path)
        let optional = sealed.chain(isRequired: false) { _ in other }
        sealed.store = CaptureStore(path: sealed.path, chain: optional)
        try sealed.store.checkReady()
        #expect(optional.faults.count == 1 && !optional.isOpen)
        #expect(try sealed.write(source.record(.accepted)) == nil)
    }

    @Test(
        "a new key is named by a seal that both keys sign; without the old one, a new chain begins",
        arguments: [true, false])
    func replacement(isLost: Bool) throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 8)
        let first = try #require(try sealed.write(source.record(.accepted)))
        let next = try SigningKey.generate()
        sealed.store = CaptureStore(path: sealed.path)
        let head = try sealed.chain { _ in next }.replaceKey(isLost ? nil : sealed.key)
        #expect(head?.n == 2)
        try sealed.reopen(key: next)
        #expect(try sealed.write(source.record(.accepted))?.n == 3)
        let file = try sealed.seal("0000000002.key.seal")
        #expect(file.seal.replaces == sealed.key.publicKey.fingerprint && file.seal.key == next.publicKey.fingerprint)
        #expect(file.seal.previous == (isLost ? Seal.noDigest : first.digest))
        #expect(
            try file.signatures.map { try SSHSignature(armoured: $0).publicKey }
                == (isLost ? [next.publicKey] : [next.publicKey, sealed.key.publicKey]))
        var verification = Verification(allowedSigners: nil)
        for name in try sealed.names() { verification.check(try sealed.seal(name)) }
        #expect(!verification.isWrong && !verification.isDamaged)
    }

    @Test("an interrupted capture of a store needs no seal; one that is handed over, or was accepted, does")
    func interruptedVerification() throws {
        var source = RandomCapture(seed: 12)
        var record = source.record(.accepted)
        let accepted = Verification.Files(record: try CaptureEncoder.encode(record))
        record.end = nil
        let interrupted = Verification.Files(record: try CaptureEncoder.encode(record))
        for (files, isInStore, isWrong) in [
            (interrupted, true, false), (interrupted, false, true), (accepted, true, true), (accepted, false, true),
        ] {
            var verification = Verification(allowedSigners: nil)
            verification.check(files, of: record.header.id, seal: nil, isInStore: isInStore)
            #expect(verification.isWrong == isWrong)
        }
        let (mine, other) = (try AgeIdentity.generate(), try AgeIdentity.generate())
        for (files, isMineWrong) in [(accepted, true), (interrupted, false)] {
            let encrypted = Verification.Files(encrypted: try Age.encrypt(files.record ?? [], to: [mine.recipient]))
            // Nothing can be said of what nobody here can read.
            for (identities, isWrong) in [([], true), ([mine], isMineWrong), ([other], true)] {
                var verification = Verification(allowedSigners: nil, identities: identities)
                verification.check(encrypted, of: record.header.id, seal: nil, isInStore: true)
                #expect(verification.isWrong == isWrong)
            }
        }
    }

    @Test("a required chain that is not open keeps a capture from being accepted unsealed")
    func requiredChain() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 13)
        let record = source.record(.accepted)
        let closed = CaptureStore(path: sealed.path, chain: sealed.chain { _ throws(SealFault) in throw .key("gone") })
        var writer = try JournalWriter(record.header, in: closed)
        #expect(thrownError { try writer.finish(record.end!) } as? StoreError == .seals(.closed))
        #expect(try closed.list().captures.isEmpty)
    }

    @Test("missing and damaged seals are reported, and the chain goes on behind them")
    func damage() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 9)
        for _ in 0..<4 { try sealed.write(source.record(.accepted)) }
        let names = try sealed.names()
        #expect(unlink("\(sealed.path)/seals/\(names[1])") == 0)
        try AtomicFile.write(Array("{}\n".utf8), to: "\(sealed.path)/seals/\(names[3])")
        try sealed.reopen()
        let faults = try #require(sealed.store.chain?.faults)
        #expect(faults.count == 2 && faults.contains { $0.contains(names[3]) } && faults.contains("seal 2 is missing"))
        #expect(try sealed.write(source.record(.accepted))?.n == 5)
        #expect(try sealed.store.list().gaps == [2...2])
    }

    @Test(
        "an encrypted record is readable for its recipient only, and for a while in memory",
        arguments: [.zero, .seconds(600)] as [Duration])
    func encrypted(readableFor: Duration) throws {
        let sealed = try Sealed(encrypted: true, readableFor: readableFor)
        var source = RandomCapture(seed: 10)
        let record = source.record(.accepted)
        let id = try #require(CaptureID(record.header.id))
        try sealed.write(record)
        let file = try #require(try sealed.store.encryptedFile(of: id))
        #expect(try CaptureDecoder.decode(Age.decrypt(file, with: [sealed.identity])) == record)
        #expect(try Directory.names(of: sealed.path + "/captures") == ["\(id).jsonl.age"])
        #expect(try Directory.names(of: sealed.path + "/open").isEmpty)
        #expect(try Directory.names(of: sealed.directory.path + "/memory").isEmpty)
        let seal = try #require(try sealed.store.seal(of: id)).seal
        #expect(seal.stored == SHA256Digest(of: file).description)
        let plain = try CaptureEncoder.encode(record)
        #expect(seal.record == SHA256Digest(of: plain).description)
        if readableFor == .zero {
            #expect(thrownError { _ = try sealed.store.read(id) } as? StoreError == .encrypted(id))
        } else {
            #expect(try sealed.store.record(id) == record)
            sealed.store.encryption?.readable.removeExpired(at: .distantFuture)
            #expect(thrownError { _ = try sealed.store.read(id) } as? StoreError == .encrypted(id))
        }
        let listed = try #require(try sealed.store.list().captures.first)
        #expect(listed.header == nil && listed.outcome == .accepted && listed.startedAt == record.header.startedAt)
        #expect(listed.asker == record.header.asker)
    }

    @Test("an interrupted encrypted capture is kept for its recipient, without a seal")
    func encryptedInterrupted() throws {
        let sealed = try Sealed(encrypted: true)
        var source = RandomCapture(seed: 11)
        let record = source.record(.accepted)
        do {
            _ = try sealed.writer(of: record)
        }
        try sealed.reopen(encrypted: true)
        // Nothing in the store says that it is one of its captures, and what became of it.
        let id = try #require(CaptureID(record.header.id))
        let listed = try sealed.store.list()
        #expect(listed.captures.isEmpty && listed.unreadable == [.unsealed(id)])
        #expect(thrownError { try sealed.store.summary(id) } as? StoreError == .unsealed(id))
        let file = try #require(try sealed.store.encryptedFile(of: id))
        #expect(try CaptureDecoder.decode(Age.decrypt(file, with: [sealed.identity])).entries == record.entries)
        #expect(try Directory.names(of: sealed.directory.path + "/memory").isEmpty)
        // Nor is a foreign file a capture. Both are removed when they are too old.
        let foreign = CaptureID(startedAt: 0, random: 1)
        let other = try Age.encrypt([1], to: [AgeIdentity.generate().recipient])
        try AtomicFile.write(other, to: sealed.path + "/captures/\(foreign).jsonl.age")
        #expect(try sealed.store.list().unreadable.count == 2 && sealed.store.list().captures.isEmpty)
        var removed: Set<CaptureID> = []
        try sealed.store.apply(CaptureRetention(maximumAge: .zero), now: .max) { removed.insert($0.id) }
        #expect(removed == [id, foreign])
        #expect(try sealed.store.count() == 0)
    }

    @Test("captures to encrypt are refused where their journals would reach a medium")
    func onMedium() throws {
        let directory = try TemporaryDirectory(below: "/var/tmp")
        let store = CaptureStore(
            path: directory.path + "/store",
            encryption: CaptureStore.Encryption(
                recipients: [try AgeIdentity.generate().recipient], journals: directory.path + "/memory",
                readableFor: .zero
            ))
        let isInMemory = try Directory.isInMemory(directory.path)
        let error = thrownError { try store.checkReady() } as? StoreError
        #expect(isInMemory || error == .onMedium(path: directory.path + "/memory"))
    }

    @Test("nothing is recorded while a restore to the store is unfinished")
    func restoring() throws {
        let directory = try TemporaryDirectory()
        let store = CaptureStore(path: directory.path)
        try store.prepare()
        try store.checkReady()
        try AtomicFile.write([], to: directory.path + "/.restoring", permissions: 0o600)
        #expect(thrownError { try store.checkReady() } as? StoreError == .restoring(path: directory.path))
        #expect(thrownError { try store.prepare() } as? StoreError == .restoring(path: directory.path))
        try Directory.remove(directory.path + "/.restoring")
        try store.checkReady()
    }
}
