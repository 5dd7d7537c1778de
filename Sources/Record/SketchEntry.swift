// SPDX-License-Identifier: Apache-2.0

/// One thing that was done on a sketch, in the order in which they happened.
public enum SketchEntry: Equatable, Sendable {
    case stroke(SketchStroke)
    case undo, redo, clear
}

extension StrokeSheets {
    /// Does what the entry says.
    /// - Parameter keep: what stands for a stroke.
    package mutating func apply(_ entry: SketchEntry, keeping keep: (SketchStroke) -> Stroke) {
        switch entry {
        case .stroke(let stroke): add(keep(stroke))
        case .undo: undo()
        case .redo: redo()
        case .clear: clear()
        }
    }
}
