// SPDX-License-Identifier: Apache-2.0
import Evidence
import HostAPI
import Linux
import Record
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A medium that fails to synchronize the directory of seals when a test says so.
final class SealMedium: Sendable {
    /// The results of the next calls: nil for success. Later calls succeed.
    let results = Mutex<[Errno?]>([])

    func synchronize(_ folder: String) throws(Errno) {
        let error = results.withLock { results in results.isEmpty ? nil : results.removeFirst() }
        if let error { throw error }
        try Directory.synchronize(at: folder)
    }
}

/// A store whose records are sealed, and perhaps encrypted.
final class Sealed {
    let directory: TemporaryDirectory
    let key: SigningKey
    let identity: AgeIdentity
    let medium = SealMedium()
    var store: CaptureStore
    var path: String { directory.path + "/store" }

    init(encrypted: Bool = false, readableFor: Duration = .zero, delivery: Delivery? = nil) throws {
        directory = try TemporaryDirectory(below: "/dev/shm")
        key = try SigningKey.generate()
        identity = try AgeIdentity.generate()
        store = CaptureStore(path: directory.path)
        try reopen(encrypted: encrypted, readableFor: readableFor, delivery: delivery)
    }

    /// As a restarted panel does.
    func reopen(
        encrypted: Bool = false, readableFor: Duration = .zero, key other: SigningKey? = nil, delivery: Delivery? = nil
    ) throws {
        let key = other ?? key
        // The chain before unlocks its directory.
        store = CaptureStore(path: path)
        store = CaptureStore(
            path: path, chain: chain { _ in key },
            encryption: encrypted
                ? CaptureStore.Encryption(
                    recipients: [identity.recipient], journals: directory.path + "/memory", readableFor: readableFor
                )
                : nil,
            delivery: delivery)
        try store.checkReady()
        _ = try store.recover()
    }

    func chain(isRequired: Bool = true, key: @escaping SealChain.KeyReader) -> SealChain {
        let medium = medium
        return SealChain(
            in: SealFolder(store: path, synchronize: { folder throws(Errno) in try medium.synchronize(folder) }),
            isRequired: isRequired,
            witness: SealChain.Witness(program: "test 1", boot: "a boot") {
                (1_700_000_000_000_000, Seal.Clock(synchronized: true, maximumError: 5000))
            }, key, { _ throws(SealFault) in nil })
    }

    /// The writer of a capture with all its entries, which has not ended.
    func writer(of record: CaptureRecord) throws -> JournalWriter {
        var writer = try JournalWriter(record.header, in: store)
        for entry in record.entries { try writer.append(entry) }
        return writer
    }

    @discardableResult
    func write(_ record: CaptureRecord) throws -> SealHead? {
        var writer = try self.writer(of: record)
        return try writer.finish(try #require(record.end))
    }

    func names() throws -> [String] { try Directory.names(of: path + "/seals").sorted() }

    func seal(_ name: String) throws -> SealFile {
        try SealFile(try #require(try InputFile.read("\(path)/seals/\(name)", maximumByteCount: 1 << 16)))
    }
}
