// SPDX-License-Identifier: Apache-2.0

/// Width and height in whole pixels.
public struct PixelSize: Hashable, Codable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var transposed: PixelSize { PixelSize(width: height, height: width) }
    public var description: String { "\(width)x\(height)" }

    /// The largest side of a picture: twice an 8K screen's.
    private static let maximumSide = 16384
    /// Twice an 8K screen's pixels; paper and three buffers of this size take a gigabyte.
    private static let maximumArea = 1 << 26

    /// Whether a picture of this size can be drawn in reasonable memory.
    public var isDrawable: Bool {
        1...Self.maximumSide ~= width && 1...Self.maximumSide ~= height && width * height <= Self.maximumArea
    }

    /// Parses `WxH` in pixels; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1] else { return nil }
        self.init(width: width, height: height)
    }
}

/// The number of pixels per length of the real page or screen. Pixels are square.
public struct PixelDensity: Equatable, Sendable, CustomStringConvertible {
    /// 10 to 10,000 pixels an inch: a wall of lamps to a photographic printer. Sizes that displays state are checked
    /// against it, because some state 0, or their aspect ratio in centimetres.
    public static let dotsPerInchRange = 10.0...10_000
    /// The densities of screens that people write on: a 75-inch television with 1080 lines has 29, a telephone up to
    /// 550. An EDID or a setting beyond this has other units, such as centimetres for millimetres.
    public static let screenRange = 25.0...600
    /// The density of a picture of unknown size: about that of a 7-inch panel with 1024x600 pixels, or a 10-inch one
    /// with 1280x800.
    public static let standard = PixelDensity(dotsPerInch: 150)

    /// Pixels per inch of 25.4 mm, within ``dotsPerInchRange``.
    public let dotsPerInch: Double

    /// Whether a screen may have this density.
    public var isOfScreen: Bool { Self.screenRange ~= dotsPerInch }

    /// Clamps to ``dotsPerInchRange``; NaN becomes the lower bound.
    public init(dotsPerInch: Double) {
        let range = Self.dotsPerInchRange
        self.dotsPerInch = dotsPerInch > range.lowerBound ? min(dotsPerInch, range.upperBound) : range.lowerBound
    }

    /// The density that has this ``pixelsPerMillimetre``, to the last bit if one has; nil beyond ``dotsPerInchRange``.
    public init?(pixelsPerMillimetre: Double) {
        let nearest = pixelsPerMillimetre * 25.4
        // Multiplication does not always revert a rounded division, and pictures of records must equal the screen.
        let exact = [nearest, nearest.nextUp, nearest.nextDown].first { $0 / 25.4 == pixelsPerMillimetre }
        guard Self.dotsPerInchRange ~= exact ?? nearest else { return nil }
        self.init(dotsPerInch: exact ?? nearest)
    }

    /// 0.39 to 394.
    public var pixelsPerMillimetre: Double { dotsPerInch / 25.4 }
    public var description: String { "\(Int(dotsPerInch.rounded())) dpi" }

    /// The largest ratio of the densities along the two sides. Sizes are rounded to millimetres or centimetres; a
    /// screen beyond this does not have square pixels, or not that size.
    private static let largestSkew = 1.15

    /// Computes the density from the diagonal of a picture of known physical size.
    ///
    /// nil when the size is implausible: a length that is not above 0, a density outside ``dotsPerInchRange``, or
    /// densities along the two sides that differ by more than 15 %.
    public init?(of size: PixelSize, widthInMillimetres width: Double, heightInMillimetres height: Double) {
        guard size.width > 0, size.height > 0, width > 0, height > 0 else { return nil }
        let skew = Double(size.width) * height / (Double(size.height) * width)
        let pixels = Point(x: Double(size.width), y: Double(size.height)).length
        let density = pixels / Point(x: width, y: height).length * 25.4
        guard 1 / Self.largestSkew...Self.largestSkew ~= skew, Self.dotsPerInchRange ~= density else { return nil }
        self.init(dotsPerInch: density)
    }
}
