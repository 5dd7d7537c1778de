// SPDX-License-Identifier: Apache-2.0
import Evidence
package import Foundation
import HostAPI
package import Linux

/// The tokens of the file and the sessions in memory: who a request comes from.
package actor Bearers {
    private static let sessionLimit = 1000
    private static let costlyFailures = 16
    /// Between two looks at the tokens while requests are being answered, most of all streams.
    private static let lookInterval = Duration.milliseconds(200)

    private let file: TokenFile?
    /// A token that is not in the file.
    private let visitor: Token?
    private let log: Log
    private var tokens: [Token] = []
    private var fileVersion: UInt64?
    private var sessions: [Session] = []
    private var wrong = WrongTokens()
    private var uses: LastUses?
    private var watched: [Watched] = []
    private var isLooking = false

    private struct Session {
        var token: Token
        /// The end by the clock that nobody can set; the token has it by the wall clock, for people.
        var end: ContinuousClock.Instant
        /// Captures that it may ask for, and may still ask for.
        var allowed: Int
        var captures: Int
        /// Calls that may still make the panel work and fail.
        var costlyFailures = Bearers.costlyFailures
    }

    private struct Watched {
        weak var end: BearerEnd?
    }

    /// - Parameters:
    ///   - uses: where uses of tokens of the file are noted.
    ///   - visitor: a token that is not in the file.
    package init(file: TokenFile?, uses: LastUses? = nil, visitor: Token? = nil, log: Log) {
        self.file = file
        self.uses = uses
        self.visitor = visitor
        self.log = log
    }

    /// The token that a request carries, as it stands now.
    /// - Parameters:
    ///   - authorization: the header's value.
    ///   - client: the address that the request came from, for counting wrong tokens.
    /// - Throws: ``Problem`` with status 401, or 429 for one of too many wrong ones.
    package func bearer(_ authorization: String?, from client: String, now: Date = Date()) throws -> Token {
        guard let authorization else {
            throw Self.unauthorized(.noToken, "This needs a token: Authorization: Bearer ipt_…", nil)
        }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Self.unauthorized(.noToken, "Authorization must be: Bearer ipt_…", "invalid_request")
        }
        readFile()
        let digest = SHA256Digest(of: Array(parts[1].utf8)).description
        guard let token = (known + sessions.map(\.token)).first(where: { $0.digest.isEqualInConstantTime(to: digest) })
        else {
            throw refusal(ofWrongTokenFrom: client)
        }
        let standing = try standing(token, now)
        noteUse(of: standing, now)
        return standing
    }

    private func refusal(ofWrongTokenFrom client: String) -> Problem {
        switch wrong.note(from: client) {
        case .few:
            log.notice("wrong token from \(client)")
            return Self.unauthorized(.wrongToken, "The token is wrong, or was removed.", "invalid_token")
        case .tooMany(let isFirst, let wait):
            if isFirst { log.notice("more wrong tokens from \(client) are not logged for a minute") }
            return Problem(
                name: .tooManyWrongTokens, status: 429,
                detail: "The token is wrong, as were others from here; try again in a minute.",
                headers: ["Retry-After": "\(wait.components.seconds + 1)"])
        }
    }

    /// A token as it stands now: a session may do no more than its token.
    /// - Throws: ``Problem`` with status 401 if it may do nothing any more.
    private func standing(_ token: Token, _ now: Date) throws -> Token {
        var standing = token
        if let parent = token.parent {
            guard let parent = known.first(where: { $0.id == parent }) else {
                throw Self.unauthorized(.wrongToken, "The token of this session was removed.", "invalid_token")
            }
            let end = sessions.first { $0.token.id == token.id }?.end
            guard let end, end > .now, !parent.isExpired(at: now) else {
                throw Self.unauthorized(.expiredToken, "The \(token.name) has expired.", "invalid_token")
            }
            standing.scopes = token.scopes.filter(parent.allows)
            standing.mirrors = parent.mirrors
        } else if token.isExpired(at: now) {
            throw Self.unauthorized(.expiredToken, "The token \(token.name) has expired.", "invalid_token")
        }
        return standing
    }

    // MARK: the end of a bearer's right

    /// Notices when the right of a bearer ends, as long as the result is kept.
    package func watch(_ bearer: Token) -> BearerEnd {
        let end = BearerEnd(of: bearer, in: self)
        if watched.count == watched.capacity { watched.removeAll { $0.end == nil } }
        watched.append(Watched(end: end))
        if !isLooking {
            isLooking = true
            Task { await look() }
        }
        return end
    }

    /// Looks at once: an answer that took long is not for a bearer whose right has ended meanwhile.
    /// - Throws: ``Problem`` with status 401.
    package func check(_ end: BearerEnd) throws {
        look(at: end)
        if end.hasEnded {
            throw Self.unauthorized(
                .wrongToken, "The token was removed or changed, or has expired.", "invalid_token")
        }
    }

    package func look(at end: BearerEnd) {
        readFile()
        if !stands(end.bearer) { end.end() }
    }

    private func look() async {
        while !watched.isEmpty {
            try? await Task.sleep(for: Self.lookInterval)
            readFile()
            watched.removeAll { $0.end == nil }
            for case let end? in watched.map(\.end) where !stands(end.bearer) { end.end() }
        }
        isLooking = false
    }

    /// Whether a token is as it was when its bearer was let in. With a change of any kind, the bearer must come anew.
    private func stands(_ bearer: Token) -> Bool {
        let isSession = bearer.parent != nil
        let token = isSession ? sessions.first { $0.token.id == bearer.id }?.token : known.first { $0.id == bearer.id }
        guard var standing = token.flatMap({ try? standing($0, Date()) }) else { return false }
        // A session that was renewed is the same one.
        if isSession { standing.expires = bearer.expires }
        return standing == bearer
    }

    /// When a bearer's right ends, by the wall clock: a session's may have been renewed. nil for never.
    package func expiry(of bearer: Token) -> Date? {
        sessions.first { $0.token.id == bearer.id }?.token.expires ?? bearer.expires
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
    package func addSession(
        of parent: Token, origin: String, scopes: Set<Scope>, captures: Int, seconds: TimeInterval, now: Date = Date()
    ) throws -> (token: Token, text: String) {
        guard parent.parent == nil else {
            throw Problem(name: .permissionDenied, status: 403, detail: "A session cannot make sessions.")
        }
        sessions.removeAll { $0.end <= .now }
        let own = sessions.count { $0.token.parent == parent.id }
        guard Share.isFree(own, of: sessions.count, Self.sessionLimit) else {
            throw Problem(
                name: .tooManySessions, status: 429, detail: "Too many sessions are open; try again later.",
                headers: ["Retry-After": "60"])
        }
        let end = min(now.addingTimeInterval(seconds), parent.expires ?? .distantFuture)
        var (token, text) = Token.make(
            name: "session of \(parent.name)", scopes: scopes, origins: [origin],
            expires: end, now: now)
        token.parent = parent.id
        token.mirrors = parent.mirrors
        sessions.append(
            Session(
                token: token, end: .now + .seconds(end.timeIntervalSince(now)), allowed: captures, captures: captures))
        return (token, text)
    }

    /// Lets a session live on, with captures anew, for a page that stays open.
    /// - Parameter text: of the session.
    /// - Returns: nil if it is no session of this token, or has ended.
    package func renewSession(
        _ text: String, of parent: Token, captures: Int, seconds: TimeInterval, now: Date = Date()
    ) -> Token? {
        let digest = SHA256Digest(of: Array(text.utf8)).description
        let index = sessions.firstIndex {
            $0.token.digest.isEqualInConstantTime(to: digest) && $0.token.parent == parent.id && $0.end > .now
        }
        guard let index else { return nil }
        let end = min(now.addingTimeInterval(seconds), parent.expires ?? .distantFuture)
        sessions[index].token.expires = end
        sessions[index].end = .now + .seconds(end.timeIntervalSince(now))
        (sessions[index].allowed, sessions[index].captures) = (captures, captures)
        sessions[index].costlyFailures = Self.costlyFailures
        return sessions[index].token
    }

    /// Counts a capture of a session.
    /// - Throws: ``Problem`` with status 403 if it has none left.
    package func useCapture(of token: Token) throws {
        guard token.parent != nil else { return }
        guard let index = sessions.firstIndex(where: { $0.token.id == token.id }), sessions[index].captures > 0 else {
            throw Problem(
                name: .sessionUsed, status: 403,
                detail: "This session has asked for all its captures; make a new one.")
        }
        sessions[index].captures -= 1
    }

    /// Gives a session back the capture of a call that failed.
    /// - Parameter wasCostly: whether the panel had to work to refuse the call. A page that repeats such calls has
    ///   soon asked for all its captures.
    package func giveBackCapture(of token: Token, wasCostly: Bool = false) {
        guard let index = sessions.firstIndex(where: { $0.token.id == token.id }) else { return }
        if wasCostly {
            guard sessions[index].costlyFailures > 0 else { return }
            sessions[index].costlyFailures -= 1
        }
        sessions[index].captures = min(sessions[index].captures + 1, sessions[index].allowed)
    }

    private static func unauthorized(_ name: Problem.Name, _ detail: String, _ error: String?) -> Problem {
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
