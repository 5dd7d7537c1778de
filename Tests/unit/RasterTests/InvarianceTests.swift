// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Coverage depends on the geometry alone")
struct InvarianceTests {
    private static let bounds = PixelRect(-8, -8, 40, 40)
    private static let box = -12.0...44.0

    @Test("A clip is a crop of the whole", arguments: Breadth.seeds(8, long: 40))
    func clip(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let path = shapes.path(in: Self.box)
        let rule: FillRule = seed % 2 == 0 ? .nonZero : .evenOdd
        let whole = coverage(of: path, rule, clip: Self.bounds)
        var rasterizer = Rasterizer()
        for _ in 0..<12 {
            let x = shapes.integer(-8...39)
            let y = shapes.integer(-8...39)
            let clip = PixelRect(x, y, shapes.integer((x + 1)...40), shapes.integer((y + 1)...40))
            #expect(
                coverage(of: [path], rule, clip: clip, with: &rasterizer)
                    == crop(whole, of: Self.bounds, to: clip), "seed \(seed), \(clip)")
        }
    }

    @Test("Crossing flat lines of short edges are the same in a clip far from their start")
    func flat() {
        // Each line falls by less than a row over 600 px, in edges of 7 px. The lines cross at random.
        var shapes = Shapes(seed: 30)
        var path = Path()
        for _ in 0..<9 {
            let (left, right) = (2 + shapes.number(0...0.9), 2 + shapes.number(0...0.9))
            let upper = (0...85).map { step in
                let share = Double(step) / 85
                return Point(x: Double(step) * 7 - 20, y: left + (right - left) * share + shapes.number(0...0.05))
            }
            path.addPolygon(upper + upper.reversed().map { $0 + Point(x: 0, y: 0.3) })
        }
        let bounds = PixelRect(-30, 0, 600, 6)
        var rasterizer = Rasterizer()
        for rule in [FillRule.nonZero, .evenOdd] {
            let whole = coverage(of: [path], rule, clip: bounds, with: &rasterizer)
            for x in stride(from: -30, to: 560, by: 13) {
                let clip = PixelRect(x, 0, x + 40, 6)
                #expect(
                    coverage(of: [path], rule, clip: clip, with: &rasterizer) == crop(whole, of: bounds, to: clip),
                    "\(clip)")
            }
        }
    }

    /// Groups of up to 80 boundaries, around the limits of ``SmallGroup`` in number and width, and of the sort by keys.
    @Test("Crowded rows are the same in a clip that cuts them", arguments: [9, 12, 14, 15, 16, 23, 31, 32, 33, 40])
    func crowded(strips: Int) {
        var shapes = Shapes(seed: UInt64(strips))
        var path = Path()
        for _ in 0..<strips {
            let upper = Point(x: shapes.number(0...90), y: shapes.number(-1...1))
            let lower = Point(x: shapes.number(0...90), y: shapes.number(4...6))
            let across = Point(x: shapes.number(0.1...2), y: 0)
            path.addPolygon([upper, upper + across, lower + across, lower])
        }
        let bounds = PixelRect(-2, -2, 94, 8)
        var rasterizer = Rasterizer()
        for rule in [FillRule.nonZero, .evenOdd] {
            let whole = coverage(of: [path], rule, clip: bounds, with: &rasterizer)
            for (x, width) in [(-2, 96), (0, 62), (5, 63), (11, 40), (30, 64), (43, 20), (60, 9), (77, 1)] {
                let clip = PixelRect(x, 0, min(x + width, 94), 6)
                #expect(
                    coverage(of: [path], rule, clip: clip, with: &rasterizer) == crop(whole, of: bounds, to: clip),
                    "\(clip), \(rule)")
            }
        }
    }

    /// The same overlaps in groups of four, eight and more boundaries, and in groups too wide for ``SmallGroup``.
    @Test("Lines that lead there and back change no pixel", arguments: Breadth.seeds(8, long: 24))
    func thereAndBack(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let rule: FillRule = seed % 2 == 0 ? .nonZero : .evenOdd
        let bounds = PixelRect(-2, -2, 84, 12)
        var path = Path()
        for _ in 0..<2 { path.addPolygon(shapes.polygon(corners: 3...6, in: 0...9)) }
        var rasterizer = Rasterizer()
        let alone = coverage(of: [path], rule, clip: bounds, with: &rasterizer)
        for count in 1...24 {
            let upper = Point(x: shapes.number(0...9), y: shapes.number(-1...9))
            let reach = count % 3 == 0 ? shapes.number(60...72) : shapes.number(-1...1)
            path.addPolygon([upper, upper + Point(x: reach, y: shapes.number(0...3))])
            #expect(coverage(of: [path], rule, clip: bounds, with: &rasterizer) == alone, "\(count), seed \(seed)")
        }
    }

    @Test("A polygon in pieces that share edges is the polygon", arguments: Breadth.seeds(10, long: 60))
    func split(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let polygon =
            seed % 3 == 0
            ? shapes.strokeOutline(width: 0.5...6, in: 0...32, steps: 20)
            : shapes.polygon(corners: 4...10, in: Self.box)
        let rule: FillRule = seed % 2 == 0 ? .nonZero : .evenOdd
        let whole = coverage(of: Path(polygon: polygon), rule, clip: Self.bounds)
        var rasterizer = Rasterizer()
        let cut = shapes.integer(1...(polygon.count - 2))
        let halves = [Path(polygon: Array(polygon[0...cut])), Path(polygon: [polygon[0]] + Array(polygon[cut...]))]
        #expect(coverage(of: halves, rule, clip: Self.bounds, with: &rasterizer) == whole, "seed \(seed), halves")
        let fan = (1..<(polygon.count - 1)).map { Path(polygon: [polygon[0], polygon[$0], polygon[$0 + 1]]) }
        #expect(coverage(of: fan, rule, clip: Self.bounds, with: &rasterizer) == whole, "seed \(seed), fan")
        let shuffled = fan.shuffled(using: &shapes.random)
        #expect(coverage(of: shuffled, rule, clip: Self.bounds, with: &rasterizer) == whole, "seed \(seed), shuffled")
    }

    private func shifted(_ path: Path, by offset: Point) -> Path {
        var result = Path()
        var points = path.points.map { $0 + offset }[...]
        for verb in path.verbs {
            switch verb {
            case .move: result.move(to: points.removeFirst())
            case .line: result.addLine(to: points.removeFirst())
            case .cubic:
                result.addCubic(
                    control1: points.removeFirst(), control2: points.removeFirst(), end: points.removeFirst())
            }
        }
        return result
    }

    @Test("A shift by whole pixels shifts the bytes", arguments: Breadth.seeds(8, long: 30))
    func shift(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let path = shapes.path(in: Self.box)
        let whole = coverage(of: path, clip: Self.bounds)
        let (dx, dy) = (shapes.integer(-500...500), shapes.integer(-500...500))
        let moved = PixelRect(
            Self.bounds.minX + dx, Self.bounds.minY + dy, Self.bounds.maxX + dx, Self.bounds.maxY + dy)
        let offset = Point(x: Double(dx), y: Double(dy))
        let buffer = CoverageBuffer(bounds: moved)
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: moved)
        rasterizer.add(shifted(path, by: offset))
        rasterizer.fill(.nonZero, into: buffer)
        #expect(buffer.bytes == whole, "seed \(seed)")
    }

    @Test("A polygon reversed or begun at another corner is the same", arguments: Breadth.seeds(25, long: 150))
    func reversal(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let polygon =
            seed % 2 == 0
            ? shapes.strokeOutline(width: 0.5...6, in: 0...32, steps: 20)
            : shapes.polygon(corners: 3...10, in: Self.box)
        let rule: FillRule = seed % 4 < 2 ? .nonZero : .evenOdd
        let whole = coverage(of: Path(polygon: polygon), rule, clip: Self.bounds)
        #expect(coverage(of: Path(polygon: polygon.reversed()), rule, clip: Self.bounds) == whole, "seed \(seed)")
        let turn = shapes.integer(1...(polygon.count - 1))
        let rotated = Array(polygon[turn...] + polygon[..<turn])
        #expect(coverage(of: Path(polygon: rotated), rule, clip: Self.bounds) == whole, "seed \(seed)")
    }

    @Test("A sliver filled twice, whose cells cancel in a pixel, is the same when reversed")
    func twofoldSliver() {
        // Each side falls by a row over more than 32 px; in pixel 7 their areas are rounded to the same.
        let sliver = [Point(x: 2, y: 0), Point(x: 34.5, y: 1), Point(x: 35, y: 1)]
        var (path, reversed) = (Path(), Path())
        for _ in 0..<2 {
            path.addPolygon(sliver)
            reversed.addPolygon(sliver.reversed())
        }
        let bytes = coverage(of: path, clip: PixelRect(0, 0, 80, 2))
        #expect(bytes[7] > 0)
        #expect(coverage(of: reversed, clip: PixelRect(0, 0, 80, 2)) == bytes)
    }

    @Test("A fill is the union of its contours")
    func union() {
        func square(_ x: Double) -> Path {
            Path(polygon: [
                Point(x: x, y: 1), Point(x: x + 4.5, y: 1), Point(x: x + 4.5, y: 3), Point(x: x, y: 3),
            ])
        }
        var rasterizer = Rasterizer()
        let bounds = PixelRect(0, 0, 10, 4)
        let both = coverage(of: [square(1), square(3.25)], clip: bounds, with: &rasterizer)
        let joined = Path(polygon: [
            Point(x: 1, y: 1), Point(x: 7.75, y: 1), Point(x: 7.75, y: 3), Point(x: 1, y: 3),
        ])
        #expect(both == coverage(of: joined, clip: bounds))
        let twice = coverage(of: [square(1), square(1)], clip: bounds, with: &rasterizer)
        #expect(twice == coverage(of: square(1), clip: bounds))
    }

    @Test("A path between two marks fills that part only")
    func marks() {
        var shapes = Shapes(seed: 7)
        var path = shapes.path(in: Self.box)
        let mark = path.end
        let second = shapes.path(in: Self.box)
        path.append(second)
        let buffer = CoverageBuffer(bounds: Self.bounds)
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: Self.bounds)
        rasterizer.add(path, from: mark)
        rasterizer.fill(.nonZero, into: buffer)
        #expect(buffer.bytes == coverage(of: second, clip: Self.bounds))
    }

    @Test("A used rasterizer fills like a new one")
    func reuse() {
        var shapes = Shapes(seed: 8)
        var rasterizer = Rasterizer()
        for index in 0..<120 {
            let path = shapes.path(in: Self.box)
            let (x, y) = (shapes.integer(-20...30), shapes.integer(-20...30))
            let clip = PixelRect(x, y, x + shapes.integer(1...60), y + shapes.integer(1...60))
            let rule: FillRule = index % 2 == 0 ? .nonZero : .evenOdd
            if index % 7 == 0 {
                // Begun and given up.
                rasterizer.begin(clip: Self.bounds)
                rasterizer.add(path)
            }
            #expect(
                coverage(of: [path], rule, clip: clip, with: &rasterizer) == coverage(of: path, rule, clip: clip),
                "fill \(index)")
        }
    }
}

