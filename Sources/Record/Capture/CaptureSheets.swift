// SPDX-License-Identifier: Apache-2.0

/// Which strokes of a capture stand on the pad after each entry, by the same rules as `Canvas` shows them: undo takes
/// strokes of a sheet back one by one, a clear begins a new sheet, and the last clear can be undone as a whole.
struct CaptureSheets {
    private struct Sheet {
        var strokes: [CaptureStroke] = []
        /// The last one undone comes last.
        var undone: [CaptureStroke] = []
    }

    /// Those that can be gone back to; `History` of the canvas has the same.
    private static let clearLimit = 1

    private var sheets = [Sheet()]
    private var current = 0

    var strokes: [CaptureStroke] { sheets[current].strokes }

    mutating func apply(_ entry: CaptureEntry) {
        switch entry {
        case .stroke(let stroke):
            sheets.removeLast(sheets.count - current - 1)
            sheets[current].strokes.append(stroke)
            sheets[current].undone = []
        case .action(.undo, _): undo()
        case .action(.redo, _): redo()
        case .action(.clear, _): clear()
        }
    }

    private mutating func undo() {
        if let stroke = sheets[current].strokes.popLast() {
            sheets[current].undone.append(stroke)
        } else if current > 0 {
            current -= 1
        }
    }

    private mutating func redo() {
        if let stroke = sheets[current].undone.popLast() {
            sheets[current].strokes.append(stroke)
        } else if current + 1 < sheets.count {
            current += 1
        }
    }

    private mutating func clear() {
        if sheets[current].strokes.isEmpty { return }
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].undone = []
        sheets.append(Sheet())
        if sheets.count > Self.clearLimit + 1 { sheets.removeFirst() }
        current = sheets.count - 1
    }
}
