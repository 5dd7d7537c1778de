// SPDX-License-Identifier: Apache-2.0
public import Raster

/// How a text looks.
public struct TextStyle: Equatable, Sendable {
    public enum Weight: Int, Sendable {
        case regular = 400
        case bold = 700
    }

    /// Sizes that a text can have; others, not-a-number too, become the nearest of them.
    public static let sizeRange = 1.0...512.0

    /// A family that fontconfig knows, or several, separated by commas; for what they lack other fonts step in.
    public var family: String
    /// Of the em, in pixels; see ``sizeRange``.
    public var size: Double
    public var weight: Weight
    public var color: Color

    public init(size: Double, family: String = "sans", weight: Weight = .regular, color: Color = .black) {
        self.size = size
        self.family = family
        self.weight = weight
        self.color = color
    }
}
