// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import JSON
import Linux

/// The panel's side of the broker protocol. Its input is messages, replies of the panel and times, its output actions.
/// The only I/O is that of ``FleetOrders``.
struct FleetSession {
    /// A message to publish, with QoS 1.
    struct Publication: Equatable {
        var topic: Topic
        var payload: [UInt8]
        var correlation: [UInt8]?
        /// Names it in ``FleetSession/acknowledged(_:)``; nil for one that a later message replaces.
        var number: Int?
    }

    enum Action: Equatable {
        case publish(Publication)
        /// Calls the panel on a connection of its own.
        case call(Int, PanelMethod, JSONValue)
        /// Ends the connection of a call. A capture is cancelled by it.
        case end(Int)
    }

    /// The reply to a call.
    enum Answer {
        case reply(VarlinkReply)
        case refused(PanelError)
        /// The connection has ended, or could not be made, or its reply was not understood.
        case lost
    }

    /// The purpose of a call.
    private enum Purpose: Equatable {
        case capture(RequestKey)
        case cancel
        /// Whether a capture whose connection was lost still runs, and whether it has a record.
        case look(RequestKey)
        case record(RequestKey)
        case status
        case watch
        /// The status and the health for the topic `info`.
        case facts
        case health(PanelStatus)
    }

    /// Captures that run or wait at a time: the panel allows 16 connections of a user.
    private static let openLimit = 8
    /// Answers that nobody has acknowledged; older ones are in the file, for hosts that ask again.
    private static let unconfirmedLimit = 200
    private static let withoutRecord = "the connection to the panel was lost, and it has no record that can be read"
    private static let interrupted = "the panel's program ended while the person signed; the ink so far is kept"
    /// Hosts that wait for the status at a time.
    private static let askingLimit = 100
    /// Microseconds.
    private static let infoInterval: Int64 = 900_000_000
    private static let longestPause: Int64 = 30_000_000
    private static let look: Int64 = 60_000_000

    let name: FleetName
    private let hosts: Set<FleetName>
    private var orders: FleetOrders
    private var calls: [Int: Purpose] = [:]
    private var lastCall = 0
    private var lastNumber = 0
    private var unconfirmed: [Publication] = []
    private var asking: [(host: FleetName, correlation: [UInt8]?)] = []
    /// When the connection to the broker began, wall clock; nil while disconnected.
    private var connectedSince: Int64?
    /// The panel's state; nil while its program does not answer.
    private var status: PanelStatus?
    private var info: [UInt8]?
    /// The records that wait for delivery, as the panel reported last; nil without delivery.
    private var delivery: PanelStatus.Delivery?
    /// When to ask for the figures of `info`, and when to call a panel again that did not answer, by the clock since
    /// boot.
    private var infoAt: Int64 = 0
    private var retryAt: Int64?
    private var pause: Int64 = 1_000_000
    /// Counts for people.
    private(set) var counts = Counts()

    struct Counts: Equatable, Codable {
        var accepted = 0
        var refused = 0
        /// Messages that are no requests: without a response topic of this panel, on an unknown topic, or of a host
        /// that is not served.
        var ignored = 0
    }

    /// - Parameter hosts: those that are served; empty for all.
    init(name: FleetName, orders: FleetOrders, hosts: Set<FleetName> = []) {
        self.name = name
        self.hosts = hosts
        self.orders = orders
    }

    /// Whether an answer is expected for a call.
    func isOpen(_ call: Int) -> Bool { calls[call] != nil }

    var isPanelThere: Bool { status != nil }

    // MARK: the broker

    /// The connection is there, and the topics of requests are subscribed.
    mutating func connected(_ now: WallClock.Reading) -> [Action] {
        connectedSince = now.microseconds
        var actions = [statusAction()]
        if status != nil { actions.append(deliveryAction()) }
        if let info { actions.append(.publish(Publication(topic: .info, payload: info))) }
        for (key, order) in orders.open {
            if case .running(let reply) = order.state { actions.append(progress(key, order, reply)) }
        }
        return actions + unconfirmed.map { .publish($0) }
    }

