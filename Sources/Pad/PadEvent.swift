// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
public import Record
public import Touch

/// An input of the pad. The threads send these to the main thread, which passes them to ``Pad``.
public enum PadEvent: Equatable, Sendable {
    /// A host calls. Each call has its own ID and gets exactly one final reply, unless its host disconnects.
    /// - Parameter reach: the captures that the host may see and change.
    case call(CallID, PadCall, _ reach: CaptureReach)
    /// The connection of this call has ended. Its capture is cancelled; further replies to it are dropped.
    case hostGone(CallID)
    /// - Parameter reported: the kernel's time of the report; latency is measured from it.
    case touch(TouchEvent, reported: Timestamp)
    /// A pen hovers above the page. Hovering is recorded during a capture and has no other effect.
    /// - Parameter device: its index in ``devices(_:_:)``.
    case hover(PenHover, device: Int, at: Timestamp)
    case laidOut(LayoutID, Result<PlacedPage, PageTooSmall>)
    case stored(StoreAnswer)
    case document(DocumentAnswer)
    /// Somebody uses the page without touching it.
    case act(PageAct)
    /// Somebody presses a key of a keyboard beside the screen.
    case key(PageKey)
    /// The answer to a ``SpeechAction``, or a change of what can be heard.
    case speech(SpeechAnswer)
    /// The answer to ``RenderAction/screenshot(_:)``.
    case screenshot(CallID, Screenshot)
    /// The answer to ``RenderAction/backdrop(_:)``.
    case backdrop(CallID, Screenshot)
    /// The names of the touch devices in use, and all devices used since the start, as records describe them. Touches
    /// and hovers refer to the latter by index.
    case devices([String], [CaptureDevice])
    /// The only touch device has returned and measures in another way, so the capture cannot go on.
    /// - Parameter reason: for people.
    case touchAltered(reason: String)
    /// A display is connected and has no frame yet. If its picture differs in size from the last one, the page's
    /// content is lost.
    case display(PadScreen)
    /// The display shows its first frame.
    case displayShows
    /// - Parameter reason: for people.
    case displayLost(reason: String)
    /// The configuration was read again. The settings apply when no capture's page is shown or being prepared.
    case revised(PadRevision)
    /// Time has passed. Sent at ``Pad/deadline`` at the latest.
    case time
    /// The program is ending, so no capture starts. A second stop also cancels a capture that is being stored.
    case stop
}

/// Identifies a host's call. Unique within a run of the program.
public struct CallID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

/// Identifies a requested layout, so that a late answer is not taken for that of another request.
public struct LayoutID: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

/// A host's call. A nil ID means the running capture.
public enum PadCall: Equatable, Sendable {
    case capture(CaptureCall)
    case cancel(CaptureID?)
    case clear(CaptureID?)
    /// Has the effect of the button; the ink is checked in the same way.
    case accept(CaptureID?)
    /// Shows the name in place of a signature. Answered when its page is there.
    case typeName(CaptureID?, TypedName)
    case status
    /// Answered with ``PadReply/health(_:)``. The panel and its archive thread add their own figures.
    case health
    /// Answered with ``PadReply/reloaded(_:)``. Then the panel reads the configuration, sends ``PadEvent/revised(_:)``,
    /// and completes the reply.
    case reload
    /// Answered with ``PadReply/screenshot(_:)``.
    case screenshot
    case simulate(SimulatedAct)
    /// Answered with ``PadReply/changed(_:)`` at once and after each change, until the host disconnects.
    case watch
    /// Answered with ``PadReply/events(_:)`` at once and at each event, until the host disconnects.
    case events(EventsCall)
    /// Answered with ``PadReply/abilities(_:)``. The archive thread adds the documents that the panel accepts.
    case abilities
    /// Answered with ``PadReply/mirrored(_:)`` at once and at each change, until the host disconnects.
    /// - Parameter level: nil for the highest that the panel allows.
    case mirror(MirrorLevel?)
    /// Answered with ``PadReply/paired(_:)``.
    case pair(PairingRequest)
    /// Shows what identifies the panel. Answered with ``PadReply/done`` when it is gone.
    /// - Parameter gatewayKey: as in ``PairingRequest/key``.
    case identify(gatewayKey: String?)
}

/// The record thread's answer to a ``StoreAction``.
public enum StoreAnswer: Equatable, Sendable {
    /// The store is ready to record the capture.
    case ready(CaptureID)
    /// The store cannot record any capture now.
    /// - Parameter reason: for people.
    case refused(CaptureID, reason: String, isFull: Bool)
    /// An entry of the capture is on the medium. Each gets one answer, in their order.
    case appended(CaptureID)
    /// The record is durable.
    /// - Parameters:
    ///   - seal: nil if it is not sealed.
    ///   - hasDocument: whether a signed document belongs to it.
    case committed(CaptureID, seal: SealHead? = nil, hasDocument: Bool = false)
    case failed(CaptureID, reason: String)
    /// The capture is wiped, or `fault` says why it could not be.
    case discarded(CaptureID, fault: String?)
    /// Why captures cannot be recorded; nil if they can. Sent at the start and at each change.
    case storeChanged(fault: String?)
    /// The records that wait for delivery to another place. Sent soon after each change.
    case deliveryChanged(PanelStatus.Delivery)
    /// The kept scatter of touch devices; sent at the start, before any ``ready(_:)``.
    case scatter([DeviceScatter])
    /// The fingerprint of the key that records are sealed with; nil while they are not sealed.
    case key(CallID, fingerprint: String?)
    /// The stored sketch, from before the program's start or from the previous page.
    case sketch([SketchEntry], of: SketchPage, fault: String?)
    /// Why the sketch will not survive a restart; nil if it will again.
    case sketchKept(fault: String?)
    /// The pictures of the sketch were written, or `fault` says why not.
    case sketchSaved(fault: String?)
}
