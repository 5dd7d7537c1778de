// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The places of the sketch page's parts, in pixels of the picture after rotation: a bar of buttons and the drawing
/// area. The bar is usually at the side where lines start in landscape, and at the bottom in portrait.
public struct SketchLayout: Equatable, Sendable {
    /// Minimum share of the page that the drawing area takes.
    public static let leastDrawingShare = 0.6
    /// Share of the page above which other arrangements of the bar are tried.
    private static let usualBarShare = 0.25

    public var size: PixelSize
    public var drawingArea: PixelRect
    /// The rest of the page beside the drawing area, from edge to edge.
    public var toolBar: PixelRect
    public var buttons: [PlacedButton]
    public var direction: LayoutDirection
    /// The screen's density, or the density assumed for the layout if the screen states none.
    public var density: PixelDensity
    /// Pixels per millimetre of the layout: fewer than the screen's if the page is too small for buttons of 9 mm.
    public var unit: Double

    public var geometry: PageGeometry { PageGeometry(inkField: drawingArea, buttons: buttons, density: density) }

    /// nil if the picture has too few pixels; 240 on the shorter side are always enough.
    ///
    /// Buttons are at least 9 mm wide and high. If they would take too much of the page, the bar may move to the other
    /// side, and one button steps through the colours and one through the widths. If that still takes too much (shorter
    /// side below 50 mm), the whole page is scaled down.
    /// - Parameters:
    ///   - size: the size of the picture after rotation.
    ///   - density: nil if the screen does not state its size; then as for ``SignatureLayout``.
    ///   - direction: a page from right to left is mirrored.
    public init?(size: PixelSize, density: PixelDensity?, direction: LayoutDirection, tools: SketchTools) {
        let wanted = LayoutScale.wantedUnit(size: size, density: density)
        let actions: [PageButton] = [.undo, .redo, .clear, .save]
        let all = [actions, tools.colors.indices.map { .color($0) }, tools.widths.indices.map { .width($0) }]
        let few = [
            actions, tools.colors.count > 1 ? [.nextColor] : [], tools.widths.count > 1 ? [.nextWidth] : [],
        ]
        let isWide = size.width >= size.height
        var unit = wanted
        // Steps and limit as in ``SignatureLayout``.
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

/// The sketch page's buttons from left to right, in as few lines as possible.
struct SketchBar {
    let page: PixelSize
    let rect: PixelRect
    let drawingArea: PixelRect
    private(set) var buttons: [PlacedButton] = []
    /// The share of the page that the bar takes.
    let share: Double

    /// nil if the bar does not fit, even with one line for each button.
    /// - Parameter groups: groups of buttons; each starts at a new place along the bar if the bar has several lines.
    init?(groups: [[PageButton]], page: PixelSize, isAtSide: Bool, scale: LayoutScale) {
        let (length, depth) = isAtSide ? (page.height, page.width) : (page.width, page.height)
        let perLine = (length - 2 * scale.gap) / scale.target
        let count = groups.reduce(0) { $0 + $1.count }
        guard perLine > 0, count > 0 else { return nil }
        // Groups that start at a new place leave gaps, so more lines may be needed than the button count suggests.
        func places(_ lines: Int) -> Int { groups.reduce(0) { $0 + ($1.count + lines - 1) / lines } }
        guard let lines = (1...count).first(where: { places($0) <= perLine }) else { return nil }
        // A gap at the page's edge and one to the drawing area.
        let thickness = lines * scale.target + 2 * scale.gap
        share = Double(thickness) / Double(depth)
        guard share < 1 else { return nil }
        self.page = page
        if isAtSide {
            rect = PixelRect(minX: 0, minY: 0, maxX: thickness, maxY: page.height)
            drawingArea = PixelRect(minX: thickness, minY: 0, maxX: page.width, maxY: page.height)
        } else {
            rect = PixelRect(minX: 0, minY: page.height - thickness, maxX: page.width, maxY: page.height)
            drawingArea = PixelRect(minX: 0, minY: 0, maxX: page.width, maxY: page.height - thickness)
        }
        place(groups, lines: lines, length: length, places: places(lines), isAtSide: isAtSide, scale)
    }

    private mutating func place(
        _ groups: [[PageButton]], lines: Int, length: Int, places: Int, isAtSide: Bool, _ scale: LayoutScale
    ) {
        let groups = groups.filter { !$0.isEmpty }
        // Distribute the remaining length between the groups, up to half a button.
        let left = length - 2 * scale.gap - places * scale.target
        let between = groups.count > 1 ? min(left / (groups.count - 1), scale.target / 2) : 0
        var position = scale.gap
        for group in groups {
            for (index, button) in group.enumerated() {
                let along = position + index / lines * scale.target
                let across = scale.gap + index % lines * scale.target
                let (x, y) = isAtSide ? (along: across, across: along) : (along: along, across: rect.minY + across)
                buttons.append(
                    PlacedButton(
                        button: button,
                        rect: PixelRect(minX: x, minY: y, maxX: x + scale.target, maxY: y + scale.target)))
            }
            position += (group.count + lines - 1) / lines * scale.target + between
        }
    }
}

extension SketchLayout {
    /// Millimetres: two lines of text that read well from a standing person's distance.
    private static let noticeHeight = 14.0
    /// Maximum share of the drawing area's height for a notice.
    private static let noticeShare = 0.25

    /// The place of a temporary notice along the top of the drawing area. The notice hides the ink below it.
    public var noticeArea: PixelRect {
        let height = min(Self.noticeHeight * unit, Double(drawingArea.height) * Self.noticeShare)
        return PixelRect(
            minX: drawingArea.minX, minY: drawingArea.minY, maxX: drawingArea.maxX,
            maxY: drawingArea.minY + max(1, Int(height.rounded())))
    }

    /// Places a notice's text, relative to the upper left corner of ``noticeArea``.
    public func notice(
        _ text: String, measure: TextMeasure, pieces: TextPieces = SignatureLayout.words
    ) -> PlacedText {
        let area = noticeArea
        let margin = max(1, Int(unit.rounded()))
        return PlacedText(
            message: text,
            in: PixelRect(minX: margin, minY: 0, maxX: max(margin, area.width - margin), maxY: area.height),
            largestEm: LayoutScale(unit: unit, size: size).readableEm, isInMiddle: true, measure: measure,
            pieces: pieces)
    }
}
