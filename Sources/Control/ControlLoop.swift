// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import HostAPI
import Linux
import Pad
import Record

/// The control thread: one epoll set for all connections. It never waits for a single host.
final class ControlLoop {
    struct Parts: Sendable {
        var socket: ControlSocket
        var link: ControlLink
        var archive: Archive
        /// A second worker, so that `Status` does not wait for a file.
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

    /// The maximum number of bytes to read at once, so that a host that sends a lot does not delay others.
    private static let chunk = 16 << 10

    private let parts: Parts
    private let poll: EventPoll
    private var connections: [UInt64: Connection] = [:]
    /// The connection of each call that has not had its final reply.
    private var callers: [CallID: Connection] = [:]
    /// Calls for a screenshot, the oldest first. Only that one has been passed on, because each picture takes megabytes
    /// until its file is made.
    private var screenshots: [CallID] = []
    private var nextToken = Source.firstConnection
    private var nextCall: UInt64 = 1
    private var nextDocument: UInt64 = 1
    /// When to accept connections again; nil while they are accepted.
    private var acceptsAt: Timestamp?

    init(_ parts: Parts) throws(Errno) {
        self.parts = parts
        poll = try EventPoll()
        try poll.add(parts.socket.descriptor.number, token: Source.listener)
        try poll.add(parts.link.replyDescriptor, token: Source.link)
        try poll.add(parts.archive.descriptor, token: Source.archive)
        try poll.add(parts.statuses.descriptor, token: Source.statuses)
    }

    /// Runs until ``ControlLink/finish()``.
    func run() {
        while true {
            let events: [EventPoll.Event]
            do throws(Errno) { events = try poll.wait(until: deadline) } catch {
                // Its arguments are always valid, so this does not happen; without it no host can be served.
                parts.log.error("the host API has stopped: \(error)")
                return dropAll()
            }
            for event in events {
                switch event.token {
                case Source.listener: acceptAll()
                case Source.link: if sendReplies() { return dropAll() }
                case Source.archive: sendReplies(from: parts.archive)
                case Source.statuses: sendReplies(from: parts.statuses)
                default: if let connection = connections[event.token] { handle(event, connection) }
                }
            }
            dropLate()
            parts.archive.hold(slowUsers)
        }
    }

    /// Users who get no exports until they have read their replies.
    private var slowUsers: Set<uid_t> {
        var unread: [uid_t: Int] = [:]
        for connection in connections.values { unread[connection.user, default: 0] += connection.output.count }
        let slow = Set(unread.filter { $0.value > parts.limits.userReplyBytes }.keys)
        if unread.values.reduce(0, +) <= parts.limits.replyBytes { return slow }
        return slow.union(connections.values.filter { !$0.isOwn }.map(\.user))
    }

    private var deadline: Timestamp? {
        let documents = connections.values.compactMap { $0.document?.deadline(parts.limits) }
        return (connections.values.map(\.deadline) + documents + [acceptsAt].compactMap(\.self)).min()
    }

    // MARK: new connections

    private func acceptAll() {
        // A limited number, so that a host that connects all the time does not delay others.
        for _ in 0..<parts.limits.connections {
            do throws(Errno) {
                try accept(LocalSocket.accept(on: parts.socket.descriptor))
            } catch {
                switch error {
                case .wouldBlock: return
                case .connectionAborted: continue
                default: return pause(error)
                }
            }
        }
    }

    /// Stops accepting for a while. The process is probably out of descriptors or memory, and the connection that waits
    /// would wake the thread again and again.
    private func pause(_ error: Errno) {
        parts.log.warning("cannot accept a connection: \(error)")
        try? poll.remove(parts.socket.descriptor.number)
        acceptsAt = MonotonicClock.now + parts.limits.pause
    }

    private func accept(_ descriptor: consuming FileDescriptor) throws(Errno) {
        let peer = try LocalSocket.peer(of: descriptor)
        let role = parts.access.role(of: peer)
        let refusal: PanelError? =
            role == nil ? .permissionDenied : makeRoom(for: peer) ? nil : .tooManyConnections
        if let refusal, connections.values.count(where: \.isEnding) >= parts.limits.endings {
            return refuse(descriptor, refusal)
        }
        let connection = Connection(
            token: nextToken, descriptor: descriptor, user: peer.user, role: role,
            isOwn: parts.access.isOwn(peer), limits: parts.limits, now: MonotonicClock.now)
        nextToken += 1
        try poll.add(connection.descriptor.number, token: connection.token)
        connections[connection.token] = connection
        guard let refusal else { return }
        if refusal == .permissionDenied { parts.access.noteRefusal(of: peer, parts.log) }
        close(connection, refusal)
    }

