// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux

/// Keeps a panel connected to its broker: connects, receives messages, sends pings, and reconnects after a fault. A
/// loop drives it and has its descriptor in its epoll set.
final class BrokerLink {
    enum Change: Equatable {
        /// The connection is there, and the requests are subscribed.
        case connected
        case message(BrokerMessage)
        /// The number of a publication.
        case acknowledged(Int)
        /// The broker does not accept a message, in its words.
        case refused(String)
        case disconnected(BrokerFault)
    }

    /// After a connection of this length, the next attempt comes soon.
    private static let goodConnection = Duration.seconds(10)
    /// The limit for TLS, the broker's acceptance and the subscription together.
    private static let handshake = Duration.seconds(20)

    let address: BrokerAddress
    let name: FleetName
    private let dialer: BrokerDialer
    private let token: UInt64
    private var connection: BrokerConnection?
    /// The descriptor in the loop's epoll set.
    private var polled: (number: CInt, interest: EventPoll.Interest)?
    private var backoff = Backoff()
    private var acceptedAt: Timestamp?
    private var keepAliveAt: Timestamp?
    private var handshakeEnd: Timestamp?
    /// Whether the files have changed while the dialer worked.
    private var isOutdated = false
    private(set) var isConnected = false
    /// When the broker's certificate ends, as the last connection has shown it, in seconds since 1970-01-01 UTC.
    private(set) var brokerCertificateEnds: Int64?
    /// When to connect; nil while there is a connection, or the dialer makes one.
    private(set) var dialAt: Timestamp? = .zero

    /// - Parameter token: of its descriptor in the epoll set.
    init(_ address: BrokerAddress, as name: FleetName, dialer: BrokerDialer, token: UInt64) {
        self.address = address
        self.name = name
        self.dialer = dialer
        self.token = token
    }

    /// When to call ``passTime(_:)``, or to dial.
    var deadline: Timestamp? { isClosed ? .zero : [dialAt, keepAliveAt, handshakeEnd].compactMap(\.self).min() }

    /// Whether libmosquitto has closed the connection, as it does when a message cannot be written. No event tells it.
    private var isClosed: Bool { connection.map { $0.descriptor < 0 } ?? false }

    /// Asks the dialer for a connection.
    func dial() {
        (dialAt, isOutdated) = (nil, false)
        // Requests that the broker has kept may be too old, which a panel without a clock cannot see.
        dialer.dial(.init(address: address, name: name, keepsSession: WallClock.read().isSynchronized))
    }

    /// Waits before the next attempt.
    func pause() { dialAt = MonotonicClock.now + backoff.pause(.random(in: 0..<1)) }

    /// Takes what the dialer has made.
    func dialed(_ result: Result<BrokerConnection, BrokerFault>, _ poll: borrowing EventPoll) -> [Change] {
        switch result {
        case .failure(let fault):
            pause()
            return [.disconnected(fault)]
        case .success(let connection):
            if isOutdated {
                dialAt = MonotonicClock.now
                return []
            }
            self.connection = connection
            handshakeEnd = MonotonicClock.now + Self.handshake
            noteTraffic()
            return changes(connection.serve(nil), poll)
        }
    }

    func serve(_ event: EventPoll.Event, _ poll: borrowing EventPoll) -> [Change] {
        guard let connection else { return [] }
        let changes = changes(connection.serve(event), poll)
        // libmosquitto does not see that the other end has gone amid a handshake.
        guard event.isHangup, acceptedAt == nil, self.connection != nil else { return changes }
        return changes + end(.ended, poll)
    }

    /// Sends a sign of life if it is time, and notes a connection that has been closed.
    func passTime(_ poll: borrowing EventPoll) -> [Change] {
        if isClosed, let connection { return changes(connection.serve(nil), poll) }
        let now = MonotonicClock.now
        if let handshakeEnd, handshakeEnd <= now { return end(.silent, poll) }
        guard let connection, let keepAliveAt, keepAliveAt <= now else { return [] }
        noteTraffic()
        connection.sayAlive()
        return changes(connection.serve(nil), poll)
    }

