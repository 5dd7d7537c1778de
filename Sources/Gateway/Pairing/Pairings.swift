// SPDX-License-Identifier: Apache-2.0
import Evidence
import Foundation
package import HTTP
import HostAPI
package import Linux

/// Gives tokens to hosts that a person allows at the pad.
///
/// The connection of a new host is encrypted, but nobody has checked the certificate yet. So host and pad each show six
/// digits, which a person compares. They are made of the key that each side sees and of a number of each side, as in
/// numeric comparison of Bluetooth (Core Specification, volume 3, part H, 2.3.5.6.2). The host commits itself to its
/// number before it sees the pad's: whoever stands between cannot try numbers until the digits agree, and has one
/// chance in a million.
///
/// Strangers have no power in it. An operator opens pairing for a host of one name (``PairingWindow``): who does not
/// know the name is refused, and the pad shows no text of a stranger. Who knows it shares the time fairly: unanswered
/// requests take no place, and the pad shows first whose network it has shown least. A token is made when its host
/// fetches it, and can be fetched again, so no token is without its host.
package actor Pairings {
    /// The time from the request to the token.
    private static let lifetime = Duration.seconds(180)
    /// Pairings that are known at once, of all and of one network.
    private static let limit = 64
    private static let networkLimit = 4
    /// Pages in a minute; the pad allows no more.
    private static let pageLimit = 3
    private static let minute = Duration.seconds(60)
    /// The time until the pad is asked again while somebody uses it.
    private static let retry = Duration.seconds(1)
    static let numberLength = 32

    /// SHA-256 of the certificate's public key, as DER of SubjectPublicKeyInfo; empty if hosts come without TLS, from
    /// this machine; nil if the gateway does not know it.
    private let keyDigest: @Sendable () -> [UInt8]?
    private let panel: PanelService
    private let file: TokenFile
    private let window: PairingWindow
    private let log: Log
    /// The clock of lifetimes and pauses.
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Oldest first.
    private var pairings: [Pairing] = []
    /// The last pages.
    private var pages: [(network: String, at: ContinuousClock.Instant)] = []
    private var retrying: Task<Void, Never>?

    private struct Pairing {
        let id: String
        let name: String
        let scopes: Set<Scope>
        /// SHA-256 of the host's number.
        let commitment: [UInt8]
        let number: [UInt8]
        let network: String
        let expires: ContinuousClock.Instant
        /// nil until the host has revealed its number.
        var digits: String?
        var state = State.committed
    }

    enum State: Equatable {
        /// The host's number is not known yet.
        case committed
        /// Somebody uses the pad, or it shows another pairing.
        case waiting
        /// The pad shows the digits.
        case shown
        /// Has the token when the host has fetched it.
        case allowed(String?)
        case denied
        /// Why there is no token, in words.
        case failed(String)
    }

    package init(
        panel: PanelService, file: TokenFile, window: PairingWindow, log: Log,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, keyDigest: @escaping @Sendable () -> [UInt8]?
    ) {
        self.panel = panel
        self.file = file
        self.window = window
        self.log = log
        self.now = now
        self.keyDigest = keyDigest
    }

    /// Begins a pairing.
    /// - Parameter client: the address of the host.
    /// - Returns: its id, which nobody can guess, and the pad's number.
    /// - Throws: ``Problem``.
    func begin(
        name: String, scopes: Set<Scope>, commitment: [UInt8], client: String
    ) throws -> (id: String, number: [UInt8]) {
        guard keyDigest() != nil else {
            throw Problem(
                name: .noPairing, status: 404,
                detail: "This gateway has no certificate, so hosts cannot pair. Use: inkpanel-gateway token add")
        }
        guard window.name == name else { throw Self.closed }
        if try file.read().contains(where: { $0.name == name }) {
            throw Problem(
                name: .nameTaken, status: 409,
                detail: "There is a host \(name). Choose another name, or remove it: inkpanel-gateway token remove")
        }
        let network = WrongTokens.network(of: client)
        try makeRoom(for: network)
        let pairing = Pairing(
            id: [UInt8](randomCount: 16).base64URL, name: name, scopes: scopes, commitment: commitment,
            number: [UInt8](randomCount: Self.numberLength), network: network, expires: now() + Self.lifetime)
        pairings.append(pairing)
        return (pairing.id, pairing.number)
    }

    /// Unanswered requests go first: of the network that asks if it has many, or else the oldest.
    private func makeRoom(for network: String) throws {
        for (index, pairing) in pairings.enumerated() where pairing.expires <= now() { end(index, pairing) }
        pairings.removeAll { $0.expires + Self.lifetime <= now() }
        func isSpare(_ pairing: Pairing) -> Bool {
            switch pairing.state {
            case .committed, .denied, .failed: true
            case .waiting, .shown, .allowed: false
            }
        }
        let own = pairings.count { $0.network == network }
        if own < Self.networkLimit, pairings.count < Self.limit { return }
        let spare = pairings.firstIndex { isSpare($0) && (own < Self.networkLimit || $0.network == network) }
        guard let spare else {
            throw Problem(
                name: .pairing, status: 409, detail: "Other hosts are pairing; try again when they are done.",
                headers: ["Retry-After": "10"])
        }
        pairings.remove(at: spare)
    }

    private func end(_ index: Int, _ pairing: Pairing) {
        switch pairing.state {
        case .committed, .waiting: pairings[index].state = .failed("nobody answered in time")
        case .allowed(nil): pairings[index].state = .failed("the token was not fetched in time")
        case .shown, .allowed, .denied, .failed: break
        }
    }

    /// Receives the host's number and shows the digits on the pad, as soon as nobody uses it. The same number again
    /// changes nothing.
    /// - Throws: ``Problem``.
    func reveal(_ id: String, number: [UInt8]) throws -> State {
        guard let index = index(of: id), pairings[index].expires > now() else { throw Self.noPairing }
        guard SHA256Digest(of: number).bytes == pairings[index].commitment, let key = keyDigest() else {
            if pairings[index].state == .committed {
                pairings[index].state = .failed("the number is not the one that the host announced")
            }
            throw Problem.invalid("/a", "the number whose SHA-256 was sent as commit")
        }
        if pairings[index].state == .committed {
            pairings[index].digits = Self.digits(key: key, host: number, pad: pairings[index].number)
            pairings[index].state = .waiting
            log.notice("\(pairings[index].name.printable) asks to pair")
            showNext()
        }
        // Another one may have taken the place of this one by now.
        return self.index(of: id).map { pairings[$0].state } ?? .waiting
    }

    /// - Returns: how far the pairing is, with its token: the host that fetches it makes it.
    /// - Throws: ``Problem`` with status 404.
    func state(of id: String) throws -> State {
        guard let index = index(of: id) else { throw Self.noPairing }
        if pairings[index].expires <= now() { end(index, pairings[index]) }
        if case .allowed(nil) = pairings[index].state { pairings[index].state = makeToken(for: pairings[index]) }
        return pairings[index].state
    }

    private func index(of id: String) -> Int? { pairings.firstIndex { $0.id.isEqualInConstantTime(to: id) } }

    private func makeToken(for pairing: Pairing) -> State {
        guard window.name == pairing.name else { return .failed("pairing was closed before the token was fetched") }
        let (token, text) = Token.make(name: pairing.name, scopes: pairing.scopes, expires: nil, now: Date())
        do {
            try file.change { tokens in
                guard !tokens.contains(where: { $0.name == token.name }) else {
                    throw Problem(name: .nameTaken, status: 409, detail: "there is a host \(token.name) by now")
                }
                return tokens + [token]
            }
            return .allowed(text)
        } catch let problem as Problem {
            return .failed(problem.detail)
        } catch {
            return .failed("\(error)")
        }
    }

    /// Six digits, of equal likelihood within 1 in 10^13.
    static func digits(key: [UInt8], host: [UInt8], pad: [UInt8]) -> String {
        let value = SHA256Digest(of: key + host + pad).bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let digits = String(value % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    // MARK: the pad

    /// Shows the next pairing, unless one is shown or waits to be fetched.
    private func showNext() {
        let isTaken = pairings.contains { $0.state == .shown || $0.state == .allowed(nil) && $0.expires > now() }
        guard !isTaken, let open = window.name, let key = keyDigest() else { return }
        let waiting = pairings.indices.filter {
            pairings[$0].state == .waiting && pairings[$0].expires > now() && pairings[$0].name == open
        }
        // The first of those whose network was shown least.
        guard let next = waiting.min(by: { pageCount(of: pairings[$0]) < pageCount(of: pairings[$1]) }) else { return }
        let recent = pages.suffix(Self.pageLimit)
        if recent.count == Self.pageLimit, let oldest = recent.first, now() - oldest.at < Self.minute {
            return showLater(oldest.at + Self.minute - now())
        }
        pairings[next].state = .shown
        let pairing = pairings[next]
        Task { await ask(pairing, key) }
    }

    private func pageCount(of pairing: Pairing) -> Int { pages.count { $0.network == pairing.network } }

    private func showLater(_ delay: Duration) {
        retrying?.cancel()
        retrying = Task {
            try? await Task.sleep(for: delay)
            if !Task.isCancelled { showNext() }
        }
    }

    private func ask(_ pairing: Pairing, _ key: [UInt8]) async {
        let state: State
        do {
            pages = pages.suffix(Self.limit) + [(pairing.network, now())]
            let request = PairingRequest(
                name: pairing.name, digits: pairing.digits ?? "",
                key: key.isEmpty ? nil : Data(key).base64EncodedString())
            state = try await panel.call(.pair, request, PairingReply.self).allowed ? .allowed(nil) : .denied
        } catch let problem as Problem where problem.name == .busy {
            // No page was shown.
            if let last = pages.lastIndex(where: { $0.network == pairing.network }) { pages.remove(at: last) }
            state = .waiting
        } catch let problem as Problem {
            state = .failed(problem.detail)
        } catch {
            state = .failed("\(error)")
        }
        if let index = index(of: pairing.id) { pairings[index].state = state }
        if state == .waiting { return showLater(Self.retry) }
        log.notice("\(pairing.name.printable): pairing \(Self.word(for: state))")
        showNext()
    }

    static func word(for state: State) -> String {
        switch state {
        case .committed: "committed"
        case .waiting: "waiting"
        case .shown: "shown"
        case .allowed: "allowed"
        case .denied: "denied"
        case .failed: "failed"
        }
    }

    private static let noPairing = Problem.notFound("There is no such pairing; it may have expired. Begin a new one.")

    /// The same for a wrong name, which nobody can try out so.
    private static let closed = Problem(
        name: .pairingClosed, status: 403,
        detail: "Pairing is not open for a host of this name. On the panel's machine, run: inkpanel-gateway pair NAME")
}