    mutating func disconnected() { connectedSince = nil }

    mutating func acknowledged(_ number: Int) { unconfirmed.removeAll { $0.number == number } }

    /// The retained message for the time when this program has ended.
    static let offline: [UInt8] = JSONValue.object(["online": false]).bytes

    mutating func received(_ message: BrokerMessage, _ now: WallClock.Reading) -> [Action] {
        guard let method = Topic.method(message.topic, of: name), (message.correlation?.count ?? 0) <= 64,
            let host = message.responseTopic.flatMap({ Topic.host(ofResponses: $0, of: name) }),
            hosts.isEmpty || hosts.contains(host)
        else {
            counts.ignored += 1
            return []
        }
        do throws(PanelError) {
            switch method {
            case .capture:
                return capture(try FleetRequest(message.payload, from: host), message.correlation, now)
            case .cancel:
                return cancel(try FleetRequest.cancelled(message.payload, from: host), message.correlation)
            case .status:
                _ = try FleetRequest.members(of: message.payload, [])
                // One call for all who ask meanwhile.
                if asking.count < Self.askingLimit { asking.append((host, message.correlation)) }
                return calls.values.contains(.status) ? [] : [call(.status, for: .status)]
            }
        } catch {
            return [refusal(FleetAnswer.refusal(error), host, message.correlation)]
        }
    }

    private mutating func capture(
        _ request: FleetRequest, _ correlation: [UInt8]?, _ now: WallClock.Reading
    ) -> [Action] {
        let key = request.key
        func refused(_ error: FleetError, _ reason: String? = nil) -> [UInt8] {
            FleetAnswer.refusal(error, reason: reason, to: key)
        }
        if now.isSynchronized, request.until > now.microseconds + FleetOrders.lifetime {
            let error = PanelError.invalidParameter("until", expected: "at most 24 hours ahead")
            return [refusal(FleetAnswer.refusal(error, to: key), key.host, correlation)]
        }
        if let order = orders[key], !order.hasExpired(now) {
            guard order.digest == request.digest else { return [refusal(refused(.keyReused), key.host, correlation)] }
            orders.change(key) {
                $0.correlation = correlation
                $0.until = max($0.until ?? 0, request.until)
            }
            return repeated(key)
        }
        // Without a clock nobody knows. A broker keeps no request for such a panel: it connects with a clean start.
        if now.isSynchronized, now.microseconds > request.until {
            return [refusal(refused(.expired), key.host, correlation)]
        }
        let open = orders.open
        if !Share.isFree(open.count { $0.key.host == key.host }, of: open.count, Self.openLimit) {
            return [refusal(FleetAnswer.refusal(.busy(with: nil), to: key), key.host, correlation)]
        }
        do throws(RequestFile.NotKept) { try orders.ask(request, correlation: correlation, now: now) } catch {
            return [refusal(refused(.notKept, error.reason), key.host, correlation)]
        }
        counts.accepted += 1
        return [call(.capture, request.parameters, for: .capture(key))]
    }

    /// Answers a request that came again.
    private mutating func repeated(_ key: RequestKey) -> [Action] {
        guard let order = orders[key] else { return [] }
        switch order.state {
        case .asking, .lost: return []
        case .running(let reply): return [progress(key, order, reply)]
        case .ended(let answer): return [confirmed(.response(key.host), answer, order.correlation)]
        }
    }

    private mutating func cancel(_ key: RequestKey, _ correlation: [UInt8]?) -> [Action] {
        guard let order = orders[key] else {
            let error = PanelError.noSuchCapture(key.text)
            return [refusal(FleetAnswer.refusal(error, to: key), key.host, correlation)]
        }
        if case .ended(let answer) = order.state { return [publish(.response(key.host), answer, correlation)] }
        orders.change(key) { $0.cancellation = .init(correlation: correlation) }
        // The capture's own call brings the outcome, also if the record is being stored already.
        return order.capture.map { [call(.cancel, ["id": .text($0.description)], for: .cancel)] } ?? []
    }

