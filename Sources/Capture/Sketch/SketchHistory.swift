// SPDX-License-Identifier: Apache-2.0
import Record

/// What stands on the sketch page and what can be undone. It never says that something can be that the canvas has no
/// memory for any more.
struct SketchHistory {
    /// What a stroke takes beside its reports, in reports.
    private static let strokeCost = 2

    private let reach: Int
    /// For each stroke, what had been drawn before it.
    private var sheets = StrokeSheets<Int>()
    /// Where the stroke that was drawn last begins.
    private var latest = -1
    /// What was ever drawn, in reports; it never becomes less.
    private var total = 0
    /// What had been drawn when the page was last cleared.
    private var clearedAt = 0

    init(reach: Int) { self.reach = reach }

    var isBlank: Bool { sheets.isBlank }
    var canRedo: Bool { sheets.canRedo }
    var canUndo: Bool {
        // The last stroke always can.
        if let start = sheets.last { return total - start <= reach || start == latest }
        return sheets.canUndo && total - clearedAt <= reach
    }

    mutating func add(reports: Int) {
        sheets.add(total)
        latest = total
        total += reports + Self.strokeCost
    }

    mutating func undo() -> Bool { canUndo && sheets.undo() }
    mutating func redo() -> Bool { sheets.redo() }

    mutating func clear() -> Bool {
        guard sheets.clear() else { return false }
        clearedAt = total
        return true
    }

    mutating func apply(_ entry: SketchEntry) {
        switch entry {
        case .stroke(let stroke): add(reports: stroke.samples.count)
        case .undo: _ = sheets.undo()
        case .redo: _ = sheets.redo()
        case .clear: _ = clear()
        }
    }
}
