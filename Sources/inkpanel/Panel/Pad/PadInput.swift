// SPDX-License-Identifier: Apache-2.0
import Control
import Record
import Touch

/// What the pad is told.
enum PadInput: Equatable, Sendable {
    case host(PanelInput)
    /// - Parameters:
    ///   - contact: as `CaptureInput.touch`.
    ///   - reportedMicroseconds: as ``RenderStep/stroke(_:reportedMicroseconds:)``.
    case touch(TouchEvent, contact: Int32?, reportedMicroseconds: Int64)
    case laidOut(LayoutAnswer)
    case record(RecordAnswer)
    /// The names of the touch devices that are read now, and all that were, as records describe them: what touches are
    /// numbered by.
    case devices([String], [CaptureDevice])
    /// There is a display. Where its picture is of another size than the last, all that was on it is gone.
    case display(PadScreen)
    /// There is none, so that nobody can sign.
    case noDisplay(reason: String)
    /// Nothing but time has passed.
    case time
    /// The panel ends: nobody can sign any more.
    case end
}
