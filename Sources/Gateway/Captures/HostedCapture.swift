// SPDX-License-Identifier: Apache-2.0
import FlyingFox
package import Foundation
import HTTP
package import HostAPI

/// A capture that a host asked for. It holds the panel's connection, so that the capture outlives the host's: it is
/// cancelled when nobody has followed or polled it for a while.
package actor HostedCapture {
    /// Events that are kept for followers that come back.
    private static let eventLimit = 256

    package nonisolated let id: CaptureID
    /// Id of the token that the capture belongs to.
    nonisolated let owner: String
    /// Id of the session that asked for it, or of the token.
    nonisolated let asker: String
    nonisolated let created: Date

    private let connection: PanelConnection
    /// Seconds.
    private let abandonAfter: Int
    /// The panel's last reply, without the stroke.
    private var reply: CaptureReply
    package private(set) var ended: Date?
    /// Counts the changes; the last event's id.
    package private(set) var version = 1
    private var events: [(id: Int, name: String)] = []
    private var followers: [Int: EventStream] = [:]
    private var nextFollower = 0
    private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastSeen = ContinuousClock.now
    private var wasAbandoned = false

    /// - Parameters:
    ///   - first: the panel's first reply.
    init(
        _ connection: PanelConnection, first: CaptureReply, owner: String, asker: String, abandonAfter: Int
    ) {
        self.connection = connection
        id = first.id
        self.owner = owner
        self.asker = asker
        self.abandonAfter = abandonAfter
        created = Date()
        reply = first
        reply.stroke = nil
        if first.outcome != nil { ended = created }
    }

    /// Receives the panel's replies until the capture ends, and cancels it when it is abandoned.
    func run() async {
        let watch = Task { await cancelWhenAbandoned() }
        defer { watch.cancel() }
        while ended == nil {
            do {
                receive(try await connection.next(CaptureReply.self).reply)
            } catch {
                let reason = (error as? Problem)?.detail ?? "\(error)"
                let outcome: CaptureOutcome = wasAbandoned ? .cancelled(by: .host) : .failed(reason: reason)
                receive(CaptureReply(id: id, state: .ended(outcome)))
            }
        }
        connection.end()
    }

    /// nil while it runs.
    var outcome: CaptureOutcome? { reply.outcome }

    /// The capture as hosts see it.
    package var document: CaptureDocument { .hosted(reply, created: created, ended: ended) }

    nonisolated func tag(of version: Int) -> String { "\"\(id)-\(version)\"" }

    /// Waits until the capture differs from a version.
    package func wait(forChangeOf seen: Int, seconds: Int) async {
        lastSeen = .now
        guard seen == version, ended == nil else { return }
        let (changes, waiter) = AsyncStream<Void>.makeStream()
        let number = nextFollower
        nextFollower += 1
        waiters[number] = waiter
        let limit = Task {
            try await Task.sleep(for: .seconds(seconds))
            waiter.finish()
        }
        for await _ in changes { break }
        limit.cancel()
        waiters[number] = nil
        lastSeen = .now
    }

    /// Waits until the capture has ended: strokes may be on their way before.
    package func waitForEnd(seconds: Int) async {
        let end = ContinuousClock.now + .seconds(seconds)
        while ended == nil, !Task.isCancelled, .now < end { await wait(forChangeOf: version, seconds: 1) }
    }

    /// Presses a button of the pad, and waits for the effect.
    /// - Parameter method: cancel, clear or accept.
    /// - Throws: ``Problem``.
    package func press(_ method: PanelMethod, on panel: PanelService, waiting seconds: Int) async throws {
        try await act(method, RunningCall(id: id), on: panel, waiting: seconds)
    }

    /// Calls a method of the running capture, and waits for the effect.
    /// - Throws: ``Problem``.
    func act(
        _ method: PanelMethod, _ call: some Encodable & Sendable, on panel: PanelService, waiting seconds: Int
    ) async throws {
        let (seen, isEmpty) = (version, (reply.strokes ?? 0) == 0)
        _ = try await panel.call(method, call, NoReply.self)
        if method == .cancel {
            await waitForEnd(seconds: seconds)
        } else if method != .clear || !isEmpty {
            // Clearing an empty page changes nothing.
            await wait(forChangeOf: seen, seconds: seconds)
        }
    }

    /// A stream of events: first what followed the event `last`, or else the present state.
    func follow(after last: Int?, until end: BearerEnd) -> HTTPResponse {
        let stream = EventStream(until: end)
        if let last, last <= version, last >= version - events.count {
            // Each event has the present document: a host wants to know what is, not what was.
            for event in events where event.id > last { stream.send(event.name, id: event.id, document) }
        } else {
            stream.send("snapshot", id: version, document)
        }
        let number = nextFollower
        nextFollower += 1
        if ended == nil { followers[number] = stream } else { stream.end() }
        lastSeen = .now
        return stream.response { [weak self] in Task { await self?.left(number) } }
    }

    private func left(_ follower: Int) {
        followers[follower] = nil
        lastSeen = .now
    }

    private func receive(_ next: CaptureReply) {
        let isLast = next.outcome != nil
        let name =
            switch next.state {
            case .ended: "ended"
            case .refused where reply.state.name != next.state.name: "refused"
            default: next.stroke == nil ? "state" : "stroke"
            }
        reply = next
        reply.stroke = nil
        version += 1
        if isLast { ended = Date() }
        events.append((version, name))
        if events.count > Self.eventLimit { events.removeFirst() }
        for (number, follower) in followers {
            if !follower.send(name, id: version, document) { followers[number] = nil }
            if isLast { follower.end() }
        }
        for waiter in waiters.values { waiter.finish() }
    }

    private var isAbandoned: Bool {
        followers.isEmpty && waiters.isEmpty && .now - lastSeen >= .seconds(abandonAfter)
    }

    private func cancelWhenAbandoned() async {
        while ended == nil, !Task.isCancelled {
            if isAbandoned {
                wasAbandoned = true
                return connection.end()
            }
            let rest =
                followers.isEmpty && waiters.isEmpty ? lastSeen + .seconds(abandonAfter) - .now : .seconds(abandonAfter)
            try? await Task.sleep(for: rest)
        }
    }
}

/// A capture as hosts see it.
package enum CaptureDocument: Encodable, Sendable {
    /// The panel's reply, with times.
    case hosted(CaptureReply, created: Date, ended: Date?)
    /// A capture that is known by its record only.
    /// - Parameter isSigned: it has a signed document; nil if the panel cannot read that any more.
    case stored(RecordSummary, isSigned: Bool?)

    private enum CodingKeys: CodingKey { case id, state, outcome, data, seal, signed, createdAt, endedAt }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .hosted(let reply, let created, let ended):
            try reply.encode(to: encoder)
            try members.encode(created.formatted(.iso8601), forKey: .createdAt)
            try members.encodeIfPresent(ended?.formatted(.iso8601), forKey: .endedAt)
        case .stored(let record, let isSigned):
            try members.encode(record.id, forKey: .id)
            try members.encode("ended", forKey: .state)
            try members.encode(record.outcome, forKey: .outcome)
            try members.encodeIfPresent(record.data, forKey: .data)
            try members.encodeIfPresent(record.seal, forKey: .seal)
            if isSigned == true { try members.encode(true, forKey: .signed) }
            try members.encode(Date(microseconds: record.startedAt).formatted(.iso8601), forKey: .createdAt)
            try members.encodeIfPresent(
                record.endedAt.map { Date(microseconds: $0).formatted(.iso8601) }, forKey: .endedAt)
        }
    }
}
