// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import HostAPI
import Linux
import TestSupport
import Testing

@testable import Gateway
@testable import HTTP

@Suite("Idempotency keys on disk")
struct KeyFileTests {
    private static let body = String(repeating: "0", count: 64)
    private let directory: TemporaryDirectory
    private let log = Log(identifier: "test")
    private let till = Token.make(name: "till", scopes: [.capture], expires: nil, now: Date()).token
    private let capture = CaptureID("20261126-080627-2fc94d3fe209ca2e")!
    private var key: IdempotencyKeys.Key { IdempotencyKeys.Key(of: till, "order 4711") }

    init() throws { directory = try TemporaryDirectory() }

    private func file(now: Date = Date()) -> IdempotencyKeys {
        IdempotencyKeys(state: directory.path, log: log, now: now)
    }

    private func lines() throws -> [Substring] {
        String(decoding: try #require(try InputFile.read(path, maximumByteCount: 1 << 20)), as: UTF8.self)
            .split(separator: "\n")
    }

    private var path: String { directory.path + "/keys" }

    private func write(_ lines: [String]) throws {
        try directory.write("keys", Array(lines.joined().utf8))
        chmod(path, 0o600)
    }

    @Test("an order is kept with its capture, its owner and its request, over restarts")
    func order() throws {
        var file = file()
        #expect(file[key] == nil)
        try file.ask(key, of: till, body: Self.body)
        #expect(file[key]?.state == .asking)
        file.sends(key)
        #expect(file[key]?.state == .sent)
        try file.began(key, capture)
        for kept in [file, self.file()] {
            let order = try #require(kept[key])
            #expect(order.state == .began(capture))
            #expect(order.owner == till.id && order.body == Self.body)
            #expect(kept.captures.map(\.id) == [capture])
        }
        #expect(file[key]?.asker == till.id)
        #expect(self.file()[key]?.asker == nil, "sessions end with the program")
        let text = try lines().joined()
        #expect(!text.contains("4711"), "only a digest of the key")
    }

    @Test("a key belongs to its token and the token's sessions")
    func owners() {
        var session = Token.make(name: "session", scopes: [], expires: nil, now: Date()).token
        session.parent = till.id
        let other = Token.make(name: "other", scopes: [], expires: nil, now: Date()).token
        #expect(IdempotencyKeys.Key(of: session, "k") == IdempotencyKeys.Key(of: till, "k"))
        #expect(IdempotencyKeys.Key(of: other, "k") != IdempotencyKeys.Key(of: till, "k"))
        #expect(IdempotencyKeys.Key(of: till, "k ") != IdempotencyKeys.Key(of: till, "k"))
    }

    @Test("an order whose end nobody wrote is in doubt after a restart")
    func doubt() throws {
        var file = file()
        try file.ask(key, of: till, body: Self.body)
        file.sends(key)
        #expect(self.file()[key]?.state == .inDoubt)
        file.doubt(key)
        #expect(file[key]?.state == .inDoubt)
    }

    @Test("a freed key is free, also after a restart")
    func free() throws {
        var file = file()
        try file.ask(key, of: till, body: Self.body)
        file.free(key)
        #expect(file[key] == nil)
        #expect(self.file()[key] == nil)
        #expect(try lines().map { $0.prefix { $0 != " " } } == ["ask", "free"])
    }

    @Test("a torn line is left out, and damaged ones are, too")
    func torn() throws {
        let ask = "ask \(key.text) \(Int(Date().timeIntervalSince1970)) owner \(Self.body)\n"
        try write([ask, "began \(key.text) \(capture)"])
        #expect(file()[key]?.state == .inDoubt, "the end of the line is missing")
        try write([ask, "began \(key.text) \(capture)\n"])
        #expect(file()[key]?.state == .began(capture))
        try write([ask, "began \(key.text) no/id\n"])
        #expect(file()[key]?.state == .inDoubt)
        try write(["nonsense\n", "ask a b c d\n", "ask a 1\n", ask, "free other\n"])
        #expect(file()[key]?.state == .inDoubt)
    }

    @Test("keys are kept for a day, whatever a clock that was set says")
    func lifetime() throws {
        let asked = Date(timeIntervalSince1970: 1_800_000_000)
        try write(["ask \(key.text) 1800000000 owner \(Self.body)\n"])
        #expect(file(now: asked + 86_399)[key] != nil)
        #expect(file(now: asked + 86_400)[key] == nil)
        #expect(file(now: asked - 1_000_000)[key] != nil, "set back")
        try write(["ask \(key.text) 5 owner \(Self.body)\n"])
        #expect(file(now: asked)[key] != nil, "never set when it was asked")
    }

    @Test("a file that others can change is not used, and no key is taken")
    func refused() throws {
        try write(["ask \(key.text) 1800000000 owner \(Self.body)\n"])
        chmod(path, 0o666)
        let before = try lines()
        var file = file()
        let problem = try #require(thrownError { try file.ask(key, of: till, body: Self.body) } as? Problem)
        #expect(problem.name == .storeFailed && problem.status == 500)
        #expect(problem.detail.contains("chmod 600"))
        #expect(file[key] == nil)
        #expect(try lines() == before)
    }

    @Test("a key that cannot be written asks for nothing")
    func unwritten() throws {
        var file = IdempotencyKeys(state: directory.path + "/none", log: log)
        let problem = try #require(thrownError { try file.ask(key, of: till, body: Self.body) } as? Problem)
        #expect(problem.name == .storeFailed)
        #expect(file[key] == nil)
    }

    @Test("keys that were freed leave the file")
    func shortened() throws {
        let time = Int(Date().timeIntervalSince1970)
        var lines = ["ask kept \(time) owner \(Self.body)\n", "began kept \(capture)\n"]
        for number in 0..<600 {
            lines.append("ask \(number) \(time) owner \(Self.body)\n")
            lines.append("free \(number)\n")
        }
        try write(lines)
        var file = file()
        try file.ask(key, of: till, body: Self.body)
        #expect(try self.lines().count == 3)
        #expect(self.file()[key] != nil)
        #expect(self.file().captures.map(\.id) == [capture])
    }
}

@Suite("Which token owns which capture")
struct OwnerFileTests {
    private let directory: TemporaryDirectory
    private let log = Log(identifier: "test")

