// SPDX-License-Identifier: Apache-2.0
import Pad
public import Geometry
public import Raster
import Text

extension PagePainter {
    /// Draws a page with a target to be touched and what is to be said about it.
    /// - Parameters:
    ///   - target: in pixels of the picture.
    ///   - text: line feeds in it end lines. It stands below the middle, where no target is.
    public mutating func drawCalibration(
        target: Point, text: String, density: PixelDensity?, on surface: Surface
    ) {
        surface.fill(surface.bounds, with: theme.background)
        let (width, height) = (surface.size.width, surface.size.height)
        let shorter = Double(min(width, height))
        let unit = density?.pixelsPerMillimetre ?? shorter / 60
        // As far as a target near a corner has room.
        let arm = min(6 * unit, shorter / 10)
        let half = max(0.5, 0.2 * unit)
        for bar in [
            Rect(minX: target.x - arm, minY: target.y - half, maxX: target.x + arm, maxY: target.y + half),
            Rect(minX: target.x - half, minY: target.y - arm, maxX: target.x + half, maxY: target.y + arm),
        ] {
            fill(.roundedRect(bar, radius: 0), theme.text, on: surface)
        }
        let dot = max(1.5, 0.8 * unit)
        fill(
            .disc(Rect(minX: target.x - dot, minY: target.y - dot, maxX: target.x + dot, maxY: target.y + dot)),
            theme.text, on: surface)
        let room = PixelRect(
            minX: width / 20, minY: height * 42 / 100, maxX: width - width / 20, maxY: height * 76 / 100)
        let placed = PlacedText(
            message: text, in: room, largestEm: min(6 * unit, shorter / 9), isInMiddle: true,
            measure: { text, em in self.size(of: text, em: em) }, pieces: LineBreaks.pieces)
        draw(placed, theme.text, on: surface)
    }
}
