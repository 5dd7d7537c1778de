// SPDX-License-Identifier: Apache-2.0
import Record
import Store

/// What the record thread is to do with a capture, in the order in which it is told.
enum RecordJob: Equatable, Sendable {
    /// Somebody is to be asked for a signature: answered with ``RecordAnswer/admitted(_:)`` or
    /// ``RecordAnswer/refused(_:_:)``, before there is anything to see.
    case admit(CaptureID)
    case start(CaptureHeader)
    case append(CaptureID, CaptureEntry)
    /// The capture is complete: answered with ``RecordAnswer/durable(_:)`` when nothing can take it away any more.
    case keep(CaptureID, CaptureEnd)
    /// Nothing of it may stay, also when it was kept a moment ago: answered with
    /// ``RecordAnswer/discarded(_:fault:)``.
    case discard(CaptureID, CaptureEnd)
    /// Something was drawn on the sketch page, or taken back: answered with ``RecordAnswer/sketchKept(fault:)`` when
    /// it cannot be kept, and when it can again.
    case sketch(SketchEntry)
    /// The sketch page is of that size from now on: what there is of it is made to fit, and told
    /// (``RecordAnswer/sketch(_:of:fault:)``).
    case openSketch(SketchPage)
    /// The sketch is to be saved as pictures: answered with ``RecordAnswer/sketchSaved(fault:)``.
    case saveSketch
}

enum RecordAnswer: Equatable, Sendable {
    case durable(CaptureID)
    /// That capture can be recorded, as far as can be told.
    case admitted(CaptureID)
    /// It cannot, nor can another now.
    case refused(CaptureID, StoreError)
    /// Why nothing can be recorded now; nil: it can. Told at the start and when that changes.
    case store(fault: StoreError?)
    /// What was to be done with that capture cannot be; the reason is for people.
    case failed(CaptureID, reason: String)
    /// Nothing of that capture is left, or why something is.
    case discarded(CaptureID, fault: String?)
    /// What is drawn on the sketch page does not survive the program, and why; nil: it does again.
    case sketchKept(fault: String?)
    /// The sketch was saved, or why not.
    case sketchSaved(fault: String?)
    /// What was drawn on the sketch page before the program started, or before the page was another; without a journal,
    /// nothing.
    case sketch([SketchEntry], of: SketchPage, fault: String?)
}
