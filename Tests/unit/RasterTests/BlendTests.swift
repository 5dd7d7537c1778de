// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@testable import RasterKernel

@Suite("Blending ink over pixels")
struct BlendTests {
    private static let size = PixelSize(width: 32, height: 24)
    private static let bounds = PixelRect(size: size)

    private func channels(_ pixel: UInt32) -> [Double] {
        [Double(pixel >> 16 & 255), Double(pixel >> 8 & 255), Double(pixel & 255)]
    }

    @Test("Coverage x alpha of the difference is added, rounded", arguments: [255, 254, 128, 127, 64, 1, 0] as [UInt8])
    func blend(alpha: UInt8) {
        let color = Color(red: 12, green: 200, blue: 255, alpha: alpha)
        let pixels = PixelBuffer(size: Self.size)
        let before = PixelBuffer(size: Self.size)
        mottle(pixels.surface, seed: 5)
        mottle(before.surface, seed: 5)
        var shapes = Shapes(seed: 6)
        let path = shapes.path(in: 0...24)
        let covered = coverage(of: path, clip: Self.bounds)
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: Self.bounds)
        rasterizer.add(path)
        rasterizer.fill(.nonZero, with: color, into: pixels.surface)
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let old = before.surface.row(y)[x]
                let new = pixels.surface.row(y)[x]
                let byte = covered[y * Self.size.width + x]
                let weight = Double(byte) / 255 * Double(alpha) / 255
                // X is a channel like the others, so it stays 255 on every surface where it is.
                let unused = (Double(new >> 24), (Double(old >> 24), 255.0))
                let shown = zip(channels(new), zip(channels(old), channels(color.xrgb8888)))
                for (channel, (was, ink)) in Array(shown) + [unused] {
                    // Half a level of rounding, half of the 8-bit coverage, and the weight's 1/256.
                    #expect(abs(channel - (was + (ink - was) * weight)) < 2.1, "\(x), \(y)")
                }
            }
        }
    }

    /// One pixel at a time in a clip of width 1, else eight at a time.
    @Test("The documented formula holds to the bit at every weight and level", arguments: [1, 24])
    func weights(clipWidth: Int) {
        let size = PixelSize(width: 32, height: 256)
        let pixels = PixelBuffer(size: size)
        var rasterizer = Rasterizer()
        var different = 0
        for weight in 0...256 as ClosedRange<UInt32> {
            // All of the levels in turn, and often the least and the greatest one.
            let (red, green, blue) = (weight & 255, weight &* 151 & 255, weight % 3 &* 127)
            let color = Color(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
            for y in 0..<UInt32(size.height) { pixels.surface.row(Int(y))[4] = y << 24 | y << 16 | y << 8 | (255 - y) }
            let right = 4 + Double(weight) / 256
            rasterizer.begin(clip: PixelRect(4, 0, 4 + clipWidth, size.height))
            rasterizer.add(
                Path(polygon: [
                    Point(x: 4, y: 0), Point(x: right, y: 0), Point(x: right, y: 256), Point(x: 4, y: 256),
                ]))
            rasterizer.fill(.nonZero, with: color, into: pixels.surface)
            for y in 0..<UInt32(size.height) {
                var expected: UInt32 = 0
                let channels: [(UInt32, UInt32)] = [(y, 255), (y, red), (y, green), (255 - y, blue)]
                for (old, ink) in channels {
                    expected = expected << 8 | (old * (256 - weight) + ink * weight + 128) >> 8
                }
                if pixels.surface.row(Int(y))[4] != expected { different += 1 }
            }
        }
        #expect(different == 0)
    }

    @Test("Full coverage stores the colour and no coverage keeps the pixel")
    func ends() {
        let pixels = PixelBuffer(size: Self.size)
        let before = PixelBuffer(size: Self.size)
        mottle(pixels.surface, seed: 9)
        mottle(before.surface, seed: 9)
        let color = Color(red: 1, green: 2, blue: 3)
        var rasterizer = Rasterizer()
        rasterizer.begin(clip: Self.bounds)
        rasterizer.add(Path(polygon: [Point(x: 4, y: 5), Point(x: 20, y: 5), Point(x: 20, y: 9), Point(x: 4, y: 9)]))
        rasterizer.fill(.nonZero, with: color, into: pixels.surface)
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let isInside = x >= 4 && x < 20 && y >= 5 && y < 9
                #expect(pixels.surface.row(y)[x] == (isInside ? color.xrgb8888 : before.surface.row(y)[x]))
            }
        }
    }

    @Test("No word outside the clip, the surface or its rows changes", arguments: Breadth.seeds(8, long: 30))
    func guarded(seed: UInt64) {
        var shapes = Shapes(seed: seed)
        let size = PixelSize(width: shapes.integer(1...20), height: shapes.integer(1...20))
        let strideWords = size.width + shapes.integer(0...7)
        let guardWords = 64
        let count = strideWords * size.height + 2 * guardWords
        let words = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        defer { words.deallocate() }
        words.initialize(repeating: 0x5A5A_5A5A, count: count)
        let surface = Surface(
            base: UnsafeMutableRawPointer(words + guardWords), size: size, strideBytes: strideWords * 4)
        var rasterizer = Rasterizer()
        let (x, y) = (shapes.integer(-6...20), shapes.integer(-6...20))
        let clip = PixelRect(x, y, x + shapes.integer(0...30), y + shapes.integer(0...30))
        let inside = clip.intersection(PixelRect(size: size))
        for _ in 0..<6 {
            rasterizer.begin(clip: clip)
            rasterizer.add(shapes.path(in: -10...30))
            rasterizer.fill(.nonZero, with: Color(red: 1, green: 2, blue: 3, alpha: 200), into: surface)
        }
        for index in 0..<count {
            let offset = index - guardWords
            let column = offset >= 0 ? offset % strideWords : 0
            let row = offset >= 0 ? offset / strideWords : -1
            let isInside =
                column >= inside.minX && column < inside.maxX && row >= inside.minY && row < inside.maxY
            if !isInside { #expect(words[index] == 0x5A5A_5A5A, "seed \(seed), word \(offset)") }
        }
    }
}

@Suite("Blending given coverage")
struct CoverageBlendTests {
    @Test("Every coverage byte survives conversion to an area and back")
    func roundTrip() {
        for byte in UInt8.min...UInt8.max { #expect(Coverage.byte(Coverage.area(ofByte: byte)) == byte) }
        #expect(Coverage.area(ofByte: 255) == Coverage.full)
    }

    @Test("Blending changes covered pixels on the surface only")
    func blend() {
        let buffer = PixelBuffer(size: PixelSize(width: 4, height: 3))
        buffer.surface.fill(buffer.surface.bounds, with: .white)
        let coverage = CoverageBuffer(bounds: PixelRect(minX: 2, minY: -1, maxX: 6, maxY: 2))
        coverage.withUnsafeMutableBytes { for index in 0..<12 { $0[index] = [255, 128, 0, 255][index % 4] } }
        buffer.surface.blend(coverage, with: .black)
        let rows = (0..<3).map { y in (0..<4).map { buffer.surface.row(y)[$0] & 0xFF } }
        #expect(rows == [[255, 255, 0, 127], [255, 255, 0, 127], [255, 255, 255, 255]])
    }
}
