// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Evidence
import Glibc
import HostAPI
import Linux
import Record
import TestSupport
import Testing

@testable import Store

@Suite("The outbox")
struct DeliveryTests {
    private var source = RandomCapture(seed: 45)

    private mutating func write(to sealed: Sealed) throws -> CaptureID {
        let record = source.record(.accepted)
        try sealed.write(record)
        return try #require(CaptureID(record.header.id))
    }

    private func waiting(_ sealed: Sealed) throws -> [String] {
        try ["captures", "seals"].flatMap { folder in
            try Directory.names(of: "\(sealed.path)/outbox/\(folder)").sorted().map { "\(folder)/\($0)" }
        }
    }

    /// What rclone does in the end.
    private func send(_ sealed: Sealed) throws {
        for name in try waiting(sealed) { try Directory.remove("\(sealed.path)/outbox/\(name)") }
    }

    private func status(_ path: String) -> stat {
        var status = stat()
        lstat(path, &status)
        return status
    }

    @Test("each sealed record waits with its seal under a second name, once", arguments: [false, true])
    mutating func linked(encrypted: Bool) throws {
        let delivery = Delivery(isRequired: false)
        let sealed = try Sealed(encrypted: encrypted)
        // From before delivery was wanted.
        let first = try write(to: sealed)
        try sealed.reopen(encrypted: encrypted, delivery: delivery)
        // Nobody accepted this one.
        _ = try sealed.writer(of: source.record(.accepted))
        let second = try write(to: sealed)
        try sealed.store.deliver()
        let suffix = encrypted ? ".jsonl.age" : ".jsonl"
        let expected =
            ["\(first)\(suffix)", "\(second)\(suffix)"].sorted().map { "captures/\($0)" }
            + ["seals/0000000001-\(first).seal", "seals/0000000002-\(second).seal"]
        #expect(try waiting(sealed) == expected)
        for name in expected {
            let status = status("\(sealed.path)/outbox/\(name)")
            #expect(status.st_ino == self.status("\(sealed.path)/\(name)").st_ino && status.st_nlink == 2)
            #expect(status.st_mode & 0o7777 == 0o640)
        }
        #expect(status(sealed.path + "/outbox/captures").st_mode & 0o7777 == 0o770)
        #expect(status(sealed.path + "/captures").st_mode & 0o7777 == 0o700)
        let (count, oldest) = try sealed.store.waiting()
        #expect(count == 4 && abs((oldest ?? 0) - WallClock.microseconds) < 60_000_000)
        try send(sealed)
        try sealed.reopen(encrypted: encrypted, delivery: delivery)
        try sealed.store.deliver()
        #expect(try waiting(sealed) == [] && sealed.store.waiting() == (0, nil))
        try sealed.store.delete(first)
        try sealed.store.deliver()
        #expect(try waiting(sealed) == ["seals/0000000003-\(first).deleted.seal"])
        // A backup without its marks.
        Directory.removeTree(sealed.path + "/linked")
        try sealed.store.deliver()
        #expect(try waiting(sealed).count == 4)
    }

    @Test("if delivery is required, neither hosts nor retention remove a record before its delivery")
    mutating func required() throws {
        let sealed = try Sealed(delivery: Delivery(isRequired: true))
        let id = try write(to: sealed)
        let none = CaptureRetention(maximumCount: 0)
        func removed() throws -> [CaptureID] {
            var removed: [CaptureID] = []
            try sealed.store.apply(none, now: nil) { removed.append($0.id) }
            return removed
        }
        // Not yet linked; linked; the seal on its way.
        for step in 0..<3 {
            #expect(thrownError { try sealed.store.delete(id) } as? StoreError == .undelivered(id))
            #expect(try removed() == [])
            if step == 0 { try sealed.store.deliver() }
            if step == 1 { try Directory.remove("\(sealed.path)/outbox/captures/\(id).jsonl") }
        }
        try send(sealed)
        #expect(try removed() == [id])
        // A capture that failed after it was sealed must not be found.
        let withdrawn = try write(to: sealed)
        try sealed.store.deliver()
        try sealed.store.wipe(withdrawn)
        #expect(try waiting(sealed).filter { $0.hasPrefix("captures/") } == [])
        // Interrupted ones are not delivered, nor kept for that.
        let open = source.record(.accepted)
        _ = try sealed.writer(of: open)
        try sealed.reopen(delivery: Delivery(isRequired: true))
        #expect(try removed() == [try #require(CaptureID(open.header.id))])
    }