    /// Says why and closes at once. The message fits into the buffer of a new connection, and is there to read whatever
    /// the host sends meanwhile.
    private func refuse(_ descriptor: borrowing FileDescriptor, _ refusal: PanelError) {
        var sent = [UInt8](repeating: 0, count: Self.chunk)
        _ = try? LocalSocket.send(ReplyEncoder.message(refusal)[...], to: descriptor)
        // A socket that is closed with unread input may give the host ECONNRESET.
        _ = try? descriptor.read(into: &sent)
    }

    /// - Returns: whether there is a place, perhaps after dropping another connection.
    private func makeRoom(for peer: LocalSocket.Peer) -> Bool {
        let now = MonotonicClock.now
        let holders = connections.values.filter { !$0.isEnding }.map { connection in
            ConnectionPlaces.Holder(
                token: connection.token, user: connection.user, isOwn: connection.isOwn,
                idle: connection.isIdle ? now - connection.idleSince : nil)
        }
        let places = ConnectionPlaces(limits: parts.limits, holders: holders)
        switch places.decide(for: peer.user, isOwn: parts.access.isOwn(peer)) {
        case .free: return true
        case .none: return false
        case .instead(let token):
            if let connection = connections[token] { drop(connection) }
            return true
        }
    }

    // MARK: end of connections

    /// Replies with an error and closes the connection when the host has read it. Until then input is discarded: a
    /// socket that is closed with unread input may give the host ECONNRESET instead of the error.
    private func close(_ connection: Connection, _ error: PanelError) {
        connection.endsAt = MonotonicClock.now + parts.limits.ending
        connection.send(ReplyEncoder.message(error), now: MonotonicClock.now)
        advance(connection)
    }

    private func drop(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.token) != nil else { return }
        if let running = connection.running {
            callers[running.id] = nil
            if running.isPad { parts.link.send(.hostGone(running.id)) }
            parts.archive.forget(running.id)
            parts.statuses.forget(running.id)
            forgetScreenshot(running.id)
        }
        try? poll.remove(connection.descriptor.number)
        // A descriptor becomes free.
        if acceptsAt != nil { acceptsAt = MonotonicClock.now }
    }

    private func dropLate() {
        let now = MonotonicClock.now
        if let acceptsAt, now >= acceptsAt {
            self.acceptsAt = nil
            do throws(Errno) { try poll.add(parts.socket.descriptor.number, token: Source.listener) } catch {
                self.acceptsAt = now + parts.limits.pause
            }
        }
        for connection in connections.values {
            if let document = connection.document, now >= document.deadline(parts.limits) {
                parts.log.notice("a host hands over its document too slowly; document discarded")
                document.discard("discarded", "its bytes came too slowly; open it again")
            }
            if now < connection.deadline { continue }
            if !connection.isEnding, !connection.output.isEmpty {
                parts.log.notice("a host reads its answer too slowly; connection closed")
            }
            drop(connection)
        }
    }

    private func dropAll() {
        for connection in connections.values { drop(connection) }
    }

    // MARK: calls

    private func handle(_ event: EventPoll.Event, _ connection: Connection) {
        // Both directions are closed, so the host does not wait for a reply. Without a running call, calls that were
        // sent before are still read.
        if event.isHangup, connection.running != nil { return drop(connection) }
        if event.isReadable || event.isHangup, !read(connection) { return drop(connection) }
        advance(connection)
    }

    /// - Returns: false if the connection has failed.
    private func read(_ connection: Connection) -> Bool {
        guard !connection.isInputEnded, connection.running == nil else { return !connection.isInputEnded }
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        do throws(Errno) {
            let count = try connection.descriptor.read(into: &bytes)
            if count == 0 {
                connection.isInputEnded = true
            } else if !connection.isEnding {
                connection.framer.append(bytes[..<count])
            }
            return true
        } catch {
            return error == .wouldBlock
        }
    }

