// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import HostAPI
public import Ink
public import Record

/// An output of the pad. Actions are carried out in order by the threads, which take them from their mailboxes.
public enum PadAction: Equatable, Sendable {
    case render(RenderAction)
    case store(StoreAction)
    case document(DocumentAction)
    case speech(SpeechAction)
    case reply(CallID, PadReply)
    /// Only if ``PadSettings/isSimulated`` is set.
    /// - Parameter inRunning: in the running capture; otherwise in the next one.
    case simulate(SimulatedAct, inRunning: Bool)
    /// Only if ``PadSettings/offersReports`` is set: a person at the pad wants a report about the machine.
    case requestReport
}

/// An action for the render thread.
public enum RenderAction: Equatable, Sendable {
    /// One begin, any number of moves, then an end or a cancel, as for `Canvas.apply`.
    /// - Parameter reported: the kernel's time of the report; latency is measured from it.
    case ink(StrokeEvent, reported: Timestamp)
    /// Sets the pen and the colour of further strokes on the current page.
    case use(Pen, Color)
    /// The same as in `Canvas`; never during a stroke.
    case undo, redo, clear
    /// Removes all ink and its undo history.
    case wipe
    /// Shows a page, with its buttons in their initial state. The sketch page keeps its ink; any other page starts
    /// without.
    case show(Page)
    /// Redraws a button of the current page.
    case button(PageButton, ButtonState)
    /// Changes the label of a button of the current page.
    case label(PageButton, String)
    /// Shows another part of the document on the current page, or its fields in another state.
    case document(DocumentScene)
    /// Shows or hides the hint on the signing line.
    case hint(Bool)
    /// Shows a message over the ink field; nil removes it.
    case banner(Banner?)
    /// Draws an entry of the stored sketch on the sketch page.
    case restore(SketchEntry)
    /// Answered with ``PadEvent/laidOut(_:_:)``. Only the render thread measures text.
    case layOut(LayoutID, Page)
    /// Answered with ``PadEvent/screenshot(_:_:)``.
    case screenshot(CallID)
    /// Answered with ``PadEvent/backdrop(_:_:)``.
    case backdrop(CallID)
    /// Shows a ring of two bands around the control that a key presses, by its outer edge; nil removes it.
    case focus(PixelRect?)
    /// Shows or hides a sign in the margin of the pages of captures.
    case sign(CaptureSign, isShown: Bool)
}

/// A sign in the margin, for the people at the pad.
public enum CaptureSign: CaseIterable, Sendable {
    /// Somebody watches in a mirror.
    case watched
    /// The page is read aloud, and touches read: people who do not hear the speech see why.
    case speaks
}

/// An action for the record thread. A capture gets ``check(_:)``, then ``begin(_:)``, any number of ``append(_:_:)``,
/// and at most one ``commit(_:_:)``. ``discard(_:)`` may follow at any time and is the last.
public enum StoreAction: Equatable, Sendable {
    /// A signing page is about to be shown. Answered with ``StoreAnswer/ready(_:)`` or
    /// ``StoreAnswer/refused(_:reason:isFull:)``.
    case check(CaptureID)
    case begin(CaptureHeader)
    /// The document of the capture that has begun: the ink is put into it, and it is signed, before the commit.
    case keepDocument(CaptureID, OpenedDocument)
    /// Answered with ``StoreAnswer/appended(_:)`` when the entry is durable.
    case append(CaptureID, CaptureEntry)
    /// The capture was accepted. Answered with ``StoreAnswer/committed(_:seal:)`` when the record is durable. The main
    /// thread adds its own measurements: latency, drops, and contacts that the gate ignored.
    case commit(CaptureID, CaptureEnd)
    /// Wipes the capture, even if it was just committed. Answered with ``StoreAnswer/discarded(_:fault:)``.
    case discard(CaptureID)
    /// Replaces what is kept of touch devices for the next start of the program.
    case keepScatter([DeviceScatter])
    /// Answered with ``StoreAnswer/key(_:fingerprint:)``.
    case readKey(CallID)
    /// Answered with ``StoreAnswer/sketchKept(fault:)`` when storing the sketch begins to fail or works again.
    case sketch(SketchEntry)
    /// Sets the sketch page. Answered with ``StoreAnswer/sketch(_:of:fault:)``.
    case openSketch(SketchPage)
    /// Answered with ``StoreAnswer/sketchSaved(fault:)``.
    case saveSketch
}
