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

    @Test("Only the contour with a point that is not finite is left out")
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

    @Test("Empty paths, points and lines leave no ink")
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

    @Test("Far coordinates fill the enclosed pixels and keep visible edges exact")
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

    @Test("Far edges do not depend on the clip or the pieces", arguments: Breadth.seeds(8, long: 40))
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

    @Test("A fill of wild curves ends")
    func wildCurves() {
        var path = Path()
        path.move(to: Point(x: 0, y: 0))
        path.addCubic(
            control1: Point(x: 1e300, y: -1e300), control2: Point(x: -1e308, y: 1e308), end: Point(x: 5, y: 5))
        path.addQuadratic(control: Point(x: 1e18, y: 2), end: Point(x: -1e9, y: 3))
        _ = coverage(of: path, clip: Self.bounds)
    }

    @Test("Empty clips, huge clips and clips off the surface")
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

    @Test("600 contours in one place keep their winding number")
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

@Suite("Extreme coordinates are safe")
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

    @Test("An extreme value in any point of any verb", arguments: values)
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

    @Test("An extreme value in all points", arguments: values)
    func all(value: Double) {
        let path = Self.contour([Point](repeating: Point(x: value, y: value), count: 8))
        var rasterizer = Rasterizer()
        let empty = [UInt8](repeating: 0, count: Self.bounds.area)
        for rule in [FillRule.nonZero, .evenOdd] {
            #expect(coverage(of: [path], rule, clip: Self.bounds, with: &rasterizer) == empty)
        }
    }

    @Test("Random mixes of extreme and ordinary values", arguments: Breadth.seeds(33, long: 200))
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

    @Test("A shape on one side of the clip leaves no ink", arguments: Breadth.seeds(8, long: 40))
    func outside(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        var rasterizer = Rasterizer()
        let empty = [UInt8](repeating: 0, count: Self.bounds.area)
        for box in [-40.0...0.0, 24.0...70.0, -1e7 ... -30.0, 1e3...1e9] {
            for isBeside in [true, false] {
                // Beside the clip with any y, or above or below it with any x.
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
    @Test("A hundred thousand points in one contour and in many", arguments: [100_000, 4])
    func manyPoints(corners: Int) {
        var path = Path()
        for index in 0..<100_000 {
            // Small steps over 24 rows, like those of a pen that reports too often.
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

@Suite("Polygons given as points")
struct PolygonInputTests {
    private static let bounds = PixelRect(-5, -4, 40, 30)

    private func filled(_ polygon: [Point], clip: PixelRect) -> [UInt8] {
        let buffer = CoverageBuffer(bounds: clip)
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: clip)
        polygon.withUnsafeBufferPointer { rasterizer.add(polygon: $0) }
        rasterizer.fill(.nonZero, into: buffer)
        return buffer.bytes
    }

    @Test("Points and a path with the same corners fill alike", arguments: Breadth.seeds(10, long: 60))
    func points(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let polygon = shapes.polygon(corners: 3...12, in: -20...60)
        #expect(
            filled(polygon, clip: Self.bounds) == coverage(of: Path(polygon: polygon), clip: Self.bounds),
            "seed \(seed)")
    }

    /// A contour is cut where it turns; 32 edges are examined at a time. A level edge has the direction of the edge
    /// before.
    @Test("The first corner does not matter, with many turns and level edges", arguments: [0, 1, 2, 31, 33, 70])
    func turns(level: Int) {
        var shapes = Shapes(seed: UInt64(level))
        var y = 12.0
        var polygon = (0..<75).map { _ in
            y = min(max(y + Double(shapes.integer(-2...2)) * 1.7, 0), 25)
            return Point(x: shapes.number(0...34), y: y)
        }
        polygon += (0..<level).map { _ in Point(x: shapes.number(0...34), y: y) }
        let whole = coverage(of: Path(polygon: polygon), clip: Self.bounds)
        for start in polygon.indices {
            let turned = Array(polygon[start...] + polygon[..<start])
            #expect(filled(turned, clip: Self.bounds) == whole, "from \(start)")
            #expect(filled(turned.reversed(), clip: Self.bounds) == whole, "from \(start), the other way")
        }
    }

    /// Any corner may be the outermost one, and several corners are measured at a time.
    @Test("The first corner does not matter", arguments: 3...9)
    func corners(count: Int) {
        var shapes = Shapes(seed: UInt64(count))
        for _ in 0..<8 {
            let polygon = shapes.polygon(corners: count...count, in: -2...26)
            let whole = coverage(of: Path(polygon: polygon), clip: Self.bounds)
            for start in polygon.indices {
                let turned = Array(polygon[start...] + polygon[..<start])
                #expect(filled(turned, clip: Self.bounds) == whole, "\(polygon) from \(start)")
            }
        }
    }

    private static let values: [Double] = [
        .nan, .infinity, -.infinity, 1e30, -1e30, 16_777_216, 8_388_608, -8_388_608, 65_536, -65_536, 65_535.99,
        -65_535.999, 2_147_483_648, 0.001, .leastNonzeroMagnitude, 16_777_215, -16_777_215, 16_711_680, -16_711_681,
    ]

    @Test("Points and a path with extreme coordinates fill alike", arguments: values)
    func extremes(value: Double) {
        let corners = [Point(x: 2, y: 1), Point(x: 30, y: 5), Point(x: 22, y: 27), Point(x: 4, y: 19)]
        for index in corners.indices {
            for point in [Point(x: value, y: 9), Point(x: 9, y: value), Point(x: value, y: value)] {
                var polygon = corners
                polygon[index] = point
                #expect(
                    filled(polygon, clip: Self.bounds) == coverage(of: Path(polygon: polygon), clip: Self.bounds),
                    "\(point) at \(index)")
            }
        }
        #expect(filled([], clip: Self.bounds).allSatisfy { $0 == 0 })
        #expect(filled([Point(x: 3, y: 3), Point(x: 9, y: 9)], clip: Self.bounds).allSatisfy { $0 == 0 })
    }

    @Test("The tallest edges stay within their ends")
    func tall() {
        // Over 131,000 rows, the error of the slope would move an edge 1/256 px to the left of both its ends.
        let column = PixelRect(0, -65_536, 3, 65_536)
        for shift in 1...6 {
            let low = Double(shift) / 256
            let polygon = [
                Point(x: low, y: -65_535.9), Point(x: 2.5, y: -65_535.9), Point(x: 2.5, y: 65_535.7),
                Point(x: 0, y: 65_535.7),
            ]
            let whole = filled(polygon, clip: column)
            #expect(whole[3 * 1000] >= 254 - UInt8(shift))
            let part = PixelRect(0, 100, 3, 140)
            #expect(filled(polygon, clip: part) == crop(whole, of: column, to: part))
        }
    }
}
