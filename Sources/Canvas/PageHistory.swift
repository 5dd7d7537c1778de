// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The dry strokes of a page, indexed by tile, with those that undo and redo can bring back.
///
/// When the strokes need more memory than allowed, the oldest are *baked*: painted into the paper tile by tile
/// (``Paper/bake(_:place:isFirst:with:)``) and then forgotten. Baked strokes always belong to the oldest sheet.
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
        /// The number of baked places.
        var count = 0
    }

    /// The least work of one event, in filled pieces: some 20 us, and more than nearly all events draw.
    private static let leastWork = 64
    /// An event bakes one more piece for each excess of this many bytes, so that the excess stays small even where
    /// reports are long jumps.
    private static let bytesPerWork = 32 << 10
    /// The work of starting a fill, in pieces.
    private static let fillWork = 4

    private let grid: TileGrid
    /// The bytes that all strokes may take before the oldest are baked.
    private let byteLimit: Int
    private var history = History<DryStroke>()
    /// The strokes of each sheet of `history` that touch each tile, in the order in which they were drawn. Baked ones
    /// have left the lists; the others keep their numbers.
    private var sheets: [[Queue<Entry>]]
    private var baking: Baking?
    /// The bytes that the strokes take, undone ones too.
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

    /// The visible strokes that touch each tile.
    var tiles: [Queue<Entry>] { sheets[current] }

    /// - Parameter number: from an entry of ``tiles``.
    func stroke(_ number: Int) -> DryStroke {
        if let baking, baking.number == number { return baking.stroke }
        return history[number]
    }

    /// The last visible stroke that undo reaches.
    var lastStroke: DryStroke? { history.lastVisible }
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

    enum ChangedTiles {
        /// The tiles of a stroke that was removed or came back.
        case stroke(DryStroke)
        /// The tiles of two sheets, of which another one is visible now.
        case sheet([Int])
    }

    /// - Returns: the tiles that look different now; nil if nothing changed.
    mutating func undo() -> ChangedTiles? {
        guard let change = history.undo() else { return nil }
        guard case .entry(let stroke) = change else { return .sheet(touchedTiles) }
        let current = current
        for place in stroke.places { sheets[current][Int(place.tile)].removeLast() }
        return .stroke(stroke)
    }

    mutating func redo() -> ChangedTiles? {
        guard let change = history.redo() else { return nil }
        guard case .entry(let stroke) = change else { return .sheet(touchedTiles) }
        add(stroke)
        return .stroke(stroke)
    }

    mutating func clear() -> ChangedTiles? {
        let (wasPastClear, previous) = (history.isPastClear, current)
        if history.clearSheet() == nil { return nil }
        // Only the last clear can be undone, so the sheet before the one before is gone.
        if wasPastClear { baking = nil }
        sheets = [sheets[previous], Self.blankSheet(grid)]
        byteCount = history.entries.reduce(baking?.stroke.byteCount ?? 0) { $0 + $1.byteCount }
        return .sheet(touchedTiles)
    }

    /// The tiles of all sheets that have or had ink.
    private var touchedTiles: [Int] {
        (0..<grid.count).filter { tile in sheets.contains { $0[tile].numbers.upperBound > 0 } }
    }

    /// Adds the last visible stroke to the lists.
    private mutating func add(_ stroke: DryStroke) {
        let (number, current) = (history.visibleNumbers.upperBound - 1, current)
        for (index, place) in stroke.places.enumerated() {
            sheets[current][Int(place.tile)].append(Entry(stroke: number, place: index))
        }
    }

    // MARK: baking

    /// Bakes a few places of the oldest strokes if they take too much memory. All of them at once would take a second.
    mutating func bake(onto paper: inout Paper, with rasterizer: inout Rasterizer) {
        var excess = byteCount - byteLimit
        if excess <= 0 { return }
        var work = Self.leastWork + excess / Self.bytesPerWork
        while work > 0, excess > 0, findStroke() {
            work -= bakePlace(onto: &paper, with: &rasterizer)
            excess = byteCount - byteLimit
        }
    }

    /// Moves the next stroke to bake out of the history. Returns false when no stroke can be baked: the last stroke and
    /// the clear before it can always be undone.
    private mutating func findStroke() -> Bool {
        if baking != nil { return true }
        if history.isPastClear, history.visibleNumbers.count > 1, history.visibleNumbers.lowerBound == firstNumber {
            // All of the cleared sheet is baked; forget it before the first stroke of the next one is baked.
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
            paper.bake(stroke, place: number, isFirst: isFirst, with: &rasterizer)
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
