// SPDX-License-Identifier: Apache-2.0
import Evidence
import Foundation
import JSON
import Linux

/// Gives tokens to hosts that a person allows at the pad.
///
/// The connection of a new host is encrypted, but nobody has checked the certificate yet. So host and pad each show six
/// digits, which a person compares. They are made of the key that each side sees and of a number of each side, as in
/// numeric comparison of Bluetooth (Core Specification, volume 3, part H, 2.3.5.6.2). The host commits itself to its
/// number before it sees the pad's: whoever stands between cannot try numbers until the digits agree, and has one
/// chance in a million.
actor Pairings {
    /// Seconds from the request to the token.
    private static let lifetime: TimeInterval = 180
    /// Requests in a minute: each shows a page on the pad.
    private static let requestLimit = 3
    private static let minute: TimeInterval = 60
    static let numberLength = 32

    /// SHA-256 of the certificate's public key, as DER of SubjectPublicKeyInfo; nil if the gateway does not know it.
    private let keyDigest: @Sendable () -> [UInt8]?
    private let panel: Panel
    private let file: TokenFile
    private let log: Log

    /// Only one at a time.
    private var current: Pairing?
    private var requests: [Date] = []

    private struct Pairing {
        let id: String
        let name: String
        let scopes: Set<Scope>
        /// SHA-256 of the host's number.
        let commitment: [UInt8]
        let number: [UInt8]
        let expires: Date
        var state = State.committed
    }

    enum State: Equatable {
        /// The host's number is not known yet.
        case committed
        /// The pad shows the digits.
        case shown
        /// Has the token, until the host has fetched it.
        case allowed(String?)
        case denied
        /// Why there is no token, in words.
        case failed(String)
    }

    init(panel: Panel, file: TokenFile, log: Log, keyDigest: @escaping @Sendable () -> [UInt8]?) {
        self.panel = panel
        self.file = file
        self.log = log
        self.keyDigest = keyDigest
    }

    /// Begins a pairing.
    /// - Returns: its id, which nobody can guess, and the pad's number.
    /// - Throws: ``Problem``.
    func begin(
        name: String, scopes: Set<Scope>, commitment: [UInt8], now: Date = Date()
    ) throws -> (id: String, number: [UInt8]) {
        guard keyDigest() != nil else {
            throw Problem(
                name: "no-pairing", status: 404,
                detail: "This gateway has no certificate, so hosts cannot pair. Use: inkpanel-gateway token add")
        }
        if let current, current.expires > now, [.committed, .shown].contains(current.state) {
            throw Problem(
                name: "pairing", status: 409, detail: "Another host is pairing; try again when it is done.")
        }
        requests = requests.filter { now.timeIntervalSince($0) < Self.minute } + [now]
        guard requests.count <= Self.requestLimit else {
            throw Problem(
                name: "too-many-pairings", status: 429, detail: "Too many hosts ask to pair; try again in a minute.",
                headers: ["Retry-After": "60"])
        }
        if try file.read().contains(where: { $0.name == name }) {
            throw Problem(
                name: "name-taken", status: 409,
                detail: "There is a host \(name). Choose another name, or remove it: inkpanel-gateway token remove")
        }
        let pairing = Pairing(
            id: Secret.random(16).base64URL, name: name, scopes: scopes, commitment: commitment,
            number: Secret.random(Self.numberLength), expires: now.addingTimeInterval(Self.lifetime))
        current = pairing
        return (pairing.id, pairing.number)
    }

    /// Receives the host's number and shows the digits on the pad.
    /// - Throws: ``Problem``.
    func reveal(_ id: String, number: [UInt8], now: Date = Date()) throws {
        guard let pairing = current, pairing.id == id, pairing.expires > now else { throw Self.noPairing }
        guard pairing.state == .committed, SHA256Digest(of: number).bytes == pairing.commitment, let key = keyDigest() else {
            current?.state = .failed("the number is not the one that the host announced")
            throw Problem.invalid("/a", "the number whose SHA-256 was sent as commit")
        }
        let digits = Self.digits(key: key, host: number, pad: pairing.number)
        current?.state = .shown
        log.notice("\(pairing.name.printable) asks to pair")
        Task { await ask(pairing, digits, key) }
    }

    /// - Returns: how far the pairing is. Its token is returned once.
    /// - Throws: ``Problem`` with status 404.
    func state(of id: String, now: Date = Date()) throws -> State {
        guard let pairing = current, pairing.id == id else { throw Self.noPairing }
        if pairing.expires <= now, pairing.state == .committed { current?.state = .failed("nobody answered in time") }
        let state = current?.state ?? pairing.state
        if case .allowed = state { current?.state = .allowed(nil) }
        return state
    }

    /// Six digits, of equal likelihood within 1 in 10^13.
    static func digits(key: [UInt8], host: [UInt8], pad: [UInt8]) -> String {
        let value = SHA256Digest(of: key + host + pad).bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let digits = String(value % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    private func ask(_ pairing: Pairing, _ digits: String, _ key: [UInt8]) async {
        let state: State
        do {
            let answer = try await panel.call(
                "Pair",
                ["name": .text(pairing.name), "digits": .text(digits), "key": .text(Data(key).base64EncodedString())])
            if answer["allowed"]?.flag == true {
                let (token, text) = Token.make(name: pairing.name, scopes: pairing.scopes, expires: nil, now: Date())
                try file.change { tokens in
                    guard !tokens.contains(where: { $0.name == token.name }) else {
                        throw Problem(name: "name-taken", status: 409, detail: "there is a host \(token.name) by now")
                    }
                    return tokens + [token]
                }
                state = .allowed(text)
            } else {
                state = .denied
            }
        } catch let problem as Problem {
            state = .failed(problem.detail)
        } catch {
            state = .failed("\(error)")
        }
        guard current?.id == pairing.id else { return }
        current?.state = state
        log.notice("\(pairing.name.printable): pairing \(Self.word(for: state))")
    }

    static func word(for state: State) -> String {
        switch state {
        case .committed: "committed"
        case .shown: "shown"
        case .allowed: "allowed"
        case .denied: "denied"
        case .failed: "failed"
        }
    }

    private static let noPairing = Problem.notFound("There is no such pairing; it may have expired. Begin a new one.")
}
