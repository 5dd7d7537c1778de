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
    /// As `CaptureInput.hover`: a pen hovers (`TouchFrame.hover`).
    case hover(PenHover, device: Int, microseconds: Int64)
    case laidOut(LayoutAnswer)
    case record(RecordAnswer)
    /// The names of the touch devices that are read now, and all that were, as records describe them: what touches are
    /// numbered by.
    case devices([String], [CaptureDevice])
    /// There is a display, and nothing on it yet. Where its picture is of another size than the last, all that was on
    /// it is gone.
    case display(PadScreen)
    /// A first frame is on the display: people see what they do.
    case displayShows
    /// Displays or devices go: what is being drawn ends, and what is pressed is not pressed any more, but is not chosen.
    case letGo
    /// There is none, so that nobody can sign.
    case noDisplay(reason: String)
    /// Nothing but time has passed.
    case time
    /// The panel ends: nobody can sign any more.
    case end
}
