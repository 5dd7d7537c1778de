// SPDX-License-Identifier: Apache-2.0

/// Everything that was captured: the truth from which pictures and files in other formats are made, on demand.
public struct CaptureRecord: Equatable, Sendable {
    public var header: CaptureHeader
    /// In the order in which they happened.
    public var entries: [CaptureEntry]
    /// Nil when the capture was interrupted.
    public var end: CaptureEnd?

    public init(header: CaptureHeader, entries: [CaptureEntry] = [], end: CaptureEnd? = nil) {
        self.header = header
        self.entries = entries
        self.end = end
    }

    /// Whether somebody accepted what was signed.
    public var isAccepted: Bool { end?.outcome == .accepted }

    /// How it ended, in a word: an outcome's, or `interrupted`.
    package var outcome: String { end?.outcome.rawValue ?? "interrupted" }

    /// The strokes that stand on the pad at the end: without those that were taken back or cleared.
    public var visibleStrokes: [CaptureStroke] {
        visibleEntries.compactMap { index in
            guard case .stroke(let stroke) = entries[index] else { return nil }
            return stroke
        }
    }

    /// Their places in ``entries``, in rising order.
    package var visibleEntries: [Int] {
        var sheets = StrokeSheets<Int>()
        for (index, entry) in entries.enumerated() {
            switch entry {
            case .stroke: sheets.add(index)
            case .action(.undo, _): sheets.undo()
            case .action(.redo, _): sheets.redo()
            case .action(.clear, _): sheets.clear()
            case .inAir: break
            }
        }
        return sheets.strokes
    }
}
