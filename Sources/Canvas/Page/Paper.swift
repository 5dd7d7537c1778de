// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// The pixels of the page and its dry ink. Painted tile by tile, and not before somebody wants to see a tile: what a
/// stroke of ten minutes costs when it is lifted is not spent at once, and undoing paints only what is looked at.
struct Paper: ~Copyable {
    /// Nothing that is on a tile can stay.
    private static let void: Int32 = -1

    let pixels: PixelBuffer
    private let grid: TileGrid
    private let colors: InkColors
    /// How many of a tile's strokes are on its pixels.
    private var painted: [Int32]

    init(_ grid: TileGrid, colors: InkColors) {
        self.grid = grid
        self.colors = colors
        pixels = PixelBuffer(size: grid.size)
        painted = [Int32](repeating: 0, count: grid.count)
        pixels.surface.fill(pixels.surface.bounds, with: colors.paper)
    }

    /// Says that only the first `count` of a tile's strokes are still on the page.
    mutating func keep(_ count: Int, of tile: Int) {
        if painted[tile] > count { painted[tile] = Self.void }
    }

    /// Says that what is on a tile's pixels is not to be kept.
    mutating func void(_ tile: Int) { painted[tile] = Self.void }

    /// Paints what the tiles of `rect` lack of the sheet.
    mutating func paint(_ rect: PixelRect, of sheet: borrowing Sheet, with rasterizer: inout Rasterizer) {
        grid.forEachTile(in: rect) { tile in
            let entryCount = sheet.tiles[tile].count
            if painted[tile] == entryCount { return }
            let tileRect = grid.rect(of: tile)
            if painted[tile] == Self.void {
                pixels.surface.fill(tileRect, with: colors.paper)
                painted[tile] = 0
            }
            for entry in sheet.tiles[tile][Int(painted[tile])...] {
                sheet.strokes[Int(entry.stroke)].fill(
                    place: Int(entry.place), tileRect, of: pixels.surface, with: &rasterizer, colors: colors)
            }
            painted[tile] = Int32(entryCount)
        }
    }
}
