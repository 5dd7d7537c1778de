// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The area that a sketch is drawn on: what the places of its strokes are in.
public struct SketchPage: Equatable, Sendable {
    /// In pixels of the picture. A side is 1 to ``maximumSide``.
    public var size: PixelSize
    /// What the widths of pens are reckoned with.
    public var density: PixelDensity

    /// Eight times the width of a 4K screen; in 256ths of a pixel a place on it fits 32 bits, and one as far beyond.
    public static let maximumSide = 1 << 15

    public init(size: PixelSize, density: PixelDensity) {
        self.size = size
        self.density = density
    }
}
