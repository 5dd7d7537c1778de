// SPDX-License-Identifier: Apache-2.0
import Evidence
import FlyingFox
import Foundation
import HTTPFixtures
import JSON
import Linux
import TestSupport
import Testing

@testable import Gateway
@testable import HTTP

@Suite("Pairing")
struct PairingTests {
    private static let key = SHA256Digest(of: Array("a public key".utf8)).bytes
    private let directory: TemporaryDirectory
    private let window: PairingWindow
    private let file: TokenFile
    private let number = [UInt8](repeating: 7, count: Pairings.numberLength)

    init() throws {
        directory = try TemporaryDirectory()
        window = PairingWindow(state: directory.path)
        file = TokenFile(state: directory.path)
    }

    /// The panel does not run, and time stands still, however slow the machine is.
    /// - Parameter hasKey: whether there is a certificate.
    private func makePairings(hasKey: Bool = true) -> Pairings {
        let panel = PanelService(socket: directory.path + "/panel", pool: HTTPServer.defaultPool())
        let start = ContinuousClock.now
        return Pairings(
            panel: panel, file: file, window: window, log: Log(identifier: "test"), now: { start },
            keyDigest: { hasKey ? Self.key : nil })
    }

    private func begin(
        _ pairings: Pairings, _ name: String = "till", client: String = "192.0.2.1"
    ) async throws -> (id: String, number: [UInt8]) {
        try await pairings.begin(
            name: name, scopes: [.capture], commitment: SHA256Digest(of: number).bytes, client: client)
    }

    private func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch { return (error as? Problem)?.name.rawValue }
    }

    // MARK: the window

    @Test("pairing is open for a name while its lock is held")
    func windowOpens() throws {
        #expect(window.name == nil)
        do {
            let lock = try window.open(for: "till-3")
            #expect(window.name == "till-3")
            #expect(throws: Errno.wouldBlock) { _ = try window.open(for: "other") }
            #expect(window.name == "till-3")
            _ = consume lock
        }
        #expect(window.name == nil, "the name is still in the file")
        let lock = try window.open(for: "b")
        #expect(window.name == "b", "nothing of the longer name before")
        _ = consume lock
    }

    // MARK: digits

    @Test("the digits are those that the host computes")
    func digits() {
        let pad = [UInt8](repeating: 9, count: 32)
        let digits = Pairings.digits(key: Self.key, host: number, pad: pad)
        let first = SHA256Digest(of: Self.key + number + pad).bytes.prefix(8)
        let value = first.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        #expect(digits.count == 6 && UInt64(digits) == value)
        #expect(digits != Pairings.digits(key: Self.key, host: pad, pad: number))
        // Some have zeros in front.
        let all = (0..<64).map { Pairings.digits(key: [$0], host: number, pad: pad) }
        #expect(all.allSatisfy { $0.utf8.count == 6 } && all.contains { $0.hasPrefix("0") })
    }

    // MARK: requests

    @Test("nobody pairs without a certificate, an open window of that name, or a free name")
    func closed() async throws {
        #expect(await refusal { _ = try await begin(makePairings(hasKey: false)) } == "no-pairing")
        let pairings = makePairings()
        #expect(await refusal { _ = try await begin(pairings) } == "pairing-closed")
        let lock = try window.open(for: "till")
        #expect(await refusal { _ = try await begin(pairings, "other") } == "pairing-closed")
        #expect(await refusal { _ = try await begin(pairings) } == nil)
        try file.change { _ in [Token.make(name: "till", scopes: [], expires: nil, now: Date()).token] }
        #expect(await refusal { _ = try await begin(pairings) } == "name-taken")
        _ = consume lock
    }

    @Test("a host is bound to the number whose digest it sent")
    func commitment() async throws {
        let lock = try window.open(for: "till")
        let pairings = makePairings()
        let first = try await begin(pairings)
        #expect(first.number.count == Pairings.numberLength)
        #expect(try await pairings.state(of: first.id) == .committed)
        #expect(await refusal { _ = try await pairings.reveal(first.id, number: first.number) } == "invalid-parameter")
        guard case .failed = try await pairings.state(of: first.id) else {
            Issue.record("it may try another number")
            return
        }
        #expect(await refusal { _ = try await pairings.reveal("none", number: number) } == "not-found")
        #expect(await refusal { _ = try await pairings.state(of: "none") } == "not-found")
        let second = try await begin(pairings)
        #expect(second.id != first.id && second.number != first.number)
        #expect(try await pairings.reveal(second.id, number: number) == .shown)
        #expect(try await pairings.reveal(second.id, number: number) != .committed, "again")
        _ = consume lock
    }

    @Test("a flood of unanswered requests takes no place from others")
    func flood() async throws {
        let lock = try window.open(for: "till")
        let pairings = makePairings()
        var first: String?
        for count in 0..<200 {
            let one = try await begin(pairings, client: "192.0.2.\(count % 70)")
            first = first ?? one.id
        }
        #expect(await refusal { _ = try await pairings.state(of: first ?? "") } == "not-found")
        let late = try await begin(pairings, client: "203.0.113.1")
        #expect(try await pairings.state(of: late.id) == .committed)
        _ = consume lock
    }

    // MARK: routes

    @Test(
        "a request says what is wrong with it",
        arguments: [
            ("{}", "/name"), ("{\"name\":\"a\"}", "/commit"),
            ("{\"name\":\"a\\u0007\",\"commit\":\"COMMIT\"}", "/name"),
            ("{\"name\":\"a\",\"commit\":\"0\"}", "/commit"), ("{\"name\":\"a\",\"commit\":\"+COMMIT\"}", "/commit"),
            ("{\"name\":\"a\",\"commit\":\"COMMIT\",\"scopes\":[\"admin\"]}", "/scopes"),
            ("{\"name\":\"a\",\"commit\":\"COMMIT\",\"scopes\":[]}", "/scopes"),
            ("{\"name\":\"a\",\"commit\":\"COMMIT\",\"scopes\":\"capture\"}", "/scopes"),
            ("{\"name\":\"a\",\"commit\":\"COMMIT\",\"x\":1}", "/x"),
        ])
    func wrongRequests(_ body: String, _ pointer: String) async throws {
        let router = try RouterFixture(Route.pairings(makePairings()))
        let text = body.replacing("+COMMIT", with: String(repeating: "+0", count: 32))
            .replacing("COMMIT", with: String(repeating: "0a", count: 32))
        let response = await router.response(
            "POST", "/v1/pairings", token: nil, ["Content-Type": "application/json"], body: text)
        #expect(response.status == 400)
        #expect(try await response.object["errors"]?.list?.first?["pointer"]?.text == pointer)
    }
}
