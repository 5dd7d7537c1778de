// SPDX-License-Identifier: Apache-2.0

/// How far the ink's colour has moved towards the paper's at a place of a stroke.
///
/// One of a few levels, so that neighbouring pieces share theirs and are drawn in one fill.
public struct Tone: Equatable, Sendable {
    /// How many tones there are: of an ink and a paper, so many colours.
    public static let levelCount = 16
    /// Share of the paper's colour in the lightest ink.
    private static let lightestShare = 0.65

    /// 0 is the ink's own colour, `levelCount - 1` the lightest.
    public let level: Int

    /// - Parameter lightness: 0...1; values outside, NaN too, become the nearest end.
    public init(lightness: Double) {
        let clamped = lightness > 0 ? min(lightness, 1) : 0
        level = Int((clamped * Double(Self.levelCount - 1)).rounded())
    }

    /// 0...1.
    public var lightness: Double { Double(level) / Double(Self.levelCount - 1) }

    /// Share of the paper's colour in the ink's, 0...1.
    public var paperShare: Double { lightness * Self.lightestShare }
}
