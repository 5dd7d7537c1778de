// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Record

/// A button, which takes touches all over `rect`.
public struct PlacedSketchButton: Equatable, Sendable {
    public var button: SketchButton
    public var rect: PixelRect

    public init(button: SketchButton, rect: PixelRect) {
        self.button = button
        self.rect = rect
    }
}

/// Where a touch on the sketch page means what.
public struct SketchPad: Equatable, Sendable {
    /// Takes ink. No button may reach into it.
    public var drawingArea: PixelRect
    public var buttons: [PlacedSketchButton]
    /// What millimetres are reckoned with.
    public var density: PixelDensity

    public init(drawingArea: PixelRect, buttons: [PlacedSketchButton], density: PixelDensity) {
        self.drawingArea = drawingArea
        self.buttons = buttons
        self.density = density
    }

    /// What the journal's places are on.
    public var page: SketchPage {
        SketchPage(
            size: PixelSize(width: drawingArea.width, height: drawingArea.height), density: density)
    }

    func button(at point: Point) -> SketchButton? { buttons.first { $0.rect.holds(point) }?.button }

    func isInside(_ point: Point, _ button: SketchButton) -> Bool {
        buttons.first { $0.button == button }?.rect.holds(point) ?? false
    }
}

extension PixelRect {
    /// Whether the point is on one of its pixels.
    fileprivate func holds(_ point: Point) -> Bool {
        point.x >= Double(minX) && point.x < Double(maxX) && point.y >= Double(minY) && point.y < Double(maxY)
    }
}
