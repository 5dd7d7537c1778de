// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Any input is safe")
struct HostileInputTests {
    private static let bounds = PixelRect(0, 0, 24, 24)
    private static let empty = [UInt8](repeating: 0, count: bounds.area)
    private static let full = [UInt8](repeating: 255, count: bounds.area)

    @Test("a contour with a point that is not finite is left out, the others are not")
    func notFinite() {
        let square = [Point(x: 2, y: 2), Point(x: 8, y: 2), Point(x: 8, y: 8), Point(x: 2, y: 8)]
        let expected = coverage(of: Path(polygon: square), clip: Self.bounds)
        for bad in [Double.nan, .infinity, -.infinity] {
            for place in 0..<4 {
                for isX in [true, false] {
                    var broken = [Point(x: 9, y: 9), Point(x: 20, y: 9), Point(x: 20, y: 20), Point(x: 9, y: 20)]
                    if isX { broken[place].x = bad } else { broken[place].y = bad }
                    var path = Path(polygon: broken)
                    path.addPolygon(square)
                    path.addPolygon(broken)
                    #expect(coverage(of: path, clip: Self.bounds) == expected)
                }
            }
        }
        var curve = Path(polygon: square)
        curve.move(to: Point(x: 1, y: 1))
        curve.addCubic(control1: Point(x: .nan, y: 3), control2: Point(x: 2, y: 9), end: Point(x: 20, y: 20))
        #expect(coverage(of: curve, clip: Self.bounds) == expected)
    }

    @Test("nothing, points and lines leave no ink")
    func degenerate() {
        var paths = [Path()]
        paths.append(Path(polygon: [Point(x: 3, y: 3)]))
        paths.append(Path(polygon: [Point(x: 3, y: 3), Point(x: 9, y: 17)]))
        paths.append(Path(polygon: [Point](repeating: Point(x: 3.3, y: 3.3), count: 5)))
        paths.append(Path(polygon: [Point(x: 3, y: 5.5), Point(x: 20, y: 5.5), Point(x: 10, y: 5.5)]))
        paths.append(Path(polygon: [Point(x: 5.5, y: 3), Point(x: 5.5, y: 20), Point(x: 5.5, y: 10)]))
        var moves = Path()
        for _ in 0..<4 { moves.move(to: Point(x: 5, y: 5)) }
        paths.append(moves)
        for path in paths {
            for rule in [FillRule.nonZero, .evenOdd] {
                #expect(coverage(of: path, rule, clip: Self.bounds) == Self.empty)
            }
        }
    }

    @Test("far coordinates fill what they enclose and keep the edges in sight exact")
    func far() {
        func box(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> [UInt8] {
            let corners = [
                Point(x: left, y: top), Point(x: right, y: top), Point(x: right, y: bottom), Point(x: left, y: bottom),
            ]
            return coverage(of: Path(polygon: corners), clip: Self.bounds)
        }
        for far in [1e5, 1e9, 1e15, 1e300] {
            #expect(box(-far, -far, far, far) == Self.full, "\(far)")
            let below = box(-far, 6.5, far, far)
            #expect(below[6 * 24] == 128 && below[6 * 24 + 23] == 128 && below[5 * 24] == 0 && below[7 * 24] == 255)
            let right = box(4.25, -far, far, far)
            #expect(right[3] == 0 && right[4] == 191 && right[5] == 255 && right[24 * 23 + 4] == 191)
            #expect(box(2 * far, -far, 4 * far, far) == Self.empty)
        }
        // A diagonal through the far corners, against the same line cut close to the picture.
        let wide = [Point(x: -1e9, y: -1e9), Point(x: 1e9, y: 1e9), Point(x: -1e9, y: 1e9)]
        let close = [Point(x: -50, y: -50), Point(x: 50, y: 50), Point(x: -50, y: 50)]
        let expected = coverage(of: Path(polygon: close), clip: Self.bounds)
        #expect(coverage(of: Path(polygon: wide), clip: Self.bounds) == expected)
    }

    @Test("far edges change nothing with the clip or the pieces", arguments: 0..<40 as Range<UInt64>)
    func farInvariance(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let polygon = (0..<shapes.integer(3...7)).map { _ in
            let reach = [30.0, 1e4, 1e6, 1e9][shapes.integer(0...3)]
            return Point(x: shapes.number(-reach...reach), y: shapes.number(-reach...reach))
        }
        let whole = coverage(of: Path(polygon: polygon), clip: Self.bounds)
        #expect(coverage(of: Path(polygon: polygon.reversed()), clip: Self.bounds) == whole, "seed \(seed)")
        let clip = PixelRect(5, 7, 20, 15)
        #expect(
            coverage(of: Path(polygon: polygon), clip: clip) == crop(whole, of: Self.bounds, to: clip), "seed \(seed)")
        var rasterizer = Rasterizer()
        let fan = (1..<(polygon.count - 1)).map { Path(polygon: [polygon[0], polygon[$0], polygon[$0 + 1]]) }
        #expect(coverage(of: fan, clip: Self.bounds, with: &rasterizer) == whole, "seed \(seed)")
    }

    @Test("wild curves end")
    func wildCurves() {
        var path = Path()
        path.move(to: Point(x: 0, y: 0))
        path.addCubic(
            control1: Point(x: 1e300, y: -1e300), control2: Point(x: -1e308, y: 1e308), end: Point(x: 5, y: 5))
        path.addQuadratic(control: Point(x: 1e18, y: 2), end: Point(x: -1e9, y: 3))
        _ = coverage(of: path, clip: Self.bounds)
    }

    @Test("clips of no, one or many pixels, and off the surface")
    func clips() {
        let path = Path(polygon: [Point(x: -1e6, y: -1e6), Point(x: 1e6, y: -1e6), Point(x: 0, y: 1e6)])
        let pixels = PixelBuffer(size: PixelSize(width: 8, height: 8))
        var rasterizer = Rasterizer()
        for clip in [
            PixelRect.empty, PixelRect(3, 3, 3, 9), PixelRect(5, 5, 2, 2), PixelRect(20, 20, 30, 30),
            PixelRect(-30, -30, -20, -20), PixelRect(100_000, 0, 100_010, 10),
            PixelRect(Int.min / 4, 2, Int.min / 4 + 4, 6), PixelRect(Int.max / 4, 2, Int.max / 4 + 4, 6),
        ] {
            rasterizer.begin(clip: clip)
            rasterizer.add(path)
            rasterizer.fill(.nonZero, with: .white, into: pixels.surface)
        }
        for y in 0..<8 { for x in 0..<8 { #expect(pixels.surface.row(y)[x] == 0) } }
        rasterizer.begin(clip: PixelRect(-200_000, -10, 200_000, 18))
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: .white, into: pixels.surface)
        for y in 0..<8 { for x in 0..<8 { #expect(pixels.surface.row(y)[x] == 0xFFFF_FFFF) } }
    }

    @Test("many contours at one place keep their winding")
    func many() {
        var path = Path()
        for index in 0..<600 {
            let x = 4 + Double(index) / 4096
            path.addPolygon([Point(x: x, y: 4), Point(x: x + 9.5, y: 4.1), Point(x: x + 9, y: 14), Point(x: x, y: 13)])
        }
        let bytes = coverage(of: path, clip: PixelRect(0, 0, 24, 24))
        #expect(bytes[8 * 24 + 8] == 255)
        #expect(bytes[8 * 24 + 20] == 0)
        #expect(bytes[24 + 8] == 0)
    }
}
