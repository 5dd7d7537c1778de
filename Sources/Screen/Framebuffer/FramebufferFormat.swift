// SPDX-License-Identifier: Apache-2.0
import CLinux

/// How a pixel is stored: 32 bits with 8 for each colour, or 16 with 5, 6 and 5, in any order.
struct FramebufferFormat: Equatable, Sendable {
    let bytesPerPixel: Int
    /// Bits from the right.
    let red, green, blue: UInt32
    /// Set in every pixel: a driver that knows transparency must not show what is behind.
    let opaque: UInt32

    /// A format that cannot be drawn in.
    struct Refusal: Error, Equatable {
        let reason: String
    }

    /// - Throws: ``Refusal`` for what is no picture that can be drawn in, in words for people.
    init(_ info: FramebufferInfo) throws(Refusal) {
        guard info.type == CLINUX_FB_TYPE_PACKED_PIXELS, info.visual == CLINUX_FB_VISUAL_TRUECOLOR, info.grayscale == 0
        else {
            throw Refusal(reason: "its pixels are no colours (type \(info.type), visual \(info.visual))")
        }
        let channels = [info.red, info.green, info.blue]
        let lengths = channels.map(\.length)
        guard info.bitsPerPixel == 32 && lengths == [8, 8, 8] || info.bitsPerPixel == 16 && lengths == [5, 6, 5] else {
            let found = lengths.map(String.init).joined(separator: "-")
            throw Refusal(
                reason: "it has \(info.bitsPerPixel) bits a pixel, \(found) of red, green and blue; it must be 32 with "
                    + "8-8-8 or 16 with 5-6-5: see fbset(1) and the overlay of the screen")
        }
        var used: UInt32 = 0
        for channel in channels + [info.transparency] where channel.length > 0 {
            guard !channel.isReversed, channel.length <= 8, channel.offset >= 0,
                channel.offset + channel.length <= info.bitsPerPixel
            else {
                throw Refusal(reason: "a colour lies at bit \(channel.offset), which is not in its pixels")
            }
            let bits = Self.mask(channel)
            guard used & bits == 0 else { throw Refusal(reason: "two colours lie at bit \(channel.offset)") }
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

    /// As our surfaces are: a row is copied as it is.
    var isXRGB8888: Bool { bytesPerPixel == 4 && red == 16 && green == 8 && blue == 0 }
}

extension FramebufferFormat: CustomStringConvertible {
    /// As DRM names it: the colours from the left.
    var description: String {
        let order = [(red, "R"), (green, "G"), (blue, "B")].sorted { $0.0 > $1.0 }.map(\.1).joined()
        return bytesPerPixel == 2 ? order + "565" : (opaque == 0 ? "X" : "A") + order + "8888"
    }
}
