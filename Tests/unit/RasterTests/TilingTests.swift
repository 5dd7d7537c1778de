// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Tiles equal the whole")
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

    @Test("Coverage in tiles", arguments: Breadth.seeds(5, long: 16))
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

    @Test("Pixels in tiles, opaque and translucent", arguments: Breadth.seeds(5, long: 16))
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

/// Clips that end within a block of eight pixels, and pieces at every offset in a block.
@Suite("Sweeping in blocks of eight pixels is invisible")
struct BlockTests {
    private static let wide = PixelRect(-64, -2, 192, 20)

    /// A small piece whose left side is near x.
    private static func piece(at x: Int, seed: UInt64) -> Path {
        var shapes = Shapes(seed: seed)
        let size = PixelSize(width: 3, height: 18)
        let polygon =
            switch seed % 3 {
            case 0: shapes.bentQuad(width: 2...6, length: 5...30, in: size)
            case 1: shapes.bentQuad(width: 0.7...1.5, length: 5...30, in: size)
            default: shapes.smallPolygon(corners: 3...8, side: 5...30, in: size)
            }
        return Path(polygon: polygon.map { $0 + Point(x: Double(x), y: 0) })
    }

    @Test("Clips of every width show the same pixels", arguments: 1...40)
    func widths(width: Int) {
        var shapes = Shapes(seed: UInt64(width))
        var rasterizer = Rasterizer()
        for x in 0..<40 {
            let path = Self.piece(at: x, seed: UInt64(width * 40 + x))
            let rule: FillRule = x % 2 == 0 ? .nonZero : .evenOdd
            let whole = coverage(of: [path], rule, clip: Self.wide, with: &rasterizer)
            let left = x + shapes.integer(-width...12)
            let clip = PixelRect(left, 0, left + width, 18)
            let expected = crop(whole, of: Self.wide, to: clip)
            #expect(coverage(of: [path], rule, clip: clip, with: &rasterizer) == expected, "\(clip), piece at \(x)")
            // The same with a wide clip and a narrow buffer.
            let buffer = CoverageBuffer(bounds: clip)
            rasterizer.begin(clip: Self.wide)
            rasterizer.add(path)
            rasterizer.fill(rule, into: buffer)
            #expect(buffer.bytes == expected, "\(clip), piece at \(x)")
        }
    }

    @Test("Surfaces of every width show the same pixels", arguments: 1...40)
    func surfaces(width: Int) {
        var rasterizer = Rasterizer()
        let color = Color(red: 250, green: 3, blue: 90, alpha: width % 2 == 0 ? 255 : 130)
        for x in stride(from: -4, to: width, by: 3) {
            let path = Self.piece(at: x, seed: UInt64(width * 50 + x + 4))
            let narrow = PixelBuffer(size: PixelSize(width: width, height: 18))
            let wide = PixelBuffer(size: PixelSize(width: width + 70, height: 18))
            for surface in [narrow.surface, wide.surface] { surface.fill(surface.bounds, with: .white) }
            rasterizer.draw(path, .nonZero, with: color, into: narrow.surface, clip: narrow.surface.bounds)
            rasterizer.draw(path, .nonZero, with: color, into: wide.surface, clip: wide.surface.bounds)
            let isSame = (0..<18).allSatisfy { y in
                (0..<width).allSatisfy { narrow.surface.row(y)[$0] == wide.surface.row(y)[$0] }
            }
            #expect(isSame, "width \(width), piece at \(x)")
        }
    }

    @Test("A piece at every offset in a block matches the reference")
    func places() {
        var rasterizer = Rasterizer()
        var error = CoverageError()
        for x in 0..<40 {
            for part in 0..<3 {
                let path = Self.piece(at: x, seed: UInt64(5000 + x * 3 + part))
                let clip = PixelRect(0, 0, 64, 18)
                error.compare(
                    coverage(of: [path], clip: clip, with: &rasterizer),
                    ReferenceRasterizer.coverage(of: path.polygons(tolerance: 1), rule: .nonZero, bounds: clip))
            }
        }
        #expect(error.count > 3000 && error.isWithinBounds, "\(error)")
    }
}
