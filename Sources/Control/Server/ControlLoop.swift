// SPDX-License-Identifier: Apache-2.0
import Pad
import Glibc
import Linux

/// The control thread: all connections, one epoll set. It waits for nobody in particular.
final class ControlLoop {
    struct Plan: Sendable {
        var socket: ControlSocket
        var link: ControlLink
        var archive: Archive
        /// Makes statuses, and nothing else.
        var statuses: Archive
        var access: AccessRule
        var info: ServiceInfo
        var limits: ControlLimits
        var log: Log
    }

    private enum Source {
        static let listener: UInt64 = 0
        static let link: UInt64 = 1
        static let archive: UInt64 = 2
        static let statuses: UInt64 = 3
        static let firstConnection: UInt64 = 4
    }

    let plan: Plan
    let poll: EventPoll
    var connections: [UInt64: Connection] = [:]
    /// The connection that waits for the answers of a call.
    var callers: [CallID: Connection] = [:]
    private var nextToken = Source.firstConnection
    private var nextCall: UInt64 = 1
    /// When to accept connections again; nil: it does.
    private var acceptsAt: Int64?

    init(_ plan: Plan) throws(Errno) {
        self.plan = plan
        poll = try EventPoll()
        try poll.add(plan.socket.descriptor.number, token: Source.listener)
        try poll.add(plan.link.replyDescriptor, token: Source.link)
        try poll.add(plan.archive.descriptor, token: Source.archive)
        try poll.add(plan.statuses.descriptor, token: Source.statuses)
    }

    static var now: Int64 { MonotonicClock.nanoseconds / 1_000_000 }

    /// Works until the link says that it shall end.
    func run() {
        while true {
            let events: [EventPoll.Event]
            do throws(Errno) { events = try poll.wait(milliseconds: patience) } catch {
                // Nothing that is passed to it can be refused; without it there is no way in.
                plan.log.error("hosts are not answered any more: \(error)")
                return end()
            }
            for event in events {
                switch event.token {
                case Source.listener: acceptAll()
                case Source.link: if deliverAnswers() { return end() }
                case Source.archive: deliver(from: plan.archive)
                case Source.statuses: deliver(from: plan.statuses)
                default: if let connection = connections[event.token] { handle(event, connection) }
                }
            }
            endLate()
            plan.archive.hold(slowUsers)
        }
    }

    /// Those whose hosts have so much left to take that no more files are made for them.
    private var slowUsers: Set<uid_t> {
        var waiting: [uid_t: Int] = [:]
        for connection in connections.values { waiting[connection.user, default: 0] += connection.output.count }
        let slow = Set(waiting.filter { $0.value > plan.limits.userAnswerBytes }.keys)
        if waiting.values.reduce(0, +) <= plan.limits.answerBytes { return slow }
        return slow.union(connections.values.filter { !$0.isOwn }.map(\.user))
    }

    func makeCallID() -> CallID {
        defer { nextCall += 1 }
        return CallID(nextCall)
    }

    // MARK: connections come

    private func acceptAll() {
        // One batch at a time, so that who connects all the time does not keep others from being answered.
        for _ in 0..<plan.limits.connections {
            do throws(Errno) {
                try take(LocalSocket.accept(on: plan.socket.descriptor))
            } catch {
                switch error {
                case .wouldBlock: return
                case .connectionAborted: continue
                default: return pause(error)
                }
            }
        }
    }

    /// Out of descriptors or memory, most likely: the connection stays where it waits, and would wake this thread for
    /// ever.
    private func pause(_ error: Errno) {
        plan.log.warning("a host cannot be let in: \(error)")
        try? poll.remove(plan.socket.descriptor.number)
        acceptsAt = Self.now + plan.limits.pause
    }

    private func take(_ descriptor: consuming FileDescriptor) throws(Errno) {
        let peer = try LocalSocket.peer(of: descriptor)
        let refusal: PanelError? =
            !plan.access.permits(peer) ? .permissionDenied : makeRoom(for: peer) ? nil : .tooManyConnections
        // Those get no explanation any more: the descriptor is closed.
        if refusal != nil, connections.values.count(where: \.isEnding) >= plan.limits.endings { return }
        let connection = Connection(
            token: nextToken, descriptor: descriptor, user: peer.user, isOwn: plan.access.isOwn(peer),
            limits: plan.limits, now: Self.now)
        nextToken += 1
        try poll.add(connection.descriptor.number, token: connection.token)
        connections[connection.token] = connection
        guard let refusal else { return }
        if refusal == .permissionDenied {
            plan.log.notice("user \(peer.user) (process \(peer.process)) may not use the panel")
        }
        refuse(connection, refusal)
    }

    /// - Returns: whether there is a place, perhaps that of a connection that was dropped.
    private func makeRoom(for peer: LocalSocket.Peer) -> Bool {
        let now = Self.now
        let holders = connections.values.filter { !$0.isEnding }.map { connection in
            ConnectionPlaces.Holder(
                token: connection.token, user: connection.user, isOwn: connection.isOwn,
                idle: connection.isIdle ? now - connection.idleSince : nil)
        }
        let places = ConnectionPlaces(limits: plan.limits, holders: holders)
        switch places.decide(for: peer.user, isOwn: plan.access.isOwn(peer)) {
        case .free: return true
        case .none: return false
        case .instead(let token):
            if let connection = connections[token] { drop(connection) }
            return true
        }
    }

    // MARK: connections go

    /// Answers with an error and ends the connection when the host has read it. Until then what it still sends is
    /// thrown away: with that unread, it might get an error of its connection instead of ours.
    func refuse(_ connection: Connection, _ error: PanelError) {
        connection.endsAt = Self.now + plan.limits.ending
        connection.say(ReplyEncoder.message(error), now: Self.now)
        advance(connection)
    }

    func drop(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.token) != nil else { return }
        if let running = connection.running { forget(running) }
        try? poll.remove(connection.descriptor.number)
        // A descriptor is free again.
        if acceptsAt != nil { acceptsAt = Self.now }
    }

    private func forget(_ running: Connection.Running) {
        callers[running.id] = nil
        if running.isPanel { plan.link.send(.hostGone(running.id)) } else { plan.archive.forget(running.id) }
        plan.statuses.forget(running.id)
    }

    /// Ends what has taken too long.
    private func endLate() {
        let now = Self.now
        if let acceptsAt, now >= acceptsAt {
            self.acceptsAt = nil
            do throws(Errno) { try poll.add(plan.socket.descriptor.number, token: Source.listener) } catch {
                self.acceptsAt = now + plan.limits.pause
            }
        }
        for connection in connections.values where now >= connection.deadline {
            if !connection.isEnding, !connection.output.isEmpty {
                plan.log.notice("a host takes its answer too slowly, and is left")
            }
            drop(connection)
        }
    }

    /// Until the next one is late, in milliseconds; nil: none can be.
    private var patience: Int32? {
        let deadlines = connections.values.map(\.deadline) + [acceptsAt ?? .max]
        guard let first = deadlines.min(), first < .max else { return nil }
        return Int32(clamping: max(0, first - Self.now))
    }

    private func end() {
        for connection in connections.values { drop(connection) }
    }
}
