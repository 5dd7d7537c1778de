// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster

/// The pixels of the page and its dry ink. A tile is painted when it is next shown, so that the end of a stroke of ten
/// minutes costs little at once, and undo paints only what is visible.
struct Paper: ~Copyable {
    /// The value in ``painted`` for a tile that must be painted from the start.
    private static let void = -1

    /// Takes memory where tiles have been painted.
    let pixels: PixelBuffer
    /// The page with the baked strokes of the oldest sheet: what its tiles are painted on. Tiles without baked strokes
    /// take no memory.
    private var baked: LazyPixels
    /// The page without ink.
    private var blank: LazyPixels
    private let grid: TileGrid
    private let colors: InkColors
    /// The number after that of the last painted stroke in each tile's list.
    private var painted: [Int]

    init(_ grid: TileGrid, colors: InkColors) {
        self.grid = grid
        self.colors = colors
        pixels = PixelBuffer(lastingUnwritten: grid.size)
        baked = LazyPixels(size: grid.size)
        blank = LazyPixels(size: grid.size)
        painted = [Int](repeating: Self.void, count: grid.count)
    }

    /// nil while the whole page has the paper's colour.
    var backdrop: Surface? { blank.surface }

    mutating func makeBackdrop() -> Surface { blank.makeSurface() }

    /// Keeps only those strokes of a tile that are before number `end` of its list.
    mutating func keep(before end: Int, of tile: Int) {
        if painted[tile] > end { painted[tile] = Self.void }
    }

    /// Makes the tile be painted from the start.
    mutating func void(_ tile: Int) { painted[tile] = Self.void }

    /// Makes every tile be painted from the start, and gives their memory back until then.
    mutating func voidAll() {
        for tile in painted.indices { painted[tile] = Self.void }
        pixels.releaseMemory()
    }

    /// Fills the part of a stroke in one tile over the baked strokes there.
    /// - Parameters:
    ///   - number: index of the tile in ``DryStroke/places``.
    ///   - isFirst: whether the tile has no baked stroke yet.
    mutating func bake(
        _ stroke: DryStroke, place number: Int, isFirst: Bool, with rasterizer: inout Rasterizer
    ) {
        let surface = baked.makeSurface()
        let rect = grid.rect(of: Int(stroke.places[number].tile))
        if isFirst { surface.lay(rect, of: backdrop, or: colors.paper) }
        stroke.fill(place: number, rect, of: surface, with: &rasterizer)
    }

    /// Paints the visible strokes that are missing on the tiles of `rect`.
    mutating func paint(_ rect: PixelRect, of history: borrowing PageHistory, with rasterizer: inout Rasterizer) {
        let tiles = history.tiles
        grid.forEachTile(in: rect) { tile in
            let numbers = tiles[tile].numbers
            if painted[tile] == numbers.upperBound { return }
            let tileRect = grid.rect(of: tile)
            // Void, or a stroke has been baked since that is not painted.
            if painted[tile] < numbers.lowerBound {
                let below = numbers.lowerBound > 0 ? baked.surface : backdrop
                pixels.surface.lay(tileRect, of: below, or: colors.paper)
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
    /// Sets pixels to those of a page without ink.
    fileprivate func lay(_ rect: PixelRect, of backdrop: Surface?, or paper: Color) {
        if let backdrop { copy(rect, from: backdrop, rotation: .none) } else { fill(rect, with: paper) }
    }
}

/// A picture shown in place of a part of the page and its ink.
struct Cover: ~Copyable {
    private let page: PixelSize
    /// Pixels of the page; empty without a cover.
    private(set) var region = PixelRect.empty
    /// The region's rows, as wide as the page.
    private var rows: PixelBuffer?
    /// ``rows`` with the page's coordinates; only these rows exist.
    private var surface: Surface?

    init(page: PixelSize) { self.page = page }

    /// - Parameter region: on the page, not empty.
    /// - Returns: the surface of the region alone.
    mutating func cover(_ region: PixelRect) -> Surface {
        let rows = PixelBuffer(size: PixelSize(width: page.width, height: region.height))
        let (base, stride) = (rows.surface.base, rows.surface.strideBytes)
        surface = Surface(base: base - region.minY * stride, size: page, strideBytes: stride)
        self.rows = consume rows
        self.region = region
        return Surface(
            base: base + region.minX * 4, size: PixelSize(width: region.width, height: region.height),
            strideBytes: stride)
    }

    mutating func remove() {
        region = .empty
        surface = nil
        rows = nil
    }

    /// Copies the covered pixels of a part of the page.
    func copy(_ part: PixelRect, onto target: Surface, rotation: Rotation) {
        if let surface { target.copy(part.intersection(region), from: surface, rotation: rotation) }
    }
}

/// Pixels as large as the page that take memory only once made, and then only where they are written.
struct LazyPixels: ~Copyable {
    private let size: PixelSize
    private var pixels: PixelBuffer?
    private(set) var surface: Surface?

    init(size: PixelSize) { self.size = size }

    mutating func makeSurface() -> Surface {
        if let surface { return surface }
        let pixels = PixelBuffer(unwritten: size)
        let surface = pixels.surface
        self.surface = surface
        self.pixels = consume pixels
        return surface
    }
}
