// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The dry strokes of a page, found by tile, with what undo and redo bring back.
///
/// When the strokes need more memory than allowed, the oldest are *baked*: painted into the paper (``BakedInk``) tile by
/// tile and then forgotten. Baked strokes always belong to the oldest sheet, so that one ``BakedInk`` is enough.
struct PageHistory {
    /// A stroke in a tile.
    struct Entry {
        let stroke: Int
        /// Its index in ``DryStroke/places``.
        let place: Int
    }

    /// The stroke that is being baked; it can no longer be undone.
    private struct Baking {
        let number: Int
        let stroke: DryStroke
        /// How many of its places are baked.
        var count = 0
    }

    /// The least work of one event, in pieces filled: some 20 us, and more than nearly all events draw.
    private static let leastWork = 64
    /// For each of so many bytes too many, an event bakes one piece more, so that the excess stays small even where
    /// reports are long jumps.
    private static let bytesPerWork = 32 << 10
    /// The work of starting a fill, in pieces.
    private static let fillWork = 4

    private let grid: TileGrid
    /// Bytes that all strokes may take before the oldest are baked.
    private let byteLimit: Int
    private var history = History<DryStroke>()
    /// For each sheet of `history`, and each tile, the strokes that touch the tile, in the order in which they were
    /// drawn. Baked ones have left the lists; the numbers of the others stay.
    private var sheets: [[Queue<Entry>]]
    private var baking: Baking?
    /// Bytes that the strokes take, undone ones too.
    private(set) var byteCount = 0

    init(_ grid: TileGrid, byteLimit: Int) {
        self.grid = grid
        self.byteLimit = byteLimit
        sheets = [Self.blankSheet(grid)]
    }

    private static func blankSheet(_ grid: TileGrid) -> [Queue<Entry>] {
        [Queue<Entry>](repeating: Queue(), count: grid.count)
    }

    private var current: Int { history.isPastClear ? 1 : 0 }

    /// For each tile the visible strokes that touch it.
    var tiles: [Queue<Entry>] { sheets[current] }

    /// - Parameter number: from an entry of ``tiles``.
    func stroke(_ number: Int) -> DryStroke {
        if let baking, baking.number == number { return baking.stroke }
        return history[number]
    }

    /// The numbers of the visible strokes that undo reaches.
    var strokeNumbers: Range<Int> { history.visibleNumbers }
    var canUndo: Bool { history.canUndo }
    var canRedo: Bool { history.canRedo }

    mutating func append(_ stroke: DryStroke) {
        for number in history.undoneNumbers { byteCount -= history[number].byteCount }
        history.append(stroke)
        byteCount += stroke.byteCount
        sheets.removeLast(sheets.count - 1 - current)
        add(stroke)
    }

    /// - Returns: the tiles that look different now.
    mutating func undo() -> ChangedTiles {
        switch history.undo() {
        case nil: return .none
        case .sheet: return .sheet(touchedTiles)
        case .entry(let stroke):
            for place in stroke.places { sheets[current][Int(place.tile)].removeLast() }
            return .stroke(stroke)
        }
    }

    mutating func redo() -> ChangedTiles {
        switch history.redo() {
        case nil: return .none
        case .sheet: return .sheet(touchedTiles)
        case .entry(let stroke):
            add(stroke)
            return .stroke(stroke)
        }
    }

    mutating func clear() -> ChangedTiles {
        let (wasPastClear, previous) = (history.isPastClear, current)
        guard history.clearSheet() != nil else { return .none }
        // Only the last clear can be undone.
        if wasPastClear { baking = nil }
        sheets = [sheets[previous], Self.blankSheet(grid)]
        byteCount = history.entries.reduce(baking?.stroke.byteCount ?? 0) { $0 + $1.byteCount }
        return .sheet(touchedTiles)
    }

    enum ChangedTiles {
        case none
        /// Those of a stroke that went or came.
        case stroke(DryStroke)
        /// Those of two sheets, of which another one is seen now.
        case sheet([Int])
    }

    /// The tiles of both sheets that have or had ink.
    private var touchedTiles: [Int] {
        (0..<grid.count).filter { tile in sheets.contains { $0[tile].numbers.upperBound > 0 } }
    }

    /// Enters the last visible stroke in the lists.
    private mutating func add(_ stroke: DryStroke) {
        let number = history.visibleNumbers.upperBound - 1
        for (index, place) in stroke.places.enumerated() {
            sheets[current][Int(place.tile)].append(Entry(stroke: number, place: index))
        }
    }

    // MARK: baking

    /// Bakes a few places of the oldest strokes, if there is too much of them. All of them at once would take a second.
    mutating func bake(onto paper: inout Paper, with rasterizer: inout Rasterizer) {
        var excess = byteCount - byteLimit
        if excess <= 0 { return }
        var work = Self.leastWork + excess / Self.bytesPerWork
        while work > 0, excess > 0, findStroke() {
            work -= bakePlace(onto: &paper, with: &rasterizer)
            excess = byteCount - byteLimit
        }
    }

    /// Takes the stroke to bake out of the history; returns false when all that is left can still be undone: the last
    /// stroke, and the clear before it.
    private mutating func findStroke() -> Bool {
        if baking != nil { return true }
        if history.isPastClear, history.visibleNumbers.count > 1, history.visibleNumbers.lowerBound == firstNumber {
            // Everything on the sheet that was cleared is baked: it goes before the first stroke of the next one.
            history.forgetClear()
            sheets.removeFirst()
        }
        let number = firstNumber
        guard let stroke = history.settleOldest() else { return false }
        baking = Baking(number: number, stroke: stroke)
        return true
    }

    private var firstNumber: Int { history.numbers.lowerBound }

    /// Bakes the next place of the stroke; returns the work.
    private mutating func bakePlace(onto paper: inout Paper, with rasterizer: inout Rasterizer) -> Int {
        let (stroke, number) = (baking!.stroke, baking!.count)
        var work = Self.fillWork
        if number < stroke.places.count {
            let tile = Int(stroke.places[number].tile)
            let isFirst = sheets[0][tile].numbers.lowerBound == 0
            let backdrop = paper.backdrop
            paper.baked.add(stroke, place: number, isFirst: isFirst, over: backdrop, with: &rasterizer)
            sheets[0][tile].removeFirst()
            baking!.count += 1
            work += stroke.pieceCount(place: number)
        }
        if baking!.count == stroke.places.count {
            byteCount -= stroke.byteCount
            baking = nil
        }
        return work
    }
}