    // MARK: the panel

    mutating func answered(_ number: Int, _ answer: Answer, _ now: WallClock.Reading) -> [Action] {
        guard let purpose = calls[number] else { return [] }
        // Only these have several replies.
        switch purpose {
        case .capture, .watch: break
        default: calls[number] = nil
        }
        switch purpose {
        case .capture(let key): return receiveCapture(number, key, answer, now)
        case .cancel: return []
        case .look(let key): return receiveStatus(of: key, answer, now)
        case .record(let key): return receiveRecord(of: key, answer, now)
        case .status: return replyToAskers(answer)
        case .watch: return receiveWatch(number, answer, now)
        case .facts:
            guard let status = Self.parameters(answer, StatusReply.self)?.status else { return [] }
            return [call(.health, for: .health(status))]
        case .health(let status):
            guard let health = Self.parameters(answer, HealthReply.self)?.health else { return [] }
            return [publishInfo(status, health)]
        }
    }

    private mutating func receiveCapture(
        _ number: Int, _ key: RequestKey, _ answer: Answer, _ now: WallClock.Reading
    ) -> [Action] {
        guard let order = orders[key] else { return end(number) }
        switch answer {
        case .refused(let error) where order.capture == nil:
            calls[number] = nil
            counts.accepted -= 1
            orders.free(key)
            return [refusal(FleetAnswer.refusal(error, to: key), key.host, order.correlation), .end(number)]
        case .refused, .lost: return lost(number, key, order, now)
        case .reply:
            guard let reply = Self.parameters(answer, CaptureReply.self) else { return lost(number, key, order, now) }
            if reply.outcome != nil { return end(number) + ended(key, reply, now) }
            // Its turn has come too late: the clock may have been set meanwhile.
            let hasWaited = order.capture == nil || waitingLimit(order) != nil
            if hasWaited, reply.state != .waiting, now.isSynchronized, (order.until ?? .max) < now.microseconds {
                return expire(key)
            }
            orders.run(key, reply)
            var actions: [Action] = []
            if order.cancellation != nil, order.capture == nil {
                actions.append(call(.cancel, ["id": .text(reply.id.description)], for: .cancel))
            }
            return actions + [progress(key, order, reply)]
        }
    }

    /// The panel has closed the connection of a capture.
    private mutating func lost(
        _ number: Int, _ key: RequestKey, _ order: FleetOrders.Order, _ now: WallClock.Reading
    ) -> [Action] {
        calls[number] = nil
        guard let capture = order.capture else {
            // It was never begun: a panel's first word is the id.
            counts.accepted -= 1
            orders.free(key)
            let error = PanelError.unavailable(reason: "the panel's program does not answer")
            return [refusal(FleetAnswer.refusal(error, to: key), key.host, order.correlation), .end(number)]
        }
        orders.lose(key, capture)
        retryAt = min(retryAt ?? .max, now.sinceBoot + 1_000_000)
        return [.end(number)]
    }

    private mutating func receiveStatus(of key: RequestKey, _ answer: Answer, _ now: WallClock.Reading) -> [Action] {
        guard case .lost(let capture) = orders[key]?.state else { return [] }
        guard let status = Self.parameters(answer, StatusReply.self)?.status, status.running?.id != capture else {
            retryAt = min(retryAt ?? .max, now.sinceBoot + 1_000_000)
            return []
        }
        return [call(.get, ["format": "metadata", "id": .text(capture.description)], for: .record(key))]
    }

