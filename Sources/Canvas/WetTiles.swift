// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The final pieces of the stroke being drawn, indexed by tile.
struct WetTiles {
    let grid: TileGrid
    /// The tiles that the ink touches, in the order it reached them.
    private(set) var touched: [(tile: Int, ink: WetTile)] = []
    /// The index of each tile in ``touched``, or -1.
    private var indices: [Int32]
    /// The number of indexed pieces.
    private(set) var pieceCount = 0
    private var spans = RowSpans()

    init(grid: TileGrid) {
        self.grid = grid
        indices = [Int32](repeating: -1, count: grid.count)
    }

    /// Adds the pieces that have become final since the last call.
    mutating func update(with ink: StrokeInk) {
        while pieceCount < ink.dryPieceCount {
            let piece = ink.pieces[pieceCount]
            grid.forEachTile(touchedBy: piece, of: ink.outline, &spans) { tile in
                if indices[tile] < 0 {
                    indices[tile] = Int32(touched.count)
                    touched.append((tile, WetTile(firstRun: piece.run)))
                }
                touched[Int(indices[tile])].ink.append(pieceCount, run: piece.run)
            }
            pieceCount += 1
        }
    }

    /// Removes the pieces that can no longer change a pixel of the tiles of `rect`.
    mutating func thin(_ ink: StrokeInk, in rect: PixelRect) {
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            guard index >= 0, touched[index].ink.shouldThin else { return }
            touched[index].ink.thin(ink, tile: grid.rect(of: tile), &spans)
        }
    }

    /// Settles the tiles of `rect` if that saves time for one of them: complete runs are filled once and for all over a
    /// copy of the paper. All tiles are settled together, because a piece that is not settled in one tile may touch the
    /// next, where it must not be filled twice.
    /// - Parameters:
    ///   - paper: the pixels below the stroke, complete in these tiles.
    ///   - pixels: the settled tiles.
    mutating func settle(
        _ ink: StrokeInk, in rect: PixelRect, over paper: Surface, onto pixels: inout LazyPixels,
        with rasterizer: inout Rasterizer, colors: InkColors
    ) {
        guard pieceCount > 0, ink.pieces[pieceCount - 1].run > 0 else { return }
        var savesTime = false
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            if index >= 0, touched[index].ink.shouldSettle { savesTime = true }
        }
        guard savesTime else { return }
        let surface = pixels.makeSurface()
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            guard index >= 0 else { return }
            settle(index, ink, over: paper, onto: surface, with: &rasterizer, colors: colors)
        }
    }

    private mutating func settle(
        _ index: Int, _ ink: StrokeInk, over paper: Surface, onto surface: Surface,
        with rasterizer: inout Rasterizer, colors: InkColors
    ) {
        let tile = touched[index].ink
        guard let part = tile.unsettled(before: ink.pieces[pieceCount - 1].run) else { return }
        let rect = grid.rect(of: touched[index].tile)
        var filling = RunFill(clip: rect, of: surface, colors: colors)
        if tile.settled == nil { surface.copy(rect, from: paper, rotation: .none) }
        var inked = tile.inked[part.inked]
        for number in tile.pieces[part.pieces] {
            let piece = ink.pieces[Int(number)]
            filling.add(&inked, through: piece.run, tile: rect, &rasterizer)
            filling.turn(to: piece.run, tone: piece.tone, &rasterizer)
            rasterizer.add(ink.outline, from: piece.start, to: piece.end)
        }
        filling.add(&inked, through: .max, tile: rect, &rasterizer)
        filling.finish(&rasterizer)
        touched[index].ink.settle(part)
    }

    /// Copies the settled tiles' pixels in `rect` to the page.
    func copySettled(_ pixels: borrowing LazyPixels, in rect: PixelRect, to page: Surface) {
        guard let surface = pixels.surface else { return }
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            guard index >= 0, touched[index].ink.settled != nil else { return }
            page.copy(grid.rect(of: tile).intersection(rect), from: surface, rotation: .none)
        }
    }

    /// Finds the ink that can change a pixel of `rect` and is not settled.
    /// - Parameters:
    ///   - pieces: set to the pieces in the order in which they were drawn, possibly repeated.
    ///   - inked: set to the contours of wholly inked pixels, all of the last run.
    func find(in rect: PixelRect, pieces: inout [UInt32], inked: inout Path) {
        pieces.removeAll(keepingCapacity: true)
        inked.truncate(to: .start)
        var tileCount = 0
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            guard index >= 0 else { return }
            tileCount += 1
            let settled = touched[index].ink.settled ?? (0, 0)
            pieces.append(contentsOf: touched[index].ink.pieces[settled.pieces...])
            for run in touched[index].ink.inked[settled.inked...] {
                run.pixels.addContours(to: &inked, tile: grid.rect(of: tile))
            }
        }
        // A piece may be in many tiles.
        if tileCount > 1 { pieces.sort() }
    }
}

