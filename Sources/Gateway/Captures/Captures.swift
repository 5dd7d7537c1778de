// SPDX-License-Identifier: Apache-2.0
import Evidence
package import Foundation
package import HTTP
package import HostAPI
package import JSON
import Linux

/// Not FlyingFox's type of this name.
package typealias JSONValue = JSON.JSONValue

/// The captures that hosts asked for, and who owns their records.
package actor Captures {
    /// Captures that run or wait, of which a token has its share. The panel allows 16 connections per user; those of
    /// other calls are counted by ``PanelPlaces``.
    private static let runningLimit = 8
    /// Ended captures stay readable without the panel for a while.
    private static let endedLimit = 200
    private static let endedLifetime = Duration.seconds(600)

    private let panel: PanelService
    private let owners: OwnerFile
    private let documents: Documents
    private var captures: [CaptureID: HostedCapture] = [:]
    /// Ids of ended captures, oldest first.
    private var ended: [(id: CaptureID, at: ContinuousClock.Instant)] = []
    private var endedIDs: Set<CaptureID> = []
    /// The number of captures whose first reply has not come, by owners.
    private var asksOf: [String: Int] = [:]
    private var shares = DocumentShares()
    private var asking: Int { asksOf.values.reduce(0, +) }
    private var keys: IdempotencyKeys

    /// The answer to a host that asks for a signature.
    package enum Asked {
        case capture(HostedCapture)
        /// The capture of an idempotency key, which ended and is not in memory any more.
        case ended(CaptureID, asked: Date)
    }

    package init(panel: PanelService, owners: OwnerFile, keys: IdempotencyKeys, documents: Documents) {
        self.panel = panel
        self.owners = owners
        self.documents = documents
        self.keys = keys
        for (id, owner) in keys.captures where owners.owner(of: id) == nil { owners.add(id, owner: owner) }
    }

    /// Asks the panel for a signature. With an idempotency key, the same request again gets the same capture.
    /// - Parameters:
    ///   - request: the parameters of the panel's method Capture, with the gateway's id of a document.
    ///   - body: the host's, to recognise the same request.
    ///   - bearers: count the captures of sessions.
    /// - Throws: ``Problem``.
    package func ask(
        _ request: [String: JSONValue], abandonAfter: Int, bearer: Token, key: String?, body: Data, bearers: Bearers
    ) async throws -> Asked {
        forgetOld()
        guard let key else {
            return .capture(
                try await ask(request, abandonAfter: abandonAfter, bearer: bearer, key: nil, bearers: bearers))
        }
        let (kept, digest) = (IdempotencyKeys.Key(of: bearer, key), SHA256Digest(of: [UInt8](body)).description)
        if let earlier = keys[kept], let asked = try await asked(by: earlier, digest, bearer) { return asked }
        // Another request with the key may have come meanwhile.
        if let other = keys[kept], other.state != .inDoubt { throw Self.notAnswered }
        try keys.ask(kept, of: bearer, body: digest)
        do {
            return .capture(
                try await ask(request, abandonAfter: abandonAfter, bearer: bearer, key: kept, bearers: bearers))
        } catch {
            // If nothing was sent, or the panel refused it, the host may try again with the same key.
            let refusal = (error as? Problem).flatMap { Self.unknownEnds.contains($0.name) ? nil : $0 }
            if keys[kept]?.state == .asking || refusal != nil { keys.free(kept) } else { keys.doubt(kept) }
            throw error
        }
    }

    /// Names of problems after which nobody knows whether the panel began a capture.
    private static let unknownEnds = [Problem.Name.panelNotRunning, .panelFailed]

    private static let notAnswered = Problem(
        name: .keyInUse, status: 409,
        detail: "The first request with this Idempotency-Key is not answered yet.", headers: ["Retry-After": "1"])

    /// - Returns: nil if the panel certainly began no capture for the request.
    private func asked(by request: IdempotencyKeys.Request, _ digest: String, _ bearer: Token) async throws -> Asked? {
        guard request.body == digest else {
            throw Problem(
                name: .keyReused, status: 422,
                detail: "This Idempotency-Key was sent with another body; use a new key for each capture.",
                errors: [Problem.Part(pointer: "Idempotency-Key", detail: "used before")])
        }
        switch request.state {
        case .asking, .sent: throw Self.notAnswered
        case .began(let id):
            // A page must not reach the capture of another page's session by its key, nor hear its id.
            guard bearer.id == request.owner || bearer.id == request.asker else {
                throw Problem(
                    name: .keyOfAnother, status: 409,
                    detail: "Another session, or its token, asked for the capture of this Idempotency-Key. The same "
                        + "request with the token gets that capture.")
            }
            if let capture = captures[id] { return .capture(capture) }
            if try await panel.runningCapture() == id { throw Self.notAnswered }
            return .ended(id, asked: request.time)
        case .inDoubt:
            // A capture that this program does not know can only be one of before its start, such as this one's. First
            // the running one: what it stores is in the list afterwards.
            if asking > 0 { throw Self.notAnswered }
            if let id = try await panel.runningCapture(), owners.owner(of: id) == nil { throw Self.notAnswered }
            guard let id = try await Self.unknownRecord(since: request.time, panel, owners) else { return nil }
            throw Problem(
                name: .keyInDoubt, status: 409,
                detail: "The gateway ended while it asked for the capture of this Idempotency-Key"
                    + (bearer.id == request.owner ? ", which may be \(id). " : ". ")
                    + "Let an operator look at the records before you ask again, with a new key.")
        }
    }

    /// A record that no token owns.
    private static func unknownRecord(
        since time: Date, _ panel: PanelService, _ owners: OwnerFile
    ) async throws -> CaptureID? {
        var unknown: CaptureID?
        _ = try await panel.records { record in
            let isLater = Double(record.startedAt) / 1e6 >= time.timeIntervalSince1970 - 1
            if isLater, owners.owner(of: record.id) == nil { unknown = record.id }
        }
        return unknown
    }

    private func ask(
        _ request: [String: JSONValue], abandonAfter: Int, bearer: Token, key: IdempotencyKeys.Key?, bearers: Bearers
    ) async throws -> HostedCapture {
        let own = captures.values.count { $0.owner == bearer.owner && !endedIDs.contains($0.id) }
        let taken = captures.count - ended.count + asking
        guard Share.isFree(own + (asksOf[bearer.owner] ?? 0), of: taken, Self.runningLimit) else {
            throw Problem(
                name: .tooManyCaptures, status: 503, detail: "Too many captures wait for the pad; try again later.",
                headers: ["Retry-After": "5"])
        }
        asksOf[bearer.owner, default: 0] += 1
        defer { asksOf[bearer.owner] = asksOf[bearer.owner].flatMap { $0 > 1 ? $0 - 1 : nil } }
        var document: UploadedDocument?
        if let id = request["document"]?["id"]?.text { document = try await documents.document(id, for: bearer) }
        // Counted before the call, so that calls at the same time cannot exceed the number.
        try await bearers.useCapture(of: bearer)
        do {
            return try await begin(
                request, document, abandonAfter: abandonAfter, bearer: bearer, key: key, bearers: bearers)
        } catch {
            // Before an error with this status, the panel has laid out pages or read a document.
            let wasCostly = (error as? Problem)?.status == 422
            await bearers.giveBackCapture(of: bearer, wasCostly: wasCostly)
            throw error
        }
    }

    private func begin(
        _ request: [String: JSONValue], _ document: UploadedDocument?, abandonAfter: Int, bearer: Token,
        key: IdempotencyKeys.Key?, bearers: Bearers
    ) async throws -> HostedCapture {
        let room = try document.map { try shares.take($0.byteCount, for: bearer.owner) }
        var isRunning = false
        defer { if !isRunning, let room { shares.giveBack(room) } }
        let connection = try await panel.connect()
        do {
            var request = request
            if let document, var members = request["document"]?.object {
                members["id"] = .text(try await connection.open(document))
                request["document"] = .object(members)
            }
            if let key { keys.sends(key) }
            try await connection.send(.capture, JSONValue.object(request), more: true)
            let first = try await connection.next(CaptureReply.self).reply
            let id = first.id
            let capture = HostedCapture(
                connection, first: first, owner: bearer.owner, asker: bearer.id, abandonAfter: abandonAfter)
            captures[id] = capture
            // Before the owner: the owner of a capture with a key is written again after a restart.
            if let key { try? keys.began(key, id) }
            // Kept now: the record may exist before this program hears of it, and the program may end.
            owners.add(id, owner: bearer.owner)
            isRunning = true
            Task {
                await capture.run()
                if let room { shares.giveBack(room) }
                // People who have cancelled may sign after all. Their page shows no more than a failed call does.
                if await capture.outcome == .cancelled(by: .person) {
                    await bearers.giveBackCapture(of: bearer, wasCostly: true)
                }
                ended.append((id, .now))
                endedIDs.insert(id)
            }
            return capture
        } catch {
            connection.end()
            throw error
        }
    }

    /// A capture in memory.
    /// - Returns: nil if the bearer may see no such capture.
    func capture(_ id: CaptureID, for bearer: Token) -> HostedCapture? {
        forgetOld()
        guard let capture = captures[id],
            bearer.allows(.admin) || bearer.id == capture.owner || bearer.id == capture.asker
        else { return nil }
        return capture
    }

    /// - Returns: what the bearer's mirror may show of a capture; nil for nothing.
    func mirrorAccess(to id: CaptureID, for bearer: Token) -> MirrorAccess? {
        if capture(id, for: bearer) != nil { return bearer.allows(.capture) ? .pageWithButtons : .page }
        let isMirrored = captures[id].map { bearer.mirrors?.contains($0.owner) == true } ?? false
        return isMirrored ? .page : nil
    }

    /// - Returns: whether the bearer may get the record.
    package func mayRead(_ id: CaptureID, _ bearer: Token) -> Bool {
        bearer.allows(.admin) || capture(id, for: bearer) != nil || owners.owner(of: id) == bearer.id
    }

    /// - Parameter token: its id.
    package func isOwner(of id: CaptureID, _ token: String) -> Bool { owners.owner(of: id) == token }

    private func forgetOld() {
        while let first = ended.first, ended.count > Self.endedLimit || .now - first.at > Self.endedLifetime {
            captures[first.id] = nil
            endedIDs.remove(first.id)
            ended.removeFirst()
        }
    }
}
