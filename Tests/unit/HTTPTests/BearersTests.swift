// SPDX-License-Identifier: Apache-2.0
import Foundation
import Linux
import Testing

@testable import HTTP

@Suite("Who a request comes from")
struct BearersTests {
    private static let origin = "https://till.example"
    private let now = Date()
    private let log = Log(identifier: "test")

    private func problem(_ body: () async throws -> Void) async -> Problem? {
        do {
            try await body()
            return nil
        } catch { return error as? Problem }
    }

    @Test("a request has a token that is known and has not expired")
    func tokens() async throws {
        let (token, text) = Token.make(name: "till", scopes: [.capture], expires: now + 10, now: now)
        let bearers = Bearers(file: nil, visitor: token, log: log)
        #expect(try await bearers.bearer("Bearer " + text, from: "a", now: now) == token)
        func name(_ authorization: String?, _ now: Date) async -> String? {
            await problem { _ = try await bearers.bearer(authorization, from: "a", now: now) }?.name.rawValue
        }
        #expect(await name(nil, now) == "no-token")
        #expect(await name("Basic eDp5", now) == "no-token")
        #expect(await name("Bearer ipt_x_y", now) == "wrong-token")
        #expect(await name("Bearer " + text.dropLast(), now) == "wrong-token")
        #expect(await name("Bearer " + text, now + 10) == "expired-token")
    }

    @Test("wrong tokens are counted, and refuse no right one")
    func wrongTokens() async throws {
        let (token, text) = Token.make(name: "till", scopes: [], expires: nil, now: now)
        let bearers = Bearers(file: nil, visitor: token, log: log)
        var statuses: [Int] = []
        for _ in 0..<7 {
            let problem = await problem { _ = try await bearers.bearer("Bearer ipt_no", from: "192.0.2.1") }
            statuses.append(problem?.status ?? 0)
            if statuses.count == 7 { #expect(1...61 ~= Int(problem?.headers["Retry-After"] ?? "") ?? 0) }
        }
        #expect(statuses == [401, 401, 401, 401, 401, 429, 429])
        #expect(await problem { _ = try await bearers.bearer(nil, from: "192.0.2.1") }?.status == 401)
        #expect(try await bearers.bearer("Bearer " + text, from: "192.0.2.1") == token)
    }

    @Test("a session is for one page, some captures and some time, and does no more than its token")
    func sessions() async throws {
        let (parent, _) = Token.make(name: "till", scopes: [.capture, .panel], expires: now + 800, now: now)
        let bearers = Bearers(file: nil, visitor: parent, log: log)
        let (session, text) = try await bearers.addSession(
            of: parent, origin: Self.origin, scopes: [.capture, .record], captures: 1, seconds: 900, now: now)
        #expect(session.origins == [Self.origin])
        #expect(session.owner == parent.id)
        #expect(session.expires == parent.expires, "not later than its token")
        let standing = try await bearers.bearer("Bearer " + text, from: "a", now: now)
        #expect(standing.scopes == [.capture], "its token may not read records")
        #expect(
            await problem {
                _ = try await bearers.addSession(
                    of: session, origin: Self.origin, scopes: [], captures: 1, seconds: 10, now: now)
            }?.name == .permissionDenied)
        #expect(
            await problem { _ = try await bearers.bearer("Bearer " + text, from: "a", now: now + 800) }?.name
                == .expiredToken, "with its token")
        try await bearers.useCapture(of: session)
        #expect(await problem { try await bearers.useCapture(of: session) }?.name == .sessionUsed)
        await bearers.giveBackCapture(of: session)
        #expect(await problem { try await bearers.useCapture(of: session) } == nil)
        #expect(await problem { try await bearers.useCapture(of: parent) } == nil, "tokens have no number of captures")
    }

    @Test("a page that makes the panel work for nothing again and again has used its session up")
    func costlyFailures() async throws {
        let (parent, _) = Token.make(name: "till", scopes: [.capture], expires: nil, now: now)
        let bearers = Bearers(file: nil, visitor: parent, log: log)
        let (session, _) = try await bearers.addSession(
            of: parent, origin: Self.origin, scopes: [.capture], captures: 1, seconds: 900, now: now)
        for _ in 0..<100 {
            try await bearers.useCapture(of: session)
            await bearers.giveBackCapture(of: session)
        }
        for _ in 0..<17 {
            try await bearers.useCapture(of: session)
            await bearers.giveBackCapture(of: session, wasCostly: true)
        }
        #expect(await problem { try await bearers.useCapture(of: session) }?.name == .sessionUsed)
    }

    @Test("a session is renewed by its token, and nothing that it does ends")
    func renewal() async throws {
        let (parent, _) = Token.make(name: "till", scopes: [.capture], expires: nil, now: now)
        let (other, _) = Token.make(name: "other", scopes: [.capture], expires: nil, now: now)
        let bearers = Bearers(file: nil, visitor: parent, log: log)
        let (session, text) = try await bearers.addSession(
            of: parent, origin: Self.origin, scopes: [.capture], captures: 1, seconds: 800, now: now)
        let end = await bearers.watch(session)
        try await bearers.useCapture(of: session)
        #expect(await bearers.renewSession(text, of: other, captures: 2, seconds: 900, now: now) == nil)
        #expect(await bearers.renewSession(text + "x", of: parent, captures: 2, seconds: 900, now: now) == nil)
        let renewed = await bearers.renewSession(text, of: parent, captures: 2, seconds: 900, now: now)
        #expect(renewed?.id == session.id)
        #expect(renewed?.expires == now + 900)
        #expect(await bearers.expiry(of: session) == now + 900)
        #expect(await !end.hasCome)
        try await bearers.useCapture(of: session)
        try await bearers.useCapture(of: session)
        #expect(await problem { try await bearers.useCapture(of: session) }?.name == .sessionUsed)
        _ = await bearers.renewSession(text, of: parent, captures: 1, seconds: 0, now: now)
        #expect(await end.hasCome)
        #expect(await bearers.renewSession(text, of: parent, captures: 1, seconds: 9, now: now) == nil, "it has ended")
    }

    @Test("a session ends after its time")
    func sessionTime() async throws {
        let (parent, _) = Token.make(name: "till", scopes: [.capture], expires: nil, now: now)
        let bearers = Bearers(file: nil, visitor: parent, log: log)
        let (_, text) = try await bearers.addSession(
            of: parent, origin: Self.origin, scopes: [.capture], captures: 1, seconds: 0, now: now)
        #expect(await problem { _ = try await bearers.bearer("Bearer " + text, from: "a") }?.name == .expiredToken)
    }

    @Test("the sessions of one token leave places for others")
    func sessionShares() async throws {
        let (parent, _) = Token.make(name: "till", scopes: [], expires: nil, now: now)
        let (other, _) = Token.make(name: "other", scopes: [], expires: nil, now: now)
        let bearers = Bearers(file: nil, visitor: parent, log: log)
        func add(_ parent: Token) async -> Problem? {
            await problem {
                _ = try await bearers.addSession(
                    of: parent, origin: Self.origin, scopes: [], captures: 1, seconds: 900)
            }
        }
        for _ in 0..<500 { #expect(await add(parent) == nil) }
        let refused = await add(parent)
        #expect(refused?.status == 429)
        #expect(refused?.headers["Retry-After"] == "60")
        #expect(await add(other) == nil)
    }

    @Test("a right ends with any change of its token, and whoever waits for that is called once")
    func ends() async throws {
        let (parent, _) = Token.make(name: "till", scopes: [.capture], expires: nil, now: now)
        let bearers = Bearers(file: nil, visitor: parent, log: log)
        let end = await bearers.watch(parent)
        #expect(await !end.hasCome)
        try await bearers.check(end)
        var changed = parent
        changed.scopes = []
        let other = BearerEnd(of: changed, in: bearers)
        await confirmation(expectedCount: 2) { confirm in
            other.then { confirm() }
            let forgotten = other.then { confirm() }
            other.forget(forgotten)
            #expect(await other.hasCome)
            // At once, as it has ended.
            other.then { confirm() }
            other.end()
        }
        #expect(await problem { try await bearers.check(other) }?.status == 401)
    }
}

