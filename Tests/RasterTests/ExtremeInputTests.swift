// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Extreme input is safe")
struct ExtremeInputTests {
    private static let bounds = PixelRect(0, 0, 24, 24)
    private static let square = [Point(x: 2, y: 2), Point(x: 8, y: 2), Point(x: 8, y: 8), Point(x: 2, y: 8)]

    private static let values: [Double] = [
        .nan, .signalingNaN, .infinity, -.infinity, 1e30, -1e30, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        Double(Float.greatestFiniteMagnitude), -Double(Float.greatestFiniteMagnitude), .leastNonzeroMagnitude, -0.0,
        65_535.999, 65_536, -65_536, 8_388_608, -8_388_608.5, 2_147_483_648, -2_147_483_649, 4_503_599_627_370_496,
        9_223_372_036_854_775_808, -9_223_372_036_854_775_808,
    ]

    /// All verbs after each other.
    private static let points = [
        Point(x: 10, y: 10), Point(x: 20.5, y: 9), Point(x: 23, y: 12.2), Point(x: 19, y: 15), Point(x: 17, y: 30),
        Point(x: 12, y: -4), Point(x: 11, y: 17), Point(x: 10, y: 14),
    ]

    private static func contour(_ points: [Point]) -> Path {
        var path = Path()
        path.move(to: points[0])
        path.addLine(to: points[1])
        path.addQuadratic(control: points[2], end: points[3])
        path.addCubic(control1: points[4], control2: points[5], end: points[6])
        path.addLine(to: points[7])
        return path
    }

    @Test("at every place of every verb", arguments: values)
    func everywhere(value: Double) throws {
        let squareOnly = coverage(of: Path(polygon: Self.square), clip: Self.bounds)
        let size = PixelSize(width: 24, height: 24)
        let memory = try #require(GuardedMemory(byteCount: 24 * 24 * 4, place: .back))
        let surface = Surface(base: memory.base, size: size, strideBytes: 96)
        let part = PixelRect(5, 3, 18, 16)
        var rasterizer = Rasterizer()
        for place in Self.points.indices {
            for which in 1...3 {
                var points = Self.points
                if which & 1 != 0 { points[place].x = value }
                if which & 2 != 0 { points[place].y = value }
                let broken = Self.contour(points)
                var path = Path(polygon: Self.square)
                path.append(broken)
                path.addPolygon(Self.square)
                let whole = coverage(of: [path], clip: Self.bounds, with: &rasterizer)
                if !value.isFinite { #expect(whole == squareOnly, "point \(place)") }
                #expect(
                    coverage(of: [path], clip: part, with: &rasterizer) == crop(whole, of: Self.bounds, to: part),
                    "point \(place)")
                surface.fill(surface.bounds, with: .white)
                rasterizer.draw(path, .nonZero, with: .black, into: surface, clip: part)
                let isKept = (0..<24).allSatisfy { y in
                    (0..<24).allSatisfy { x in
                        x >= part.minX && x < part.maxX && y >= part.minY && y < part.maxY
                            || surface.row(y)[x] == 0xFFFF_FFFF
                    }
                }
                #expect(isKept, "point \(place)")
            }
        }
    }

    @Test("in all points at once", arguments: values)
    func all(value: Double) {
        let path = Self.contour([Point](repeating: Point(x: value, y: value), count: 8))
        var rasterizer = Rasterizer()
        let empty = [UInt8](repeating: 0, count: Self.bounds.area)
        for rule in [FillRule.nonZero, .evenOdd] {
            #expect(coverage(of: [path], rule, clip: Self.bounds, with: &rasterizer) == empty)
        }
    }

    @Test("mixed at random", arguments: 0..<200 as Range<UInt64>)
    func mixed(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        func coordinate() -> Double {
            shapes.integer(0...2) == 0 ? Self.values[shapes.integer(4...21)] : shapes.number(-10...40)
        }
        let polygon = (0..<shapes.integer(3...8)).map { _ in Point(x: coordinate(), y: coordinate()) }
        let whole = coverage(of: Path(polygon: polygon), clip: Self.bounds)
        #expect(coverage(of: Path(polygon: polygon.reversed()), clip: Self.bounds) == whole, "seed \(seed)")
        let part = PixelRect(3, 11, 20, 19)
        let parts = coverage(of: Path(polygon: polygon), clip: part)
        #expect(parts == crop(whole, of: Self.bounds, to: part), "seed \(seed)")
        let curves = Self.contour((0..<8).map { _ in Point(x: coordinate(), y: coordinate()) })
        let curved = coverage(of: curves, clip: Self.bounds)
        #expect(coverage(of: curves, clip: part) == crop(curved, of: Self.bounds, to: part), "seed \(seed)")
    }

    @Test("what lies all on one side of the clip leaves no ink", arguments: 0..<40 as Range<UInt64>)
    func outside(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        var rasterizer = Rasterizer()
        let empty = [UInt8](repeating: 0, count: Self.bounds.area)
        for box in [-40.0...0.0, 24.0...70.0, -1e7 ... -30.0, 1e3...1e9] {
            for isBeside in [true, false] {
                // Beside: any y; above or below: any x.
                let polygon = (0..<shapes.integer(3...9)).map { _ in
                    let (away, along) = (shapes.number(box), shapes.number(-40...70))
                    return isBeside ? Point(x: away, y: along) : Point(x: along, y: away)
                }
                #expect(
                    coverage(of: [Path(polygon: polygon)], clip: Self.bounds, with: &rasterizer) == empty,
                    "seed \(seed), \(box)")
            }
        }
    }

    /// `raster-accuracy` has a million.
    @Test("a hundred thousand points, as one contour and as many", arguments: [100_000, 4])
    func manyPoints(corners: Int) {
        var path = Path()
        for index in 0..<100_000 {
            // Small steps here and there over 24 rows, as of a pen that reports too often.
            let point = Point(x: Double(index &* 7919 % 2401) / 100, y: Double(index % 1000) / 41)
            if index % corners == 0 { path.move(to: point) } else { path.addLine(to: point) }
        }
        var rasterizer = Rasterizer()
        let whole = coverage(of: [path], clip: Self.bounds, with: &rasterizer)
        #expect(whole.contains { $0 > 0 })
        let part = PixelRect(9, 7, 20, 8)
        #expect(coverage(of: [path], clip: part, with: &rasterizer) == crop(whole, of: Self.bounds, to: part))
    }
}
