// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Winding numbers")
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

    @Test("decide every pixel that no edge passes, by either rule")
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

    /// Their mean winding number in a pixel is nearly as many as there are: up to what the sums of a small group hold,
    /// and beyond.
    @Test("as many equal contours as a small group may have, and more, are one", arguments: [false, true])
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

    @Test("do not wrap where a stroke passes often", arguments: passes)
    func often(passes: Int) {
        let path = Path(polygon: Self.turns(passes))
        var rasterizer = Rasterizer()
        let inside = PixelRect(1, 1, 3, 2)
        #expect(coverage(of: [path], clip: inside, with: &rasterizer) == [255, 255])
        let isOdd = passes % 2 != 0
        #expect(coverage(of: [path], .evenOdd, clip: inside, with: &rasterizer) == (isOdd ? [255, 255] : [0, 0]))
    }

    @Test("do not wrap at the sides of such a stroke", arguments: [3, 16_384])
    func sides(passes: Int) {
        var path = Path(polygon: Self.turns(passes))
        var rasterizer = Rasterizer()
        let bounds = PixelRect(0, 1, 4, 2)
        #expect(coverage(of: [path], clip: bounds, with: &rasterizer) == [128, 255, 255, 128])
        // As often the other way, and then once more.
        path.addPolygon(Self.turns(passes).reversed())
        #expect(coverage(of: [path], clip: bounds, with: &rasterizer) == [0, 0, 0, 0])
        path.addPolygon(Self.frame)
        #expect(coverage(of: [path], clip: bounds, with: &rasterizer) == [128, 255, 255, 128])
    }
}
