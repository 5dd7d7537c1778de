// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("The reference is right")
struct ReferenceTests {
    private static let bounds = PixelRect(0, 0, 20, 20)

    @Test("where a pixel's area is plain")
    func plain() {
        // A flat edge 0.3 down, sides at 0.25 and 2.75, and a notch through the right pixel from corner to corner.
        let polygon = [Point(x: 0.25, y: 0.3), Point(x: 2, y: 0.3), Point(x: 2, y: 0), Point(x: 3, y: 1)]
        let areas = ReferenceRasterizer.coverage(
            of: [polygon + [Point(x: 0.25, y: 1)]], rule: .nonZero, bounds: PixelRect(0, 0, 4, 1))
        for (area, expected) in zip(areas, [0.75 * 0.7, 0.7, 0.5, 0]) { #expect(abs(area - expected * 255) < 1e-6) }
    }

    @Test("in its sum", arguments: 0..<20 as Range<UInt64>)
    func sum(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let corners = shapes.polygon(corners: 3...3, in: 0...20)
        let sum = ReferenceRasterizer.coverage(of: [corners], rule: .nonZero, bounds: Self.bounds).reduce(0, +)
        let area = abs((corners[1] - corners[0]).cross(corners[2] - corners[0])) / 2
        #expect(abs(sum / 255 - area) < 1e-6, "seed \(seed)")
    }

    @Test("where contours overlap, by either rule")
    func overlap() {
        func square(_ x: Double) -> [Point] {
            [Point(x: x, y: 0), Point(x: x + 0.5, y: 0), Point(x: x + 0.5, y: 1), Point(x: x, y: 1)]
        }
        let pixel = PixelRect(0, 0, 1, 1)
        func area(_ polygons: [[Point]], _ rule: FillRule) -> Double {
            ReferenceRasterizer.coverage(of: polygons, rule: rule, bounds: pixel)[0] / 255
        }
        #expect(abs(area([square(0), square(0.25)], .nonZero) - 0.75) < 1e-9)
        #expect(abs(area([square(0), square(0.25)], .evenOdd) - 0.5) < 1e-9)
        #expect(abs(area([square(0), square(0.25).reversed()], .nonZero) - 0.5) < 1e-9)
        #expect(abs(area([square(-0.25), square(0.75)], .nonZero) - 0.5) < 1e-9)
    }

    @Test("as far as more slabs tell")
    func converged() {
        var shapes = Shapes(seed: 5)
        var error = CoverageError()
        for _ in 0..<20 {
            let outline = shapes.strokeOutline(width: 0.7...6, in: 2...18, steps: 20)
            let coarse = ReferenceRasterizer.coverage(
                of: [outline], rule: .nonZero, bounds: Self.bounds, slabsPerPixel: 32)
            let fine = ReferenceRasterizer.coverage(
                of: [outline], rule: .nonZero, bounds: Self.bounds, slabsPerPixel: 128)
            error.compare(coarse.map { UInt8($0.rounded()) }, fine)
        }
        // A quarter is what rounding to bytes makes.
        #expect(error.mean < 0.27 && error.worst < 3, "\(error)")
    }
}
