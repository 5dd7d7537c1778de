// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Ink
public import Raster

/// Finished strokes on a page: what every exporter takes.
public struct Drawing: Sendable {
    public var size: PixelSize
    public var background: Color
    public var color: Color
    public var strokes: [StrokeInk]

    public init(size: PixelSize, background: Color = .white, color: Color = .black, strokes: [StrokeInk] = []) {
        self.size = size
        self.background = background
        self.color = color
        self.strokes = strokes
    }
}
