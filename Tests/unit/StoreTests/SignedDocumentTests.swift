// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Evidence
import Geometry
import HostAPI
import Linux
import Record
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Signed documents")
struct SignedDocumentTests {
    private static let document = Array("%PDF-1.7 signed".utf8)

    private func record(seed: UInt64 = 1) -> CaptureRecord {
        var source = RandomCapture(seed: seed)
        return source.flowRecord(hasDocument: true)
    }

    private func files(_ sealed: Sealed, _ folder: String) throws -> [String] {
        try Directory.names(of: "\(sealed.path)/\(folder)").sorted()
    }

    private func sign(_ digest: SHA256Digest) throws(StoreError) -> [UInt8]? { Self.document }

    @Test("a record is accepted with its document, which names the record's digest, and the seal names both")
    func accepted() throws {
        let sealed = try Sealed()
        let record = record()
        var writer = try sealed.writer(of: record)
        let id = writer.id
        var named: SHA256Digest?
        let head = try writer.finish(try #require(record.end)) { (digest) throws(StoreError) in
            named = digest
            return Self.document
        }
        #expect(try files(sealed, "captures") == ["\(id).jsonl", "\(id).pdf"])
        #expect(try files(sealed, "open") == [])
        #expect(try sealed.store.signedDocument(of: id) == Self.document)
        #expect(try sealed.store.signedDocumentByteCount(of: id) == Self.document.count)
        #expect(try sealed.store.encryptedDocument(of: id) == nil)
        let file = try sealed.store.read(id).file
        #expect(named == SHA256Digest(of: file))
        let seal = try #require(try sealed.store.seal(of: id))
        #expect(seal.head == head && seal.seal.version == 2)
        #expect(seal.seal.signed == SHA256Digest(of: Self.document).description && seal.seal.signedStored == nil)
        #expect(seal.seal.record == named?.description)
        try sealed.store.delete(id)
        #expect(try files(sealed, "captures") == [])
        #expect(throws: StoreError.missing(id)) { try sealed.store.signedDocument(of: id) }
    }

