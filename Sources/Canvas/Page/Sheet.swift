// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The dry strokes since the page was last cleared: those that are on it, found by place, and those that were undone.
///
/// Strokes have numbers in the order they were drawn. The first ones may have been baked (``BakedInk``): they have
/// left the lists, and the numbers of the others in them stay.
struct Sheet {
    /// A stroke in a tile.
    struct Entry {
        let stroke: Int
        /// Its place there, in ``DryStroke/places``.
        let place: Int
    }

    private(set) var strokes = Queue<DryStroke>()
    /// The number after that of the last stroke that is on the page; those from it on were undone.
    private(set) var end = 0
    /// For each tile the strokes that touch it, in the order they were drawn. The first number is that of those baked
    /// there.
    private(set) var tiles: [Queue<Entry>]
    /// How many places of the first stroke are baked.
    private(set) var bakedPlaceCount = 0
    /// Bytes that the strokes take, those that were undone among them.
    private(set) var byteCount = 0

    init(_ grid: TileGrid) { tiles = [Queue<Entry>](repeating: Queue(), count: grid.count) }

    /// Whether there is a stroke that undoing takes off the page.
    var canUndo: Bool { end > strokes.numbers.lowerBound + (bakedPlaceCount > 0 ? 1 : 0) }
    /// Whether a stroke was undone, which can be done again.
    var hasUndone: Bool { end < strokes.numbers.upperBound }
    /// Whether anything is to be seen on it: strokes, or ink that was baked.
    var hasInk: Bool { end > 0 }

    /// Whether there is a stroke on it that may be baked.
    /// - Parameter butLast: not the last one that is on the page.
    func canBake(butLast: Bool) -> Bool {
        let first = strokes.numbers.lowerBound
        return first + (butLast ? 1 : 0) < end || bakedPlaceCount > 0
    }

    /// Adds a stroke over all others. What was undone is forgotten.
    mutating func append(_ stroke: DryStroke) {
        forgetUndone()
        strokes.append(stroke)
        byteCount += stroke.byteCount
        redo()
    }

    mutating func forgetUndone() {
        for number in end..<strokes.numbers.upperBound { byteCount -= strokes[number].byteCount }
        strokes.removeLast(strokes.numbers.upperBound - end)
    }

    /// Takes the last stroke off the page and returns it. There must be one.
    mutating func undo() -> DryStroke {
        precondition(canUndo, "there is a stroke to undo")
        end -= 1
        let stroke = strokes[end]
        for place in stroke.places { tiles[Int(place.tile)].removeLast() }
        return stroke
    }

    /// Puts the stroke that was undone last back, and returns it. There must be one.
    @discardableResult
    mutating func redo() -> DryStroke {
        let stroke = strokes[end]
        for (index, place) in stroke.places.enumerated() {
            tiles[Int(place.tile)].append(Entry(stroke: end, place: index))
        }
        end += 1
        return stroke
    }

    /// Says that the first stroke's next place was baked, or that it has none. There must be such a stroke on the page.
    mutating func removeFirstPlace() {
        let stroke = strokes[strokes.numbers.lowerBound]
        if bakedPlaceCount < stroke.places.count {
            tiles[Int(stroke.places[bakedPlaceCount].tile)].removeFirst()
            bakedPlaceCount += 1
        }
        guard bakedPlaceCount == stroke.places.count else { return }
        strokes.removeFirst()
        byteCount -= stroke.byteCount
        bakedPlaceCount = 0
    }
}