/// The final pieces of the stroke being drawn that touch one tile and can still change a pixel.
///
/// All contours of ink turn the same way (``StrokeInk``), so that a wholly inked pixel stays inked, and a piece that
/// touches only such pixels need not be filled again.
struct WetTile {
    /// The number of new pieces that makes thinning worth its cost.
    private static let leastBatch = 32
    /// The number of pieces that makes settling worth its cost. Fewer are filled as fast as pixels are copied.
    private static let leastUnsettled = 16

    /// The numbers of the pieces, in the order in which they were drawn.
    private(set) var pieces: [UInt32] = []
    /// The pixels that one run inks wholly, in the order of runs, whether its pieces are still in ``pieces`` or not.
    private(set) var inked: [InkedRun] = []
    /// The numbers of first ``pieces`` and ``inked`` that are on the tile's settled pixels; nil while it has none.
    private(set) var settled: (pieces: Int, inked: Int)?
    private let firstRun: Int
    /// The run of the last piece, its start in ``pieces``, and the cells that it inks.
    private var lastRun: Int
    private var lastRunStart = 0
    private var cells = InkedCells()
    /// The number of first ``pieces`` that were there at the last thinning.
    private var thinnedCount = 0

    init(firstRun: Int) { (self.firstRun, lastRun) = (firstRun, firstRun) }

    mutating func append(_ number: Int, run: Int) {
        if run != lastRun {
            lastRun = run
            lastRunStart = pieces.count
            thinnedCount = pieces.count
            cells = InkedCells()
        }
        pieces.append(UInt32(number))
    }

    // MARK: settled pixels

    /// Whether there is enough ink to settle; a tile that was settled once stays so.
    var shouldSettle: Bool { settled != nil || !inked.isEmpty || pieces.count >= Self.leastUnsettled }

    /// The ink of complete runs that is not settled yet; nil when all of it is settled.
    /// - Parameter run: the run that pieces are still added to.
    func unsettled(before run: Int) -> (pieces: Range<Int>, inked: Range<Int>)? {
        guard firstRun < run else { return nil }
        let start = settled ?? (0, 0)
        let pieceEnd = lastRun < run ? pieces.count : lastRunStart
        let inkedEnd = inked.count - (inked.last?.run == run ? 1 : 0)
        if settled != nil, start == (pieceEnd, inkedEnd) { return nil }
        return (start.pieces..<pieceEnd, start.inked..<inkedEnd)
    }

    /// Marks a part from ``unsettled(before:)`` as settled.
    mutating func settle(_ part: (pieces: Range<Int>, inked: Range<Int>)) {
        settled = (part.pieces.upperBound, part.inked.upperBound)
    }

    // MARK: thinning

    /// Whether the last run has grown by half since the last thinning, so that the cost per piece stays constant.
    var shouldThin: Bool {
        // A settled run is complete.
        (settled?.pieces ?? 0) <= lastRunStart
            && pieces.count - thinnedCount >= max((thinnedCount - lastRunStart) / 2, Self.leastBatch)
    }

    /// Removes the pieces of the last run that touch only pixels which it inks wholly.
    /// - Parameters:
    ///   - tile: the tile's pixels.
    ///   - spans: scratch memory.
    mutating func thin(_ ink: StrokeInk, tile: PixelRect, _ spans: inout RowSpans) {
        guard let last = pieces.last else { return }
        for number in pieces[thinnedCount...] {
            cells.insert(ink.pieces[Int(number)], of: ink.outline, tile: tile, &spans)
        }
        let mask = cells.pixels
        if !mask.isEmpty {
            if inked.last?.run == lastRun { inked.removeLast() }
            inked.append(InkedRun(run: lastRun, tone: ink.pieces[Int(last)].tone, pixels: mask))
            var end = lastRunStart
            for index in lastRunStart..<pieces.count
            where Self.touches(ink.pieces[Int(pieces[index])], of: ink.outline, pixelsNotIn: mask, tile, &spans) {
                pieces[end] = pieces[index]
                end += 1
            }
            pieces.removeLast(pieces.count - end)
        }
        thinnedCount = pieces.count
    }

    private static func touches(
        _ piece: StrokeInk.Piece, of outline: Path, pixelsNotIn mask: TileMask, _ tile: PixelRect,
        _ spans: inout RowSpans
    ) -> Bool {
        spans.begin(top: Double(tile.minY), pitch: 1, count: tile.height)
        spans.add(outline, from: piece.start, to: piece.end)
        for row in 0..<tile.height {
            guard let columns = spans.columns(inRow: row, from: tile.minX, pitch: 1, count: tile.width) else {
                continue
            }
            if TileMask.bits(columns) & ~mask[row] != 0 { return true }
        }
        return false
    }
}
