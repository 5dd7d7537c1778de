// SPDX-License-Identifier: Apache-2.0
import Formats
import Geometry
import Raster
import Record
import Testing
import TestSupport

@Suite("PNG files read")
struct PNGDecoderTests {
    private func random(_ width: Int, _ height: Int, hasAlpha: Bool, seed: UInt64) throws -> (Picture, [UInt8]) {
        var random = SeededGenerator(seed: seed)
        let buffer = PixelBuffer(size: PixelSize(width: width, height: height))
        var pixels: [UInt32] = []
        for y in 0..<height {
            for x in 0..<width {
                let word = UInt32.random(in: 0...(.max), using: &random) | (hasAlpha ? 0 : 0xFF00_0000)
                buffer.surface.row(y)[x] = word
                pixels.append(word)
            }
        }
        let bytes = try PNGEncoder.encode(buffer.surface, hasAlpha: hasAlpha)
        return (Picture(size: PixelSize(width: width, height: height), pixels: pixels), bytes)
    }

    @Test("have the pixels that were written, opaque and not")
    func pixels() throws {
        for (index, side) in [1, 2, 17, 60].enumerated() {
            for hasAlpha in [false, true] {
                let (picture, bytes) = try random(side, side * 2 + 1, hasAlpha: hasAlpha, seed: UInt64(index))
                #expect(try PNGDecoder.decode(bytes) == picture)
            }
        }
    }

    /// Made with Python's zlib: 2x2, each kind that the encoder does not write.
    @Test("of every kind: gray, palette with transparency, 16 bits, 1 bit, interlaced")
    func kinds() throws {
        let files: [([UInt8], [UInt32])] = [
            (Self.gray8, [0xFF00_0000, 0xFF80_8080, 0xFFFF_FFFF, 0xFF10_1010]),
            (Self.palette, [0xFFFF_0000, 0x8000_FF00, 0xFFFF_0000, 0x8000_FF00]),
            (Self.bit1, [0xFFFF_FFFF, 0xFF00_0000, 0xFF00_0000, 0xFFFF_FFFF]),
            (Self.rgb16, [0xFFFF_0000, 0xFF00_FF00, 0xFF00_00FF, 0xFFFF_FFFF]),
            (Self.interlaced, [0xFF00_0000, 0xFF80_8080, 0xFFFF_FFFF, 0xFF10_1010]),
        ]
        for (bytes, pixels) in files {
            #expect(try PNGDecoder.decode(bytes) == Picture(size: PixelSize(width: 2, height: 2), pixels: pixels))
        }
    }

    @Test("that are none are refused with libpng's words")
    func malformed() throws {
        for bytes: [UInt8] in [[], [0x89], Array("GIF89a".utf8), [UInt8](repeating: 0, count: 100)] {
            guard case .malformed(let reason)? = thrownError(by: { try PNGDecoder.decode(bytes) }) as? PNGError else {
                Issue.record("\(bytes.count) bytes were taken")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("that are broken off are refused at every byte")
    func torn() throws {
        let (_, bytes) = try random(9, 7, hasAlpha: true, seed: 3)
        // Without the last chunk, IEND, all pixels are there; libpng does not miss it.
        for count in 0..<bytes.count - 12 - 4 {
            #expect(thrownError { try PNGDecoder.decode(Array(bytes.prefix(count))) } is PNGError, "\(count)")
        }
    }

    @Test("with any byte changed are read or refused")
    func hostile() throws {
        let (picture, bytes) = try random(20, 20, hasAlpha: false, seed: 9)
        var generator = SeededGenerator(seed: 10)
        for _ in 0..<3000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                changed[index] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(PNGError) {
                let read = try PNGDecoder.decode(changed)
                #expect(read.pixels.count == read.size.width * read.size.height)
                if changed == bytes { #expect(read == picture) }
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test("that say they are huge are refused before memory is taken")
    func huge() throws {
        for (width, height) in [(20_000, 1), (1, 16_385), (16_384, 16_384), (0x7FFF_FFFF, 1), (0, 1)] {
            let bytes = Self.header(width: UInt32(width), height: UInt32(height))
            #expect(thrownError { try PNGDecoder.decode(bytes) } is PNGError, "\(width)x\(height)")
        }
        let error = thrownError { try PNGDecoder.decode(Self.header(width: 16_384, height: 16_384)) } as? PNGError
        #expect(error == .tooLarge(PixelSize(width: 16_384, height: 16_384)))
    }
}