@Suite("Wrong tokens, counted")
struct WrongTokensTests {
    private let start = ContinuousClock.now

    @Test("from the sixth of a minute on, they are too many")
    func minute() {
        var wrong = WrongTokens()
        for second in 0..<5 { #expect(wrong.note(from: "192.0.2.1", now: start + .seconds(second)) == .few) }
        #expect(wrong.note(from: "192.0.2.1", now: start + .seconds(10)) == .tooMany(isFirst: true, wait: .seconds(50)))
        #expect(wrong.note(from: "192.0.2.1", now: start + .seconds(59)) == .tooMany(isFirst: false, wait: .seconds(1)))
        #expect(wrong.note(from: "192.0.2.2", now: start + .seconds(59)) == .few, "another address")
        #expect(wrong.note(from: "192.0.2.1", now: start + .seconds(60)) == .few, "another minute")
    }

    @Test("many addresses make no one's count forgotten but the oldest")
    func flood() {
        var wrong = WrongTokens()
        for _ in 0..<5 { _ = wrong.note(from: "192.0.2.1", now: start) }
        for number in 0..<999 {
            #expect(wrong.note(from: "198.51.\(number)", now: start + .milliseconds(1000 + number)) == .few)
        }
        for _ in 0..<5 { _ = wrong.note(from: "198.51.0", now: start + .seconds(2)) }
        #expect(wrong.note(from: "new", now: start + .seconds(2)) == .few)
        #expect(wrong.note(from: "192.0.2.1", now: start + .seconds(2)) == .few, "it began first")
        #expect(wrong.note(from: "198.51.0", now: start + .seconds(2)) == .few, "then this one was the oldest")
    }

    @Test(
        "addresses of IPv4, and networks of IPv6 which one host has",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8::1", "20010db800000000/64"),
            ("2001:db8:0:0:ffff::1", "20010db800000000/64"), ("2001:db8:0:1::1", "20010db800000001/64"),
            ("fe80::1%eth0", "fe80000000000000/64"), ("local", "local"), ("", ""),
        ])
    func networks(_ client: String, _ network: String) { #expect(WrongTokens.network(of: client) == network) }
}
