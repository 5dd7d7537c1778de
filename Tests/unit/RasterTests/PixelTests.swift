// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster
import TestSupport
import Testing

@Suite("Pictures")
struct PictureTests {
    private func plain(_ width: Int, _ height: Int, _ word: UInt32) -> Picture {
        Picture(
            size: PixelSize(width: width, height: height), pixels: [UInt32](repeating: word, count: width * height))
    }

    private func gray(_ value: Int) -> UInt32 { 0xFF00_0000 | UInt32(value) * 0x01_0101 }

    @Test("A picture of one colour keeps it in any size", arguments: [1, 2, 3, 7, 64, 200])
    func plain(side: Int) {
        for word: UInt32 in [0xFFFF_FFFF, 0xFF12_3456, 0x8040_2010, 0] {
            let scaled = plain(13, 9, word).scaled(to: PixelSize(width: side, height: 2 * side))
            // Rounding the premultiplied colour loses up to half a level.
            for pixel in scaled.pixels {
                for shift: UInt32 in [0, 8, 16, 24] {
                    let (found, wanted) = (Int(pixel >> shift & 0xFF), Int(word >> shift & 0xFF))
                    #expect(abs(found - wanted) <= 1, "\(side)")
                }
            }
            #expect(scaled.size == PixelSize(width: side, height: 2 * side))
        }
    }

    @Test("Reduction keeps the mean and skips no pixel")
    func mean() {
        // Every eighth pixel is light. A filter that skips pixels would find all of these or none.
        let pixels = (0..<64 * 64).map { gray(($0 % 8 == 3) ? 240 : 80) }
        let picture = Picture(size: PixelSize(width: 64, height: 64), pixels: pixels)
        let scaled = picture.scaled(to: PixelSize(width: 8, height: 8))
        for y in 2..<6 {
            for x in 2..<6 { #expect(abs(Int(scaled.pixels[y * 8 + x] & 0xFF) - 100) <= 2, "\(x) \(y)") }
        }
    }

    @Test("Enlargement passes smoothly through the source pixels")
    func ramp() {
        let picture = Picture(size: PixelSize(width: 8, height: 1), pixels: (0..<8).map { gray(20 + 25 * $0) })
        let scaled = picture.scaled(to: PixelSize(width: 24, height: 3))
        for y in 0..<3 {
            let row = scaled.pixels[y * 24..<(y + 1) * 24].map { Int($0 & 0xFF) }
            #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 })
            // The middle of a source pixel is a pixel of the result. At the borders the filter is one-sided.
            for x in 2..<6 { #expect(abs(row[x * 3 + 1] - (20 + 25 * x)) <= 1) }
        }
    }

    @Test("The colour of transparent pixels does not bleed")
    func transparent() {
        // Left half transparent red, right half white.
        let pixels = (0..<16 * 16).map { $0 % 16 < 8 ? UInt32(0x00FF_0000) : 0xFFFF_FFFF }
        let scaled = Picture(size: PixelSize(width: 16, height: 16), pixels: pixels)
            .scaled(to: PixelSize(width: 5, height: 5))
        for pixel in scaled.pixels where pixel >> 24 > 0 { #expect(pixel & 0xFF_FFFF == 0xFF_FFFF) }
        #expect(scaled.pixels.contains { 1..<255 ~= $0 >> 24 })
    }

    @Test("A picture is blended and clipped to the surface")
    func blend() {
        let buffer = PixelBuffer(size: PixelSize(width: 8, height: 8))
        for (x, y) in [(-2, -2), (6, 7), (3, 3), (100, 0), (-100, 0)] {
            buffer.surface.fill(buffer.surface.bounds, with: Color(red: 100, green: 100, blue: 100))
            buffer.surface.blend(plain(4, 4, 0x80C8_0000), x: x, y: y)
            for row in 0..<8 {
                for column in 0..<8 {
                    let isInside = (x..<x + 4).contains(column) && (y..<y + 4).contains(row)
                    let expected: UInt32 = isInside ? 0xFF96_3232 : 0xFF64_6464
                    #expect(buffer.surface.row(row)[column] == expected, "\(x) \(y)")
                }
            }
        }
        buffer.surface.blend(plain(8, 8, 0xFF01_0203), x: 0, y: 0)
        #expect(buffer.surface.row(7)[7] == 0xFF01_0203)
    }

    @Test("Empty pictures and empty sizes give blank pictures")
    func empty() {
        let none = Picture(size: PixelSize(width: 0, height: 5), pixels: [])
        #expect(none.scaled(to: PixelSize(width: 2, height: 1)).pixels == [0, 0])
        #expect(plain(2, 2, 1).scaled(to: PixelSize(width: 0, height: 3)).pixels.isEmpty)
    }
}

@Suite("Reduced copies")
struct ReductionTests {
    /// A picture of grey values.
    private func gray(_ rows: [[UInt8]]) -> PixelBuffer {
        let buffer = PixelBuffer(size: PixelSize(width: rows[0].count, height: rows.count))
        for (y, row) in rows.enumerated() {
            for (x, value) in row.enumerated() {
                buffer.surface.row(y)[x] = Color(red: value, green: value, blue: value).xrgb8888
            }
        }
        return buffer
    }

    @Test("A pixel is the mean of the pixels it replaces, also at the far edges")
    func mean() {
        let source = gray([[0, 255, 10], [255, 255, 20], [7, 8, 9]])
        let target = PixelBuffer(size: PixelSize(width: 2, height: 2))
        target.surface.copy(source.surface, reducedBy: 2)
        let values = (0..<2).map { y in (0..<2).map { target.surface.row(y)[$0] & 0xFF } }
        #expect(values == [[191, 15], [8, 9]])
        #expect(target.surface.row(0)[0] == 0xFFBF_BFBF)
    }

    @Test("A factor of 1 copies")
    func same() {
        let source = gray([[1, 2], [3, 4]])
        let target = PixelBuffer(size: source.surface.size)
        target.surface.copy(source.surface, reducedBy: 1)
        #expect((0..<2).map { y in (0..<2).map { target.surface.row(y)[$0] & 0xFF } } == [[1, 2], [3, 4]])
    }
}

@Suite("Pixel buffers")
struct PixelBufferTests {
    /// The smallest size with huge pages, and sizes around it.
    static let sizes = [(0, 0), (1, 1), (512, 1023), (512, 1024), (512, 1025), (1000, 600), (1920, 1080)]

    @Test("Memory is zero, and each row begins a cache line", arguments: sizes)
    func memory(width: Int, height: Int) {
        let size = PixelSize(width: width, height: height)
        check(PixelBuffer(size: size), size, alignment: 64)
        // Huge pages are 2 MiB, and memory that does not begin with one has smaller ones there.
        let isLarge = width * height * 4 >= 2 << 20
        check(PixelBuffer(lasting: size), size, alignment: isLarge ? 2 << 20 : 64)
    }

    private func check(_ buffer: borrowing PixelBuffer, _ size: PixelSize, alignment: UInt) {
        let surface = buffer.surface
        #expect(surface.size == size)
        #expect(UInt(bitPattern: surface.row(0)) % alignment == 0)
        for y in 0..<size.height { #expect(UInt(bitPattern: surface.row(y)) % 64 == 0) }
        #expect(words(of: surface).allSatisfy { $0 == 0 })
        surface.fill(surface.bounds, with: .white)
        #expect(words(of: surface).allSatisfy { $0 == 0xFFFF_FFFF })
    }
}
