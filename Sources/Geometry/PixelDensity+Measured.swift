// SPDX-License-Identifier: Apache-2.0

extension PixelDensity {
    /// By how much the densities along the two sides may differ: sizes are given in whole millimetres or centimetres,
    /// but a screen that claims more has not square pixels or not that size.
    private static let largestSkew = 1.15

    /// The density of a picture that is that large in the world, from its diagonal.
    ///
    /// nil when that cannot be: a length that is not above 0, a density outside ``dotsPerInchRange``, or densities
    /// along the two sides that differ by more than 15 %.
    public init?(of size: PixelSize, widthInMillimetres width: Double, heightInMillimetres height: Double) {
        guard size.width > 0, size.height > 0, width > 0, height > 0 else { return nil }
        let skew = Double(size.width) * height / (Double(size.height) * width)
        let pixels = Point(x: Double(size.width), y: Double(size.height)).length
        let density = pixels / Point(x: width, y: height).length * 25.4
        guard 1 / Self.largestSkew...Self.largestSkew ~= skew, Self.dotsPerInchRange ~= density else { return nil }
        self.init(dotsPerInch: density)
    }
}