    private mutating func receiveRecord(of key: RequestKey, _ answer: Answer, _ now: WallClock.Reading) -> [Action] {
        guard case .lost(let capture) = orders[key]?.state else { return [] }
        func end(_ outcome: CaptureOutcome, _ record: RecordSummary? = nil) -> [Action] {
            let reply = CaptureReply(id: capture, state: .ended(outcome), data: record?.data, seal: record?.seal)
            return ended(key, reply, now)
        }
        switch answer {
        case .reply:
            guard let record = Self.parameters(answer, GetReply.self)?.metadata?.summary else { break }
            return end(record.outcome.result == .accepted ? .accepted : .failed(reason: Self.interrupted), record)
        case .refused(.encrypted): return end(.accepted)
        case .refused(.noSuchCapture): return end(.failed(reason: Self.withoutRecord))
        case .refused(let error): return end(.failed(reason: error.description))
        case .lost: break
        }
        retryAt = min(retryAt ?? .max, now.sinceBoot + 1_000_000)
        return []
    }

    private mutating func ended(_ key: RequestKey, _ reply: CaptureReply, _ now: WallClock.Reading) -> [Action] {
        let order = orders[key]
        let answer = FleetAnswer.reply(reply, to: key)
        orders.end(key, answer)
        let event = CaptureEvent(id: reply.id, outcome: reply.outcome, seal: reply.seal, at: now.microseconds)
        return [confirmed(.response(key.host), answer, order?.correlation), confirmed(.captureEvent, event.bytes, nil)]
            + (order?.cancellation.map { [publish(.response(key.host), answer, $0.correlation)] } ?? [])
    }

    private struct CaptureEvent: Encodable {
        var id: CaptureID
        var outcome: CaptureOutcome?
        var seal: SealHead?
        var at: Int64
    }

    private mutating func replyToAskers(_ answer: Answer) -> [Action] {
        defer { asking = [] }
        return asking.map { statusReply($0.host, $0.correlation, answer) }
    }

    private mutating func statusReply(_ host: FleetName, _ correlation: [UInt8]?, _ answer: Answer) -> Action {
        switch answer {
        case .reply(let reply):
            if let status = try? reply.parameters(StatusReply.self) {
                return publish(.response(host), status.bytes, correlation)
            }
        case .refused(let error): return refusal(FleetAnswer.refusal(error), host, correlation)
        case .lost: break
        }
        let error = PanelError.unavailable(reason: "the panel's program does not answer")
        return refusal(FleetAnswer.refusal(error), host, correlation)
    }

    private mutating func receiveWatch(_ number: Int, _ answer: Answer, _ now: WallClock.Reading) -> [Action] {
        guard let next = Self.parameters(answer, StatusReply.self)?.status else {
            calls[number] = nil
            let wasThere = status != nil
            status = nil
            retryAt = min(retryAt ?? .max, now.sinceBoot + pause)
            pause = min(2 * pause, Self.longestPause)
            return [.end(number)] + (wasThere ? [statusAction()] : [])
        }
        pause = 1_000_000
        let before = (
            state: state, facts: status.map(FleetReport.facts), delivery: deliveryAction(), wasThere: status != nil
        )
        status = next
        delivery = next.store.delivery
        var actions = before.state == state ? [] : [statusAction()]
        let delivery = deliveryAction()
        if !before.wasThere || before.delivery != delivery { actions.append(delivery) }
        if before.facts != FleetReport.facts(next) { actions += refreshInfo(now) }
        return actions
    }

    private var state: String { FleetReport.state(status) }

    private func statusAction() -> Action {
        publish(.status, FleetReport.status(state, since: connectedSince ?? 0), nil)
    }

    private func deliveryAction() -> Action { publish(.delivery, FleetReport.delivery(delivery), nil) }

    private mutating func refreshInfo(_ now: WallClock.Reading) -> [Action] {
        infoAt = now.sinceBoot + Self.infoInterval
        return calls.values.contains(.facts) ? [] : [call(.status, for: .facts)]
    }

    private mutating func publishInfo(_ status: PanelStatus, _ health: PanelHealth) -> Action {
        let info = FleetReport.info(of: name, status, health)
        self.info = info
        return publish(.info, info, nil)
    }

    // MARK: time

