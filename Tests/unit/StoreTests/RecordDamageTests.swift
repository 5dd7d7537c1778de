// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Glibc
import HostAPI
import Linux
import Record
import TestSupport
import Testing

@testable import Store

@Suite("Sealed records that a power cut has damaged")
struct RecordDamageTests {
    private enum Harm: CaseIterable {
        case empty, nul, half, other
    }

    private func harm(_ path: String, _ harm: Harm) throws {
        let bytes = try #require(try InputFile.read(path, maximumByteCount: 1 << 24))
        switch harm {
        case .empty: try write([], path)
        case .nul: try write([UInt8](repeating: 0, count: bytes.count), path)
        case .half: try write(Array(bytes.prefix(bytes.count / 2)), path)
        case .other:
            var changed = bytes
            changed[bytes.count / 2] ^= 1
            try write(changed, path)
        }
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        let file = try FileDescriptor(opening: path, O_WRONLY | O_TRUNC)
        try file.writeAll(bytes)
    }

    @Test("are faults of the store with their cause, listed, until they are deleted", arguments: [false, true])
    func faults(encrypted: Bool) throws {
        for harm in Harm.allCases {
            let sealed = try Sealed(encrypted: encrypted)
            var source = RandomCapture(seed: 3)
            let (record, whole) = (source.record(.accepted), source.record(.accepted))
            let id = try #require(CaptureID(record.header.id))
            try sealed.write(record)
            try sealed.write(whole)
            #expect(try sealed.store.inspect().damage == [] && sealed.store.damage.summary == nil)
            try self.harm(encrypted ? sealed.store.encryptedCapture(id) : sealed.store.capture(id), harm)
            // As after the next start of the program.
            try sealed.reopen(encrypted: encrypted)
            let found = try sealed.store.inspect()
            guard case .damaged(id, let reason)? = found.damage.first, found.damage.count == 1 else {
                Issue.record("\(harm) \(encrypted): \(found.damage)")
                continue
            }
            switch harm {
            case .empty: #expect(reason == "it is empty")
            case .nul: #expect(reason == "it is full of NUL bytes")
            case .half: #expect(reason == (encrypted ? "it is not what its seal says" : "its end is missing"))
            case .other: #expect(reason == "it is not what its seal says")
            }
            let next = try sealed.store.nextSequence()
            #expect(found.sequence == next)
            #expect(sealed.store.damage.summary?.contains(id.description) == true)
            // A list, which reads the ends only, forgets nothing.
            let list = try sealed.store.list()
            #expect(list.unreadable.contains(found.damage[0]), "\(harm) \(encrypted)")
            try sealed.store.delete(id)
            #expect(sealed.store.damage.faults == [])
            #expect(try sealed.store.list().unreadable == [])
        }
    }

    @Test("so is a seal before the last one", arguments: [false, true])
    func seals(encrypted: Bool) throws {
        for harm in [Harm.empty, .nul, .half] {
            let sealed = try Sealed(encrypted: encrypted)
            var source = RandomCapture(seed: 5)
            for _ in 0..<2 { try sealed.write(source.record(.accepted)) }
            let path = try "\(sealed.path)/seals/\(sealed.names()[0])"
            try self.harm(path, harm)
            try sealed.reopen(encrypted: encrypted)
            let found = try sealed.store.inspect()
            #expect(found.damage.count == 1 && found.damage[0].description.hasPrefix("seal \(path) is damaged: "))
            #expect(sealed.store.damage.summary?.contains("Restore the file") == true)
            #expect(try sealed.store.list().unreadable == found.damage)
        }
    }

    @Test("the last seal is told once, by the chain")
    func lastSeal() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 6)
        for _ in 0..<2 { try sealed.write(source.record(.accepted)) }
        let path = try "\(sealed.path)/seals/\(sealed.names()[1])"
        try harm(path, .empty)
        try sealed.reopen()
        #expect(try sealed.store.inspect().damage == [])
        let faults = sealed.store.chain?.faults ?? []
        #expect(faults.count == 1 && faults[0].hasPrefix("seal \(path) is damaged: "))
        #expect(try sealed.store.list().unreadable.map(\.description) == faults)
    }

    @Test("a record without a seal is no such fault, nor one that was interrupted")
    func others() throws {
        let sealed = try Sealed()
        var source = RandomCapture(seed: 4)
        _ = try sealed.writer(of: source.record(.accepted))
        try sealed.reopen()
        #expect(try sealed.store.inspect().damage == [])
        let path = sealed.path + "/captures/stray.jsonl"
        _ = try FileDescriptor(opening: path, O_WRONLY | O_CREAT, permissions: 0o600)
        let found = try sealed.store.inspect()
        #expect(found.damage == [])
        #expect(try sealed.store.list().unreadable.count == 1)
    }
}
