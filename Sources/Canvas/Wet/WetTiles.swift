// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The final pieces of the stroke being drawn, found by place.
struct WetTiles {
    let grid: TileGrid
    /// Those that the stroke's ink touches, in the order it reached them.
    private(set) var touched: [(tile: Int, ink: WetTile)] = []
    /// Where each tile is in ``touched``; -1 when it is not.
    private var indices: [Int32]
    /// How many pieces there are.
    private(set) var pieceCount = 0
    private var spans = RowSpans()

    init(grid: TileGrid) {
        self.grid = grid
        indices = [Int32](repeating: -1, count: grid.count)
    }

    /// Takes in the pieces that have become final since the last time.
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

    /// Drops what can no longer change a pixel of the tiles of `rect`.
    mutating func thin(_ ink: StrokeInk, in rect: PixelRect) {
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            guard index >= 0, touched[index].ink.isToBeThinned else { return }
            touched[index].ink.thin(ink, tile: grid.rect(of: tile), &spans)
        }
    }

    /// Settles the tiles of `rect`, if it is worth it for one of them: the runs that no piece will be added to any more
    /// are filled, once and for all, over a copy of the paper. All of them, because a piece that is still to be filled
    /// in one tile may touch the next, where it must not be filled twice.
    /// - Parameters:
    ///   - paper: what is below the stroke, complete in these tiles.
    ///   - pixels: of the settled tiles.
    mutating func settle(
        _ ink: StrokeInk, in rect: PixelRect, over paper: Surface, onto pixels: inout LazyPixels,
        with rasterizer: inout Rasterizer, colors: InkColors
    ) {
        guard pieceCount > 0, ink.pieces[pieceCount - 1].run > 0 else { return }
        var isWorthIt = false
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            if index >= 0, touched[index].ink.isToBeSettled { isWorthIt = true }
        }
        guard isWorthIt else { return }
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

    /// Copies those pixels of `rect` that are in settled tiles to the page.
    func copySettled(_ pixels: borrowing LazyPixels, in rect: PixelRect, to page: Surface) {
        guard let surface = pixels.surface else { return }
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            guard index >= 0, touched[index].ink.settled != nil else { return }
            page.copy(grid.rect(of: tile).intersection(rect), from: surface, rotation: .none)
        }
    }

    /// Lists the pieces that can change a pixel of `rect` and are not settled, in the order they were drawn, and draws
    /// the pixels that others have inked wholly: those of the last run, of which then all of them are.
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