    init() throws { directory = try TemporaryDirectory() }

    private func id(_ number: Int) -> CaptureID { CaptureID("capture-\(number)")! }

    private func file(limit: Int = 3) -> OwnerFile { OwnerFile(state: directory.path, limit: limit, log: log) }

    private func text() throws -> String {
        String(decoding: try InputFile.read(directory.path + "/owners", maximumByteCount: 1 << 20) ?? [], as: UTF8.self)
    }

    @Test("owners are kept over restarts")
    func kept() throws {
        let file = file()
        #expect(file.owner(of: id(1)) == nil)
        file.add(id(1), owner: "a")
        file.add(id(2), owner: "b")
        #expect(try text() == "capture-1 a\ncapture-2 b\n")
        for owners in [file, self.file()] {
            #expect(owners.owner(of: id(1)) == "a")
            #expect(owners.owner(of: id(2)) == "b")
        }
    }

    @Test("the oldest captures lose their owners when there are too many")
    func limit() throws {
        let file = file()
        for number in 1...6 { file.add(id(number), owner: "a") }
        #expect(file.owner(of: id(1)) == "a", "twice the limit")
        file.add(id(7), owner: "a")
        #expect((1...7).map { file.owner(of: id($0)) != nil } == [false, false, false, false, true, true, true])
        #expect(try text().split(separator: "\n").count == 3)
        #expect(self.file(limit: 2).owner(of: id(5)) == nil)
    }

    @Test("damaged lines are left out, and the file is mended")
    func damaged() throws {
        try directory.write("owners", Array("capture-1 a\nno/id b\ncapture-2\n\ncapture-3 c\ncapture-4 d".utf8))
        chmod(directory.path + "/owners", 0o600)
        let file = file()
        #expect((1...4).map { file.owner(of: id($0)) } == ["a", nil, "c", nil])
        #expect(try text() == "capture-1 a\ncapture-3 c\n")
    }

    @Test("a file that others can change stays as it is and gives nobody a record")
    func exposed() throws {
        try directory.write("owners", Array("capture-1 a\n".utf8))
        chmod(directory.path + "/owners", 0o622)
        let file = file()
        #expect(file.owner(of: id(1)) == nil)
        file.add(id(2), owner: "b")
        #expect(file.owner(of: id(2)) == "b", "until the program ends")
        #expect(try text() == "capture-1 a\n")
    }
}