    /// When ``timePassed(_:)`` has something to do, by the clock since boot; wall-clock limits count only while the
    /// clock is synchronized.
    func deadline(_ now: WallClock.Reading) -> Int64? {
        // The clock may be set before.
        let limits = orders.open.compactMap { waitingLimit($0.order) }.map { limit in
            now.sinceBoot + (now.isSynchronized ? min(limit - now.microseconds, Self.look) : Self.look)
        }
        return ([retryAt, status == nil ? nil : infoAt] + limits).compactMap(\.self).min()
    }

    private func waitingLimit(_ order: FleetOrders.Order) -> Int64? {
        switch order.state {
        case .asking: order.until
        case .running(let reply): reply.state == .waiting ? order.until : nil
        case .lost, .ended: nil
        }
    }

    mutating func timePassed(_ now: WallClock.Reading) -> [Action] {
        var actions: [Action] = []
        if let retryAt, retryAt <= now.sinceBoot {
            self.retryAt = nil
            actions += begin()
        }
        if status != nil, infoAt <= now.sinceBoot { actions += refreshInfo(now) }
        // Its turn would come too late: nobody sees a page after `until`.
        for (key, order) in orders.open where now.isSynchronized && (waitingLimit(order) ?? .max) <= now.microseconds {
            actions += expire(key)
        }
        return actions
    }

    /// Ends a capture that nobody has seen.
    private mutating func expire(_ key: RequestKey) -> [Action] {
        let order = orders[key]
        let answer = FleetAnswer.refusal(.expired, to: key)
        orders.end(key, answer)
        var actions: [Action] = []
        for (number, purpose) in calls where purpose == .capture(key) { actions += end(number) }
        actions.append(confirmed(.response(key.host), answer, order?.correlation))
        return actions + (order?.cancellation.map { [publish(.response(key.host), answer, $0.correlation)] } ?? [])
    }

    /// Watches the panel, and asks what has become of captures whose connection was lost.
    mutating func begin() -> [Action] {
        var actions: [Action] = []
        if !calls.values.contains(.watch) { actions.append(call(.watch, for: .watch)) }
        for (key, order) in orders.open {
            guard case .lost = order.state else { continue }
            let isAsked = calls.values.contains { $0 == .look(key) || $0 == .record(key) }
            if !isAsked { actions.append(call(.status, for: .look(key))) }
        }
        return actions
    }

    // MARK: actions

    private mutating func call(_ method: PanelMethod, _ parameters: JSONValue = [:], for purpose: Purpose) -> Action {
        lastCall += 1
        calls[lastCall] = purpose
        return .call(lastCall, method, parameters)
    }

    private mutating func end(_ number: Int) -> [Action] {
        calls[number] = nil
        return [.end(number)]
    }

    private func publish(_ topic: Topic, _ payload: [UInt8], _ correlation: [UInt8]?) -> Action {
        .publish(Publication(topic: topic, payload: payload, correlation: correlation))
    }

    private func progress(_ key: RequestKey, _ order: FleetOrders.Order, _ reply: CaptureReply) -> Action {
        publish(.response(key.host), FleetAnswer.reply(reply, to: key), order.correlation)
    }

    private mutating func refusal(_ payload: [UInt8], _ host: FleetName, _ correlation: [UInt8]?) -> Action {
        counts.refused += 1
        return publish(.response(host), payload, correlation)
    }

    /// Publishes until the broker has acknowledged it, also over connections.
    private mutating func confirmed(_ topic: Topic, _ payload: [UInt8], _ correlation: [UInt8]?) -> Action {
        lastNumber += 1
        let publication = Publication(topic: topic, payload: payload, correlation: correlation, number: lastNumber)
        unconfirmed.append(publication)
        if unconfirmed.count > Self.unconfirmedLimit { unconfirmed.removeFirst() }
        return .publish(publication)
    }

    private static func parameters<Parameters: Decodable>(_ answer: Answer, _ type: Parameters.Type) -> Parameters? {
        if case .reply(let reply) = answer { try? reply.parameters(type) } else { nil }
    }
}
