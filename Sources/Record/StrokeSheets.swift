// SPDX-License-Identifier: Apache-2.0

/// Which strokes stand on a page, by the same rules as `Canvas` shows them: undo takes strokes of a sheet back one by
/// one, a clear begins a new sheet, and the last clear can be undone as a whole.
public struct StrokeSheets<Stroke: Sendable>: Sendable {
    private struct Sheet {
        var strokes: [Stroke] = []
        /// The last one undone comes last.
        var undone: [Stroke] = []
    }

    /// Those that can be gone back to; `History` of the canvas has the same.
    private static var clearLimit: Int { 1 }

    private var sheets = [Sheet()]
    private var current = 0

    public init() {}

    /// Those that stand, in the order they were drawn.
    public var strokes: [Stroke] { sheets[current].strokes }
    /// The last of them.
    public var last: Stroke? { sheets[current].strokes.last }
    public var isBlank: Bool { sheets[current].strokes.isEmpty }
    public var canUndo: Bool { !isBlank || current > 0 }
    public var canRedo: Bool { !sheets[current].undone.isEmpty || current + 1 < sheets.count }

    /// A stroke over all others; nothing can be done again after it.
    public mutating func add(_ stroke: Stroke) {
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].strokes.append(stroke)
        sheets[current].undone = []
    }

    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func undo() -> Bool {
        if let stroke = sheets[current].strokes.popLast() {
            sheets[current].undone.append(stroke)
            return true
        }
        if current == 0 { return false }
        current -= 1
        return true
    }

    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func redo() -> Bool {
        if let stroke = sheets[current].undone.popLast() {
            sheets[current].strokes.append(stroke)
            return true
        }
        if current + 1 == sheets.count { return false }
        current += 1
        return true
    }

    /// - Returns: whether anything changed.
    @discardableResult
    public mutating func clear() -> Bool {
        if isBlank { return false }
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].undone = []
        sheets.append(Sheet())
        if sheets.count > Self.clearLimit + 1 { sheets.removeFirst() }
        current = sheets.count - 1
        return true
    }

    // MARK: all that there is, also what undo and redo bring back

    /// What can have happened, from an empty page on, so that everything is as it is now.
    public enum Step: Sendable {
        case add(Stroke)
        case undo, clear
    }

    /// The fewest steps that lead here.
    public var steps: [Step] {
        var steps: [Step] = []
        var undoCount = 0
        for (index, sheet) in sheets.enumerated() {
            if index > 0 { steps.append(.clear) }
            steps += sheet.strokes.map { .add($0) } + sheet.undone.reversed().map { .add($0) }
            undoCount += sheet.undone.count + (index > current ? 1 : 0)
        }
        return steps + (0..<undoCount).map { _ in .undo }
    }

    /// All strokes that are kept, in no order.
    public var kept: [Stroke] { sheets.flatMap { $0.strokes + $0.undone } }

    /// Forgets what came first: a stroke that nothing will bring back then, whether it stands or not.
    public mutating func forgetOldest() {
        if !sheets[0].strokes.isEmpty {
            sheets[0].strokes.removeFirst()
        } else if sheets.count > 1 {
            // Nothing stands: the sheet that could be come back to goes.
            sheets.removeLast()
        } else if !sheets[0].undone.isEmpty {
            // The one that would be done again last.
            sheets[0].undone.removeFirst()
        }
        // A sheet is cleared away for its strokes: without any there is no clear.
        guard sheets.count > 1, sheets[0].strokes.isEmpty, sheets[0].undone.isEmpty else { return }
        if current > 0 { sheets.removeFirst() } else { sheets.removeLast() }
        current = 0
    }
}
