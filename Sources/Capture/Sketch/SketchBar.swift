// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The sketch page's buttons from left to right, in as few lines as they need.
struct SketchBar {
    let page: PixelSize
    let rect: PixelRect
    let drawingArea: PixelRect
    private(set) var buttons: [PlacedSketchButton] = []
    /// Of the page, that it takes.
    let share: Double

    /// nil when not even a line for each button would do.
    /// - Parameter groups: of buttons; each begins at a new place along the bar where it has several lines.
    init?(groups: [[SketchButton]], page: PixelSize, isAtSide: Bool, scale: LayoutScale) {
        let (length, depth) = isAtSide ? (page.height, page.width) : (page.width, page.height)
        let perLine = (length - 2 * scale.gap) / scale.target
        let count = groups.reduce(0) { $0 + $1.count }
        guard perLine > 0, count > 0 else { return nil }
        // Groups that begin at a new place leave gaps: more lines until all places are enough.
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
        _ groups: [[SketchButton]], lines: Int, length: Int, places: Int, isAtSide: Bool, _ scale: LayoutScale
    ) {
        let groups = groups.filter { !$0.isEmpty }
        // What is left goes between the groups, but they stay together.
        let left = length - 2 * scale.gap - places * scale.target
        let between = groups.count > 1 ? min(left / (groups.count - 1), scale.target / 2) : 0
        var position = scale.gap
        for group in groups {
            for (index, button) in group.enumerated() {
                let along = position + index / lines * scale.target
                let across = scale.gap + index % lines * scale.target
                let (x, y) = isAtSide ? (along: across, across: along) : (along: along, across: rect.minY + across)
                buttons.append(
                    PlacedSketchButton(
                        button: button,
                        rect: PixelRect(minX: x, minY: y, maxX: x + scale.target, maxY: y + scale.target)))
            }
            position += (group.count + lines - 1) / lines * scale.target + between
        }
    }
}
