// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@testable import RasterKernel

@Suite("Fill rules and winding numbers")
struct WindingTests {
    private static let bounds = PixelRect(0, 0, 32, 32)

    private func winding(around place: Point, of polygon: [Point]) -> Int {
        var winding = 0
        for index in polygon.indices {
            let (start, end) = (polygon[index], polygon[(index + 1) % polygon.count])
            if (start.y <= place.y) == (end.y <= place.y) { continue }
            let isRight = (end - start).cross(place - start) * (end.y - start.y) > 0
            if isRight { winding += start.y < end.y ? 1 : -1 }
        }
        return winding
    }

    /// Whether an edge passes through the pixel or nearly so: it separates the corners, and their boxes meet.
    private func isCrossed(_ x: Int, _ y: Int, by polygon: [Point]) -> Bool {
        let (left, top, right, bottom) = (Double(x) - 0.05, Double(y) - 0.05, Double(x) + 1.05, Double(y) + 1.05)
        return polygon.indices.contains { index in
            let (start, end) = (polygon[index], polygon[(index + 1) % polygon.count])
            if max(start.x, end.x) < left || min(start.x, end.x) > right { return false }
            if max(start.y, end.y) < top || min(start.y, end.y) > bottom { return false }
            let sides = [(left, top), (right, top), (left, bottom), (right, bottom)].map {
                (end - start).cross(Point(x: $0.0, y: $0.1) - start)
            }
            return !(sides.allSatisfy { $0 > 0 } || sides.allSatisfy { $0 < 0 })
        }
    }

    @Test("The winding number decides every pixel without an edge, by both rules")
    func rules() {
        var shapes = Shapes(seed: 41)
        var rasterizer = Rasterizer()
        var differing = 0
        for _ in 0..<60 {
            let polygon = shapes.polygon(corners: 3...12, in: -6...38)
            let nonZero = coverage(of: [Path(polygon: polygon)], .nonZero, clip: Self.bounds, with: &rasterizer)
            let evenOdd = coverage(of: [Path(polygon: polygon)], .evenOdd, clip: Self.bounds, with: &rasterizer)
            for y in 0..<32 {
                for x in 0..<32 where !isCrossed(x, y, by: polygon) {
                    let winding = winding(around: Point(x: Double(x) + 0.5, y: Double(y) + 0.5), of: polygon)
                    #expect(nonZero[y * 32 + x] == (winding != 0 ? 255 : 0), "\(polygon), \(x), \(y)")
                    #expect(evenOdd[y * 32 + x] == (winding % 2 != 0 ? 255 : 0), "\(polygon), \(x), \(y)")
                    if winding != 0 && winding % 2 == 0 { differing += 1 }
                }
            }
        }
        #expect(differing > 300)
    }

    /// The mean winding number in a pixel is nearly the number of contours: up to the limit of a small group and
    /// beyond.
    @Test("Equal contours, up to the size of a small group and beyond, look like one", arguments: [false, true])
    func equalContours(isReversed: Bool) {
        let contour = [Point(x: 0, y: 0), Point(x: 20, y: 0), Point(x: 20, y: 1), Point(x: 0.04, y: 1)]
        var rasterizer = Rasterizer()
        var path = Path()
        for count in 1...48 {
            path.addPolygon(isReversed ? contour.reversed() : contour)
            let row = coverage(of: [path], clip: Self.bounds, with: &rasterizer)[..<20]
            #expect(row.dropFirst().allSatisfy { $0 == 255 } && (249...251).contains(row[0]), "\(count): \(row)")
        }
    }

    /// Around whole pixels 1 and 2 of four, and half of 0 and 3.
    private static let frame = [
        Point(x: 0.5, y: 0), Point(x: 3.5, y: 0), Point(x: 3.5, y: 4), Point(x: 0.5, y: 4),
    ]

    private static func turns(_ count: Int) -> [Point] {
        var turns: [Point] = []
        for _ in 0..<count { turns += frame }
        return turns
    }

    /// 2^14, 2^15 and 2^16 are where sums of 32 and of 16 bits come to nothing.
    private static let passes = [2, 3, 255, 256, 16_383, 16_384, 20_000, 32_767, 32_768, 40_000, 65_536]

    @Test("Winding numbers do not wrap", arguments: passes)
    func often(passes: Int) {
        let path = Path(polygon: Self.turns(passes))
        var rasterizer = Rasterizer()
        let inside = PixelRect(1, 1, 3, 2)
        #expect(coverage(of: [path], clip: inside, with: &rasterizer) == [255, 255])
        let isOdd = passes % 2 != 0
        #expect(coverage(of: [path], .evenOdd, clip: inside, with: &rasterizer) == (isOdd ? [255, 255] : [0, 0]))
    }

