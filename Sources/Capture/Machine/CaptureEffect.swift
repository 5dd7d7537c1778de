// SPDX-License-Identifier: Apache-2.0

/// What is to be done, in this order.
public enum CaptureEffect: Equatable, Sendable {
    case show(CapturePage)
    case button(PageButton, isPressed: Bool)
    /// As `Canvas.apply`: `beginStroke`, any number of `extendStroke`, then `endStroke` or `cancelStroke`.
    case beginStroke(InkPoint)
    case extendStroke(InkPoint)
    case endStroke
    case cancelStroke
    /// As `Canvas.undo` and `clear`; never while a stroke is drawn.
    case undo
    case clear
    /// All ink goes, and nothing brings it back: what comes next is somebody else's.
    case wipe
    case record(RequestID, RecordStep)
    case tell(RequestID, HostEvent)
    case reject(HostCommand, CommandRejection)
}
