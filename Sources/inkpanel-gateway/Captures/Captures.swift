// SPDX-License-Identifier: Apache-2.0
import Evidence
import Foundation
import JSON
import Linux

/// The captures that hosts asked for, and who owns their records.
actor Captures {
    /// Captures that run or wait. The panel allows 16 connections per user; the rest is for other calls.
    private static let runningLimit = 10
    /// Ended captures stay readable without the panel for a while.
    private static let endedLimit = 200
    private static let endedLifetime: TimeInterval = 600
    private static let keyLimit = 1000
    private static let keyLifetime: TimeInterval = 86400

    private let panel: Panel
    private let owners: OwnerFile
    private var captures: [String: HostedCapture] = [:]
    /// Ids of ended captures, oldest first.
    private var ended: [(id: String, at: Date)] = []
    /// Captures whose first reply has not come.
    private var asking = 0
    private var keys: [Key: Answered] = [:]

    private struct Key: Hashable {
        /// Id of the token or session: a page must not reach the captures of another page by its key.
        let bearer: String
        let text: String
    }

    private struct Answered {
        let digest: String
        let at: Date
        /// nil until the capture has an id.
        var capture: String?
    }

    init(panel: Panel, owners: OwnerFile) {
        self.panel = panel
        self.owners = owners
    }

    /// Asks the panel for a signature. With an idempotency key, the same request again gets the same capture.
    /// - Parameters:
    ///   - request: the parameters of the panel's method Capture.
    ///   - body: the host's, to recognise the same request.
    ///   - bearers: count the captures of sessions.
    /// - Throws: ``Problem``.
    func ask(
        _ request: [String: JSONValue], abandonAfter: Int, bearer: Token, key: String?, body: Data, bearers: Bearers
    ) async throws -> HostedCapture {
        forgetOld()
        var answered: (key: Key, digest: String)?
        if let key {
            let (key, digest) = (Key(bearer: bearer.id, text: key), SHA256Digest(of: [UInt8](body)).description)
            if let before = keys[key] { return try capture(answering: before, digest) }
            answered = (key, digest)
            keys[key] = Answered(digest: digest, at: Date())
        }
        do {
            let capture = try await ask(request, abandonAfter: abandonAfter, bearer: bearer, bearers: bearers)
            if let answered { keys[answered.key] = Answered(digest: answered.digest, at: Date(), capture: capture.id) }
            return capture
        } catch {
            // Nothing was begun, so the host may try again with the same key.
            if let answered { keys[answered.key] = nil }
            throw error
        }
    }

    private func capture(answering before: Answered, _ digest: String) throws -> HostedCapture {
        guard before.digest == digest else {
            throw Problem(
                name: "key-reused", status: 422,
                detail: "This Idempotency-Key was sent with another body; use a new key for each capture.",
                errors: [Problem.Part(pointer: "Idempotency-Key", detail: "used before")])
        }
        guard let id = before.capture else {
            throw Problem(
                name: "key-in-use", status: 409,
                detail: "The first request with this Idempotency-Key is not answered yet.",
                headers: ["Retry-After": "1"])
        }
        guard let capture = captures[id] else {
            throw Problem(
                name: "key-in-use", status: 409,
                detail: "The capture of this Idempotency-Key is \(id), which ended a while ago.")
        }
        return capture
    }

    private func ask(
        _ request: [String: JSONValue], abandonAfter: Int, bearer: Token, bearers: Bearers
    ) async throws -> HostedCapture {
        guard captures.count - ended.count + asking < Self.runningLimit else {
            throw Problem(
                name: "too-many-captures", status: 503, detail: "Too many captures wait for the pad; try again later.",
                headers: ["Retry-After": "5"])
        }
        asking += 1
        defer { asking -= 1 }
        // Counted before the call, so that calls at the same time cannot exceed the number.
        try await bearers.useCapture(of: bearer)
        do {
            return try await begin(request, abandonAfter: abandonAfter, bearer: bearer)
        } catch {
            await bearers.giveBackCapture(of: bearer)
            throw error
        }
    }

    private func begin(
        _ request: [String: JSONValue], abandonAfter: Int, bearer: Token
    ) async throws -> HostedCapture {
        let connection = try await panel.connect()
        do {
            try await connection.send("Capture", .object(request), more: true)
            let (first, continues) = try await connection.next()
            guard let id = first["id"]?.text else { throw Problem.panelFailed("a capture without an id") }
            let capture = HostedCapture(
                connection, first: first.object ?? [:], isLast: !continues, id: id, owner: bearer.owner,
                asker: bearer.id, abandonAfter: abandonAfter)
            captures[id] = capture
            // Kept now: the record may exist before this program hears of it, and the program may end.
            owners.add(id, owner: bearer.owner)
            Task {
                await capture.run()
                ended.append((id, Date()))
            }
            return capture
        } catch {
            connection.end()
            throw error
        }
    }

    /// A capture in memory.
    /// - Returns: nil if there is none that the bearer may see.
    func capture(_ id: String, for bearer: Token) -> HostedCapture? {
        forgetOld()
        guard let capture = captures[id],
            bearer.allows(.admin) || bearer.id == capture.owner || bearer.id == capture.asker
        else { return nil }
        return capture
    }

    /// - Returns: what the bearer's mirror may show of a capture; nil for nothing.
    func mirrorAccess(to id: String, for bearer: Token) -> MirrorAccess? {
        if capture(id, for: bearer) != nil { return bearer.allows(.capture) ? .pageWithButtons : .page }
        let isMirrored = captures[id].map { bearer.mirrors?.contains($0.owner) == true } ?? false
        return isMirrored ? .page : nil
    }

    /// - Returns: whether the bearer may get the record.
    func mayRead(_ id: String, _ bearer: Token) -> Bool {
        bearer.allows(.admin) || capture(id, for: bearer) != nil || owners.owner(of: id) == bearer.id
    }

    private func forgetOld(now: Date = Date()) {
        while let first = ended.first,
            ended.count > Self.endedLimit || now.timeIntervalSince(first.at) > Self.endedLifetime
        {
            captures[first.id] = nil
            ended.removeFirst()
        }
        keys = keys.filter { now.timeIntervalSince($0.value.at) < Self.keyLifetime }
        while keys.count > Self.keyLimit, let oldest = keys.min(by: { $0.value.at < $1.value.at }) {
            keys[oldest.key] = nil
        }
    }
}
