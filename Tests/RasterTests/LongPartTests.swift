// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

/// Flat edges, whose parts lie in many pixels of a row: they are deposited eight pixels at a time.
@Suite("Parts over many pixels")
struct LongPartTests {
    /// A triangle one row high whose long side leads over `span` pixels and a bit.
    private static func triangle(span: Int, _ shapes: inout Shapes) -> [Point] {
        let left = shapes.number(0...0.999)
        let right = Double(span) + shapes.number(0...0.999)
        let (top, bottom) = (shapes.number(0...0.4), shapes.number(0.6...1))
        let corners = [Point(x: left, y: top), Point(x: right, y: bottom), Point(x: left, y: bottom)]
        return shapes.integer(0...1) == 0 ? corners : corners.reversed()
    }

    /// So that every place of the last pixel among the eight occurs.
    @Test("have the areas of the reference, and the same in every clip", arguments: 2...40)
    func areas(span: Int) {
        var shapes = Shapes(seed: UInt64(span))
        let bounds = PixelRect(0, 0, span + 2, 1)
        var error = CoverageError()
        var rasterizer = Rasterizer()
        for _ in 0..<12 {
            let corners = Self.triangle(span: span, &shapes)
            let path = Path(polygon: corners)
            let whole = coverage(of: [path], clip: bounds, with: &rasterizer)
            error.compare(whole, ReferenceRasterizer.coverage(of: [corners], rule: .nonZero, bounds: bounds))
            for x in 0..<bounds.maxX {
                let clip = PixelRect(x, 0, x + 1, 1)
                #expect(
                    coverage(of: [path], clip: clip, with: &rasterizer) == crop(whole, of: bounds, to: clip),
                    "pixel \(x) of \(corners)")
            }
        }
        #expect(error.worst < 2, "\(error)")
    }

    /// A part that ends on the right side of the box writes a block from there on, as far as a row's cells go; the last
    /// row of a band that fills its memory is the last of all. The address sanitizer would tell.
    @Test("may end at the end of the cells", arguments: 2_032...2_056)
    func lastCell(width: Int) {
        let bounds = PixelRect(0, 0, width, 8)
        let corners = [Point(x: 0, y: 0), Point(x: 0, y: 7), Point(x: Double(width), y: 8), Point(x: 0, y: 8)]
        var rasterizer = Rasterizer()
        let bytes = coverage(of: [Path(polygon: corners)], clip: bounds, with: &rasterizer)
        var error = CoverageError()
        error.compare(bytes, ReferenceRasterizer.coverage(of: [corners], rule: .nonZero, bounds: bounds))
        #expect(error.worst < 2, "\(error)")
    }
}
