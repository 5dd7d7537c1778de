// SPDX-License-Identifier: Apache-2.0
import Record

/// How large a sketch's journal may be, in bytes.
public struct SketchLimits: Equatable, Sendable {
    /// What strokes are kept, with those that undo or redo bring back; the oldest beyond it are forgotten, though the
    /// screen shows them until the program ends.
    public var keptByteCount: Int
    /// A journal below this is not worth rewriting.
    public var smallByteCount: Int

    /// Defaults: some 300,000 reports, 40 minutes of a pen at 125 a second, which take some seconds to draw again when
    /// the program starts; and what a memory card writes in a tenth of a second.
    public init(keptByteCount: Int = 8 << 20, smallByteCount: Int = 1 << 20) {
        self.keptByteCount = keptByteCount
        self.smallByteCount = smallByteCount
    }

    /// The largest journal that there is, also when it could not be rewritten for a while.
    var journalByteCount: Int { 4 * keptByteCount + smallByteCount + SketchEncoder.headerByteCount }
}
