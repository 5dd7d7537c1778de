// SPDX-License-Identifier: Apache-2.0

/// A colour of ink or paper in sRGB, 8 bits a channel, not premultiplied.
public struct Color: Equatable, Hashable, Sendable {
    public var red, green, blue: UInt8
    /// 255 is opaque.
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    public static let white = Color(red: 255, green: 255, blue: 255)
    public static let black = Color(red: 0, green: 0, blue: 0)

    /// The pixel as DRM_FORMAT_XRGB8888 stores it in a native word: 0xXXRRGGBB, X as 255.
    public var xrgb8888: UInt32 { 0xFF00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }

    /// `#rgb`, `#rrggbb` or `#rrggbbaa`, the `#` optional; nil for anything else.
    public init?(hex text: String) {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        let nibbles = digits.compactMap { $0.isASCII ? $0.hexDigitValue : nil }.map { UInt8($0) }
        guard nibbles.count == digits.count else { return nil }
        switch nibbles.count {
        case 3: self.init(red: nibbles[0] * 17, green: nibbles[1] * 17, blue: nibbles[2] * 17)
        case 6, 8:
            let bytes = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
            self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
        default: return nil
        }
    }

    /// A mixture with a `share` of another colour, 0...1, channel by channel. The opacity stays.
    public func mixed(with other: Color, _ share: Double) -> Color {
        func channel(_ own: UInt8, _ its: UInt8) -> UInt8 {
            UInt8(clamping: Int((Double(own) + (Double(its) - Double(own)) * share).rounded()))
        }
        return Color(
            red: channel(red, other.red), green: channel(green, other.green), blue: channel(blue, other.blue),
            alpha: alpha)
    }
}

/// A literal is 0xRRGGBB.
extension Color: ExpressibleByIntegerLiteral {
    public init(integerLiteral rgb: UInt32) {
        self.init(red: UInt8(rgb >> 16 & 0xFF), green: UInt8(rgb >> 8 & 0xFF), blue: UInt8(rgb & 0xFF))
    }
}
