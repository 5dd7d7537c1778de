// SPDX-License-Identifier: Apache-2.0
import Record

/// What of a sketch is kept: all that stands or can be brought back, up to a number of bytes.
struct KeptSketch {
    struct Stroke {
        let stroke: SketchStroke
        /// Of its line in the journal.
        let byteCount: Int
    }

    private(set) var sheets = StrokeSheets<Stroke>()
    /// Whether the oldest strokes are not kept any more, because there were too many.
    var hasForgotten = false
    private let limit: Int

    init(_ limits: SketchLimits) { limit = limits.keptByteCount }

    /// What comes of entries that were made on one page, on another.
    init(_ limits: SketchLimits, _ entries: [SketchEntry], fittedFrom page: SketchPage, to other: SketchPage) {
        self.init(limits)
        for entry in entries {
            if case .stroke(let stroke) = entry, page != other {
                apply(.stroke(stroke.fitted(from: page, to: other)))
            } else {
                apply(entry)
            }
        }
    }

    var byteCount: Int { sheets.kept.reduce(0) { $0 + $1.byteCount } }

    mutating func apply(_ entry: SketchEntry) {
        sheets.apply(entry) { Stroke(stroke: $0, byteCount: SketchEncoder.line(.stroke($0)).count) }
        guard case .stroke = entry else { return }
        var excess = byteCount - limit
        while excess > 0 {
            sheets.forgetOldest()
            hasForgotten = true
            excess = byteCount - limit
        }
    }
}
