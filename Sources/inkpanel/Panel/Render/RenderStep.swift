// SPDX-License-Identifier: Apache-2.0
import Canvas
import Capture

/// What the render thread is to do, in the order in which it is told.
enum RenderStep: Equatable, Sendable {
    /// - Parameter reportedMicroseconds: when the report came into being: the kernel's time of it. What latency is
    ///   counted from.
    case stroke(StrokeEvent, reportedMicroseconds: Int64)
    case undo
    case clear
    /// All ink goes for good.
    case wipe
    /// Shows a page. Its ink stays when it is the one that is shown, with other words; otherwise the page has none.
    case show(PageView)
    /// A button of the page that is shown.
    case button(PageButton, isPressed: Bool)
    /// Answered with a ``LayoutAnswer``: only this thread may measure text.
    case layOut(LayoutOrder)
}
