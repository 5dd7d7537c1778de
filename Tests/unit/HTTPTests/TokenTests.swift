// SPDX-License-Identifier: Apache-2.0
import Evidence
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

@testable import HTTP

@Suite("Tokens and their files")
struct TokenTests {
    private let directory: TemporaryDirectory
    private var file: TokenFile { TokenFile(state: directory.path) }

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ text: String, _ name: String = TokenFile.name) throws {
        try directory.write(name, Array(text.utf8))
        chmod("\(directory.path)/\(name)", 0o600)
    }

    @Test("a token is its id and 256 bits, of which only a digest is kept")
    func make() {
        let now = Date()
        let (token, text) = Token.make(name: "till", scopes: [.capture], expires: nil, now: now)
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        #expect(parts[0] == "ipt" && parts[1] == token.id)
        #expect(parts[2].utf8.count == 43)
        #expect(token.digest == SHA256Digest(of: Array(text.utf8)).description)
        #expect(token.owner == token.id)
        #expect(Token.make(name: "till", scopes: [.capture], expires: nil, now: now).text != text)
    }

    @Test("admin has all scopes, and others only their own")
    func scopes() {
        let all = Token.make(name: "a", scopes: [.admin], expires: nil, now: Date()).token
        let one = Token.make(name: "a", scopes: [.mirrorState], expires: nil, now: Date()).token
        for scope in Scope.allCases {
            #expect(all.allows(scope))
            #expect(one.allows(scope) == (scope == .mirrorState))
        }
        #expect(
            Scope.names == "capture, record, panel, simulate, virtual, mirror:state, mirror:presence, mirror:ink, admin"
        )
    }

    @Test("a token ends at its time")
    func expiry() {
        let now = Date()
        let token = Token.make(name: "a", scopes: [], expires: now, now: now).token
        #expect(token.isExpired(at: now))
        #expect(!token.isExpired(at: now - 1))
        #expect(!Token.make(name: "a", scopes: [], expires: nil, now: now).token.isExpired(at: .distantFuture))
    }

    @Test("names of hosts can be read and typed")
    func names() {
        for name in ["till-3", "Kasse 3", "-x", "\u{436}", String(repeating: "a", count: 64)] {
            #expect(Token.expectation(ofName: name) == nil, "\(name)")
        }
        for name in [
            "", "  ", String(repeating: "a", count: 65), String(repeating: "\u{436}", count: 33), "a\u{7}",
            "a\u{202e}b",
        ] {
            #expect(Token.expectation(ofName: name) != nil, "\(name)")
        }
    }

    @Test("secrets are compared whole")
    func secrets() {
        #expect("abc".isEqualInConstantTime(to: "abc"))
        #expect(!"abc".isEqualInConstantTime(to: "abd"))
        #expect(!"abc".isEqualInConstantTime(to: "ab"))
        #expect("".isEqualInConstantTime(to: ""))
    }

    @Test("base64 for tokens has no character that separates their parts, or that URLs escape")
    func base64() {
        #expect([0xFB, 0xFF, 0xFE].map(UInt8.init).base64URL == "-~~-")
        #expect([UInt8]().base64URL == "" && [UInt8(0)].base64URL == "AA")
        #expect([UInt8]([0, 0x0F, 0xF0]).hexadecimal == "000ff0")
    }

    // MARK: the file of tokens

    @Test("tokens are read as they were written, in a file of this user alone")
    func fileOfTokens() throws {
        #expect(try file.read() == [])
        #expect(file.version == 0)
        // The file has whole seconds.
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var token = Token.make(
            name: "till", scopes: [.capture, .mirrorInk], origins: ["https://a"], expires: now, now: now
        ).token
        token.mirrors = ["x"]
        try file.change { $0 + [token] }
        #expect(try file.read() == [token])
        let before = file.version
        #expect(before != 0)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        try file.change { _ in [] }
        #expect(try file.read() == [])
        #expect(file.version != before)
    }

    @Test("a change that fails leaves the tokens")
    func failedChange() throws {
        let token = Token.make(name: "till", scopes: [], expires: nil, now: Date(timeIntervalSince1970: 0)).token
        try file.change { _ in [token] }
        #expect(throws: CancellationError.self) { try file.change { _ in throw CancellationError() } }
        #expect(try file.read() == [token])
    }

    @Test("a file with two readings is damaged")
    func damaged() throws {
        let token =
            #"{"id":"a","name":"n","scopes":["capture"],"origins":[],"#
            + #""created":"2026-01-01T00:00:00Z","digest":"d"}"#
        try write("[\(token)]")
        #expect(try file.read().map(\.scopes) == [[.capture]])
        for text in [
            "", "[{", "{}", "[\(token),]", "\u{feff}[\(token)]", "[\(token)]x", "[null]",
            "[\(token.replacing("{\"id\"", with: "{\"id\":\"b\",\"id\""))]",
            "[\(token.replacing("\"capture\"", with: "\"all\""))]",
            "[\(token.replacing("2026-01-01T00:00:00Z", with: "yesterday"))]",
        ] {
            try write(text)
            let error = thrownError { try file.read() }
            guard case .damaged(file.path, _)? = error as? TokenFileError else {
                Issue.record("\(text): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("a file that others may have made is refused")
    func exposed() throws {
        try write("[]")
        chmod(file.path, 0o640)
        #expect("\(try #require(thrownError { try file.read() }))".contains("chmod 600"))
        unlink(file.path)
        try write("[]", "other")
        #expect(symlink("\(directory.path)/other", file.path) == 0)
        #expect("\(try #require(thrownError { try file.read() }))".contains("is a link"))
        unlink(file.path)
        #expect(link("\(directory.path)/other", file.path) == 0)
        #expect("\(try #require(thrownError { try file.read() }))".contains("a second name"))
    }

    // MARK: the other files

    @Test("a day of use is noted once, and removed tokens are forgotten")
    func uses() throws {
        var uses = LastUses(state: directory.path)
        #expect(uses.days.isEmpty)
        let noon = Date(timeIntervalSince1970: 1_764_158_400)
        try uses.note("a", known: ["a", "b"], now: noon)
        try uses.note("b", known: ["a", "b"], now: noon + 86400)
        #expect(LastUses(state: directory.path).days == ["a": "2025-11-26", "b": "2025-11-27"])
        unlink(directory.path + "/last-uses")
        try uses.note("b", known: ["a", "b"], now: noon + 86400 + 3600)
        #expect(try !directory.names().contains("last-uses"), "the same day")
        try uses.note("b", known: ["b"], now: noon + 2 * 86400)
        #expect(LastUses(state: directory.path).days == ["b": "2025-11-28"])
    }

    @Test("the token of a virtual panel is kept, unless its file was changed")
    func visitor() throws {
        let first = try VisitorToken(state: directory.path)
        let second = try VisitorToken(state: directory.path)
        #expect(first.text == second.text)
        #expect(first.token.id == second.token.id && first.token.digest == second.token.digest)
        #expect(second.token.scopes == [.admin])
        for text in ["", "ipt_a_b", first.text + "x", first.text + "\n", first.text.replacing("ipt", with: "iqt")] {
            try write(text, VisitorToken.fileName)
            #expect(try VisitorToken(state: directory.path).text != first.text, "\(text)")
        }
        chmod("\(directory.path)/\(VisitorToken.fileName)", 0o644)
        #expect(throws: TokenFileError.self) { try VisitorToken(state: directory.path) }
    }
}
