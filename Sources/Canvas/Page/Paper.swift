// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The pixels of the page and its dry ink. Painted tile by tile, and not before somebody wants to see a tile: what a
/// stroke of ten minutes costs when it is lifted is not spent at once, and undoing paints only what is looked at.
struct Paper: ~Copyable {
    /// Nothing that is on a tile can stay.
    private static let void = -1

    let pixels: PixelBuffer
    /// Of the oldest sheet.
    var baked: BakedInk
    /// What the page looks like where there is no ink.
    private var blank: LazyPixels
    private let grid: TileGrid
    private let colors: InkColors
    /// The number in a tile's list after that of the last stroke that is on its pixels.
    private var painted: [Int]

    init(_ grid: TileGrid, colors: InkColors) {
        self.grid = grid
        self.colors = colors
        pixels = PixelBuffer(lasting: grid.size)
        baked = BakedInk(grid, colors: colors)
        blank = LazyPixels(size: grid.size)
        painted = [Int](repeating: 0, count: grid.count)
        pixels.surface.fill(pixels.surface.bounds, with: colors.paper)
    }

    /// Nil while the page is of the paper's colour everywhere.
    var backdrop: Surface? { blank.surface }

    mutating func makeBackdrop() -> Surface { blank.makeSurface() }

    /// Says that of a tile's strokes only those before number `end` of its list are still on the page.
    mutating func keep(before end: Int, of tile: Int) {
        if painted[tile] > end { painted[tile] = Self.void }
    }

    /// Says that what is on a tile's pixels is not to be kept.
    mutating func void(_ tile: Int) { painted[tile] = Self.void }

    /// The same of all tiles.
    mutating func voidAll() { for tile in painted.indices { painted[tile] = Self.void } }

    /// Paints what the tiles of `rect` lack of the visible strokes.
    mutating func paint(_ rect: PixelRect, of history: borrowing PageHistory, with rasterizer: inout Rasterizer) {
        let tiles = history.tiles
        grid.forEachTile(in: rect) { tile in
            let numbers = tiles[tile].numbers
            if painted[tile] == numbers.upperBound { return }
            let tileRect = grid.rect(of: tile)
            // Void, or without a stroke that has been baked since.
            if painted[tile] < numbers.lowerBound {
                if numbers.lowerBound > 0 {
                    baked.copy(tileRect, to: pixels.surface)
                } else {
                    pixels.surface.lay(tileRect, of: backdrop, or: colors.paper)
                }
                painted[tile] = numbers.lowerBound
            }
            for number in painted[tile]..<numbers.upperBound {
                let entry = tiles[tile][number]
                history.stroke(entry.stroke).fill(
                    place: entry.place, tileRect, of: pixels.surface, with: &rasterizer)
            }
            painted[tile] = numbers.upperBound
        }
    }
}

extension Surface {
    /// Makes the pixels those of a page without ink.
    func lay(_ rect: PixelRect, of backdrop: Surface?, or paper: Color) {
        if let backdrop { copy(rect, from: backdrop, rotation: .none) } else { fill(rect, with: paper) }
    }
}
