// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The pixel format of a framebuffer device: 32 bits with 8 for each colour, or 16 bits with 5, 6 and 5, in any order.
struct FramebufferFormat: Equatable, Sendable {
    let bytesPerPixel: Int
    /// Offsets of the colours from the least significant bit.
    let red, green, blue: UInt32
    /// Bits to set in every pixel, so that a driver with transparency does not show what is behind.
    let opaque: UInt32

    struct Unsupported: Error, Equatable {
        let reason: String
    }

    init(_ info: FramebufferInfo) throws(Unsupported) {
        guard info.type == CLINUX_FB_TYPE_PACKED_PIXELS, info.visual == CLINUX_FB_VISUAL_TRUECOLOR, info.grayscale == 0
        else {
            throw Unsupported(reason: "its pixels are not colours (type \(info.type), visual \(info.visual))")
        }
        let channels = [info.red, info.green, info.blue]
        let lengths = channels.map(\.length)
        guard info.bitsPerPixel == 32 && lengths == [8, 8, 8] || info.bitsPerPixel == 16 && lengths == [5, 6, 5] else {
            let found = lengths.map(String.init).joined(separator: "-")
            throw Unsupported(
                reason: "it has \(info.bitsPerPixel) bits a pixel, \(found) of red, green and blue; it must be 32 with "
                    + "8-8-8 or 16 with 5-6-5: see fbset(1) and the overlay of the screen")
        }
        var used: UInt32 = 0
        for channel in channels + [info.transparency] where channel.length > 0 {
            guard !channel.isReversed, channel.length <= 8, channel.offset >= 0,
                channel.offset + channel.length <= info.bitsPerPixel
            else {
                throw Unsupported(reason: "a colour is at bit \(channel.offset), outside its pixels")
            }
            let bits = Self.mask(channel)
            guard used & bits == 0 else { throw Unsupported(reason: "two colours share bit \(channel.offset)") }
            used |= bits
        }
        bytesPerPixel = info.bitsPerPixel / 8
        (red, green, blue) = (UInt32(info.red.offset), UInt32(info.green.offset), UInt32(info.blue.offset))
        opaque = Self.mask(info.transparency)
    }

    private static func mask(_ channel: FramebufferInfo.Channel) -> UInt32 {
        let bits: UInt32 = (1 << UInt32(channel.length)) - 1
        return bits << UInt32(channel.offset)
    }

    /// The format of our surfaces: rows can be copied.
    var isXRGB8888: Bool { bytesPerPixel == 4 && red == 16 && green == 8 && blue == 0 }
}

extension FramebufferFormat: CustomStringConvertible {
    /// The name that DRM uses, with the colours from the left.
    var description: String {
        let order = [(red, "R"), (green, "G"), (blue, "B")].sorted { $0.0 > $1.0 }.map(\.1).joined()
        return bytesPerPixel == 2 ? order + "565" : (opaque == 0 ? "X" : "A") + order + "8888"
    }
}

/// Converts rows of XRGB8888 to a framebuffer's format.
struct PixelPacker: Sendable {
    let format: FramebufferFormat
    private let five = OrderedDither(bits: 5)
    private let six = OrderedDither(bits: 6)

    init(_ format: FramebufferFormat) { self.format = format }

    /// - Parameters:
    ///   - row: the first pixel of row `y` of a surface.
    ///   - columns: the pixels to convert.
    ///   - output: receives the converted pixels, the first column first.
    func pack(
        _ row: UnsafePointer<UInt32>, _ columns: Range<Int>, y: Int, into output: UnsafeMutableRawPointer
    ) {
        if format.bytesPerPixel == 2 {
            pack16(row, columns, y: y, into: output)
        } else if format.isXRGB8888, format.opaque == 0 {
            memcpy(output, row + columns.lowerBound, columns.count * 4)
        } else {
            pack32(row, columns, into: output)
        }
    }