    @Test("Winding numbers do not wrap at the sides of the stroke", arguments: [3, 16_384])
    func sides(passes: Int) {
        var path = Path(polygon: Self.turns(passes))
        var rasterizer = Rasterizer()
        let bounds = PixelRect(0, 1, 4, 2)
        #expect(coverage(of: [path], clip: bounds, with: &rasterizer) == [128, 255, 255, 128])
        // The same number of turns in reverse, and then one more.
        path.addPolygon(Self.turns(passes).reversed())
        #expect(coverage(of: [path], clip: bounds, with: &rasterizer) == [0, 0, 0, 0])
        path.addPolygon(Self.frame)
        #expect(coverage(of: [path], clip: bounds, with: &rasterizer) == [128, 255, 255, 128])
    }
}

@Suite("Ink within ink")
struct InkWithinInkTests {
    private static let wide = PixelRect(0, 0, 300, 40)

    /// A page of ink, 296 px wide, with triangles on it, in the same direction or the opposite one.
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

    /// In both directions, and in clips that cut triangles.
    @Test("Triangles within ink are invisible", arguments: Breadth.seeds(8, long: 30))
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

    @Test("A boundary within the deepest supported winding is invisible")
    func deep() {
        // 16,383 boundaries in each row, all but one in the first pixel. The right sides are outside the clip.
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

    /// In a clip of eight pixels no boundary is far enough from others to be skipped.
    @Test("Ink and holes are the same in columns of eight pixels", arguments: Breadth.seeds(6, long: 20))
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

    @Test("Ink with holes matches the reference")
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

@Suite("Areas of sampled pixels")
struct SampledAreasTests {
    /// The area of one pixel in 64-bit arithmetic.
    private func area(_ integral: Int64, winding: Int64, ink: Int64, _ rule: FillRule) -> Int64 {
        let full = Int64(Coverage.full)
        func plain(_ winding: Int64) -> Int64 {
            switch rule {
            case .nonZero: return min(abs(winding), full)
            case .evenOdd: return full - abs(abs(winding) % (2 * full) - full)
            }
        }
        if plain(winding) == ink { return plain(integral) }
        if rule == .evenOdd { return ink }
        if integral != 0 && (integral < 0) == (winding < 0) && abs(winding) > ink {
            return min((ink * abs(integral) + abs(winding) / 2) / abs(winding), full)
        }
        return max(0, min(full, ink + integral.signum() * (integral - winding)))
    }

    @Test(
        "Four pixels at a time equal one by one, at any winding number",
        arguments: [FillRule.nonZero, .evenOdd], [2, 40, Coverage.mostWindings])
    func areas(rule: FillRule, windings: Int) {
        var random = SeededGenerator(seed: UInt64(windings))
        let full = Int64(Coverage.full)
        let most = Int64(windings) * full
        for round in 0..<10_000 {
            var lanes: [(integral: Int64, winding: Int64, ink: Int64)] = []
            for _ in 0..<4 {
                // Ends and whole pixels as often as anything between.
                let anything = Int64.random(in: -most...most, using: &random)
                let integral = [0, full, -full, most, -most, anything][Int.random(in: 0..<6, using: &random)]
                // Differences fit 32 bits: the samples of thousands of boundaries are not off by that many windings.
                let reach = [0, 2_000, min(2 * most, 1 << 30)][Int.random(in: 0..<3, using: &random)]
                let winding = max(-most, min(most, integral + Int64.random(in: -reach...reach, using: &random)))
                let inks: [Int64] = [
                    0, full, min(abs(winding), full), Int64.random(in: 0...full, using: &random),
                ]
                lanes.append((integral, winding, inks[Int.random(in: 0..<4, using: &random)]))
            }
            func four(_ value: (Int) -> Int64) -> SIMD4<Int32> {
                SIMD4((0..<4).map { Int32(value($0)) })
            }
            let sampled = SampledAreas(winding: four { lanes[$0].winding }, ink: four { lanes[$0].ink })
            let areas = sampled.areas(four { lanes[$0].integral }, rule)
            for (lane, (integral, winding, ink)) in lanes.enumerated() {
                let expected = area(integral, winding: winding, ink: ink, rule)
                if Int64(areas[lane]) != expected {
                    Issue.record(
                        "round \(round): \(areas[lane]), not \(expected): \(integral), \(winding), \(ink)")
                    return
                }
            }
        }
    }

    @Test("Meaningless lanes still give areas in range")
    func nothing() {
        var random = SeededGenerator(seed: 3)
        let numbers: [Int32] = [0, 1, -1, Coverage.full, -Coverage.full, .max, .min + 1]
        func four() -> SIMD4<Int32> {
            SIMD4((0..<4).map { _ in numbers[Int.random(in: 0..<numbers.count, using: &random)] })
        }
        for _ in 0..<2_000 {
            let (winding, ink, integrals) = (four(), four(), four())
            let areas = SampledAreas(winding: winding, ink: ink).areas(integrals, .nonZero)
            for lane in 0..<4 {
                #expect(
                    areas[lane] >= 0 && areas[lane] <= Coverage.full,
                    "\(winding[lane]), \(ink[lane]), \(integrals[lane])")
            }
        }
    }
}
