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

    @Test("of one colour keep it in any size", arguments: [1, 2, 3, 7, 64, 200])
    func plain(side: Int) {
        for word: UInt32 in [0xFFFF_FFFF, 0xFF12_3456, 0x8040_2010, 0] {
            let scaled = plain(13, 9, word).scaled(to: PixelSize(width: side, height: 2 * side))
            // Halves of the premultiplied colour's levels are lost to rounding.
            for pixel in scaled.pixels {
                for shift: UInt32 in [0, 8, 16, 24] {
                    let (found, wanted) = (Int(pixel >> shift & 0xFF), Int(word >> shift & 0xFF))
                    #expect(abs(found - wanted) <= 1, "\(side)")
                }
            }
            #expect(scaled.size == PixelSize(width: side, height: 2 * side))
        }
    }

    @Test("made smaller by whole numbers keep their mean, with no pixel left out")
    func mean() {
        // A light pixel in every eighth place: a filter that skips pixels would find all of them or none.
        let pixels = (0..<64 * 64).map { gray(($0 % 8 == 3) ? 240 : 80) }
        let picture = Picture(size: PixelSize(width: 64, height: 64), pixels: pixels)
        let scaled = picture.scaled(to: PixelSize(width: 8, height: 8))
        for y in 2..<6 {
            for x in 2..<6 { #expect(abs(Int(scaled.pixels[y * 8 + x] & 0xFF) - 100) <= 2, "\(x) \(y)") }
        }
    }

    @Test("made larger run smoothly through the pixels that there are")
    func ramp() {
        let picture = Picture(size: PixelSize(width: 8, height: 1), pixels: (0..<8).map { gray(20 + 25 * $0) })
        let scaled = picture.scaled(to: PixelSize(width: 24, height: 3))
        for y in 0..<3 {
            let row = scaled.pixels[y * 24..<(y + 1) * 24].map { Int($0 & 0xFF) }
            #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 })
            // The middle of a source pixel is a pixel of the result. At the borders the filter has one side only.
            for x in 2..<6 { #expect(abs(row[x * 3 + 1] - (20 + 25 * x)) <= 1) }
        }
    }

    @Test("do not let the colour of what cannot be seen into what can")
    func transparent() {
        // Left half transparent red, right half white.
        let pixels = (0..<16 * 16).map { $0 % 16 < 8 ? UInt32(0x00FF_0000) : 0xFFFF_FFFF }
        let scaled = Picture(size: PixelSize(width: 16, height: 16), pixels: pixels)
            .scaled(to: PixelSize(width: 5, height: 5))
        for pixel in scaled.pixels where pixel >> 24 > 0 { #expect(pixel & 0xFF_FFFF == 0xFF_FFFF) }
        #expect(scaled.pixels.contains { 1..<255 ~= $0 >> 24 })
    }

    @Test("are blended over what is there, and cut at the surface's edge")
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

    @Test("without pixels, and in no size, are blank")
    func empty() {
        let none = Picture(size: PixelSize(width: 0, height: 5), pixels: [])
        #expect(none.scaled(to: PixelSize(width: 2, height: 1)).pixels == [0, 0])
        #expect(plain(2, 2, 1).scaled(to: PixelSize(width: 0, height: 3)).pixels.isEmpty)
    }
}
