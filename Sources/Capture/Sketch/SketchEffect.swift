// SPDX-License-Identifier: Apache-2.0
public import Ink
public import Raster
public import Record

/// What is to be done, in this order.
public enum SketchEffect: Equatable, Sendable {
    /// The button looks like that now.
    case button(SketchButton, SketchButtonState)
    /// As `Canvas.use` and then `apply`: `beginStroke`, any number of `extendStroke`, then `endStroke` or
    /// `cancelStroke`. Points are as the journal has them, so that what is read back is drawn as it was.
    case beginStroke(InkPoint, Pen, Color)
    case extendStroke(InkPoint)
    case endStroke
    case cancelStroke
    /// As those of `Canvas`; never while a stroke is drawn.
    case undo, redo, clear
    /// For ``SketchJournal/append(_:)``.
    case record(SketchEntry)
    /// The sketch is to be saved as pictures.
    case save
}
