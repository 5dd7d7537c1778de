// SPDX-License-Identifier: Apache-2.0
import Configuration
import Geometry
import Glibc
import HTTP
import HostAPI
package import Linux

/// The program `inkpanel-gateway webhooks run`: it waits for the panel, commands and signals. Each webhook has a thread
/// that sends. While nothing happens, no thread wakes.
package final class WebhookService {
    private enum Source {
        static let signals: UInt64 = 0
        static let senders: UInt64 = 1
        static let requests: UInt64 = 2
        static let panel: UInt64 = 3
    }

    /// Pauses between tries to reach the panel, and after an error of the disk.
    private static let retries: ClosedRange<Duration> = .seconds(1)...(.seconds(30))
    private static let silence = "the panel does not answer"

    private let panelSocket: String
    private let state: String
    private let statusPath: String
    private let log: Log
    private let services: ServiceManager
    private let poll: EventPoll
    private let signals: SignalSet
    /// Wakes this thread after changes of the senders.
    private let changes: Mailbox<Void>
    private let requests: FolderWatch
    private let lock: LockedFile
    private let clock: WebhookClock
    private let senders: [WebhookSender]
    private var events: WebhookEvents
    private var panel: WebhookPanel?
    private var isListed = false
    private var retryAt: Timestamp? = .distantPast
    private var retry = retries.lowerBound
    /// Since when the panel does not answer.
    private var awaySince: Timestamp?
    private var fault: String?
    private let haste: Double
    private let patience: Duration
    private let version: String
    private var written: WebhookStatus?

    package struct Setup {
        package static let usualPatience = 30

        package var endpoints: [WebhookEndpoint]
        package var panelSocket: String
        /// The state directory.
        package var state: String
        /// The file for ``WebhookStatus``.
        package var statusPath: String
        /// How long a panel may be away, such as for an update, before that is a fault.
        package var patience = Duration.seconds(Int64(usualPatience))
        package var limits = WebhookSender.Limits()
        package var curl = "/usr/bin/curl"
        /// The version of this program, for receivers and the status.
        package var version: String

        package init(
            endpoints: [WebhookEndpoint], panelSocket: String, state: String, statusPath: String, version: String
        ) {
            self.endpoints = endpoints
            self.panelSocket = panelSocket
            self.state = state
            self.statusPath = statusPath
            self.version = version
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    package init(_ setup: Setup, log: Log) throws {
        panelSocket = setup.panelSocket
        state = setup.state
        statusPath = setup.statusPath
        version = setup.version
        self.log = log
        haste = setup.limits.haste
        patience = setup.patience
        services = ServiceManager(log: log)
        try SignalSet.block(SignalSet.ending)
        signals = try SignalSet(SignalSet.ending)
        poll = try EventPoll()
        let changes = try Mailbox<Void>(blocking: false)
        self.changes = changes
        requests = try FolderWatch()
        try PrivateFile.makeDirectory(setup.state)
        do throws(Errno) {
            let file = try FileDescriptor(
                opening: setup.state + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600)
            lock = try LockedFile(file, .exclusive, waits: false)
        } catch {
            throw Failure(
                description: error == .wouldBlock
                    ? "another program uses \(setup.state)" : "\(setup.state)/lock: \(error)")
        }
        try PrivateFile.makeDirectory(WebhookRequest.folder(in: setup.state))
        clock = WebhookClock(state: setup.state, haste: setup.limits.haste)
        var senders: [WebhookSender] = []
        for endpoint in setup.endpoints {
            let queue = WebhookQueue(state: setup.state, name: endpoint.name)
            try queue.make(in: setup.state)
            let version = "Inkpanel/\(setup.version) (webhooks)"
            let sender = try WebhookSender(
                endpoint, queue: queue,
                post: WebhookPost(endpoint: endpoint, program: setup.curl, version: version),
                limits: setup.limits, clock: clock, log: log, changed: { changes.wake() })
            senders.append(sender)
        }
        self.senders = senders
        events = try WebhookEvents(state: setup.state, senders: senders, clock: clock, log: log)
        try poll.add(signals.number, token: Source.signals)
        try poll.add(changes.descriptor, token: Source.senders)
        try poll.add(requests.descriptor, token: Source.requests)
        requests.watch(WebhookRequest.folder(in: setup.state))
    }

    /// Runs until a signal ends the program.
    package func run() throws {
        for sender in senders { try sender.start(try sender.queue.items(.waiting)) }
        carryOutRequests()
        for name in ((try? Directory.names(of: state + "/queues")) ?? []).sorted()
        where !senders.contains(where: { $0.endpoint.name == name }) {
            log.notice("there is no webhook \(name.printable) any more; its messages stay in \(state)/queues")
        }
        awaySince = MonotonicClock.now
        services.ready()
        while true {
            passTime()
            writeStatus()
            for event in try poll.wait(until: deadline) {
                switch event.token {
                case Source.signals: if signals.next() != nil { return end() }
                case Source.senders: _ = changes.take()
                case Source.requests: if requests.takeChange() { carryOutRequests() }
                default: receive()
                }
            }
        }
    }

    private var deadline: Timestamp? {
        [retryAt, awaySince.map { $0 + patience }].compactMap(\.self).min()
    }

    private func passTime() {
        let now = MonotonicClock.now
        if let time = retryAt, time <= now { connect() }
        if let since = awaySince, since + patience <= now {
            awaySince = nil
            do throws(WebhookEvents.NotKept) { try events.note(fault: Self.silence, at: WallClock.microseconds) } catch
            {
                note("\(error)")
            }
        }
    }

    private func end() {
        services.stopping()
        clock.keep()
        unlink(statusPath)
    }

    // MARK: the panel

    private func connect() {
        retryAt = nil
        do throws(Errno) {
            let call = try WebhookPanel(.events, events.known, more: true, path: panelSocket)
            try poll.add(call.descriptor, token: Source.panel)
            panel = call
            isListed = false
        } catch {
            disconnect("the panel does not answer at \(panelSocket): \(error)")
        }
    }

    private func disconnect(_ reason: String) {
        if let panel { try? poll.remove(panel.descriptor) }
        panel = nil
        note(reason)
        if awaySince == nil, retryAt == nil { awaySince = MonotonicClock.now }
        retryAt = MonotonicClock.now + retry
        retry = min(retry * 2, Self.retries.upperBound)
    }

    private func receive() {
        guard let panel else { return }
        do {
            let (replies, hasEnded) = try panel.events()
            for reply in replies {
                // It answers.
                awaySince = nil
                var mayHaveRecovered = false
                var failure: WebhookEvents.NotKept?
                do throws(WebhookEvents.NotKept) { mayHaveRecovered = try events.receive(reply) } catch {
                    failure = error
                }
                if !reply.starting, !isListed || mayHaveRecovered {
                    isListed = true
                    try events.receive { body throws in
                        try WebhookPanel.records(path: panelSocket, body)
                    }
                }
                if let failure { throw failure }
                retry = Self.retries.lowerBound
                note(nil)
            }
            if hasEnded { disconnect("the panel has closed the connection") }
        } catch let error as WebhookEvents.NotKept {
            // Events that are not kept come again with the next connection.
            disconnect("\(error)")
            awaySince = nil
            retryAt = MonotonicClock.now + .microseconds(Int64(Double(Self.retries.upperBound.microseconds) / haste))
        } catch {
            disconnect("\(error)")
        }
    }

    private func note(_ reason: String?) {
        if fault == reason { return }
        fault = reason
        if let reason { log.warning(reason) } else { log.notice("the panel answers") }
        services.status(reason ?? "\(senders.count) webhooks")
    }

    // MARK: commands

    private func carryOutRequests() {
        for request in WebhookRequest.take(in: state) {
            for sender in senders where request.webhook == nil || request.webhook == sender.endpoint.name {
                sender.put(request.id.map { .redeliver(id: $0) } ?? .enable)
            }
        }
    }

    private func writeStatus() {
        let status = WebhookStatus(
            webhooks: senders.map(\.state), fault: fault, program: "inkpanel-gateway \(version)")
        if status == written { return }
        written = status
        // Nothing depends on it.
        try? AtomicFile.write(Array(status.json), to: statusPath, permissions: 0o644)
    }
}