@Suite("Curves")
struct CurveTests {
    private static let bounds = PixelRect(-8, -8, 40, 40)

    /// The contours of `path`, each walked from its last point to its first.
    private func reversed(_ path: Path) -> Path {
        var result = Path()
        var end = path.points.count
        var contour: [Path.Verb] = []
        for verb in path.verbs.reversed() {
            contour.append(verb)
            if verb == .move {
                end = appendReversed(contour, path.points, end: end, to: &result)
                contour = []
            }
        }
        return result
    }

    /// - Parameter verbs: of the contour, from its last to its first.
    /// - Returns: the end of the contour before it.
    private func appendReversed(_ verbs: [Path.Verb], _ points: [Point], end: Int, to result: inout Path) -> Int {
        var next = end - 1
        func take() -> Point {
            defer { next -= 1 }
            return points[next]
        }
        result.move(to: take())
        for verb in verbs {
            switch verb {
            case .move: break
            case .line: result.addLine(to: take())
            case .cubic: result.addCubic(control1: take(), control2: take(), end: take())
            }
        }
        return next + 1
    }

    @Test("A reversed curve is the same but for rounding", arguments: Breadth.seeds(33, long: 200))
    func reversal(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let path = shapes.curvedPath(contours: 3, in: -12...44)
        let back = reversed(path)
        #expect(back.points.count == path.points.count && reversed(back).points.count == path.points.count)
        let rule: FillRule = seed % 2 == 0 ? .nonZero : .evenOdd
        // A point of a chord comes out of a sum in the other order: it may round to the next 1/256 pixel.
        let pairs = zip(coverage(of: back, rule, clip: Self.bounds), coverage(of: path, rule, clip: Self.bounds))
        let differences = pairs.map { abs(Int($0) - Int($1)) }.filter { $0 != 0 }
        #expect(differences.count < 20 && differences.allSatisfy { $0 <= 2 }, "seed \(seed), \(differences)")
    }
}
