// SPDX-License-Identifier: Apache-2.0
import Canvas
import Capture
import Ink
import Raster
import Record

/// What the render thread is to do, in the order in which it is told.
enum RenderStep: Equatable, Sendable {
    /// - Parameter reportedMicroseconds: when the report came into being: the kernel's time of it. What latency is
    ///   counted from.
    case stroke(StrokeEvent, reportedMicroseconds: Int64)
    case undo
    case redo
    case clear
    /// All ink goes for good.
    case wipe
    /// Shows a page. The sketch page has the ink that it had; the signature page keeps its own when it is the one that
    /// is shown, with other words; otherwise a page has none.
    case show(PageView)
    /// A button of the signature page, where that is shown.
    case button(PageButton, isPressed: Bool)
    /// A button of the sketch page, where that is shown.
    case sketchButton(SketchButton, SketchButtonState)
    /// Words over a part of the sketch page, where that is shown, or none any more.
    case notice(String?)
    /// Of the strokes that begin from now on, on the page that is shown.
    case use(Pen, Color)
    /// What was drawn on the sketch page before the program started.
    case restore([SketchEntry])
    /// Another display: everything is drawn on it. Where its picture is not that of the one before, a page has to be
    /// shown anew; ink that was on it is gone.
    case attach(RenderTarget)
    /// The display goes: nothing of it may be written to any more. Answered with ``RenderLink/noteDetached()``.
    case detach
    /// Frames are black, or show what they would have shown.
    case blank(Bool)
    /// Answered with a ``LayoutAnswer``: only this thread may measure text.
    case layOut(LayoutOrder)
}