    @Test("records without a document have seals of version 1, and nothing is signed")
    func without() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 2)
        for record in [source.record(.accepted), source.flowRecord(hasDocument: false)] {
            var writer = try sealed.writer(of: record)
            try writer.finish(try #require(record.end)) { (_) throws(StoreError) in
                Issue.record("asked to sign")
                return nil
            }
            #expect(try sealed.store.seal(of: writer.id)?.seal.version == 1)
            #expect(try sealed.store.signedDocument(of: writer.id) == nil)
            _ = consume writer
        }
    }

    @Test("a document that cannot be signed leaves the capture as it was", arguments: [true, false])
    func failed(isTriedAgain: Bool) throws {
        let sealed = try Sealed()
        let record = record()
        var writer = try sealed.writer(of: record)
        let id = writer.id
        let end = try #require(record.end)
        var error: StoreError?
        do throws(StoreError) {
            try writer.finish(end) { (_) throws(StoreError) in throw .unsigned(id, reason: "the helper has ended") }
        } catch let thrown { error = thrown }
        #expect(error?.description == "the document of capture \(id) cannot be signed: the helper has ended")
        do throws(StoreError) {
            error = nil
            try writer.finish(end) { (_) throws(StoreError) in
                [UInt8](repeating: 0, count: CaptureLimits.documentByteCount + 1)
            }
        } catch let thrown { error = thrown }
        #expect(error?.description.contains("more than") == true)
        #expect(try files(sealed, "open") == ["\(id).jsonl"])
        #expect(try files(sealed, "captures") + sealed.names() == [])
        if isTriedAgain { try writer.finish(end, signing: sign) } else { try writer.wipe() }
        #expect(try files(sealed, "open") == [])
        #expect(try files(sealed, "captures") == (isTriedAgain ? ["\(id).jsonl", "\(id).pdf"] : []))
    }

    @Test("a seal that cannot be written takes the document with it")
    func unsealed() throws {
        let sealed = try Sealed()
        let record = record()
        var writer = try sealed.writer(of: record)
        sealed.medium.results.withLock { $0 = [.inputOutput] }
        #expect(thrownError { try writer.finish(try #require(record.end), signing: sign) } is StoreError)
        #expect(try files(sealed, "open") == ["\(writer.id).jsonl"])
        try writer.finish(try #require(record.end), signing: sign)
        #expect(try sealed.store.signedDocument(of: writer.id) == Self.document)
    }

    @Test("a record that was committed and then failed is wiped with its document")
    func wiped() throws {
        let sealed = try Sealed(delivery: Delivery(isRequired: false))
        let record = record()
        var writer = try sealed.writer(of: record)
        try writer.finish(try #require(record.end), signing: sign)
        let id = writer.id
        _ = consume writer
        try sealed.store.deliver()
        #expect(try files(sealed, "outbox/captures") == ["\(id).jsonl", "\(id).pdf"])
        #expect(try sealed.store.waiting().count == 3)
        try sealed.store.wipe(id)
        #expect(try files(sealed, "captures") + files(sealed, "outbox/captures") == [])
    }

    @Test("a record counts as delivered when its document is, too")
    func delivered() throws {
        let sealed = try Sealed(delivery: Delivery(isRequired: true))
        let record = record()
        var writer = try sealed.writer(of: record)
        try writer.finish(try #require(record.end), signing: sign)
        let id = writer.id
        _ = consume writer
        try sealed.store.deliver()
        try Directory.remove("\(sealed.path)/outbox/captures/\(id).jsonl")
        for name in try sealed.names() { try Directory.remove("\(sealed.path)/outbox/seals/\(name)") }
        #expect(throws: StoreError.undelivered(id)) { try sealed.store.delete(id) }
        try Directory.remove("\(sealed.path)/outbox/captures/\(id).pdf")
        try sealed.store.delete(id)
    }

    @Test("an encrypting panel stores the document for its recipients, and it is readable for the time")
    func encrypted() throws {
        let sealed = try Sealed(encrypted: true, readableFor: .seconds(60))
        let record = record()
        var writer = try sealed.writer(of: record)
        try writer.finish(try #require(record.end), signing: sign)
        let id = writer.id
        _ = consume writer
        #expect(try files(sealed, "captures") == ["\(id).jsonl.age", "\(id).pdf.age"])
        #expect(try files(sealed, "open") == [])
        #expect(try sealed.store.signedDocument(of: id) == Self.document)
        #expect(try sealed.store.signedDocumentByteCount(of: id) == Self.document.count)
        let stored = try #require(try sealed.store.encryptedDocument(of: id))
        #expect(try Age.decrypt(stored, with: [sealed.identity]) == Self.document)
        let seal = try #require(try sealed.store.seal(of: id)).seal
        #expect(seal.signed == SHA256Digest(of: Self.document).description)
        #expect(seal.signedStored == SHA256Digest(of: stored).description)
        sealed.store.encryption?.readable.removeExpired(at: MonotonicClock.now + .seconds(61))
        #expect(throws: StoreError.encrypted(id)) { try sealed.store.signedDocument(of: id) }
        #expect(throws: StoreError.encrypted(id)) { try sealed.store.signedDocumentByteCount(of: id) }
    }

    @Test("the document of a capture that was interrupted is removed, and one without a record, too")
    func interrupted() throws {
        let sealed = try Sealed()
        var record = record()
        record.end = nil
        let id = try #require(CaptureID(record.header.id))
        do { _ = try sealed.writer(of: record) }
        for name in ["open/\(id).pdf", "open/20260101-1.pdf", "captures/20260101-2.pdf.age"] {
            try AtomicFile.write(Self.document, to: "\(sealed.path)/\(name)")
        }
        try sealed.reopen()
        #expect(try files(sealed, "captures") == ["\(id).jsonl"])
        #expect(try files(sealed, "open") == [])
        #expect(try sealed.store.signedDocument(of: id) == nil)
    }

    @Test("a sealed record whose document is missing or another one stays where it is", arguments: [true, false])
    func missing(isMissing: Bool) throws {
        let sealed = try Sealed()
        let record = record()
        var writer = try sealed.writer(of: record)
        try writer.finish(try #require(record.end), signing: sign)
        let id = writer.id
        _ = consume writer
        // As if the power went before they had their places.
        for ending in ["jsonl", "pdf"] {
            try Directory.rename("\(sealed.path)/captures/\(id).\(ending)", to: "\(sealed.path)/open/\(id).\(ending)")
        }
        if isMissing {
            try Directory.remove("\(sealed.path)/open/\(id).pdf")
        } else {
            try AtomicFile.write([1], to: "\(sealed.path)/open/\(id).pdf")
        }
        try sealed.store.checkReady()
        let recovery = try sealed.store.recover()
        #expect(recovery.captures == [] && recovery.failures.count == 1)
        #expect(try files(sealed, "captures") == [])
        if !isMissing {
            try AtomicFile.write(Self.document, to: "\(sealed.path)/open/\(id).pdf")
            #expect(try sealed.store.recover().captures == [id])
            #expect(try files(sealed, "captures") == ["\(id).jsonl", "\(id).pdf"])
            #expect(try sealed.store.summary(id).outcome == .accepted)
        }
    }

    @Test("retention removes documents with their records")
    func retention() throws {
        let sealed = try Sealed()
        for seed in UInt64(10)...11 {
            let record = record(seed: seed)
            var writer = try sealed.writer(of: record)
            try writer.finish(try #require(record.end), signing: sign)
        }
        var removed = 0
        try sealed.store.apply(CaptureRetention(maximumCount: 1), now: nil) { _ in removed += 1 }
        #expect(removed == 1)
        #expect(try files(sealed, "captures").count == 2)
    }
}
