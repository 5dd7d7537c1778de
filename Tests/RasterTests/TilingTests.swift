// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Bands and tiles are the whole")
struct TilingTests {
    private static let size = PixelSize(width: 61, height: 47)
    private static let bounds = PixelRect(size: size)
    private static let box = -8.0...66.0
    private static let opacities: [UInt8] = [255, 254, 128, 1]

    /// Tiles of one size from the upper left; those at the far sides reach over them.
    private static func tiles(_ width: Int, _ height: Int) -> [PixelRect] {
        stride(from: bounds.minY, to: bounds.maxY, by: height).flatMap { y in
            stride(from: bounds.minX, to: bounds.maxX, by: width).map { x in
                PixelRect(x, y, x + width, y + height)
            }
        }
    }

    /// Cuts at random, each tile again until it is small.
    private static func cuts(_ part: PixelRect, _ shapes: inout Shapes) -> [PixelRect] {
        if part.area < 150 { return [part] }
        if part.width > part.height {
            let x = shapes.integer((part.minX + 1)...(part.maxX - 1))
            return cuts(PixelRect(part.minX, part.minY, x, part.maxY), &shapes)
                + cuts(PixelRect(x, part.minY, part.maxX, part.maxY), &shapes)
        }
        let y = shapes.integer((part.minY + 1)...(part.maxY - 1))
        return cuts(PixelRect(part.minX, part.minY, part.maxX, y), &shapes)
            + cuts(PixelRect(part.minX, y, part.maxX, part.maxY), &shapes)
    }

    private static func tilings(_ shapes: inout Shapes) -> [[PixelRect]] {
        [
            tiles(61, 1), tiles(61, 2), tiles(61, 7), tiles(61, 16), tiles(61, 32), tiles(1, 47), tiles(3, 47),
            tiles(8, 47), tiles(9, 47), tiles(8, 8), tiles(16, 16), tiles(32, 32), tiles(17, 5), cuts(bounds, &shapes),
        ]
    }

    @Test("in coverage", arguments: 0..<16 as Range<UInt64>)
    func coverageTiles(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let path = shapes.path(in: Self.box)
        let rule: FillRule = seed % 2 == 0 ? .nonZero : .evenOdd
        let whole = coverage(of: path, rule, clip: Self.bounds)
        var rasterizer = Rasterizer()
        for tiles in Self.tilings(&shapes).shuffled(using: &shapes.random) {
            let buffer = CoverageBuffer(bounds: Self.bounds)
            for tile in tiles.shuffled(using: &shapes.random) {
                rasterizer.begin(clip: tile)
                rasterizer.add(path)
                rasterizer.fill(rule, into: buffer)
            }
            #expect(buffer.bytes == whole, "seed \(seed), \(tiles[0])")
        }
    }

    @Test("in pixels, opaque and translucent", arguments: 0..<16 as Range<UInt64>)
    func pixelTiles(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let path = shapes.path(in: Self.box)
        let rule: FillRule = seed % 2 == 0 ? .nonZero : .evenOdd
        let opacity = Self.opacities[Int(seed / 2 % 4)]
        let color = Color(red: 12, green: 200, blue: 255, alpha: opacity)
        var rasterizer = Rasterizer()
        let whole = PixelBuffer(size: Self.size)
        mottle(whole.surface, seed: seed)
        rasterizer.draw(path, rule, with: color, into: whole.surface, clip: Self.bounds)
        let expected = words(of: whole.surface)
        for tiles in Self.tilings(&shapes) {
            let buffer = PixelBuffer(size: Self.size)
            mottle(buffer.surface, seed: seed)
            for tile in tiles.shuffled(using: &shapes.random) {
                rasterizer.draw(path, rule, with: color, into: buffer.surface, clip: tile)
            }
            #expect(words(of: buffer.surface) == expected, "seed \(seed), \(tiles[0]), opacity \(opacity)")
        }
    }
}