    /// Writes what waits, then starts the next call, as far as possible.
    private func advance(_ connection: Connection) {
        while true {
            do throws(Errno) {
                let isEmpty = connection.output.isEmpty
                if try connection.output.flush(to: connection.descriptor) || connection.output.isEmpty {
                    connection.lastRead = MonotonicClock.now
                }
                if !isEmpty, connection.output.isEmpty { connection.noteCall(now: MonotonicClock.now) }
                if !connection.output.isEmpty { break }
                if connection.isEnding {
                    if connection.isInputEnded { return drop(connection) }
                    if !connection.hasEndedOutput {
                        connection.hasEndedOutput = true
                        try LocalSocket.endWriting(to: connection.descriptor)
                    }
                    break
                }
            } catch {
                return drop(connection)
            }
            if connection.running != nil { break }
            do throws(MalformedMessage) {
                guard let message = try connection.framer.next() else {
                    if connection.isInputEnded { return drop(connection) }
                    break
                }
                start(try VarlinkCall(message), connection)
            } catch {
                return close(connection, .malformedMessage(reason: error.description))
            }
        }
        updateInterest(of: connection)
    }

    private func updateInterest(of connection: Connection) {
        let interest = connection.neededInterest
        if interest == connection.interest { return }
        connection.interest = interest
        do throws(Errno) {
            try poll.change(connection.descriptor.number, token: connection.token, to: interest)
        } catch {
            drop(connection)
        }
    }

    private func start(_ varlinkCall: VarlinkCall, _ connection: Connection) {
        func reply(_ message: [UInt8]) { if !varlinkCall.oneway { connection.send(message, now: MonotonicClock.now) } }
        connection.noteCall(now: MonotonicClock.now)
        let call: HostCall
        // Connections without a role are closing and call nothing.
        guard let role = connection.role else { return }
        do throws(PanelError) {
            call = try HostCall(varlinkCall, by: role, document: connection.document)
        } catch {
            if error == .permissionDenied { noteDenial(of: varlinkCall, connection) }
            return reply(ReplyEncoder.message(error))
        }
        func run(isPad: Bool, usesDocument: Bool = false) -> CallID {
            let id = CallID(nextCall)
            nextCall += 1
            connection.running = Connection.Running(
                id: id, more: varlinkCall.more, oneway: varlinkCall.oneway, isPad: isPad, usesDocument: usesDocument)
            callers[id] = connection
            return id
        }
        switch call {
        case .info: reply(ReplyEncoder.message(parts.info))
        case .description(let interface):
            reply(
                InterfaceText.description(of: interface).map { ReplyEncoder.message(DescriptionReply(description: $0)) }
                    ?? ReplyEncoder.message(.interfaceNotFound(interface)))
        case .pad(.screenshot, _):
            screenshots.append(run(isPad: true))
            if screenshots.count == 1 { passOnScreenshot() }
        case .pad(let call, let reach):
            var usesDocument = false
            if case .capture(let capture) = call { usesDocument = capture.flow.document != nil }
            parts.link.send(.call(run(isPad: true, usesDocument: usesDocument), call, reach))
        case .archive(let call, let reach):
            parts.archive.submit(run(isPad: false), .call(call, reach), of: connection.user)
        case .document(let call):
            do throws(PanelError) { reply(try carryOut(call, connection)) } catch {
                reply(ReplyEncoder.message(error))
            }
        }
    }

    /// - Returns: the reply.
    private func carryOut(_ call: DocumentCall, _ connection: Connection) throws(PanelError) -> [UInt8] {
        let now = MonotonicClock.now
        func document(_ id: String) throws(PanelError) -> HostDocument {
            guard let document = connection.document, document.id == id else { throw .noSuchDocument(id) }
            return document
        }
        switch call {
        case .open(let call):
            let id = "d\(nextDocument)"
            try makeRoom(for: call.byteCount, connection, now)
            nextDocument += 1
            connection.document = HostDocument(id: id, call, now: now)
            return ReplyEncoder.message(OpenDocumentReply(id: id))
        case .append(let call): try document(call.id).append(call, now: now)
        case .close(let id):
            _ = try document(id)
            connection.document = nil
        }
        return ReplyEncoder.message(NoReply())
    }

