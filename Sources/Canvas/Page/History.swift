// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The sheets of a page: the one that is seen, those cleared away before it, and those that undoing left behind.
///
/// What to do and undo is written nowhere else: within a sheet it is the order of strokes, between sheets a clear.
struct History {
    /// So many clears can be undone. More would keep every page that was ever signed here.
    private static let clearLimit = 1

    private let grid: TileGrid
    /// Bytes that all strokes may take before the oldest are baked.
    let byteLimit: Int
    var sheets: [Sheet]
    var current = 0

    /// Places on the page that look different now, as strokes or whole sheets went or came.
    enum Change {
        case none
        /// The stroke that went or came.
        case stroke(DryStroke)
        case sheets(Sheet, Sheet)
    }

    init(_ grid: TileGrid, byteLimit: Int) {
        self.grid = grid
        self.byteLimit = byteLimit
        sheets = [Sheet(grid)]
    }

    /// What is on the page.
    var sheet: Sheet { sheets[current] }

    var canUndo: Bool { sheet.canUndo || current > 0 }
    var canRedo: Bool { sheet.hasUndone || current + 1 < sheets.count }

    mutating func append(_ stroke: DryStroke) {
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].append(stroke)
    }

    mutating func undo() -> Change {
        if sheet.canUndo { return .stroke(sheets[current].undo()) }
        guard current > 0 else { return .none }
        current -= 1
        return .sheets(sheets[current + 1], sheet)
    }

    mutating func redo() -> Change {
        if sheet.hasUndone { return .stroke(sheets[current].redo()) }
        guard current + 1 < sheets.count else { return .none }
        current += 1
        return .sheets(sheets[current - 1], sheet)
    }

    /// Begins a new sheet, unless there is nothing on this one. What was undone is forgotten.
    mutating func clear() -> Change {
        guard sheet.hasInk else { return .none }
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].forgetUndone()
        sheets.append(Sheet(grid))
        if sheets.count > Self.clearLimit + 1 { sheets.removeFirst() }
        current = sheets.count - 1
        return .sheets(sheets[current - 1], sheet)
    }
}
