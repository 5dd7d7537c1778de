// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The dry strokes since the page was last cleared: those that are on it, found by place, and those that were undone.
struct Sheet {
    /// A stroke in a tile.
    struct Entry {
        let stroke: UInt32
        /// Its place there, in ``DryStroke/places``.
        let place: UInt32
    }

    private(set) var strokes: [DryStroke] = []
    /// So many are on the page; the others were undone.
    private(set) var count = 0
    /// For each tile the strokes that touch it, in the order they were drawn.
    private(set) var tiles: [[Entry]]

    init(_ grid: TileGrid) { tiles = [[Entry]](repeating: [], count: grid.count) }

    /// Whether a stroke was undone, which can be done again.
    var hasUndone: Bool { count < strokes.count }

    /// Adds a stroke over all others. What was undone is forgotten.
    mutating func append(_ stroke: DryStroke) {
        forgetUndone()
        strokes.append(stroke)
        redo()
    }

    mutating func forgetUndone() { strokes.removeLast(strokes.count - count) }

    /// Takes the last stroke off the page. There must be one.
    mutating func undo() {
        count -= 1
        for place in strokes[count].places { tiles[Int(place.tile)].removeLast() }
    }

    /// Puts the stroke that was undone last back. There must be one.
    mutating func redo() {
        for (index, place) in strokes[count].places.enumerated() {
            tiles[Int(place.tile)].append(Entry(stroke: UInt32(count), place: UInt32(index)))
        }
        count += 1
    }
}
