// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
public import Raster
public import Record

/// A picture of a sketch, of all its page, as the screen showed it. PNG and SVG have the same outlines.
public struct SketchPicture: Sendable {
    /// Strokes in pixels of the page.
    public let drawing: Drawing
    private let page: SketchPage

    /// - Parameter background: the paper; pictures can be had without it.
    public init(of strokes: [SketchStroke], on page: SketchPage, background: Color) {
        self.page = page
        var drawing = Drawing(size: page.size, background: background)
        for stroke in strokes {
            drawing.add(stroke.inkSamples(), pen: stroke.inkPen, density: page.density, color: stroke.color)
        }
        self.drawing = drawing
    }

    /// - Parameter isTransparent: without the paper: RGB with alpha.
    /// - Throws: ``ExportError/pngRefused(size:)`` when memory runs out.
    public func png(isTransparent: Bool = false) throws(ExportError) -> [UInt8] {
        let pixels = isTransparent ? drawing.transparentPixels() : drawing.pixels()
        return try PNGEncoder.encode(
            pixels.surface, dotsPerInch: page.density.dotsPerInch, hasAlpha: isTransparent)
    }

    /// In millimetres of the screen.
    public func svg(isTransparent: Bool = false) throws(ExportError) -> [UInt8] {
        try SVGEncoder.encode(drawing, dotsPerInch: page.density.dotsPerInch, isTransparent: isTransparent)
    }
}
