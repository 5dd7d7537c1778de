// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import JSON

/// A capture that a host asked for. It holds the panel's connection, so that the capture outlives the host's: it is
/// cancelled when nobody has followed or polled it for a while.
actor HostedCapture {
    /// Events that are kept for followers that come back.
    private static let eventLimit = 256

    nonisolated let id: String
    /// Id of the token that the capture belongs to.
    nonisolated let owner: String
    /// Id of the session that asked for it, or of the token.
    nonisolated let asker: String
    nonisolated let created: Date

    private let connection: PanelConnection
    /// Seconds.
    private let abandonAfter: Int
    /// The panel's last reply, without the stroke.
    private var reply: [String: JSONValue]
    private(set) var ended: Date?
    /// Counts the changes; the last event's id.
    private(set) var version = 1
    private var events: [(id: Int, name: String)] = []
    private var followers: [Int: EventStream] = [:]
    private var nextFollower = 0
    private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastSeen = ContinuousClock.now
    private var wasAbandoned = false

    /// - Parameters:
    ///   - first: the panel's first reply.
    ///   - last: whether it is the last one, too.
    init(
        _ connection: PanelConnection, first: [String: JSONValue], isLast: Bool, id: String, owner: String,
        asker: String, abandonAfter: Int
    ) {
        self.connection = connection
        self.id = id
        self.owner = owner
        self.asker = asker
        self.abandonAfter = abandonAfter
        created = Date()
        reply = first
        reply["stroke"] = nil
        if isLast { ended = created }
    }

    /// Receives the panel's replies until the capture ends, and cancels it when it is abandoned.
    func run() async {
        let watch = Task { await cancelWhenAbandoned() }
        defer { watch.cancel() }
        while ended == nil {
            do {
                let (next, continues) = try await connection.next()
                receive(next.object ?? [:], isLast: !continues)
            } catch {
                let reason = (error as? Problem)?.detail ?? "\(error)"
                let outcome: JSONValue =
                    wasAbandoned
                    ? ["result": "cancelled", "by": "host"] : ["result": "failed", "reason": .text(reason)]
                receive(["id": .text(id), "state": "ended", "outcome": outcome], isLast: true)
            }
        }
        connection.end()
    }

    /// The capture as hosts see it.
    var document: JSONValue {
        var members = reply
        members["createdAt"] = .text(created.formatted(.iso8601))
        if let ended { members["endedAt"] = .text(ended.formatted(.iso8601)) }
        return .object(members)
    }

    nonisolated func tag(of version: Int) -> String { "\"\(id)-\(version)\"" }

    /// Waits until the capture differs from a version.
    func wait(forChangeOf seen: Int, seconds: Int) async {
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
    func waitForEnd(seconds: Int) async {
        let end = ContinuousClock.now + .seconds(seconds)
        while ended == nil, !Task.isCancelled, .now < end { await wait(forChangeOf: version, seconds: 1) }
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

    private func receive(_ next: [String: JSONValue], isLast: Bool) {
        let (wasState, hasStroke) = (reply["state"], next["stroke"] != nil)
        reply = next
        reply["stroke"] = nil
        version += 1
        if isLast { ended = Date() }
        let state = next["state"]
        let name =
            isLast ? "ended" : state == "refused" && wasState != state ? "refused" : hasStroke ? "stroke" : "state"
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
