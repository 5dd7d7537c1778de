// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Screen

@Suite("Framebuffer formats")
struct FramebufferFormatTests {
    private static let size = PixelSize(width: 8, height: 2)

    private func packed(_ pixel: UInt32, _ info: FramebufferInfo) throws -> UInt32 {
        let format = try FramebufferFormat(info)
        var output: UInt32 = 0
        withUnsafeMutableBytes(of: &output) { bytes in
            withUnsafePointer(to: pixel) {
                PixelPacker(format).pack($0, 0..<1, y: 0, into: bytes.baseAddress!)
            }
        }
        return output
    }

    @Test("puts colours at the device's bit positions")
    func order() throws {
        var info = FakeFramebuffer.xrgb8888(Self.size)
        #expect(try packed(0xFF11_2233, info) & 0xFF_FFFF == 0x112233)
        #expect(try "\(FramebufferFormat(info))" == "XRGB8888")
        (info.red.offset, info.blue.offset) = (0, 16)
        info.transparency = .init(offset: 24, length: 8)
        #expect(try packed(0x0011_2233, info) == 0xFF33_2211, "opaque, whatever the surface's upper byte is")
        #expect(try "\(FramebufferFormat(info))" == "ABGR8888")
        (info.red.offset, info.green.offset, info.blue.offset) = (24, 16, 8)
        info.transparency = .init(offset: 0, length: 0)
        #expect(try packed(0xFF11_2233, info) == 0x1122_3300)

        var small = FakeFramebuffer.rgb565(Self.size)
        #expect(try packed(0xFFFF_0000, small) == 0xF800)
        #expect(try packed(0xFF00_FF00, small) == 0x07E0)
        #expect(try packed(0xFF00_00FF, small) == 0x001F)
        (small.red.offset, small.blue.offset) = (0, 11)
        #expect(try packed(0xFFFF_0000, small) == 0x001F)
        #expect(try "\(FramebufferFormat(small))" == "BGR565")
    }

    @Test("a 16-bit pixel depends on its colour and place only, not on the range of columns")
    func places() throws {
        let packer = PixelPacker(try FramebufferFormat(FakeFramebuffer.rgb565(Self.size)))
        let row: [UInt32] = (0..<64).map { 0xFF00_0000 | UInt32($0) * 0x03_0201 }
        for y in 0..<9 {
            var whole = [UInt16](repeating: 0, count: 64)
            whole.withUnsafeMutableBytes { packer.pack(row, 0..<64, y: y, into: $0.baseAddress!) }
            for start in [1, 7, 30] {
                var part = [UInt16](repeating: 0, count: 64 - start)
                part.withUnsafeMutableBytes { packer.pack(row, start..<64, y: y, into: $0.baseAddress!) }
                #expect(part == Array(whole[start...]))
            }
        }
    }

    @Test("unsupported formats are rejected with a reason")
    func refusals() {
        func reason(_ change: (inout FramebufferInfo) -> Void) -> String? {
            var info = FakeFramebuffer.xrgb8888(Self.size)
            change(&info)
            return thrownReason(info)
        }
        #expect(reason { _ in } == nil)
        #expect(reason { $0.bitsPerPixel = 24 }?.contains("24 bits") == true)
        #expect(reason { $0.bitsPerPixel = 8 }?.contains("8 bits") == true)
        #expect(reason { $0.green.length = 6 }?.contains("8-6-8") == true)
        #expect(reason { $0.visual = 3 }?.contains("visual 3") == true)
        #expect(reason { $0.type = 1 } != nil)
        #expect(reason { $0.grayscale = 1 } != nil)
        #expect(reason { $0.red.isReversed = true } != nil)
        #expect(reason { $0.red.offset = 25 } != nil, "beyond the pixel")
        #expect(reason { $0.red.offset = 12 }?.contains("two colours") == true)
        #expect(reason { $0.transparency = .init(offset: 0, length: 200) } != nil)
        #expect(reason { $0.red.offset = Int(UInt32.max) } != nil)
    }

    private func thrownReason(_ info: FramebufferInfo) -> String? {
        do throws(FramebufferFormat.Unsupported) {
            _ = try FramebufferFormat(info)
            return nil
        } catch {
            return error.reason
        }
    }
}

@Suite("Ordered dithering")
struct OrderedDitherTests {
    private func level(_ color: Int, x: Int, y: Int, _ dither: OrderedDither) -> Int {
        dither.withRow(y) { Int($0[(x % 8) * 256 + color]) }
    }

    @Test("the matrix is Bayer's and has every threshold once")
    func matrix() {
        let fields = (0..<2).map { y in (0..<2).map { x in OrderedDither.threshold(x: x, y: y) / 16 } }
        #expect(fields == [[0, 2], [3, 1]])
        let first = (0..<4).map { OrderedDither.threshold(x: $0, y: 0) }
        #expect(first == [0, 32, 8, 40], "as in the literature")
        let all = (0..<64).map { OrderedDither.threshold(x: $0 % 8, y: $0 / 8) }
        #expect(all.sorted() == Array(0..<64))
    }

    @Test("colours that equal a level have no pattern: black, white and all levels between", arguments: [5, 6])
    func exactColors(bits: Int) {
        let dither = OrderedDither(bits: bits)
        for wanted in 0..<(1 << bits) {
            let color = OrderedDither.shown(wanted, bits: bits)
            for place in 0..<64 { #expect(level(color, x: place % 8, y: place / 8, dither) == wanted) }
        }
        #expect(OrderedDither.shown(0, bits: bits) == 0)
        #expect(OrderedDither.shown((1 << bits) - 1, bits: bits) == 255)
    }

    @Test("other colours mix the levels around them and are right on average to 1/64 of a step", arguments: [5, 6])
    func average(bits: Int) {
        let dither = OrderedDither(bits: bits)
        // The widest step: repeating bits makes some levels further apart by 1 than others.
        let step = (1 << (8 - bits)) + 1
        for color in 0...255 {
            var sum = 0
            for place in 0..<64 {
                let shown = OrderedDither.shown(level(color, x: place % 8, y: place / 8, dither), bits: bits)
                let error = abs(shown - color)
                #expect(error < step, "\(color)")
                sum += shown
            }
            let error = abs(sum - 64 * color)
            #expect(error <= step, "\(color)")
        }
    }

    @Test("a lighter colour never gets a darker level", arguments: [5, 6])
    func monotone(bits: Int) {
        let dither = OrderedDither(bits: bits)
        for place in 0..<64 {
            let levels = (0...255).map { level($0, x: place % 8, y: place / 8, dither) }
            #expect(levels == levels.sorted())
        }
    }
}