    @Test("what a host deletes is not delivered any more; what retention removes still is")
    mutating func deletion() throws {
        let delivery = Delivery(isRequired: false)
        let sealed = try Sealed(delivery: delivery)
        let deleted = try write(to: sealed)
        let expired = try write(to: sealed)
        let halfDeleted = try write(to: sealed)
        try sealed.store.deliver()
        try sealed.store.delete(deleted)
        try sealed.store.delete(expired, reason: .age)
        // Killed after the seal of the deletion.
        _ = try sealed.store.chain?.append { seal in (seal.deleted, seal.reason) = (halfDeleted.description, .host) }
        try sealed.reopen(delivery: delivery)
        #expect(try waiting(sealed).filter { $0.hasPrefix("captures/") } == ["captures/\(expired).jsonl"])
        try sealed.store.deliver()
        #expect(try waiting(sealed).count == 1 + 6)
        // Also of a panel that delivers nothing any more.
        let last = try write(to: sealed)
        try sealed.store.deliver()
        try sealed.reopen()
        try sealed.store.delete(last)
        #expect(try waiting(sealed).filter { $0.hasPrefix("captures/") } == ["captures/\(expired).jsonl"])
    }

    @Test("a link in place of the outbox is refused, and captures go on")
    mutating func symbolicLink() throws {
        let sealed = try Sealed(delivery: Delivery(isRequired: false))
        let elsewhere = sealed.directory.path + "/elsewhere"
        try Directory.make(elsewhere, permissions: 0o700)
        #expect(symlink(elsewhere, sealed.path + "/outbox") == 0)
        let id = try write(to: sealed)
        let fault = StoreError.unsafe(
            path: sealed.path + "/outbox", "is a link; put the directory itself there")
        #expect(thrownError { try sealed.store.deliver() } as? StoreError == fault)
        #expect(sealed.store.delivery?.fault == fault)
        #expect(try Directory.names(of: elsewhere) == [] && sealed.store.list().captures.map(\.id) == [id])
        try Directory.remove(sealed.path + "/outbox")
        try sealed.store.deliver()
        #expect(try sealed.store.delivery?.fault == nil && waiting(sealed).count == 2)
    }

    @Test("other files of the same names are replaced; one that cannot be keeps no other record from its delivery")
    mutating func strangers() throws {
        let sealed = try Sealed(delivery: Delivery(isRequired: false))
        try sealed.store.deliver()
        let ids = [try write(to: sealed), try write(to: sealed), try write(to: sealed)]
        let names = ids.map { "\(sealed.path)/outbox/captures/\($0).jsonl" }
        try AtomicFile.write([1], to: names[0])
        for path in [names[1], names[1] + "/inner"] { try Directory.make(path, permissions: 0o700) }
        let error = thrownError { try sealed.store.deliver() } as? StoreError
        #expect(error == .failed(.link, path: names[1], .isDirectory))
        #expect(status(names[0]).st_ino == status("\(sealed.path)/captures/\(ids[0]).jsonl").st_ino)
        #expect(try waiting(sealed).filter { $0.hasPrefix("seals/") }.count == 2)
        Directory.removeTree(names[1])
        try sealed.store.deliver()
        #expect(try waiting(sealed).count == 6)
    }

    @Test("a seal waits as long as its record is missing")
    mutating func missingRecord() throws {
        let sealed = try Sealed(delivery: Delivery(isRequired: true))
        let id = try write(to: sealed)
        let (open, ended) = ("\(sealed.path)/open/\(id).jsonl", "\(sealed.path)/captures/\(id).jsonl")
        try Directory.rename(ended, to: open)
        try sealed.store.deliver()
        #expect(try waiting(sealed) == [])
        try sealed.reopen(delivery: Delivery(isRequired: true))
        try sealed.store.deliver()
        #expect(try waiting(sealed).count == 2)
    }

    @Test("the group of the outbox can read what waits, and nothing else", .enabled(if: geteuid() == 0, "needs root"))
    mutating func group() throws {
        let sealed = try Sealed(delivery: Delivery(isRequired: false))
        let id = try write(to: sealed)
        try sealed.store.deliver()
        // As systemd-tmpfiles does, here too late.
        #expect(chown(sealed.path + "/outbox", 0, 4242) == 0)
        try sealed.store.deliver()
        for name in ["captures", "seals", "captures/\(id).jsonl", "seals/0000000001-\(id).seal"] {
            let status = status("\(sealed.path)/outbox/\(name)")
            #expect(status.st_gid == 4242 && status.st_mode & 0o777 == (name.contains("/") ? 0o640 : 0o770))
        }
        for name in ["captures", "seals", "linked"] { #expect(status("\(sealed.path)/\(name)").st_gid != 4242) }
        // A power cut has undone it.
        #expect(chmod("\(sealed.path)/captures/\(id).jsonl", 0o600) == 0)
        try sealed.reopen(delivery: Delivery(isRequired: false))
        try sealed.store.deliver()
        #expect(status("\(sealed.path)/captures/\(id).jsonl").st_mode & 0o777 == 0o640)
    }
}
