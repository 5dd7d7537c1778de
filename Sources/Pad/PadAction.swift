// SPDX-License-Identifier: Apache-2.0
public import Ink
public import Raster
public import Record

/// What must be done, in this order. The threads take these from their mailboxes.
public enum PadAction: Equatable, Sendable {
    case render(RenderAction)
    case store(StoreAction)
    case reply(CallID, PadReply)
}

/// What the render thread must do.
public enum RenderAction: Equatable, Sendable {
    /// As `Canvas.apply`: one begin, any number of moves, then end or cancel.
    /// - Parameter reported: the kernel's time of the report, in microseconds; latency is measured from it.
    case ink(StrokeEvent, reported: Int64)
    /// Pen and colour of the strokes that begin from now on, on the page that is shown.
    case use(Pen, Color)
    /// As those of `Canvas`; never during a stroke.
    case undo, redo, clear
    /// Removes all ink for good.
    case wipe
    /// Shows a page. The sketch page keeps its ink; the signing page keeps it if only its message or buttons change;
    /// any other page starts without ink.
    case show(Page)
    /// A button of the page that is shown.
    case button(PageButton, ButtonState)
    /// A message over part of the sketch page; nil removes it.
    case notice(String?)
    /// Draws on the sketch page what was drawn there before.
    case restore([SketchEntry])
    /// Answered with ``PadEvent/laidOut(_:_:)``: only the render thread measures text.
    case layOut(LayoutID, PageTexts, LayoutDirection)
}

/// What the record thread must do. A capture gets ``check(_:)``, then ``begin(_:)``, any number of ``append(_:_:)``, at
/// most one ``commit(_:_:)``, and ``discard(_:_:)`` at any time; nothing after that.
public enum StoreAction: Equatable, Sendable {
    /// Somebody will be asked for a signature: answered with ``StoreAnswer/ready(_:)`` or
    /// ``StoreAnswer/refused(_:reason:isFull:)`` before the page is shown.
    case check(CaptureID)
    case begin(CaptureHeader)
    case append(CaptureID, CaptureEntry)
    /// The capture was accepted: answered with ``StoreAnswer/committed(_:)`` when the record is durable. Main fills in
    /// what it measures itself: latency, drops, and contacts that the gate ignored.
    case commit(CaptureID, CaptureEnd)
    /// Nothing of it may be kept, even if it was committed a moment ago: answered with
    /// ``StoreAnswer/discarded(_:fault:)``.
    case discard(CaptureID, CaptureEnd)
    /// Answered with ``StoreAnswer/sketchKept(fault:)`` when it cannot be kept, and when it can again.
    case sketch(SketchEntry)
    /// The sketch page has this size from now on: answered with ``StoreAnswer/sketch(_:of:fault:)``.
    case openSketch(SketchPage)
    /// Answered with ``StoreAnswer/sketchSaved(fault:)``.
    case saveSketch
}
