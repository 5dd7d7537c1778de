// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The buttons in as few rows as they need: from the start of the line what undoes, at its end, apart, what is final.
struct ButtonRows {
    /// From the start of the line to its end.
    private static let order: [PageButton] = [.cancel, .clear, .undo, .accept]
    /// Of the page's height, that a row more than touch targets need may make the buttons take for longer labels.
    private static let largestShare = 0.4
    /// Of an em, beside a label.
    private static let paddingShare = 0.35

    let height: Int
    private let scale: LayoutScale
    private let buttons: [(button: PageButton, label: String)]
    private let perRow: Int
    /// Of each button.
    private let widths: [Int]
    private let em: Double

    /// nil when touch targets do not fit beside each other.
    init?(texts: PageTexts, innerWidth: Int, pageHeight: Int, scale: LayoutScale, measure: TextMeasure) {
        let buttons = Self.order.compactMap { button in texts.labels[button].map { (button: button, label: $0) } }
        self.scale = scale
        self.buttons = buttons
        guard !buttons.isEmpty else {
            (height, perRow, widths, em) = (0, 1, [], scale.labelEms[0])
            return
        }
        func size(rows: Int) -> (perRow: Int, room: Int, height: Int) {
            let perRow = (buttons.count + rows - 1) / rows
            return (
                perRow, (innerWidth - (perRow - 1) * scale.gap) / perRow, rows * (scale.target + scale.gap) - scale.gap
            )
        }
        let possible = (1...buttons.count).filter { size(rows: $0).room >= scale.target }
        guard let fewest = possible.first else { return nil }
        /// The largest em with which all labels fit, and how wide their buttons are then.
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
        let rows =
            possible.first { rows in
                let size = size(rows: rows)
                return Double(size.height) <= Self.largestShare * Double(pageHeight)
                    && fitting(perRow: size.perRow, room: size.room) != nil
            } ?? fewest
        let chosen = size(rows: rows)
        let fit = fitting(perRow: chosen.perRow, room: chosen.room)
        perRow = chosen.perRow
        height = chosen.height
        let em = fit?.em ?? scale.labelEms.last!
        self.em = em
        let all = fit?.widths ?? buttons.map { _ in chosen.room }
        // One row on a wide screen: no wider than they look well.
        let widest = buttons.map { measure($0.label, em).width }.max()!
        let largest = max(4 * scale.target, widest + 2 * scale.target)
        widths = all.map { min($0, largest) }
    }

    private static func padding(_ scale: LayoutScale) -> Int { max(1, scale.gap / 2) }

    /// Rows in which a long label takes from the room of a short one; nil when there is not enough for all.
    /// - Parameter room: of a button where all are as wide.
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

    /// From left to right, in rows from `top` on, between `minX` and `maxX`.
    func placed(top: Int, minX: Int, maxX: Int, measure: TextMeasure) -> [PlacedButton] {
        buttons.enumerated().map { index, item in
            let (row, width) = (index / perRow, widths[index])
            let before = widths[row * perRow..<index].reduce(0) { $0 + $1 + scale.gap }
            let x = item.button == .accept ? maxX - width : minX + before
            let y = top + row * (scale.target + scale.gap)
            let rect = PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + scale.target)
            return PlacedButton(
                button: item.button, rect: rect, label: label(item.label, in: rect, measure: measure))
        }
    }

    private func label(_ text: String, in rect: PixelRect, measure: TextMeasure) -> PlacedText {
        let size = measure(text, em)
        let room = PixelRect(
            minX: rect.minX + min(Self.padding(scale), rect.width / 4), minY: rect.minY,
            maxX: rect.maxX - min(Self.padding(scale), rect.width / 4), maxY: rect.maxY)
        let (width, height) = (min(size.width, room.width), min(size.height, room.height))
        let (x, y) = (room.minX + (room.width - width) / 2, room.minY + (room.height - height) / 2)
        let line = PlacedText.Line(
            text: text, rect: PixelRect(minX: x, minY: y, maxX: x + width, maxY: y + height),
            isCut: size.width > room.width)
        return PlacedText(rect: room, em: em, lines: [line])
    }
}
