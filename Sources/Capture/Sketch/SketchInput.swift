// SPDX-License-Identifier: Apache-2.0
public import Record
public import Touch

/// What the sketch page is told.
public enum SketchInput: Equatable, Sendable {
    /// What was drawn before the program started, of this page (``SketchJournal/entries``). It is drawn by the caller;
    /// before anything else.
    case restored([SketchEntry])
    /// What a contact did. `contact` names it as long as it lasts; nil where one only is ever told of.
    case touch(TouchEvent, contact: Int32?)
    /// Another page comes: what is being drawn ends here.
    case leave
}
