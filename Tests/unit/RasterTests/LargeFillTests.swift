// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Raster
import TestSupport
import Testing

/// Shapes taller and wider than a band and its rows of cells.
@Suite("Long strokes on a large page")
struct LargePageTests {
    enum Shape: String, CaseIterable, Sendable {
        case scribble, flat, steep, diagonal, curves, beyond
    }

    private static let size = PixelSize(width: 3840, height: 2160)
    private static let page = PixelRect(size: size)

    private static func path(_ shape: Shape) -> Path {
        var shapes = Shapes(seed: 31)
        switch shape {
        case .scribble:
            return Path(
                polygon: Scribble(
                    &shapes, width: 2...30, page: size, samples: 900, step: 10...20, bend: 0.2
                ).outline)
        case .flat:
            return Path(polygon: [
                Point(x: 3.2, y: 1023.3), Point(x: 3836.7, y: 1025.6), Point(x: 3836.5, y: 1026.8),
                Point(x: 3, y: 1024.6),
            ])
        case .steep:
            return Path(polygon: [
                Point(x: 2047.6, y: 1.3), Point(x: 2049.2, y: 1.1), Point(x: 2051, y: 2158.2),
                Point(x: 2050.3, y: 2159),
            ])
        case .diagonal:
            return Path(polygon: [Point(x: 0.3, y: 0.1), Point(x: 3839.6, y: 2158.4), Point(x: 3837.1, y: 2159.5)])
        case .curves:
            var path = Path()
            path.move(to: Point(x: 12.3, y: 2000.4))
            path.addQuadratic(control: Point(x: 1700.7, y: -1900.2), end: Point(x: 3800.1, y: 2100.9))
            path.addCubic(
                control1: Point(x: 2900, y: -900.5), control2: Point(x: 300.2, y: 3100), end: Point(x: 9.1, y: 40.6))
            path.addLine(to: Point(x: 6.2, y: 44.9))
            path.addCubic(
                control1: Point(x: 296, y: 3110), control2: Point(x: 2906, y: -880.5), end: Point(x: 3790, y: 2110.2))
            path.addQuadratic(control: Point(x: 1700, y: -1880), end: Point(x: 16, y: 2004.5))
            return path
        case .beyond:
            var path = Path(polygon: [
                Point(x: -9000.4, y: 800.2), Point(x: 12_000.9, y: 1400.7), Point(x: 12_000.9, y: 1406.1),
            ])
            path.addPolygon([
                Point(x: 1000.3, y: -20_000), Point(x: 2600.1, y: 30_000), Point(x: 2594.8, y: 30_000),
            ])
            return path
        }
    }

    /// Parts that begin and end at, before and after powers of two.
    private static func parts(_ shapes: inout Shapes) -> [PixelRect] {
        var parts: [PixelRect] = []
        for row in [0, 31, 64, 127, 255, 512, 1023, 1024, 1025, 2047] {
            parts.append(PixelRect(0, row, size.width, row + shapes.integer(1...70)).intersection(page))
        }
        for column in [0, 7, 63, 255, 1024, 2047, 2048, 2049, 3071, 3801] {
            parts.append(PixelRect(column, 0, column + shapes.integer(1...40), size.height).intersection(page))
        }
        for _ in 0..<20 {
            let (x, y) = (shapes.integer(0...3800), shapes.integer(0...2100))
            parts.append(PixelRect(x, y, x + shapes.integer(1...300), y + shapes.integer(1...300)).intersection(page))
        }
        return parts
    }

    @Test("A part of the page is a crop of the whole", arguments: Shape.allCases)
    func cropped(shape: Shape) {
        var shapes = Shapes(seed: 32)
        let path = Self.path(shape)
        var rasterizer = Rasterizer()
        for rule in [FillRule.nonZero, .evenOdd] {
            let whole = coverage(of: [path], rule, clip: Self.page, with: &rasterizer)
            #expect(whole.contains(255) || shape == .flat)
            for part in Self.parts(&shapes) {
                #expect(
                    coverage(of: [path], rule, clip: part, with: &rasterizer) == crop(whole, of: Self.page, to: part),
                    "\(part)")
            }
        }
    }

    @Test("A page filled in tiles is the page, translucent", arguments: Shape.allCases)
    func parts(shape: Shape) {
        let path = Self.path(shape)
        let color = Color(red: 20, green: 30, blue: 200, alpha: 150)
        let whole = PixelBuffer(size: Self.size)
        let inParts = PixelBuffer(size: Self.size)
        for surface in [whole.surface, inParts.surface] { surface.fill(Self.page, with: .white) }
        var rasterizer = Rasterizer()
        rasterizer.draw(path, .nonZero, with: color, into: whole.surface, clip: Self.page)
        for y in stride(from: 0, to: Self.size.height, by: 331) {
            for x in stride(from: 0, to: Self.size.width, by: 1237) {
                let part = PixelRect(x, y, x + 1237, y + 331)
                rasterizer.draw(path, .nonZero, with: color, into: inParts.surface, clip: part)
            }
        }
        let firstDifference = (0..<Self.size.height).first { y in
            memcmp(whole.surface.row(y), inParts.surface.row(y), Self.size.width * 4) != 0
        }
        #expect(firstDifference == nil)
    }

    @Test("Pages of the maximum height and width", arguments: [true, false])
    func longest(isTall: Bool) {
        // The side of the square in which pixels are drawn.
        let length = 65_536
        let corners = [Point(x: 1.3, y: -70_000), Point(x: 20.6, y: 65_530.4), Point(x: 14.2, y: 65_535.7)]
        let path = Path(polygon: isTall ? corners : corners.map { Point(x: $0.y, y: $0.x) })
        func rect(_ start: Int, _ end: Int) -> PixelRect {
            isTall ? PixelRect(0, start, 24, end) : PixelRect(start, 0, end, 24)
        }
        var rasterizer = Rasterizer()
        let page = rect(0, length)
        let whole = coverage(of: [path], clip: page, with: &rasterizer)
        #expect(whole.contains(255))
        for start in [0, 1, 255, 4095, 32_767, 40_000, 65_500] {
            let part = rect(start, min(start + 97, length))
            #expect(coverage(of: [path], clip: part, with: &rasterizer) == crop(whole, of: page, to: part), "\(start)")
        }
    }
}

/// Flat edges, whose parts touch many pixels of a row and are deposited eight pixels at a time.
@Suite("Edge parts over many pixels")
struct LongPartTests {
    /// A triangle one row high whose long side leads over `span` pixels and a bit.
    private static func triangle(span: Int, _ shapes: inout Shapes) -> [Point] {
        let left = shapes.number(0...0.999)
        let right = Double(span) + shapes.number(0...0.999)
        let (top, bottom) = (shapes.number(0...0.4), shapes.number(0.6...1))
        let corners = [Point(x: left, y: top), Point(x: right, y: bottom), Point(x: left, y: bottom)]
        return shapes.integer(0...1) == 0 ? corners : corners.reversed()
    }

    /// The spans put the last pixel at every place of a block of eight.
    @Test("A long part matches the reference and is the same in every clip", arguments: 2...40)
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

    /// A part that ends on the right side of the box writes a block from there to the end of the row's cells. In the
    /// last row of a band that fills its memory, a longer block would be found by the address sanitizer.
    @Test("A long part may end at the end of the cells", arguments: 2_032...2_056)
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
