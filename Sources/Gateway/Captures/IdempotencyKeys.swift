// SPDX-License-Identifier: Apache-2.0
import Evidence
package import Foundation
import HTTP
import HostAPI
package import Linux

/// The idempotency keys of a day, on disk: a request is not signed twice, whatever ends in between. A key is on the
/// medium before its capture is asked for. Lines are `ask KEY TIME OWNER BODY`, then `began KEY CAPTURE` or `free KEY`.
package struct IdempotencyKeys {
    /// Keys that are kept at once, of which a token has its share: more of them in a day are refused, not forgotten.
    private static let limit = 20_000
    private static let byteLimit = 32 << 20
    private static let lifetime = Duration.seconds(86400)

    /// A key as it is kept: a digest of the owner's id and the key's text. The sessions of a token share its keys,
    /// because a page that is loaded again has another session.
    struct Key: Hashable {
        let text: String

        init(of bearer: Token, _ key: String) {
            text = SHA256Digest(of: Array("\(bearer.owner) \(key)".utf8)).description
        }

        fileprivate init(text: Substring) { self.text = String(text) }
    }

    /// A request with a key, and how far it has come.
    struct Request {
        enum State: Equatable {
            /// This program is going to ask for the capture, and has sent nothing to the panel.
            case asking
            /// This program has asked for the capture.
            case sent
            /// Whoever asked has ended before the panel's answer came: there may be a capture.
            case inDoubt
            case began(CaptureID)
        }

        /// Id of the token that owns the capture.
        let owner: String
        /// Id of the session that asked, or of the token; nil for one of before this program's start, which ended all
        /// sessions.
        let asker: String?
        /// SHA-256 of the request.
        let body: String
        /// The time by the wall clock, as in the panel's records.
        let time: Date
        fileprivate let expires: ContinuousClock.Instant
        var state: State
    }

    private var file: LineFile
    /// Why the file is not used: it then stays as it is, and no key is taken.
    private var fault: String?
    private var requests: [Key: Request] = [:]
    /// The number of lines in the file.
    private var lineCount = 0

    /// Blocks.
    /// - Parameter state: the gateway's state directory.
    package init(state: String, log: Log, now: Date = Date()) {
        let path = state + "/keys"
        file = LineFile(path: path)
        do throws(PrivateFileError) {
            guard let (file, lines) = try LineFile.read(path, maximumByteCount: Self.byteLimit) else {
                throw .refused(path, "is too long; remove it")
            }
            self.file = file
            if file.wasTorn { log.warning("\(path) has a torn line, which is left out") }
            lineCount = lines.count
            let damaged = lines.count { !apply($0.split(separator: " "), now) }
            if damaged > 0 { log.warning("\(path): \(damaged) lines are damaged and left out") }
        } catch {
            fault = "\(error), and restart the gateway"
            log.error("\(error), and restart the gateway: until then, no request with an Idempotency-Key is taken")
        }
    }

    /// - Returns: false if the line is damaged.
    private mutating func apply(_ words: [Substring], _ now: Date) -> Bool {
        guard words.count > 1 else { return false }
        let key = Key(text: words[1])
        switch (words[0], words.count) {
        case ("ask", 5):
            guard let seconds = Int64(words[2]) else { return false }
            let time = Date(timeIntervalSince1970: TimeInterval(seconds))
            // A clock that was set back makes no key older, and one that was never set none too old.
            let age = Duration.seconds(max(0, seconds < Self.clockStart ? 0 : now.timeIntervalSince(time)))
            let expires = ContinuousClock.now + Self.lifetime - age
            requests[key] = Request(
                owner: String(words[3]), asker: nil, body: String(words[4]), time: time, expires: expires,
                state: .inDoubt)
        case ("began", 3): requests[key]?.state = CaptureID(String(words[2])).map { .began($0) } ?? .inDoubt
        case ("free", 2): requests[key] = nil
        default: return false
        }
        return true
    }

    /// 2026-01-01: a clock before it was never set.
    private static let clockStart: Int64 = 1_767_225_600

    subscript(key: Key) -> Request? { requests[key].flatMap { $0.expires > .now ? $0 : nil } }

    /// Captures with their owners, for owners that were not written any more.
    var captures: [(id: CaptureID, owner: String)] {
        requests.values.compactMap { if case .began(let id) = $0.state { (id, $0.owner) } else { nil } }
    }

    /// Notes that a capture is going to be asked for. The note is on the medium when this returns.
    /// - Throws: ``Problem`` if it cannot be, or if there are too many.
    mutating func ask(_ key: Key, of bearer: Token, body: String) throws {
        let owner = bearer.owner
        if requests[key] == nil,
            !Share.isFree(requests.values.count { $0.owner == owner }, of: requests.count, Self.limit)
        {
            requests = requests.filter { $0.value.expires > .now }
            guard Share.isFree(requests.values.count { $0.owner == owner }, of: requests.count, Self.limit) else {
                throw Problem(
                    name: .tooManyKeys, status: 429,
                    detail: "Too many Idempotency-Keys were used in a day; try again later.",
                    headers: ["Retry-After": "600"])
            }
        }
        if let fault { throw Self.unkept(fault, .inputOutput) }
        let now = Date()
        let request = Request(
            owner: owner, asker: bearer.id, body: body, time: now, expires: .now + Self.lifetime, state: .asking)
        do throws(Errno) {
            try shorten()
            try file.append(
                "ask \(key.text) \(Int64(now.timeIntervalSince1970)) \(owner) \(body)", synchronizes: true)
        } catch {
            throw Self.unkept("\(file.path): \(error)", error)
        }
        lineCount += 1
        requests[key] = request
    }

    private static func unkept(_ reason: String, _ error: Errno) -> Problem {
        Problem(
            name: error == .noSpace ? .storeFull : .storeFailed, status: error == .noSpace ? 507 : 500,
            detail: "The Idempotency-Key cannot be kept, so no signature was asked for: \(reason)")
    }

    /// Marks a request as sent: from now on, the panel may begin a capture.
    mutating func sends(_ key: Key) { requests[key]?.state = .sent }

    /// Notes the capture, before its owner is noted and the host hears of it.
    /// - Throws: if the line cannot be written; the request stays in doubt after a restart.
    mutating func began(_ key: Key, _ capture: CaptureID) throws(Errno) {
        requests[key]?.state = .began(capture)
        lineCount += 1
        try file.append("began \(key.text) \(capture)", synchronizes: true)
    }

    /// Nothing was begun, so the host may try again with the same key. Unwritten, the request is in doubt after a
    /// restart, and the panel's records decide.
    mutating func free(_ key: Key) {
        requests[key] = nil
        lineCount += 1
        try? file.append("free \(key.text)", synchronizes: false)
    }

    /// Nobody knows whether a capture began.
    mutating func doubt(_ key: Key) { requests[key]?.state = .inDoubt }

    /// Writes the file anew when most of its lines say nothing any more.
    private mutating func shorten() throws(Errno) {
        guard lineCount > 4 * requests.count + 1000 else { return }
        requests = requests.filter { $0.value.expires > .now }
        var lines: [String] = []
        for (key, request) in requests {
            let time = Int64(request.time.timeIntervalSince1970)
            lines.append("ask \(key.text) \(time) \(request.owner) \(request.body)")
            if case .began(let capture) = request.state { lines.append("began \(key.text) \(capture)") }
        }
        try file.replace(with: lines)
        lineCount = lines.count
    }
}
