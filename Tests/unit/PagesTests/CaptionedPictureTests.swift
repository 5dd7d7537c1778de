// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import Formats
import Geometry
import Pad
import Pages
import Raster
import Record
import TestSupport
import Testing

@Suite("Captions of pictures", .serialized)
struct CaptionedPictureTests {
    private static let caption = CaptionedPicture.Caption(
        prompt: ["I have received the goods of delivery note 4711 complete and undamaged.", "Thank you"],
        signer: "Ada Lovelace", date: "2026-11-21")

    private func picture(dpi: Double = 150) throws -> CapturePicture {
        // A wave, 40 mm wide and 12 mm high.
        var wave: [(Int64, Int32, Int32, Int32?)] = []
        for index in 0...160 {
            let height = abs(index % 40 - 20) * 60
            wave.append((Int64(index) * 8000, Int32(2000 + index * 25), Int32(3000 + height), nil))
        }
        return try CapturePicture(
            of: .pad(entries: [.stroke(wave)]), resolution: .density(PixelDensity(dotsPerInch: dpi)))
    }

    private func words(_ buffer: borrowing PixelBuffer, below top: Int, _ background: UInt32) -> PixelRect {
        var box = PixelRect.empty
        for y in top..<buffer.surface.size.height {
            for x in 0..<buffer.surface.size.width where buffer.surface.row(y)[x] != background {
                box = box.union(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
            }
        }
        return box
    }

    @Test("are below the ink, within the width of the picture, and do not change the ink", arguments: [72.0, 150, 300])
    func below(dpi: Double) throws {
        let picture = try picture(dpi: dpi)
        let ink = picture.pixels()
        let captioned = try CaptionedPicture(of: picture, caption: Self.caption, fonts: try Fonts())
        let (size, inkSize) = (captioned.pixels.surface.size, ink.surface.size)
        #expect(size.width == inkSize.width && size.height > inkSize.height)
        for y in 0..<inkSize.height {
            for x in 0..<inkSize.width {
                #expect(captioned.pixels.surface.row(y)[x] == ink.surface.row(y)[x])
            }
        }
        let box = words(captioned.pixels, below: inkSize.height, Color.white.xrgb8888)
        #expect(!box.isEmpty && box.minX > 0 && box.maxX < size.width && box.maxY < size.height)
        let png = try #require(DecodedPNG(try captioned.png()))
        #expect(png.size == size)
    }

    @Test("have the same bytes each time")
    func same() throws {
        let bytes = try CaptionedPicture(of: try picture(), caption: Self.caption, fonts: try Fonts()).png()
        #expect(try CaptionedPicture(of: try picture(), caption: Self.caption, fonts: try Fonts()).png() == bytes)
    }

    @Test("without paper have the colour of the ink and full opacity inside letters")
    func transparent() throws {
        let picture = try picture()
        let opaque = try CaptionedPicture(of: picture, caption: Self.caption, fonts: try Fonts())
        let clear = try CaptionedPicture(of: picture, caption: Self.caption, isTransparent: true, fonts: try Fonts())
        #expect(clear.pixels.surface.size == opaque.pixels.surface.size)
        for y in 0..<opaque.pixels.surface.size.height {
            for x in 0..<opaque.pixels.surface.size.width {
                let word = clear.pixels.surface.row(y)[x]
                // Black over white.
                let gray = 255 - Int(word >> 24)
                #expect(word & 0xFF_FFFF == (word >> 24 == 0 ? 0xFF_FFFF : 0))
                #expect(abs(gray - Int(opaque.pixels.surface.row(y)[x] & 0xFF)) <= 1)
            }
        }
        let png = try #require(DecodedPNG(try clear.png()))
        #expect(png[0, 0].alpha == 0)
    }

    @Test("start at the same side as lines of the page")
    func mirrored() throws {
        let picture = try picture()
        let top = picture.drawing.size.height
        var caption = CaptionedPicture.Caption(prompt: ["Ada"])
        let left = words(
            try CaptionedPicture(of: picture, caption: caption, fonts: try Fonts()).pixels, below: top,
            Color.white.xrgb8888)
        caption.direction = .rightToLeft
        let right = words(
            try CaptionedPicture(of: picture, caption: caption, fonts: try Fonts()).pixels, below: top,
            Color.white.xrgb8888)
        #expect(left.width == right.width && left.minY == right.minY)
        #expect(left.maxX < picture.drawing.size.width / 2 && right.minX > picture.drawing.size.width / 2)
    }

    @Test("have a notice above everything else")
    func notice() throws {
        let picture = try picture()
        let top = picture.drawing.size.height
        var caption = CaptionedPicture.Caption(notice: "Interrupted")
        func rows(_ caption: CaptionedPicture.Caption) throws -> [[UInt32]] {
            let captioned = try CaptionedPicture(of: picture, caption: caption, fonts: try Fonts())
            let surface = captioned.pixels.surface
            return (top..<surface.size.height).map { y in
                Array(UnsafeBufferPointer(start: surface.row(y), count: surface.size.width))
            }
        }
        let alone = try rows(caption)
        caption.prompt = [String](repeating: "word", count: 50)
        let many = try rows(caption)
        #expect(many.count > 10 * alone.count && many.prefix(alone.count / 2) == alone.prefix(alone.count / 2))
    }

    @Test("without text leave the picture as it is")
    func noWords() throws {
        let picture = try picture()
        let none = try CaptionedPicture(
            of: picture, caption: CaptionedPicture.Caption(prompt: [""], signer: ""), fonts: try Fonts())
        let png = try #require(DecodedPNG(try none.png()))
        #expect(png.size == picture.drawing.size)
    }

    @Test("are complete, or there is no picture")
    func veryManyWords() throws {
        let picture = try picture()
        func height(_ lines: Int) throws -> Int {
            let prompt = [String](repeating: "word", count: lines)
            let captioned = try CaptionedPicture(
                of: picture, caption: CaptionedPicture.Caption(prompt: prompt), fonts: try Fonts())
            return captioned.pixels.surface.size.height
        }
        let (line, hundred) = (try height(2) - height(1), try height(100))
        #expect(try hundred - height(1) == 99 * line)
        #expect(throws: ExportError.self) { _ = try height(20_000) }
    }
}
