// SPDX-License-Identifier: Apache-2.0

/// How many pixels of a picture lie on a length of the real page or screen; pixels are square.
public struct PixelDensity: Equatable, Sendable {
    /// 10 to 10,000 pixels an inch: a wall of lamps to a photographic printer. What a display says of itself is held
    /// to it, because displays say 0, or the centimetres of their aspect ratio.
    public static let dotsPerInchRange = 10.0...10_000
    /// For a picture whose size in the world is unknown: about a 7-inch panel of 1024x600, or a 10-inch one of
    /// 1280x800.
    public static let standard = PixelDensity(dotsPerInch: 150)

    /// Pixels on an inch of 25.4 mm, within ``dotsPerInchRange``.
    public let dotsPerInch: Double

    /// Values outside ``dotsPerInchRange``, NaN too, become the nearest one in it.
    public init(dotsPerInch: Double) {
        let range = Self.dotsPerInchRange
        self.dotsPerInch = dotsPerInch > range.lowerBound ? min(dotsPerInch, range.upperBound) : range.lowerBound
    }

    /// Pixels on a millimetre, 0.39 to 394.
    public var pixelsPerMillimetre: Double { dotsPerInch / 25.4 }
}

extension PixelDensity: CustomStringConvertible {
    public var description: String { "\(Int(dotsPerInch.rounded())) dpi" }
}
