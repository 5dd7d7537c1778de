// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Polygons handed in as points")
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

    @Test("are the same as as a path", arguments: 0..<60 as Range<UInt64>)
    func points(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let polygon = shapes.polygon(corners: 3...12, in: -20...60)
        #expect(
            filled(polygon, clip: Self.bounds) == coverage(of: Path(polygon: polygon), clip: Self.bounds),
            "seed \(seed)")
    }

    /// A contour is cut where it turns, which is told of 32 edges at a time; level edges lead where those before do.
    @Test("are the same from whichever corner on, with many turns and level edges", arguments: [0, 1, 2, 31, 33, 70])
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

    /// What lies outermost may be any corner, and corners are measured several at a time.
    @Test("are the same from whichever corner on", arguments: 3...9)
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
        -65_535.999, 2_147_483_648, 0.001, 5e-324, 16_777_215, -16_777_215, 16_711_680, -16_711_681,
    ]

    @Test("of any coordinates", arguments: values)
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

    @Test("with edges as tall as there can be stay within their ends")
    func tall() {
        // The slope's error, over 131,000 rows, would lead an edge 1/256 px to the left of where both its ends are.
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
