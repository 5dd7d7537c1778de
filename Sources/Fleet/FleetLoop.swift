// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import HostAPI
import Linux

/// The one thread of the program: it waits for the broker, the panel, signals and times, and carries out what
/// ``FleetSession`` asks for.
final class FleetLoop {
    private enum Source {
        static let signals: UInt64 = 0
        static let dialer: UInt64 = 1
        static let broker: UInt64 = 2
        static let firstCall: UInt64 = 3
    }

    /// The limit for the last message at the end.
    private static let farewell = Duration.seconds(2)

    private let link: BrokerLink
    private let panelSocket: String
    private let statePath: String
    private let log: Log
    private let services: ServiceManager
    private let poll: EventPoll
    private let signals: SignalSet
    private let dialer: BrokerDialer
    private var session: FleetSession
    private var certificate: PanelCertificate
    private var calls: [Int: PanelCall] = [:]

    private var connectedSince: Int64?
    private var connectedUntil: Int64?
    private var fault: String?
    private var written: FleetState?

    /// - Parameters:
    ///   - hosts: those that are served; empty for all.
    ///   - state: directory of the requests and the credentials.
    ///   - statePath: file for `inkpanel-fleet status`.
    init(
        address: BrokerAddress, panelSocket: String, hosts: [FleetName], state: String, statePath: String,
        certificate: PanelCertificate, log: Log
    ) throws(Errno) {
        self.panelSocket = panelSocket
        self.statePath = statePath
        self.certificate = certificate
        self.log = log
        services = ServiceManager(log: log)
        try SignalSet.block(SignalSet.ending)
        signals = try SignalSet(SignalSet.ending)
        dialer = try BrokerDialer()
        link = BrokerLink(address, as: certificate.name, dialer: dialer, token: Source.broker)
        poll = try EventPoll()
        try poll.add(signals.number, token: Source.signals)
        try poll.add(dialer.descriptor, token: Source.dialer)
        session = FleetSession(
            name: certificate.name, orders: FleetOrders(directory: state, now: WallClock.read(), log: log),
            hosts: Set(hosts))
    }

    /// Runs until a signal ends the program.
    func run() throws(Errno) {
        perform(session.begin())
        services.ready()
        passTime()
        while true {
            writeState()
            for event in try poll.wait(until: deadline) {
                switch event.token {
                case Source.signals:
                    while let signal = signals.next() {
                        if signal != SIGHUP { return sayGoodbye() }
                        log.notice("reads the certificate again")
                        noteEnd()
                        link.reconnect(poll)
                    }
                case Source.dialer: for call in dialer.take() { handle(link.dialed(call.result, poll)) }
                case Source.broker: handle(link.serve(event, poll))
                default: receive(Int(event.token - Source.firstCall), event)
                }
            }
            passTime()
        }
    }

    private var deadline: Timestamp? {
        let now = WallClock.read()
        let session = session.deadline(now).map { MonotonicClock.now + .microseconds(max(0, $0 - now.sinceBoot)) }
        return [session, link.deadline].compactMap(\.self).min()
    }

    private func passTime() {
        if let time = link.dialAt, time <= MonotonicClock.now { dial() }
        handle(link.passTime(poll))
        perform(session.timePassed(WallClock.read()))
    }

    // MARK: the broker

    private func dial() {
        do throws(PanelCertificateError) {
            certificate = try PanelCertificate(path: link.address.credentials + "/panel.crt")
            if certificate.name == session.name { return link.dial() }
            note("panel.crt has the name \(certificate.name) now: restart inkpanel-fleet")
        } catch {
            note(error.description)
        }
        link.pause()
    }

    private func handle(_ changes: [BrokerLink.Change]) {
        for change in changes {
            switch change {
            case .connected:
                let now = WallClock.read()
                (connectedSince, connectedUntil, fault) = (now.microseconds, nil, nil)
                log.notice("connected to \(link.address.text) as \(session.name)")
                perform(session.connected(now))
            case .message(let message): perform(session.received(message, WallClock.read()))
            case .acknowledged(let number): session.acknowledged(number)
            case .refused(let reason):
                note("the broker refuses messages of the panel (\(reason)): look at its access rules")
            case .disconnected(let fault):
                noteEnd()
                let isTime = !certificate.isValid(at: WallClock.microseconds / 1_000_000)
                if fault.isOfTLS, isTime { note("\(BrokerFault.certificateTime)") } else { note("\(fault)") }
            }
        }
    }

    private func noteEnd() {
        if connectedSince != nil { connectedUntil = WallClock.microseconds }
        connectedSince = nil
        session.disconnected()
    }

    private func note(_ reason: String) {
        if fault != reason { log.warning(reason) }
        fault = reason
    }

    /// Tells the broker that the panel is away now.
    private func sayGoodbye() {
        services.stopping()
        for call in calls.keys { end(call) }
        link.disconnect(poll, until: MonotonicClock.now + Self.farewell)
        unlink(statePath)
    }

    // MARK: the panel

    private func perform(_ actions: [FleetSession.Action]) {
        var actions = actions[...]
        while let action = actions.popFirst() {
            switch action {
            case .publish(let publication):
                link.publish(publication, poll)
            case .end(let number): end(number)
            case .call(let number, let method, let parameters):
                do throws(Errno) {
                    let call = try PanelCall(method, parameters, path: panelSocket)
                    try poll.add(
                        call.descriptor, token: Source.firstCall + UInt64(number),
                        for: call.wantsToWrite ? [.reading, .writing] : .reading)
                    calls[number] = call
                } catch {
                    actions += session.answered(number, .lost, WallClock.read())
                }
            }
        }
    }

    private func receive(_ number: Int, _ event: EventPoll.Event) {
        guard let call = calls[number] else { return }
        if event.isWritable, call.wantsToWrite {
            call.send()
            if !call.wantsToWrite {
                try? poll.change(call.descriptor, token: event.token, to: .reading)
            }
        }
        let (answers, hasEnded) = call.receive()
        // A later answer may be for a call that the first one has ended.
        for answer in answers where calls[number] === call {
            perform(session.answered(number, answer, WallClock.read()))
        }
        if calls[number] !== call { return }
        if hasEnded {
            end(number)
            perform(session.answered(number, .lost, WallClock.read()))
        } else if !session.isOpen(number) {
            end(number)
        }
    }

    private func end(_ number: Int) {
        guard let call = calls.removeValue(forKey: number) else { return }
        try? poll.remove(call.descriptor)
    }

    // MARK: state

    private func writeState() {
        let state = FleetState(
            panel: "\(session.name)", broker: link.address.text, connectedSince: connectedSince,
            connectedUntil: connectedUntil, fault: fault, panelAnswers: session.isPanelThere,
            certificateEnds: certificate.expires, brokerCertificateEnds: link.brokerCertificateEnds,
            program: "\(FleetCommand.name) \(FleetCommand.version)", requests: session.counts)
        if state == written { return }
        if written?.fault != state.fault || written?.connectedSince != state.connectedSince {
            services.status(fault ?? "connected to \(state.broker)")
        }
        written = state
        // Nothing depends on it.
        try? AtomicFile.write(state.bytes, to: statePath, permissions: 0o644)
    }
}
