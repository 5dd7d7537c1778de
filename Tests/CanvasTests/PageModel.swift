// SPDX-License-Identifier: Apache-2.0

/// What a page should show, in the plainest way: a list of pages, of which each is a list of strokes.
struct PageModel<Stroke> {
    private var sheets: [(done: [Stroke], undone: [Stroke])] = [([], [])]
    private var current = 0

    /// Those on the page.
    var strokes: [Stroke] { sheets[current].done }

    mutating func add(_ stroke: Stroke) {
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].done.append(stroke)
        sheets[current].undone = []
    }

    mutating func undo() -> Bool {
        if let stroke = sheets[current].done.popLast() {
            sheets[current].undone.append(stroke)
            return true
        }
        guard current > 0 else { return false }
        current -= 1
        return true
    }

    mutating func redo() -> Bool {
        if let stroke = sheets[current].undone.popLast() {
            sheets[current].done.append(stroke)
            return true
        }
        guard current + 1 < sheets.count else { return false }
        current += 1
        return true
    }

    mutating func clear() -> Bool {
        guard !sheets[current].done.isEmpty else { return false }
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].undone = []
        sheets.append(([], []))
        // One clear can be undone.
        if sheets.count > 2 { sheets.removeFirst() }
        current = sheets.count - 1
        return true
    }
}