    private func makeRoom(for byteCount: Int, _ connection: Connection, _ now: Timestamp) throws(PanelError) {
        if let document = connection.document, document.byteCount > 0 {
            throw .unavailable(
                reason: "document \(document.id) is open on this connection: close it (CloseDocument) before another")
        }
        let holders = connections.values.compactMap { holder in
            holder.document.map { document in
                DocumentRoom.Holder(
                    token: holder.token, user: holder.user, isOwn: holder.isOwn, byteCount: document.byteCount,
                    unused: holder.running?.usesDocument == true ? nil : now - document.usedAt)
            }
        }
        let room = DocumentRoom(limits: parts.limits, holders: holders)
        guard
            let others = room.place(
                for: byteCount, of: connection.user, role: connection.role, isOwn: connection.isOwn)
        else {
            throw .unavailable(
                reason: "there is no room for a document of \(byteCount) bytes beside those of other captures: try "
                    + "again when one has ended")
        }
        for token in others {
            connections[token]?.document?.discard("discarded", "another one needed its room; open it again")
        }
    }

    /// Once for each connection, so that a host cannot fill the log with calls.
    private func noteDenial(of call: VarlinkCall, _ connection: Connection) {
        if connection.wasDenied { return }
        connection.wasDenied = true
        parts.log.notice("user \(connection.user), the gateway, may not call \(call.method)")
    }

    private func passOnScreenshot() {
        if let call = screenshots.first { parts.link.send(.call(call, .screenshot, .all)) }
    }

    /// Passes on the next call for a screenshot if this one has been.
    private func forgetScreenshot(_ call: CallID) {
        guard let index = screenshots.firstIndex(of: call) else { return }
        screenshots.remove(at: index)
        if index == 0 { passOnScreenshot() }
    }

    // MARK: replies

    /// - Returns: whether the thread must end.
    private func sendReplies() -> Bool {
        let (replies, isEnding) = parts.link.receiveReplies()
        for (id, reply) in replies {
            guard let connection = callers[id], let running = connection.running else { continue }
            switch reply {
            case .status(let status): parts.statuses.submit(id, .status(status, continues: false), of: connection.user)
            case .health(let health): parts.statuses.submit(id, .health(health), of: connection.user)
            case .abilities(let abilities):
                parts.statuses.submit(id, .abilities(abilities), of: connection.user)
            case .events(let events): send(id, ReplyEncoder.message(events, continues: true))
            case .changed(let status): parts.statuses.submit(id, .status(status, continues: true), of: connection.user)
            case .capture(let reply):
                let isFinal = reply.outcome != nil
                if isFinal || running.more {
                    send(id, ReplyEncoder.message(reply, continues: !isFinal), isFinal: isFinal)
                }
            case .screenshot(let screenshot): parts.archive.submit(id, .screenshot(screenshot), of: connection.user)
            case .reloaded(let reply): send(id, ReplyEncoder.message(reply), isFinal: true)
            case .paired(let allowed): send(id, ReplyEncoder.message(PairingReply(allowed: allowed)), isFinal: true)
            case .mirrored(let change):
                send(id, ReplyEncoder.message(MirrorReply(change, &connection.mirrorInk), continues: true))
            case .backdrop(let backdrop): parts.archive.submit(id, .backdrop(backdrop), of: connection.user)
            case .done: send(id, ReplyEncoder.message(NoReply()), isFinal: true)
            case .failed(let error): send(id, ReplyEncoder.message(error), isFinal: true)
            }
        }
        return isEnding
    }

    private func sendReplies(from archive: Archive) {
        for reply in archive.receiveReplies() { send(reply.call, reply.message, isFinal: reply.isFinal) }
    }

    private func send(_ id: CallID, _ message: [UInt8], isFinal: Bool = false) {
        guard let connection = callers[id], let running = connection.running else { return }
        // Measured before this message, because one long stroke alone may exceed the limit.
        let unread = connection.output.count
        if !running.oneway { connection.send(message, now: MonotonicClock.now) }
        if isFinal {
            callers[id] = nil
            if running.usesDocument { connection.document?.noteUse(now: MonotonicClock.now) }
            connection.running = nil
            forgetScreenshot(id)
            connection.noteCall(now: MonotonicClock.now)
        } else if unread > parts.limits.streamBytes {
            parts.log.notice("a host does not read its updates; connection closed")
            return drop(connection)
        }
        advance(connection)
    }
}