    func publish(_ publication: FleetSession.Publication, _ poll: borrowing EventPoll) {
        guard isConnected, let connection else { return }
        // libmosquitto counts the time from what it sends.
        noteTraffic()
        connection.publish(publication)
        // Also a panel that publishes all the time must notice that nobody hears it.
        connection.sayAlive()
        watch(poll)
    }

    /// Connects again at once, with the files as they are now.
    func reconnect(_ poll: borrowing EventPoll) {
        backoff.reset()
        if connection == nil, dialAt == nil {
            isOutdated = true
            return
        }
        connection?.disconnect(publishesWill: false)
        drop(poll)
        dialAt = MonotonicClock.now
    }

    /// Says good-bye: the broker publishes that the panel is away.
    func disconnect(_ poll: borrowing EventPoll, until end: Timestamp) {
        guard isConnected, let connection else { return }
        connection.disconnect(publishesWill: true)
        while connection.descriptor >= 0, connection.wantsToWrite, MonotonicClock.now < end {
            watch(poll)
            guard let events = try? poll.wait(until: end) else { break }
            for event in events where event.token == token { _ = connection.serve(event) }
        }
        drop(poll)
    }

    private func changes(_ events: [BrokerConnection.Event], _ poll: borrowing EventPoll) -> [Change] {
        var changes: [Change] = []
        for event in events {
            switch event {
            case .accepted:
                acceptedAt = MonotonicClock.now
                connection?.subscribe()
            case .subscribed:
                (isConnected, handshakeEnd) = (true, nil)
                brokerCertificateEnds = connection?.brokerCertificateEnds
                changes.append(.connected)
            case .message(let message):
                // It was acknowledged.
                noteTraffic()
                changes.append(.message(message))
            case .acknowledged(let number, let reason):
                changes.append(.acknowledged(number))
                if let reason { changes.append(.refused(reason)) }
            case .ended(let fault): return changes + end(fault, poll)
            }
        }
        if isClosed { return changes + end(.ended, poll) }
        watch(poll)
        return changes
    }

    private func end(_ fault: BrokerFault, _ poll: borrowing EventPoll) -> [Change] {
        let stood = acceptedAt.map { MonotonicClock.now - $0 } ?? .zero
        if stood > Self.goodConnection { backoff.reset() }
        drop(poll)
        pause()
        return [.disconnected(fault)]
    }

    private func drop(_ poll: borrowing EventPoll) {
        // A descriptor that libmosquitto has closed is in no set any more, and its number may be another one's.
        if let polled, connection?.descriptor == polled.number { try? poll.remove(polled.number) }
        (polled, connection, acceptedAt, keepAliveAt, handshakeEnd, isConnected) = (nil, nil, nil, nil, nil, false)
    }

    /// Waits for what the descriptor has to be waited for, which changes with each packet.
    private func watch(_ poll: borrowing EventPoll) {
        guard let connection, connection.descriptor >= 0 else { return }
        let number = connection.descriptor
        // Amid the handshake, libmosquitto 2.0.21 wants to write what has to wait for it.
        let wantsToWrite = acceptedAt != nil && connection.wantsToWrite
        let interest: EventPoll.Interest = wantsToWrite ? [.reading, .writing] : .reading
        if let polled, polled.number == number {
            if polled.interest != interest { try? poll.change(number, token: token, to: interest) }
        } else {
            try? poll.add(number, token: token, for: interest)
        }
        polled = (number, interest)
    }

    private func noteTraffic() {
        guard let connection else { return }
        // libmosquitto counts whole seconds.
        keepAliveAt = MonotonicClock.now + .seconds(Int64(connection.keepAlive)) + .milliseconds(100)
    }
}
