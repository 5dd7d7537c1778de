// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@testable import Canvas

@Suite("Runs that ink a whole tile")
struct InkedRunTests {
    private static let tile = PixelRect(minX: 0, minY: 0, maxX: 32, maxY: 32)

    /// Enough pieces of each tone to be looked at, every one larger than the tile.
    private static func ink(_ tones: [Tone]) -> StrokeInk {
        var ink = StrokeInk()
        let outline = [Point(x: -9, y: -9), Point(x: 50, y: -9), Point(x: 50, y: 50), Point(x: -9, y: 50)]
        for tone in tones {
            ink.tone = tone
            for _ in 0..<32 { ink.appendPiece { $0.addPolygon(outline) } }
            ink.dry()
        }
        return ink
    }

    @Test("leave pixels in place of all their pieces, which are settled once a later run has come")
    func settling() {
        let ink = Self.ink([Tone(lightness: 0.2), Tone(lightness: 0.9)])
        var spans = RowSpans()
        var tile = WetTile(firstRun: 0)
        for run in 0..<2 {
            for number in run * 32..<(run + 1) * 32 { tile.append(number, run: run) }
            tile.thin(ink, tile: Self.tile, &spans)
            #expect(tile.pieces.isEmpty && tile.inked.map(\.run) == Array(0...run))
            let open = tile.unsettled(before: run)
            #expect(open == nil)
            guard let part = tile.unsettled(before: run + 1) else {
                Issue.record("run \(run) cannot be settled")
                return
            }
            #expect(part.pieces.isEmpty && part.inked == run..<run + 1)
            tile.settle(part)
            let rest = tile.unsettled(before: run + 1)
            #expect(rest == nil)
        }
    }

    @Test("are painted when they are dry")
    func dry() {
        let ink = Self.ink([Tone(lightness: 0.9)])
        let grid = TileGrid(size: PixelSize(width: 32, height: 32))
        var tiles = WetTiles(grid: grid)
        tiles.update(with: ink)
        tiles.thin(ink, in: Self.tile)
        let stroke = DryStroke(ink, tiles, colors: InkColors(ink: .black, paper: .white))
        #expect(stroke.pieceCount(place: 0) == 0)
        let pixels = PixelBuffer(size: grid.size)
        var rasterizer = Rasterizer()
        stroke.fill(place: 0, Self.tile, of: pixels.surface, with: &rasterizer)
        let color = Color.black.mixed(with: .white, Tone(lightness: 0.9).paperShare)
        #expect(Scribble.bytes(of: pixels.surface).allSatisfy { $0 == color.xrgb8888 })
    }
}
