// SPDX-License-Identifier: Apache-2.0
import Evidence
import Foundation
import Linux

/// The tokens of the file and the sessions in memory: who a request comes from.
actor Bearers {
    /// Wrong tokens of a client in a minute, after which its requests are refused: nobody types tokens.
    private static let wrongLimit = 5
    private static let minute: TimeInterval = 60
    /// Clients whose wrong tokens are counted; beyond it, all others share one count.
    private static let clientLimit = 1000
    private static let sessionLimit = 1000

    private let file: TokenFile?
    /// A token that is not in the file.
    private let visitor: Token?
    private let log: Log
    private var tokens: [Token] = []
    private var fileVersion: UInt64?
    private var sessions: [Session] = []
    private var wrong: [String: [Date]] = [:]
    private var uses: LastUses?

    private struct Session {
        let token: Token
        /// Captures that it may still ask for.
        var captures: Int
    }

    /// - Parameters:
    ///   - uses: where uses of tokens of the file are noted.
    ///   - visitor: a token that is not in the file.
    init(file: TokenFile?, uses: LastUses? = nil, visitor: Token? = nil, log: Log) {
        self.file = file
        self.uses = uses
        self.visitor = visitor
        self.log = log
    }

    /// The token that a request carries.
    /// - Parameters:
    ///   - authorization: the header's value.
    ///   - client: the address that the request came from, for counting wrong tokens.
    /// - Throws: ``Problem`` with status 401, or 429 after too many wrong ones.
    func bearer(_ authorization: String?, from client: String, now: Date = Date()) throws -> Token {
        let key = wrong[client] == nil && wrong.count >= Self.clientLimit ? "" : client
        let recent = (wrong[key] ?? []).filter { now.timeIntervalSince($0) < Self.minute }
        if recent.count >= Self.wrongLimit {
            throw Problem(
                name: "too-many-wrong-tokens", status: 429,
                detail: "Too many requests with a wrong token; try again in a minute.", headers: ["Retry-After": "60"])
        }
        guard let authorization else {
            throw Self.unauthorized("no-token", "This needs a token: Authorization: Bearer ipt_…", nil)
        }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.unauthorized("no-token", "Authorization must be: Bearer ipt_…", "invalid_request")
        }
        readFile()
        let digest = SHA256Digest(of: Array(parts[1].utf8)).description
        guard let token = (known + sessions.map(\.token)).first(where: { Secret.equal($0.digest, digest) }) else {
            if wrong.count >= Self.clientLimit {
                wrong = wrong.filter { $0.value.contains { now.timeIntervalSince($0) < Self.minute } }
            }
            wrong[key] = recent + [now]
            log.notice("wrong token from \(client)")
            throw Self.unauthorized("wrong-token", "The token is wrong, or was removed.", "invalid_token")
        }
        if let parent = token.parent, !known.contains(where: { $0.id == parent }) {
            throw Self.unauthorized("wrong-token", "The token of this session was removed.", "invalid_token")
        }
        guard !token.isExpired(at: now) else {
            throw Self.unauthorized("expired-token", "The token \(token.name) has expired.", "invalid_token")
        }
        noteUse(of: token, now)
        return token
    }

    /// A session counts as use of its token.
    private func noteUse(of token: Token, _ now: Date) {
        guard tokens.contains(where: { $0.id == token.owner }) else { return }
        do throws(Errno) { try uses?.note(token.owner, known: tokens.map(\.id), now: now) } catch {
            log.warning("cannot write the days on which tokens were used: \(error); `token list` shows older ones")
        }
    }

    /// Makes a token for one web page, in memory only.
    /// - Throws: ``Problem`` with status 403 for a session of a session, or 429 if there are too many.
    func addSession(
        of parent: Token, origin: String, scopes: Set<Scope>, captures: Int, seconds: TimeInterval, now: Date = Date()
    ) throws -> (token: Token, text: String) {
        guard parent.parent == nil else {
            throw Problem(name: "permission-denied", status: 403, detail: "A session cannot make sessions.")
        }
        sessions.removeAll { $0.token.isExpired(at: now) }
        guard sessions.count < Self.sessionLimit else {
            throw Problem(
                name: "too-many-sessions", status: 429, detail: "Too many sessions are open; try again later.",
                headers: ["Retry-After": "60"])
        }
        let end = now.addingTimeInterval(seconds)
        var (token, text) = Token.make(
            name: "session of \(parent.name)", scopes: scopes, origins: [origin],
            expires: min(end, parent.expires ?? end), now: now)
        token.parent = parent.id
        token.mirrors = parent.mirrors
        sessions.append(Session(token: token, captures: captures))
        return (token, text)
    }

    /// Counts a capture of a session.
    /// - Throws: ``Problem`` with status 403 if it has none left.
    func useCapture(of token: Token) throws {
        guard token.parent != nil else { return }
        guard let index = sessions.firstIndex(where: { $0.token.id == token.id }), sessions[index].captures > 0 else {
            throw Problem(
                name: "session-used", status: 403,
                detail: "This session has asked for all its captures; make a new one.")
        }
        sessions[index].captures -= 1
    }

    /// Gives a session back the capture of a call that failed.
    func giveBackCapture(of token: Token) {
        guard let index = sessions.firstIndex(where: { $0.token.id == token.id }) else { return }
        sessions[index].captures += 1
    }

    private static func unauthorized(_ name: String, _ detail: String, _ error: String?) -> Problem {
        let challenge = "Bearer realm=\"inkpanel\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        return Problem(name: name, status: 401, detail: detail, headers: ["WWW-Authenticate": challenge])
    }

    private var known: [Token] { tokens + (visitor.map { [$0] } ?? []) }

    /// Reads the file if it has changed. A damaged one allows nobody.
    private func readFile() {
        guard let file, case let version = file.version, version != fileVersion else { return }
        fileVersion = version
        do throws(TokenFileError) { tokens = try file.read() } catch {
            tokens = []
            log.error(error.description)
        }
    }
}
