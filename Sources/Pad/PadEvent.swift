// SPDX-License-Identifier: Apache-2.0
public import Record
public import Touch

/// What happens to a pad. The threads send these to the main thread, which hands them to ``Pad``.
public enum PadEvent: Equatable, Sendable {
    /// A host calls. Each call is named once and gets exactly one final reply, unless its host goes away.
    case call(CallID, PadCall)
    /// The connection of that call has ended. A capture of it is cancelled; further replies to it are dropped.
    case hostGone(CallID)
    /// - Parameters:
    ///   - contact: names the contact for as long as it lasts; nil when there is only one at a time.
    ///   - reported: the kernel's time of the report, in microseconds; latency is measured from it.
    case touch(TouchEvent, contact: Int32?, reported: Int64)
    /// A pen hovers above the page. It is recorded while somebody signs and has no other effect.
    /// - Parameter device: its index in ``devices(_:_:)``.
    case hover(PenHover, device: Int, microseconds: Int64)
    /// The display or a touch device goes away. The stroke being drawn ends and stays; a pressed button is released
    /// without effect.
    case touchesEnded
    case laidOut(LayoutID, Result<SignatureLayout, PageTooSmall>)
    case stored(StoreAnswer)
    /// The names of the touch devices that are read now, and all devices that were ever read, as records describe them.
    /// Touches and hovers refer to the latter by index.
    case devices([String], [CaptureDevice])
    /// A display is connected and shows nothing yet. If its picture has another size than the last one, everything that
    /// was on the page is gone.
    case display(PadScreen)
    /// The display shows its first frame.
    case displayShows
    /// - Parameter reason: for people.
    case displayLost(reason: String)
    /// Time has passed; sent at ``Pad/deadline`` at the latest.
    case time
    /// The program ends. Nothing new starts; a second one cancels also what is being stored.
    case stop
}

/// Names one call of a host. No two calls of one run of the program have the same.
public struct CallID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

/// Names one layout that was asked for, so that a late answer is not taken for another.
public struct LayoutID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

/// What a host asks of the pad. A nil id means the running capture.
public enum PadCall: Equatable, Sendable {
    case capture(CaptureCall)
    case cancel(CaptureID?)
    case clear(CaptureID?)
    /// As the button: the ink is checked in the same way.
    case accept(CaptureID?)
    case status
    /// Replied to with ``PadReply/changed(_:)``, at once and after each change, without end.
    case watch
}

/// The arguments of a call for a signature.
public struct CaptureCall: Equatable, Sendable {
    public var request: CaptureRequest
    public var shows: ShownFields
    /// Overrides the panel's policy.
    public var policy: CapturePolicy
    /// While another capture runs: wait for its end instead of failing.
    public var waits: Bool
    /// The host wants progress. Without it, ``PadReply/progress(_:)`` is dropped.
    public var follows: Bool

    public init(
        request: CaptureRequest, shows: ShownFields = ShownFields(), policy: CapturePolicy = CapturePolicy(),
        waits: Bool = false, follows: Bool = false
    ) {
        self.request = request
        self.shows = shows
        self.policy = policy
        self.waits = waits
        self.follows = follows
    }
}

/// What the record thread answers to a ``StoreAction``.
public enum StoreAnswer: Equatable, Sendable {
    /// The capture can be recorded, as far as can be known beforehand.
    case ready(CaptureID)
    /// Neither this capture nor another can be recorded now.
    /// - Parameter reason: for people.
    case refused(CaptureID, reason: String, isFull: Bool)
    /// The record is on the disk and stays there.
    case committed(CaptureID)
    case failed(CaptureID, reason: String)
    /// Nothing is left of the capture; `fault` says what is.
    case discarded(CaptureID, fault: String?)
    /// Why nothing can be recorded; nil if it can. Sent at the start and at each change.
    case storeChanged(fault: String?)
    /// What was drawn on the sketch page before the program started, or on the page before this one.
    case sketch([SketchEntry], of: SketchPage, fault: String?)
    /// Why the sketch will not survive the program; nil when it will again.
    case sketchKept(fault: String?)
    /// The pictures of the sketch were written, or why not.
    case sketchSaved(fault: String?)
}
