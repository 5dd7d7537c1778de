// SPDX-License-Identifier: Apache-2.0
import HostAPI

/// The events for programs that notify others: captures that have ended, and faults.
struct EventLog {
    /// The number of events that are kept for programs that connect later, for example after their restart. Each has at
    /// most 16 KiB of a host's data. Events of accepted captures are not kept: their records are in the store.
    static let limit = 128

    /// The calls to `Events`.
    var listeners: [CallID] = []
    /// Captures that wait for their turn, by their calls. Their hosts know the ids, so each of these captures gets an
    /// event when it ends.
    private var waiting: [CallID: (id: CaptureID, data: [String: String]?)] = [:]
    /// The request of an accepted capture whose end is not noted yet.
    var accepted: CaptureRequest?
    /// Whether the store and its recovered records are known.
    var knowsStore = false
    private var kept: [PanelEvent] = []
    /// The events that were not sent to listeners yet.
    private var new: [PanelEvent] = []
    private var count: Int64 = 0
    /// The number of the last event that was dropped from `kept`.
    private var dropped: Int64 = 0
    private var run: String?
    private(set) var fault: String?
    private var wasStarting = true

    /// Notes that a host knows the id of a capture.
    mutating func noteWaiting(_ call: CallID, _ id: CaptureID, data: [String: String]?) {
        waiting[call] = (id, data)
    }

    /// Notes that a host has gone.
    mutating func noteGone(_ call: CallID, at time: () -> Int64) {
        listeners.removeAll { $0 == call }
        if let requested = waiting.removeValue(forKey: call) { noteEnd(requested, .cancelled(by: .host), at: time) }
    }

    private mutating func noteEnd(
        _ requested: (id: CaptureID, data: [String: String]?), _ outcome: CaptureOutcome, at time: () -> Int64
    ) {
        var event = event(.ended, time())
        (event.id, event.outcome, event.data) = (requested.id, outcome, requested.data)
        add(event)
    }

    /// Notes the end of a capture, if the reply is its last one.
    mutating func note(_ reply: PadReply, to call: CallID, at time: () -> Int64) {
        if case .failed(let error) = reply, let requested = waiting.removeValue(forKey: call) {
            return noteEnd(requested, .failed(reason: error.description), at: time)
        }
        guard case .capture(let reply) = reply else { return }
        // A capture that has begun ends with an outcome.
        if reply.state != .waiting { waiting[call] = nil }
        guard let outcome = reply.outcome else { return }
        var event = event(.ended, time())
        (event.id, event.outcome, event.data) = (reply.id, outcome, reply.data)
        (event.seal, event.signed, event.instead) = (reply.seal, reply.signed, reply.instead)
        if outcome == .accepted { event.request = accepted.map { SignedRequest($0) } }
        accepted = nil
        add(event)
    }

    /// Notes why nobody can sign now; nil if somebody can.
    mutating func note(fault next: String?, at time: () -> Int64) {
        defer { fault = next }
        if (fault == nil) == (next == nil) { return }
        var event = event(next == nil ? .recovered : .fault, time())
        event.fault = next
        add(event)
    }

    private mutating func event(_ kind: PanelEvent.Kind, _ time: Int64) -> PanelEvent {
        count += 1
        return PanelEvent(number: count, time: time, kind: kind)
    }

    private mutating func add(_ event: PanelEvent) {
        if !listeners.isEmpty { new.append(event) }
        if event.outcome == .accepted { return }
        if kept.count == Self.limit { dropped = kept.removeFirst().number }
        kept.append(event)
    }

    /// The first reply to a call.
    mutating func begin(
        _ call: CallID, _ known: EventsCall, _ settings: PadSettings
    ) -> PadAction {
        listeners.append(call)
        if run == nil { run = String(settings.random(), radix: 16) }
        let after = known.run == run ? known.after ?? 0 : 0
        var reply = reply(settings, kept.filter { $0.number > after })
        if after < dropped { reply.missed = true }
        return .reply(call, .events(reply))
    }

    /// The replies after an event of the pad.
    mutating func replies(_ settings: PadSettings) -> [PadAction] {
        defer {
            new.removeAll()
            wasStarting = !knowsStore
        }
        if listeners.isEmpty || new.isEmpty && wasStarting == !knowsStore { return [] }
        let reply = reply(settings, new)
        return listeners.map { .reply($0, .events(reply)) }
    }

    private func reply(_ settings: PadSettings, _ events: [PanelEvent]) -> EventsReply {
        EventsReply(
            run: run ?? "", panel: settings.panel, starting: !knowsStore, fault: knowsStore ? fault : nil,
            events: events)
    }
}

extension Pad {
    /// Why nobody can sign; nil if somebody can, and while the pad starts or ends.
    private var obstacle: String? {
        if !unknown.isEmpty || isStopping { return nil }
        if let displayFault { return "the panel has no display: \(displayFault)" }
        if devices.isEmpty { return "the panel has no touch device" }
        return recordFault ?? storeFault
    }

    /// Notes what the actions say, and tells those who listen.
    mutating func replyToListeners(_ actions: inout [PadAction]) {
        for action in actions {
            if case .reply(let call, let reply) = action { events.note(reply, to: call, at: settings.wallClock) }
        }
        if !isStopping { events.note(fault: obstacle, at: settings.wallClock) }
        actions += events.replies(settings)
    }

    /// The abilities of this pad. The thread that reads documents adds the rest.
    var abilities: PanelAbilities {
        PanelAbilities(
            program: settings.program, languages: MessageTable.Language.allCases.map(\.rawValue),
            language: settings.messages.language?.rawValue, mirror: settings.mirror, pairing: settings.allowsPairing,
            simulated: settings.isSimulated, waiting: Self.waitingLimit)
    }
}