    private func pack16(
        _ row: UnsafePointer<UInt32>, _ columns: Range<Int>, y: Int, into output: UnsafeMutableRawPointer
    ) {
        let format = self.format
        five.withRow(y) { five in
            six.withRow(y) { six in
                var output = output
                for x in columns {
                    let pixel = row[x]
                    let place = (x & (OrderedDither.side - 1)) << 8
                    let red = UInt32(five[place | Int(pixel >> 16 & 0xFF)])
                    let green = UInt32(six[place | Int(pixel >> 8 & 0xFF)])
                    let blue = UInt32(five[place | Int(pixel & 0xFF)])
                    let packed = red << format.red | green << format.green | blue << format.blue
                    output.storeBytes(of: UInt16(truncatingIfNeeded: packed), as: UInt16.self)
                    output += 2
                }
            }
        }
    }

    private func pack32(_ row: UnsafePointer<UInt32>, _ columns: Range<Int>, into output: UnsafeMutableRawPointer) {
        var output = output
        for x in columns {
            let pixel = row[x]
            let red = (pixel >> 16 & 0xFF) << format.red
            let green = (pixel >> 8 & 0xFF) << format.green
            let blue = (pixel & 0xFF) << format.blue
            output.storeBytes(of: red | green | blue | format.opaque, as: UInt32.self)
            output += 4
        }
    }
}

/// Reduces colours of 8 bits to 5 or 6 bits so that an area looks like the colour that a single pixel cannot have.
///
/// Ordered dithering with Bayer's 8 x 8 matrix (B. E. Bayer, "An optimum method for two-level rendition of
/// continuous-tone pictures", IEEE ICC 1973): a pixel gets the upper of the two levels around its colour if the colour
/// exceeds the threshold that the matrix has at that place. The result depends on colour and place only, so repainting
/// a part of the picture does not change it. Error diffusion (Floyd-Steinberg) would make the picture shimmer around
/// the pen.
///
/// Screens expand a level to 8 bits by repeating its upper bits. A colour that equals such a value has no pattern:
/// black, white and everything that 5, 6 and 5 bits can represent.
struct OrderedDither: Sendable {
    /// The side of the matrix; a power of two.
    static let side = 8

    /// The levels of the colours 0...255, for each place of the matrix, row by row.
    private let levels: [UInt8]

    /// - Parameter bits: the bits of a level, 5 or 6.
    init(bits: Int) {
        precondition(bits == 5 || bits == 6, "16-bit pixels have 5 or 6 bits for a colour")
        let shown = (0..<(1 << bits)).map { Self.shown($0, bits: bits) }
        var levels: [UInt8] = []
        levels.reserveCapacity(Self.side * Self.side * 256)
        for place in 0..<(Self.side * Self.side) {
            let threshold = 2 * Self.threshold(x: place % Self.side, y: place / Self.side) + 1
            var lower = 0
            for color in 0...255 {
                if lower + 1 < shown.count, shown[lower + 1] <= color { lower += 1 }
                guard lower + 1 < shown.count else {
                    levels.append(UInt8(lower))
                    continue
                }
                let above = (color - shown[lower]) * 2 * Self.side * Self.side
                let isUpper = above > threshold * (shown[lower + 1] - shown[lower])
                levels.append(UInt8(isUpper ? lower + 1 : lower))
            }
        }
        self.levels = levels
    }

    /// The element of Bayer's matrix: 0...63, each once.
    static func threshold(x: Int, y: Int) -> Int {
        var threshold = 0
        for bit in 0..<3 {
            threshold = threshold << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1)
        }
        return threshold
    }

    /// The 8-bit colour that a screen shows for a level.
    static func shown(_ level: Int, bits: Int) -> Int { level << (8 - bits) | level >> (2 * bits - 8) }

    /// Calls `body` with the levels for row `y`; those for column `x` start at `(x % side) * 256`.
    func withRow<Result>(_ y: Int, _ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        levels.withUnsafeBufferPointer { body($0.baseAddress! + (y & (Self.side - 1)) * Self.side * 256) }
    }
}
