// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// The paper of a sheet with those of its strokes that have left its lists: what its tiles are painted on. As large as
/// the page, but for tiles that no such stroke touches it takes no memory.
struct BakedInk: ~Copyable {
    private let grid: TileGrid
    private let colors: InkColors
    private var pixels: LazyPixels

    init(_ grid: TileGrid, colors: InkColors) {
        self.grid = grid
        self.colors = colors
        pixels = LazyPixels(size: grid.size)
    }

    /// Fills what touches a tile over what was filled there before.
    /// - Parameters:
    ///   - number: of the tile's place in ``DryStroke/places``.
    ///   - isFirst: what is on the tile now is of no use.
    ///   - backdrop: of the page; nil is its paper's colour.
    mutating func add(
        _ stroke: DryStroke, place number: Int, isFirst: Bool, over backdrop: Surface?,
        with rasterizer: inout Rasterizer
    ) {
        let surface = pixels.makeSurface()
        let rect = grid.rect(of: Int(stroke.places[number].tile))
        if isFirst { surface.lay(rect, of: backdrop, or: colors.paper) }
        stroke.fill(place: number, rect, of: surface, with: &rasterizer)
    }

    /// - Parameter rect: within tiles that ink was added to.
    func copy(_ rect: PixelRect, to page: Surface) {
        guard let surface = pixels.surface else { preconditionFailure("no ink was added") }
        page.copy(rect, from: surface, rotation: .none)
    }
}
