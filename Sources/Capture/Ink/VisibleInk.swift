// SPDX-License-Identifier: Apache-2.0

/// The measures of the strokes that stand on the pad, by the rules by which `Canvas` shows them and `Record` reads
/// them: undo takes strokes back one by one, and the last clear as a whole. The signature page has no redo.
struct VisibleInk {
    private var strokes: [InkMeasure] = []
    /// What the last clear took.
    private var cleared: [InkMeasure]?

    var strokeCount: Int { strokes.count }

    var measure: InkMeasure { strokes.reduce(into: InkMeasure()) { $0.add($1) } }

    mutating func add(_ stroke: InkMeasure) { strokes.append(stroke) }

    /// Whether there was something to take back.
    mutating func undo() -> Bool {
        if strokes.popLast() != nil { return true }
        guard let before = cleared else { return false }
        strokes = before
        cleared = nil
        return true
    }

    /// Whether there was something to clear.
    mutating func clear() -> Bool {
        if strokes.isEmpty { return false }
        cleared = strokes
        strokes = []
        return true
    }
}
