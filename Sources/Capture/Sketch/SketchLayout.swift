// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Where everything of the sketch page is, in pixels of the picture as people see it: a bar of buttons, at the side
/// where lines start when the page lies and at its bottom when it stands, and all the rest to draw on.
public struct SketchLayout: Equatable, Sendable {
    /// Of the page, that the drawing area has at least.
    public static let leastDrawingShare = 0.6
    /// Of the page, that the bar may take while there is another way to arrange its buttons.
    private static let usualBarShare = 0.25

    public var size: PixelSize
    public var drawingArea: PixelRect
    /// All of the page that is beside the drawing area, from edge to edge.
    public var toolBar: PixelRect
    public var buttons: [PlacedSketchButton]
    public var direction: LayoutDirection
    /// As the screen says, or else as the page was laid out for.
    public var density: PixelDensity
    /// Millimetres in pixels: smaller than the screen's where the page is too small for buttons of 9 mm.
    public var unit: Double

    public var pad: SketchPad { SketchPad(drawingArea: drawingArea, buttons: buttons, density: density) }

    /// nil when the picture has not enough pixels for a page: 240 on the shorter side always are.
    ///
    /// Buttons are 9 mm wide and high at least. Where all of them would take too much of the page, one button steps
    /// through the colours and one through the widths, and the bar may be at the other side; where even that is too
    /// much (on screens whose shorter side is below 50 mm), all gets smaller.
    /// - Parameters:
    ///   - size: of the picture as people see it, turned by the rotation.
    ///   - density: nil when the screen does not say how large it is; then as for ``SignatureLayout``.
    ///   - direction: of the page; from right to left everything is mirrored.
    public init?(size: PixelSize, density: PixelDensity?, direction: LayoutDirection, tools: SketchTools) {
        let wanted = LayoutScale.wantedUnit(size: size, density: density)
        let actions: [SketchButton] = [.undo, .redo, .clear, .save]
        let all = [actions, tools.colors.indices.map { .color($0) }, tools.widths.indices.map { .width($0) }]
        let few = [
            actions, tools.colors.count > 1 ? [.nextColor] : [], tools.widths.count > 1 ? [.nextWidth] : [],
        ]
        let isWide = size.width >= size.height
        var unit = wanted
        // As for the signature page.
        while unit > 0.4 {
            let scale = LayoutScale(unit: unit, size: size)
            let choices = [(all, isWide), (all, !isWide), (few, isWide), (few, !isWide)]
            let bars = choices.compactMap { groups, isAtSide in
                SketchBar(groups: groups, page: size, isAtSide: isAtSide, scale: scale)
            }
            let bar =
                bars.first { $0.share <= Self.usualBarShare }
                ?? bars.filter { $0.share <= 1 - Self.leastDrawingShare }.min { $0.share < $1.share }
            if let bar {
                self.init(bar, density: density ?? PixelDensity(dotsPerInch: wanted * 25.4), direction: direction)
                self.unit = unit
                if direction == .rightToLeft { mirror() }
                return
            }
            unit *= 0.95
        }
        return nil
    }

    private init(_ bar: SketchBar, density: PixelDensity, direction: LayoutDirection) {
        size = bar.page
        drawingArea = bar.drawingArea
        toolBar = bar.rect
        buttons = bar.buttons
        self.direction = direction
        self.density = density
        unit = density.pixelsPerMillimetre
    }

    private mutating func mirror() {
        func mirrored(_ rect: PixelRect) -> PixelRect {
            PixelRect(minX: size.width - rect.maxX, minY: rect.minY, maxX: size.width - rect.minX, maxY: rect.maxY)
        }
        drawingArea = mirrored(drawingArea)
        toolBar = mirrored(toolBar)
        for index in buttons.indices { buttons[index].rect = mirrored(buttons[index].rect) }
    }
}
