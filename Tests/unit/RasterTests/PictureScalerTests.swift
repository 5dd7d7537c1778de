// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Pictures while people zoom")
struct PictureScalerTests {
    private static func noise(_ width: Int, _ height: Int, _ random: inout SeededGenerator) -> PixelBuffer {
        let buffer = PixelBuffer(size: PixelSize(width: width, height: height))
        for y in 0..<height {
            for x in 0..<width { buffer.surface.row(y)[x] = UInt32.random(in: 0...UInt32.max, using: &random) }
        }
        return buffer
    }

    /// A pixel as the scaler's documentation says it, channel by channel.
    private static func reference(_ source: Surface, _ x: Int, _ y: Int, of place: PixelRect) -> UInt32 {
        func tap(_ index: Int, _ side: Int, _ count: Int) -> (first: Int, second: Int, share: Int) {
            // The centre of the pixel in the source, rounded down to 1/256 of a pixel.
            let centre = ((2 * index + 1) * count - side) * 256 / (2 * side)
            let clamped = max(0, min(centre, (count - 1) * 256))
            return (clamped / 256, min(clamped / 256 + 1, count - 1), clamped % 256)
        }
        let (column, row) = (
            tap(x - place.minX, place.width, source.size.width), tap(y - place.minY, place.height, source.size.height)
        )
        func channel(_ shift: UInt32) -> UInt32 {
            func value(_ x: Int, _ y: Int) -> Int { Int(source.row(y)[x] >> shift & 0xFF) }
            let mixed = [column.first, column.second].map { x in
                (value(x, row.first) * (256 - row.share) + value(x, row.second) * row.share) / 256
            }
            return UInt32((mixed[0] * (256 - column.share) + mixed[1] * column.share) / 256) << shift
        }
        return channel(16) | channel(8) | channel(0)
    }

    @Test("every pixel is the mixture of its neighbours, and none beyond the clip changes", arguments: 0..<40)
    func mixture(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let source = Self.noise(.random(in: 1...40, using: &random), .random(in: 1...40, using: &random), &random)
        let target = Self.noise(48, 40, &random)
        let before = words(of: target.surface)
        let (x, y) = (Int.random(in: -60...40, using: &random), Int.random(in: -60...40, using: &random))
        let place = PixelRect(
            minX: x, minY: y, maxX: x + .random(in: 1...120, using: &random),
            maxY: y + .random(in: 1...120, using: &random))
        let clip = PixelRect(
            minX: .random(in: -5...10, using: &random), minY: .random(in: -5...10, using: &random),
            maxX: .random(in: 20...60, using: &random), maxY: .random(in: 20...60, using: &random))
        var scaler = PictureScaler()
        // Again, with what it has kept.
        for _ in 0..<2 {
            scaler.copy(source.surface, to: place, within: clip, of: target.surface)
            let part = place.intersection(clip).intersection(target.surface.bounds)
            var faults = 0
            for y in 0..<40 {
                for x in 0..<48 {
                    let isPart = x >= part.minX && x < part.maxX && y >= part.minY && y < part.maxY
                    let found = target.surface.row(y)[x]
                    let isSame = source.surface.size == PixelSize(width: place.width, height: place.height)
                    if !isPart {
                        if found != before[y * 48 + x] { faults += 1 }
                    } else if isSame {
                        if found != source.surface.row(y - place.minY)[x - place.minX] { faults += 1 }
                    } else if found & 0xFF_FFFF != Self.reference(source.surface, x, y, of: place) {
                        faults += 1
                    }
                }
            }
            #expect(faults == 0, "seed \(seed): \(source.surface.size) to \(place)")
        }
    }

    @Test("a picture of the same size is copied, also beside the target")
    func copies() {
        var random = SeededGenerator(seed: 1)
        let source = Self.noise(30, 20, &random)
        for (x, y) in [(0, 0), (3, 5), (-7, -9), (29, 19), (-29, -19), (100, 0)] {
            let target = PixelBuffer(size: PixelSize(width: 24, height: 32))
            var scaler = PictureScaler()
            scaler.copy(
                source.surface, to: PixelRect(minX: x, minY: y, maxX: x + 30, maxY: y + 20),
                within: target.surface.bounds, of: target.surface)
            for row in 0..<32 {
                for column in 0..<24 {
                    let isInside = (x..<x + 30).contains(column) && (y..<y + 20).contains(row)
                    let expected = isInside ? source.surface.row(row - y)[column - x] : 0
                    #expect(target.surface.row(row)[column] == expected, "\(x) \(y)")
                }
            }
        }
    }

    @Test("a picture of one colour keeps it in any size")
    func plain() {
        let source = PixelBuffer(size: PixelSize(width: 5, height: 4))
        source.surface.fill(source.surface.bounds, with: 0x80FF01)
        let target = PixelBuffer(size: PixelSize(width: 64, height: 64))
        var scaler = PictureScaler()
        for side in [1, 2, 9, 63, 64] {
            let place = PixelRect(size: PixelSize(width: side, height: side))
            scaler.copy(source.surface, to: place, within: place, of: target.surface)
            #expect(target.surface.colors(place) == [0x80FF01])
        }
    }

    @Test("a part of a surface is clipped, and what is drawn there has the place of the part")
    func part() {
        let buffer = PixelBuffer(size: PixelSize(width: 20, height: 20))
        let rect = PixelRect(minX: 4, minY: 6, maxX: 30, maxY: 12)
        let part = buffer.surface.part(rect)
        #expect(part.size == PixelSize(width: 16, height: 6))
        part.fill(PixelRect(minX: -5, minY: -5, maxX: 100, maxY: 100), with: .white)
        let inside = rect.intersection(buffer.surface.bounds)
        #expect(buffer.surface.colors(inside) == [0xFF_FFFF])
        for outside in buffer.surface.bounds.excluding(inside) { #expect(buffer.surface.colors(outside) == [0]) }
    }

    @Test("coverage that is moved is that of a moved shape")
    func moved() {
        var rasterizer = Rasterizer()
        func coverage(_ x: Double, _ y: Double, _ bounds: PixelRect) -> CoverageBuffer {
            let coverage = CoverageBuffer(bounds: bounds)
            rasterizer.begin(clip: bounds)
            rasterizer.add(
                Path(polygon: [
                    Point(x: x + 1.5, y: y + 1.25), Point(x: x + 8.75, y: y + 2), Point(x: x + 4, y: y + 9.5),
                ]))
            rasterizer.fill(.nonZero, into: coverage)
            return coverage
        }
        let one = PixelBuffer(size: PixelSize(width: 16, height: 16))
        let other = PixelBuffer(size: PixelSize(width: 16, height: 16))
        for (x, y) in [(0, 0), (4, 3), (-3, -4), (12, 12)] {
            for buffer in [one.surface, other.surface] { buffer.fill(buffer.bounds, with: .black) }
            let bounds = PixelRect(minX: 0, minY: 0, maxX: 10, maxY: 10)
            one.surface.blend(coverage(0, 0, bounds), with: .white, movedBy: x, y)
            let moved = PixelRect(minX: x, minY: y, maxX: x + 10, maxY: y + 10)
            other.surface.blend(coverage(Double(x), Double(y), moved), with: .white)
            #expect(one.surface.hasPixels(of: other.surface), "\(x) \(y)")
        }
    }
}
