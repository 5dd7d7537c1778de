// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

/// Pixels are swept several at a time: clips that end within a block, and pieces at every place of one.
@Suite("Blocks of pixels do not show")
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

    @Test("in clips of every width", arguments: 1...40)
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
            // The same from the wide clip into a narrow buffer: columns are left out instead of clipped.
            let buffer = CoverageBuffer(bounds: clip)
            rasterizer.begin(clip: Self.wide)
            rasterizer.add(path)
            rasterizer.fill(rule, into: buffer)
            #expect(buffer.bytes == expected, "\(clip), piece at \(x)")
        }
    }

    @Test("on surfaces of every width", arguments: 1...40)
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

    @Test("beside the reference, at every place")
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
