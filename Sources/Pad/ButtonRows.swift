// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The buttons in as few rows as possible: Cancel, Clear and Undo at the start of the line, Accept apart at its end.
struct ButtonRows {
    /// The order of buttons from the start of the line to its end.
    private static let order: [PageButton] = [.cancel, .clear, .undo, .accept]
    /// Maximum share of the page's height for the buttons when long labels need additional rows.
    private static let largestShare = 0.4
    /// Padding beside a label, as a share of the em.
    private static let paddingShare = 0.35

    let height: Int
    private let scale: LayoutScale
    private let buttons: [(button: PageButton, label: String)]
    private let perRow: Int
    /// The width of each button.
    private let widths: [Int]
    /// The lines of each button's label.
    private let lines: [[String]]
    private let em: Double

    /// - Throws: ``PageTooSmall``, without a field if touch targets do not fit beside each other.
    init(
        texts: PageTexts, innerWidth: Int, pageHeight: Int, scale: LayoutScale, measure: TextMeasure,
        pieces: TextPieces
    ) throws(PageTooSmall) {
        let buttons = Self.order.compactMap { button in texts.labels[button].map { (button: button, label: $0) } }
        self.scale = scale
        self.buttons = buttons
        guard !buttons.isEmpty else {
            (height, perRow, widths, lines, em) = (0, 1, [], [], scale.labelEms[0])
            return
        }
        func size(rows: Int) -> (perRow: Int, room: Int, height: Int) {
            let perRow = (buttons.count + rows - 1) / rows
            return (
                perRow, (innerWidth - (perRow - 1) * scale.gap) / perRow, rows * (scale.target + scale.gap) - scale.gap
            )
        }
        let possible = (1...buttons.count).filter { size(rows: $0).room >= scale.target }
        guard let fewest = possible.first else { throw PageTooSmall() }
        /// The largest em at which all labels fit on one line, and the buttons' widths.
        func fitting(perRow: Int, room: Int) -> (em: Double, widths: [Int])? {
            for em in scale.labelEms {
                let sizes = buttons.map { measure($0.label, em) }
                guard sizes.allSatisfy({ $0.height <= scale.target }) else { continue }
                // Large letters need more room around them.
                let padding = max(Self.padding(scale), Int((em * Self.paddingShare).rounded()))
                let needed = sizes.map { max(scale.target, $0.width + 2 * padding) }
                if needed.max()! <= room { return (em, needed.map { _ in room }) }
                if let widths = Self.shared(needed, perRow: perRow, room: room) { return (em, widths) }
            }
            return nil
        }
        /// The same for labels on several lines, in buttons of equal width.
        func broken(room: Int, withinWords: Bool) -> (em: Double, widths: [Int])? {
            let width = room - 2 * Self.padding(scale, room)
            let em = scale.labelEms.first { em in
                buttons.allSatisfy { button in
                    let lines = LineWrap.lines(
                        of: button.label, width: width, em: em, measure: measure, pieces: pieces)
                    return lines.reduce(0) { $0 + measure($1, em).height } <= scale.target
                        && lines.allSatisfy { measure($0, em).width <= width }
                        && (withinWords
                            || LineWrap.areWordsNarrow(
                                button.label, width: width, em: em, measure: measure, pieces: pieces))
                }
            }
            return em.map { ($0, buttons.map { _ in room }) }
        }
        let low = possible.map(size(rows:)).filter {
            Double($0.height) <= Self.largestShare * Double(pageHeight)
        }
        let sizes = low.isEmpty ? [size(rows: fewest)] : low
        var found: (size: (perRow: Int, room: Int, height: Int), em: Double, widths: [Int])?
        for size in sizes where found == nil {
            found = fitting(perRow: size.perRow, room: size.room).map { (size, $0.em, $0.widths) }
        }
        for withinWords in [false, true] {
            for size in sizes where found == nil {
                found = broken(room: size.room, withinWords: withinWords).map { (size, $0.em, $0.widths) }
            }
        }
        guard let found else { throw PageTooSmall(field: .labels) }
        perRow = found.size.perRow
        height = found.size.height
        em = found.em
        // A single row on a wide screen would otherwise have very wide buttons.
        let widest = buttons.map { measure($0.label, found.em).width }.max()!
        let largest = max(4 * scale.target, widest + 2 * scale.target)
        widths = found.widths.map { min($0, largest) }
        lines = zip(buttons, widths).map { button, width in
            LineWrap.lines(
                of: button.label, width: width - 2 * Self.padding(scale, width), em: found.em, measure: measure,
                pieces: pieces)
        }
    }

    private static func padding(_ scale: LayoutScale) -> Int { max(1, scale.gap / 2) }

    /// The padding beside the label of a button of this width.
    private static func padding(_ scale: LayoutScale, _ width: Int) -> Int { min(padding(scale), width / 4) }

    /// Widths for rows in which a long label takes room from a short one; nil if the row is too narrow.
    /// - Parameter room: the width of a button if all had equal widths.
    private static func shared(_ needed: [Int], perRow: Int, room: Int) -> [Int]? {
        var widths: [Int] = []
        for start in stride(from: 0, to: needed.count, by: perRow) {
            let row = needed[start..<min(start + perRow, needed.count)]
            let left = row.count * room - row.reduce(0, +)
            if left < 0 { return nil }
            widths += row.map { $0 + left / row.count }
        }
        return widths
    }

    /// Places the buttons from left to right, in rows that start at `top`, between `minX` and `maxX`.
    func placed(top: Int, minX: Int, maxX: Int, measure: TextMeasure) -> [PlacedButton] {
        buttons.enumerated().map { index, item in
            let (row, width) = (index / perRow, widths[index])
            let before = widths[row * perRow..<index].reduce(0) { $0 + $1 + scale.gap }
            let x = item.button == .accept ? maxX - width : minX + before
            let y = top + row * (scale.target + scale.gap)
            let rect = PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + scale.target)
            return PlacedButton(
                button: item.button, rect: rect, label: label(lines[index], in: rect, measure: measure))
        }
    }

    private func label(_ lines: [String], in rect: PixelRect, measure: TextMeasure) -> PlacedText {
        let padding = Self.padding(scale, rect.width)
        let room = PixelRect(minX: rect.minX + padding, minY: rect.minY, maxX: rect.maxX - padding, maxY: rect.maxY)
        let sizes = lines.map { measure($0, em) }
        var y = room.minY + (room.height - sizes.reduce(0) { $0 + $1.height }) / 2
        let placed = zip(lines, sizes).map { line, size in
            defer { y += size.height }
            let x = room.minX + (room.width - size.width) / 2
            return PlacedText.Line(
                text: line, rect: PixelRect(minX: x, minY: y, maxX: x + size.width, maxY: y + size.height), isCut: false)
        }
        return PlacedText(rect: room, em: em, lines: placed)
    }
}
