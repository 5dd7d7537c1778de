// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

/// Contours that lead down once and up once have a way of their own through the rasterizer, for as long as they are
/// alone; with another contour beside them they go the way of all.
@Suite("Contours of two sides are filled alike, alone and beside others")
struct MonotoneTests {
    private static let bounds = PixelRect(0, 0, 64, 80)
    private static let beside = Path(polygon: [Point(x: 60, y: 2), Point(x: 63, y: 2), Point(x: 61, y: 5)])

    enum Shape: CaseIterable {
        /// Sides that keep apart; that are nearly one; anywhere, so that they cross; whose corners lie on the lines
        /// between rows; with level edges at their ends and on the way; that have level edges at the same heights and
        /// change places there; that lean far over.
        case apart, narrow, crossing, onLines, level, swapping, leaning
    }

    @Test("to the byte", arguments: Shape.allCases, [FillRule.nonZero, .evenOdd])
    func alike(shape: Shape, rule: FillRule) {
        var shapes = Shapes(seed: 70)
        var different = 0
        var rasterizer = Rasterizer()
        for _ in 0..<3000 {
            // One that has just drawn a hair goes the long way. The others are drawn by one that has drawn before.
            if ![.apart, .onLines, .leaning].contains(shape) { rasterizer = Rasterizer() }
            let path = Path(polygon: Self.polygon(shape, &shapes))
            let alone = coverage(of: [path], rule, clip: Self.bounds, with: &rasterizer)
            let both = coverage(of: [path, Self.beside], rule, clip: Self.bounds, with: &rasterizer)
            let part = PixelRect(0, 0, 60, 80)
            if crop(alone, of: Self.bounds, to: part) != crop(both, of: Self.bounds, to: part) { different += 1 }
        }
        #expect(different == 0)
    }

    /// The other contour is left of the first one, which ends where the surface does.
    @Test("as pixels, at the right side of a surface", arguments: [FillRule.nonZero, .evenOdd])
    func atSide(rule: FillRule) {
        var shapes = Shapes(seed: 72)
        var different = 0
        for index in 0..<1500 {
            var rasterizer = Rasterizer()
            let polygon = Self.polygon(Shape.allCases[index % Shape.allCases.count], &shapes)
            let right = (polygon.map(\.x).max() ?? 0).rounded(.up)
            let size = PixelSize(width: 8 + Int(right), height: 80)
            let path = Path(polygon: polygon.map { $0 + Point(x: 8, y: 0) })
            let beside = Path(polygon: [Point(x: 1, y: 2), Point(x: 4, y: 2), Point(x: 2, y: 5)])
            var pictures: [[UInt32]] = []
            for paths in [[path], [path, beside]] {
                let buffer = PixelBuffer(size: size)
                mottle(buffer.surface, seed: 73)
                rasterizer.begin(clip: buffer.surface.bounds)
                for path in paths { rasterizer.add(path) }
                rasterizer.fill(rule, with: Color(red: 20, green: 90, blue: 200, alpha: 200), into: buffer.surface)
                var pixels: [UInt32] = []
                for y in 0..<size.height { for x in 8..<size.width { pixels.append(buffer.surface.row(y)[x]) } }
                pictures.append(pixels)
            }
            if pictures[0] != pictures[1] { different += 1 }
        }
        #expect(different == 0)
    }

    @Test("as wide as bands of few rows are")
    func wide() {
        let bounds = PixelRect(0, 0, 1200, 24)
        var shapes = Shapes(seed: 74)
        var rasterizer = Rasterizer()
        var different = 0
        for _ in 0..<300 {
            let (left, right) = (shapes.number(0...80), shapes.number(300...1100))
            let middle = shapes.number(left...right)
            let top = shapes.number(0...3)
            let path = Path(polygon: [
                Point(x: left, y: top), Point(x: middle, y: top + shapes.number(0.1...6)),
                Point(x: right, y: top + shapes.number(7...12)), Point(x: middle, y: top + shapes.number(2...9)),
            ])
            let beside = Path(polygon: [Point(x: 1150, y: 15), Point(x: 1155, y: 15), Point(x: 1151, y: 18)])
            let alone = coverage(of: [path], .nonZero, clip: bounds, with: &rasterizer)
            let both = coverage(of: [path, beside], .nonZero, clip: bounds, with: &rasterizer)
            let part = PixelRect(0, 0, 1140, 24)
            if crop(alone, of: bounds, to: part) != crop(both, of: bounds, to: part) { different += 1 }
        }
        #expect(different == 0)
    }

    /// Two sides from one point to another, walked down and up.
    private static func polygon(_ shape: Shape, _ shapes: inout Shapes) -> [Point] {
        let height = shapes.number(0.5...(shapes.integer(0...1) == 0 ? 6 : 70))
        let top = shapes.number(0...(79 - height))
        let width = shapes.number(1...(shapes.integer(0...1) == 0 ? 6 : 26))
        let lean = shape == .leaning ? shapes.number(-24...24) : shapes.number(-2...2)
        func place(_ number: Double) -> Double { (number * 256).rounded() / 256 }
        func side(_ range: ClosedRange<Double>) -> [Point] {
            (0..<shapes.integer(0...5)).map { _ in shapes.number(0...1) }.sorted().map { share in
                var y = top + height * share
                if shape == .onLines { y = min(max(y.rounded(), top), top + height) }
                return Point(x: place(28 + lean * share + shapes.number(range)), y: place(y))
            }
        }
        var (left, right): ([Point], [Point])
        switch shape {
        case .apart, .onLines, .leaning: (left, right) = (side(-width / 2 ... -0.3), side(0.3...width / 2))
        case .narrow: (left, right) = (side(-0.01...0.01), side(0...0.02))
        case .crossing, .level, .swapping: (left, right) = (side(-width / 2...width / 2), side(-width / 2...width / 2))
        }
        let upper = Point(x: place(28), y: place(top))
        let lower = Point(x: place(28 + lean), y: place(top + height))
        if shape == .level {
            right.insert(Point(x: upper.x + place(width), y: upper.y), at: 0)
            left.append(Point(x: lower.x - place(width / 2), y: lower.y))
            if let last = left.first { left.insert(Point(x: last.x + 1.5, y: last.y), at: 0) }
        }
        if shape == .swapping {
            // Both go out to one side each, and over to the other at one height.
            let y = min(place(upper.y + shapes.number(0.1...0.9)), place(top + height))
            let (near, far) = (place(shapes.number(0.05...2)), place(shapes.number(0.05...6)))
            left = [Point(x: upper.x - near, y: y), Point(x: upper.x + far, y: y)] + left.filter { $0.y > y }
            right = [Point(x: upper.x + near, y: y), Point(x: upper.x - far, y: y)] + right.filter { $0.y > y }
            if shapes.integer(0...1) == 0 {
                // The same at the lower end.
                let flip = { (point: Point) in Point(x: point.x, y: upper.y + lower.y - point.y) }
                return [flip(lower)] + left.reversed().map(flip) + [flip(upper)] + right.map(flip)
            }
        }
        return [upper] + right + [lower] + left.reversed()
    }
}
