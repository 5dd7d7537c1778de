// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Ink within ink")
struct InkWithinInkTests {
    private static let wide = PixelRect(0, 0, 300, 40)

    /// A page of ink, 296 px wide, with triangles upon it that lead around as it does or the other way.
    private static func inked(_ shapes: inout Shapes, sameWay: Bool) -> (page: Path, all: Path) {
        let corners = [
            Point(x: 2.25, y: 1.5), Point(x: 297.75, y: 3), Point(x: 298.5, y: 38.5), Point(x: 1.5, y: 37),
        ]
        let page = Path(polygon: corners)
        var all = page
        for _ in 0..<14 {
            let corner = Point(x: shapes.number(12...288), y: shapes.number(6...34))
            let sides = [shapes.number(-30...30), shapes.number(-30...30)].map {
                Point(x: min(max(corner.x + $0, 12), 288), y: shapes.number(6...34))
            }
            let triangle = [corner] + sides
            let isSame = (sides[0] - corner).cross(sides[1] - corner) > 0
            all.addPolygon(isSame == sameWay ? triangle : triangle.reversed())
        }
        return (page, all)
    }

    /// In either direction, and cut right and left through triangles.
    @Test("is not to be seen", arguments: 0..<30 as Range<UInt64>)
    func within(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        var (page, all) = Self.inked(&shapes, sameWay: true)
        if seed % 2 != 0 { (page, all) = (Self.reversed(page), Self.reversed(all)) }
        var rasterizer = Rasterizer()
        for clip in [Self.wide, PixelRect(0, 0, Int(40 + seed * 7), 40), PixelRect(97, 9, 203, 31)] {
            let seen = coverage(of: [all], clip: clip, with: &rasterizer)
            #expect(seen == coverage(of: [page], clip: clip, with: &rasterizer))
            for alpha in [99, 255] as [UInt8] {
                let color = Color(red: 20, green: 40, blue: 160, alpha: alpha)
                let pictures = [all, page].map { path in
                    let buffer = PixelBuffer(size: PixelSize(width: 300, height: 40))
                    mottle(buffer.surface, seed: seed)
                    rasterizer.draw(path, .nonZero, with: color, into: buffer.surface, clip: clip)
                    return words(of: buffer.surface)
                }
                #expect(pictures[0] == pictures[1])
            }
        }
    }

    private static func reversed(_ path: Path) -> Path {
        var result = Path()
        for polygon in path.polygons(tolerance: 1) { result.addPolygon(polygon.reversed()) }
        return result
    }

    @Test("is not to be seen where it is wound around most often")
    func deep() {
        // 16,383 boundaries in each row: all but one in the first pixel, none of the right sides.
        var path = Path()
        for index in 0..<16_383 {
            let left = index == 9000 ? 20.5 : 0.5
            path.addPolygon([
                Point(x: left, y: 0), Point(x: 90, y: 0), Point(x: 90, y: 4), Point(x: left, y: 4),
            ])
        }
        var rows = [UInt8](repeating: 255, count: 80)
        rows[0] = 128
        rows[40] = 128
        let bytes = coverage(of: path, clip: PixelRect(0, 1, 40, 3))
        #expect(bytes == rows)
    }

    /// In a clip of eight pixels nothing is far enough from anything to be passed over.
    @Test("and holes in it are the same in columns of eight pixels", arguments: 0..<20 as Range<UInt64>)
    func columns(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let (_, all) = Self.inked(&shapes, sameWay: seed % 2 == 0)
        var rasterizer = Rasterizer()
        for rule in [FillRule.nonZero, .evenOdd] {
            let whole = coverage(of: [all], rule, clip: Self.wide, with: &rasterizer)
            for x in stride(from: 0, to: 296, by: 8) {
                let clip = PixelRect(x, 0, x + 8, 40)
                let isSame =
                    coverage(of: [all], rule, clip: clip, with: &rasterizer) == crop(whole, of: Self.wide, to: clip)
                #expect(isSame, "\(rule), \(clip)")
            }
        }
    }

    @Test("with holes is as the reference has it")
    func holes() {
        var rasterizer = Rasterizer()
        var error = CoverageError()
        for seed in 0..<20 as Range<UInt64> {
            var shapes = Shapes(seed: seed)
            let (_, all) = Self.inked(&shapes, sameWay: false)
            for rule in [FillRule.nonZero, .evenOdd] {
                error.compare(
                    coverage(of: [all], rule, clip: Self.wide, with: &rasterizer),
                    ReferenceRasterizer.coverage(of: all.polygons(tolerance: 1), rule: rule, bounds: Self.wide))
            }
        }
        #expect(error.count > 3000 && error.isWithinBounds, "\(error)")
    }
}
