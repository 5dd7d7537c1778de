// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@testable import Canvas

@Suite("Tiles")
struct TileTests {
    private static let page = PixelSize(width: 150, height: 118)

    /// The ink of a random walk with long and short steps that sometimes leaves the page.
    private func ink(_ pen: Pen, seed: UInt64) -> StrokeInk {
        var random = SeededGenerator(seed: seed)
        var ink = StrokeInk()
        var model = pen.makeStroke()
        var position = Point(x: 70, y: 60)
        for index in 0..<40 {
            model.add(Sample(time: .zero + .milliseconds(8 * index), position: position), to: &ink)
            let reach = index % 9 == 0 ? 120.0 : 12
            position =
                position
                + Point(
                    x: .random(in: -reach...reach, using: &random), y: .random(in: -reach...reach, using: &random))
            position = Point(x: min(max(position.x, -30), 180), y: min(max(position.y, -30), 150))
        }
        model.finish(&ink)
        return ink
    }

    private func pixels(of ink: StrokeInk, _ pieces: ArraySlice<StrokeInk.Piece>) -> CoverageBuffer {
        let buffer = CoverageBuffer(bounds: PixelRect(size: Self.page))
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: buffer.bounds)
        for piece in pieces { rasterizer.add(ink.outline, from: piece.start, to: piece.end) }
        rasterizer.fill(.nonZero, into: buffer)
        return buffer
    }

    static let pens = PenName.allCases.map { Pen($0) }

    @Test("a piece is found in every tile that it inks", arguments: pens, 0..<4 as Range<UInt64>)
    func tiles(pen: Pen, seed: UInt64) {
        let grid = TileGrid(size: Self.page)
        var spans = RowSpans()
        let ink = ink(pen, seed: seed)
        for number in ink.pieces.indices {
            var found = Set<Int>()
            grid.forEachTile(touchedBy: ink.pieces[number], of: ink.outline, &spans) { found.insert($0) }
            let coverage = pixels(of: ink, ink.pieces[number...number])
            for tile in 0..<grid.count where !found.contains(tile) {
                let rect = grid.rect(of: tile)
                let isBlank = (rect.minY..<rect.maxY).allSatisfy { y in
                    (rect.minX..<rect.maxX).allSatisfy { coverage[$0, y] == 0 }
                }
                #expect(isBlank, "piece \(number) in tile \(tile)")
            }
        }
    }

    @Test("a long slanting piece is found in the tiles along it and in few others")
    func diagonal() {
        let grid = TileGrid(size: PixelSize(width: 1024, height: 1024))
        var ink = StrokeInk()
        ink.appendPiece {
            $0.addPolygon([Point(x: 2, y: 0), Point(x: 1024, y: 1022), Point(x: 1022, y: 1024), Point(x: 0, y: 2)])
        }
        var spans = RowSpans()
        var count = 0
        grid.forEachTile(touchedBy: ink.pieces[0], of: ink.outline, &spans) { _ in count += 1 }
        #expect(32...96 ~= count)
    }

    @Test("pixels found to be wholly inked are", arguments: pens, 0..<4 as Range<UInt64>)
    func inked(pen: Pen, seed: UInt64) {
        let ink = ink(Pen(pen.name, width: 2), seed: seed)
        let coverage = pixels(of: ink, ink.pieces[...])
        let grid = TileGrid(size: Self.page)
        var spans = RowSpans()
        var count = 0
        for tile in 0..<grid.count {
            let rect = grid.rect(of: tile)
            var cells = InkedCells()
            for piece in ink.pieces { cells.insert(piece, of: ink.outline, tile: rect, &spans) }
            let mask = cells.pixels
            for y in rect.minY..<rect.maxY {
                for x in rect.minX..<rect.maxX where mask[y - rect.minY] >> UInt32(x - rect.minX) & 1 != 0 {
                    count += 1
                    #expect(coverage[x, y] == 255, "\(x), \(y)")
                }
            }
        }
        // Most wholly inked pixels are found, unless the ink consists of many small contours.
        if pen.name == .linear { #expect(count > coverage.bytes.count { $0 == 255 } / 2) }
    }

    @Test("the contours of a mask fill its pixels only", arguments: Breadth.seeds(6, long: 20))
    func masks(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var mask = TileMask()
        for row in 0..<TileGrid.side where Bool.random(using: &random) {
            mask.insert(UInt32.random(in: 0...UInt32.max, using: &random), inRow: row)
            if Int.random(in: 0..<3, using: &random) == 0 { mask.insert(.max, inRow: row) }
        }
        var path = Path()
        let tile = PixelRect(minX: 64, minY: 32, maxX: 96, maxY: 64)
        mask.addContours(to: &path, tile: tile)
        let coverage = CoverageBuffer(bounds: PixelRect(size: Self.page))
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: coverage.bounds)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, into: coverage)
        for y in 0..<Self.page.height {
            for x in 0..<Self.page.width {
                let isInTile = tile.contains(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
                let isSet = isInTile && mask[y - tile.minY] >> UInt32(x - tile.minX) & 1 != 0
                #expect(coverage[x, y] == (isSet ? 255 : 0), "\(x), \(y)")
            }
        }
    }
}
