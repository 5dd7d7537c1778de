// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The sketch page's bar of buttons, in as few lines as possible, and the drawing area beside it. The bar is usually at
/// the side where lines start in landscape, and at the bottom in portrait.
struct ToolBar {
    /// Minimum share of the page that the drawing area takes.
    static let leastDrawingShare = 0.6
    /// Share of the page above which other arrangements of the bar are tried.
    private static let usualShare = 0.25

    let rect: PixelRect
    private let drawingArea: PixelRect
    private let field: PageElement
    private var buttons: [PlacedElement] = []
    /// The share of the page that the bar takes.
    private let share: Double
    /// The places that the last line of each group leaves empty.
    private let holes: Int

    /// The drawing area and the buttons.
    var elements: [PlacedElement] { [PlacedElement(field, drawingArea)] + buttons }

    /// If the buttons would take too much of the page, the bar may move to the other side, and one button steps through
    /// the colours and one through the widths. nil if that still takes too much.
    static func best(for tools: SketchTools, _ page: Page, size: PixelSize, design: PageDesign) -> ToolBar? {
        let actions = page.elements.compactMap { element -> PageButton? in
            if case .button(let button, _) = element { button } else { nil }
        }
        let all = (tools.colors.indices.map { PageButton.color($0) }, tools.widths.indices.map { PageButton.width($0) })
        let few: ([PageButton], [PageButton]) = (
            tools.colors.count > 1 ? [.nextColor] : [], tools.widths.count > 1 ? [.nextWidth] : []
        )
        let isWide = size.width >= size.height
        let bars = [all, few].flatMap { colors, widths in
            [(isWide, true), (!isWide, true), (isWide, false), (!isWide, false)].compactMap { isAtSide, separates in
                // Groups that do not fill their lines leave holes; joined ones leave fewer.
                let groupings = [[actions, colors, widths], [actions, colors + widths], [actions + colors + widths]]
                let bars = groupings.compactMap { groups in
                    ToolBar(
                        .inkField(.drawing(tools)), groups: groups, page: size, isAtSide: isAtSide,
                        separates: separates, design)
                }
                return bars.min { ($0.share, $0.holes) < ($1.share, $1.holes) }
            }
        }
        return bars.first { $0.share <= usualShare }
            ?? bars.filter { $0.share <= 1 - leastDrawingShare }.min { $0.share < $1.share }
    }

    /// nil if the bar does not fit, even with one line for each button.
    /// - Parameters:
    ///   - groups: groups of buttons; each starts at a new place along the bar if the bar has several lines.
    ///   - separates: whether there must be room between the groups.
    private init?(
        _ field: PageElement, groups: [[PageButton]], page: PixelSize, isAtSide: Bool, separates: Bool,
        _ design: PageDesign
    ) {
        let (length, depth) = isAtSide ? (page.height, page.width) : (page.width, page.height)
        let pitch = design.target + design.targetGap
        let groups = groups.filter { !$0.isEmpty }
        let needed = separates ? (groups.count - 1) * design.target / 4 + 2 * design.smallGap : 0
        let perLine = (length - needed + design.targetGap) / pitch
        let count = groups.reduce(0) { $0 + $1.count }
        guard perLine > 0, count > 0 else { return nil }
        // Groups that start at a new place leave gaps, so more lines may be needed than the button count suggests.
        func places(_ lines: Int) -> Int { groups.reduce(0) { $0 + ($1.count + lines - 1) / lines } }
        guard let lines = (1...count).first(where: { places($0) <= perLine }) else { return nil }
        // A gap at the page's edge and one to the drawing area.
        let thickness = lines * pitch - design.targetGap + 2 * design.smallGap
        share = Double(thickness) / Double(depth)
        guard share < 1 else { return nil }
        holes = places(lines) * lines - count
        if isAtSide {
            rect = PixelRect(minX: 0, minY: 0, maxX: thickness, maxY: page.height)
            drawingArea = PixelRect(minX: thickness, minY: 0, maxX: page.width, maxY: page.height)
        } else {
            rect = PixelRect(minX: 0, minY: page.height - thickness, maxX: page.width, maxY: page.height)
            drawingArea = PixelRect(minX: 0, minY: 0, maxX: page.width, maxY: page.height - thickness)
        }
        self.field = field
        let left = length - places(lines) * pitch + design.targetGap
        place(groups, lines: lines, left: left, isAtSide, design)
    }

    /// - Parameter left: the length that the buttons leave.
    private mutating func place(
        _ groups: [[PageButton]], lines: Int, left: Int, _ isAtSide: Bool, _ design: PageDesign
    ) {
        let (gap, target, pitch) = (design.smallGap, design.target, design.target + design.targetGap)
        // The first group is at the start of the bar and the others at its end, half a button apart if there is room.
        let ends = min(gap, left / 2)
        let rest = left - 2 * ends
        let between = groups.count > 1 ? min(rest / (groups.count - 1), target / 2) : 0
        var position = ends
        for (number, group) in groups.enumerated() {
            if number == 1 {
                position += rest - between * (groups.count - 2)
            } else if number > 1 {
                position += between
            }
            for (index, button) in group.enumerated() {
                let along = position + index / lines * pitch
                let across = gap + index % lines * pitch
                let (x, y) = isAtSide ? (across, along) : (along, rect.minY + across)
                buttons.append(
                    PlacedElement(
                        .button(button, label: nil), PixelRect(minX: x, minY: y, maxX: x + target, maxY: y + target)))
            }
            position += (group.count + lines - 1) / lines * pitch
        }
    }
}
