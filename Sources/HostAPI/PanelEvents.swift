// SPDX-License-Identifier: Apache-2.0

/// Something that has happened on a panel, for programs that tell others.
public struct PanelEvent: Codable, Equatable, Sendable {
    public enum Kind: String, Codable, Sendable {
        /// A capture is over.
        case ended
        /// Nobody can sign now.
        case fault
        /// Somebody can sign again.
        case recovered
    }

    /// Counts up from 1 since the panel's program started.
    public var number: Int64
    /// Wall clock, microseconds since 1970-01-01 UTC.
    public var time: Int64
    public var kind: Kind
    /// The capture that has ended; this and the next members are nil for other kinds.
    public var id: CaptureID?
    public var outcome: CaptureOutcome?
    /// The seal of an accepted record; nil if it is not sealed.
    public var seal: SealHead?
    /// Whether there is a signed document; nil if the capture was not accepted, or without one.
    public var signed: Bool?
    /// The alternatives to signatures, as in ``CaptureReply/instead``.
    public var instead: [GivenInstead]?
    /// A copy of ``CaptureRequest/data``.
    public var data: [String: String]?
    /// The texts that were signed; only of an accepted capture.
    public var request: SignedRequest?
    /// Why nobody can sign, for people; nil for other kinds.
    public var fault: String?

    public init(number: Int64, time: Int64, kind: Kind) {
        self.number = number
        self.time = time
        self.kind = kind
    }
}

/// The texts of a request that was signed.
public struct SignedRequest: Codable, Equatable, Sendable {
    public var prompt: [String]
    public var rows: [CaptureRequest.Row]?
    public var signer, reason, `operator`: String?
    public var document: CaptureRequest.Document?

    public init(_ request: CaptureRequest) {
        prompt = request.prompt
        rows = request.rows
        signer = request.signer
        reason = request.reason
        self.operator = request.operator
        document = request.document
    }

    public init(_ record: RecordSummary) {
        prompt = record.prompt
        rows = record.rows
        signer = record.signer
        reason = record.reason
        self.operator = record.operator
        document = record.document
    }
}

/// The parameters of `Events`: the last event that the host knows.
public struct EventsCall: Codable, Equatable, Sendable, StrictMembers {
    package enum CodingKeys: CodingKey, CaseIterable { case run, after }

    /// ``EventsReply/run`` of that event; nil for none.
    public var run: String?
    /// The event's number; nil for none.
    public var after: Int64?

    public init(run: String?, after: Int64?) {
        self.run = run
        self.after = after
    }
}

/// A reply to `Events`.
public struct EventsReply: Codable, Equatable, Sendable {
    /// Identifies the time since the panel's program started.
    public var run: String
    /// The panel's name in records.
    public var panel: String?
    /// Whether the panel does not know its devices and its store yet.
    public var starting: Bool
    /// Why nobody can sign now, for people.
    public var fault: String?
    /// The events in their order.
    public var events: [PanelEvent]
    /// true if events after the host's last one are not kept any more.
    public var missed: Bool?

    package init(run: String, panel: String?, starting: Bool, fault: String?, events: [PanelEvent]) {
        self.run = run
        self.panel = panel
        self.starting = starting
        self.fault = fault
        self.events = events
    }
}
