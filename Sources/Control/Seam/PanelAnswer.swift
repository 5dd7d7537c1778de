// SPDX-License-Identifier: Apache-2.0
public import Capture
public import Record
public import Store

/// What the main thread says to a call. All but `progress` and `changed` are the last answer.
public enum PanelAnswer: Equatable, Sendable {
    case progress(CaptureProgress)
    case ended(CaptureOutcome)
    /// Of cancel, clear and accept.
    case done
    case status(PanelStatus)
    case changed(PanelStatus)
    case failed(PanelRefusal)

    /// Whether nothing follows it.
    public var isFinal: Bool {
        switch self {
        case .progress, .changed: false
        case .ended, .done, .status, .failed: true
        }
    }
}

/// How far a capture is.
public struct CaptureProgress: Equatable, Sendable {
    public enum State: Equatable, Sendable {
        /// For another capture to end.
        case waiting
        case signing
        /// As signing, with a message on the page: Accept was pressed, but the ink is no signature.
        case refused(Refusal)
        case saving
    }

    public var id: CaptureID
    public var state: State
    /// So many stand on the pad.
    public var strokes: Int
    /// The one that was finished just now, if that is what is told.
    public var stroke: HostStroke?

    public init(id: CaptureID, state: State, strokes: Int, stroke: HostStroke? = nil) {
        self.id = id
        self.state = state
        self.strokes = strokes
        self.stroke = stroke
    }
}

/// How a capture ended. Only `accepted` leaves a record.
public struct CaptureOutcome: Equatable, Sendable {
    public enum Result: Equatable, Sendable {
        case accepted
        case cancelledByPerson
        /// By another call, by the end of the host's connection, or because the panel ends.
        case cancelledByHost
        case timedOut(CaptureResult.Limit)
        /// The record could not be stored; the reason is for people.
        case failed(reason: String)
    }

    public var id: CaptureID
    public var result: Result
    /// As the call had it (``CaptureRequest/data``).
    public var data: [String: String]?

    public init(id: CaptureID, result: Result, data: [String: String]? = nil) {
        self.id = id
        self.result = result
        self.data = data
    }
}

/// Why the panel does not do what a host asks.
public enum PanelRefusal: Equatable, Sendable {
    /// Another capture runs, and the call does not want to wait.
    case busy(with: CaptureID)
    case notRunning
    /// It was accepted and is being stored: its ink stands.
    case beingStored
    /// The page does not fit on this screen, for want of room for that text, if it is one.
    case pageTooSmall(PageTexts.Field?)
    /// Named as in the interface.
    case invalid(parameter: String)
    /// No signature can be recorded now.
    case storeFailed(StoreError)
    /// The panel cannot do this now: no touch device, say, or too many wait.
    case unavailable(reason: String)
}
