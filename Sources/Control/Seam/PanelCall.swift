// SPDX-License-Identifier: Apache-2.0
public import Record

/// A host's request for a signature.
public struct CaptureCall: Equatable, Sendable {
    public var request: CaptureRequest
    public var shows: ShownFields
    public var policy: PolicyWishes
    /// While another capture runs, wait for its end instead of failing.
    public var waits: Bool
    /// The host wants to be told of states and strokes on the way. Without, ``PanelAnswer/progress(_:)`` goes nowhere.
    public var follows: Bool

    public init(
        request: CaptureRequest, shows: ShownFields = ShownFields(), policy: PolicyWishes = PolicyWishes(),
        waits: Bool = false, follows: Bool = false
    ) {
        self.request = request
        self.shows = shows
        self.policy = policy
        self.waits = waits
        self.follows = follows
    }
}

/// What a host asks of the panel itself. Nil for an id is the capture that runs.
public enum PanelCall: Equatable, Sendable {
    case capture(CaptureCall)
    case cancel(CaptureID?)
    case clear(CaptureID?)
    case accept(CaptureID?)
    case status
    /// Answered with ``PanelAnswer/changed(_:)``, at once and then whenever something changes, without an end.
    case watch
}

/// What the main thread is told of hosts.
public enum PanelInput: Equatable, Sendable {
    case call(CallID, PanelCall)
    /// Nobody waits for the answers of that call any more: its connection has ended. Answers that still come are
    /// dropped. A capture is cancelled by it.
    case gone(CallID)
}
