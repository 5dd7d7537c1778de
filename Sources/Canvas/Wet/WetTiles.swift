// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

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
                    touched.append((tile, WetTile()))
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

    /// Lists the pieces that can change a pixel of `rect`, in the order they were drawn, and draws the pixels that
    /// others have inked wholly.
    func find(in rect: PixelRect, pieces: inout [UInt32], inked: inout Path) {
        pieces.removeAll(keepingCapacity: true)
        inked.truncate(to: .start)
        var tileCount = 0
        grid.forEachTile(in: rect) { tile in
            let index = Int(indices[tile])
            guard index >= 0 else { return }
            tileCount += 1
            pieces.append(contentsOf: touched[index].ink.pieces)
            touched[index].ink.inked.addContours(to: &inked, tile: grid.rect(of: tile))
        }
        // A piece may be in many tiles.
        if tileCount > 1 { pieces.sort() }
    }
}
