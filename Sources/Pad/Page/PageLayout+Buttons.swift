// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The buttons at the foot of a page: quiet ones at the start of the line, the primary one at its end. Back stands
/// beside the primary one, where no page has Cancel, so a second tap on Back cannot cancel.
extension PageLayout {
    /// A button in a row.
    struct RowButton {
        let element: PageElement
        let button: PageButton
        let label: String?

        /// Whether the button has a face or a border, whose edges a label must not touch.
        var hasFace: Bool { button.isPrimary || button == .again }
        /// Whether the label may be long, so that the button gets a row of its own if there is no room for it.
        var isWide: Bool { button == .lead || button == .again || button == .instead }
    }

    /// The label of a button that shares its row with a long one shrinks to this at most.
    static let leastSharedFactor = 0.8

    func rowButtons(withIcons: Bool) -> [RowButton] {
        page.elements.compactMap { element in
            guard case .button(let button, let label) = element, label != nil || withIcons else { return nil }
            return RowButton(element: element, button: button, label: label)
        }
    }

    /// The buttons of a page, in one row, or with a button with a long label in a row above the others.
    func buttonRow(withIcons: Bool, width: Int) throws(PageTooSmall) -> Stack {
        try buttonRows(withIcons: withIcons, width: width)[0]
    }

    /// The ways to place the buttons, from the best one.
    func buttonRows(withIcons: Bool, width: Int) throws(PageTooSmall) -> [Stack] {
        let buttons = rowButtons(withIcons: withIcons)
        guard buttons.count > 1, buttons.contains(where: \.isWide) else {
            return [try row(of: buttons, withIcons: withIcons, width: width)]
        }
        let least = Self.leastSharedFactor
        let rows = [
            try? row(of: buttons, withIcons: withIcons, width: width, leastFactor: least),
            try? twoRows(of: buttons, withIcons: withIcons, width: width),
            try? row(of: buttons, withIcons: withIcons, width: width),
        ].compactMap { $0 }
        if rows.isEmpty { throw PageTooSmall(field: .labels) }
        return rows
    }

    /// A row for the button with a long label, and one for the others below.
    func twoRows(of buttons: [RowButton], withIcons: Bool, width: Int) throws(PageTooSmall) -> Stack {
        let first = try row(of: buttons.filter(\.isWide), withIcons: withIcons, width: width)
        let second = try row(of: buttons.filter { !$0.isWide }, withIcons: withIcons, width: width)
        let y = first.height + max(design.smallGap, design.targetGap)
        return Stack(elements: first.elements + second.moved(x: 0, y: y), height: y + second.height)
    }

    /// - Parameters:
    ///   - leastFactor: labels shrink to this share of their size, at most to the smallest legible one, and have one
    ///     line; nil if they may have several.
    ///   - wrapsLead: whether the label of ``PageButton/lead`` may have several lines.
    func row(
        of buttons: [RowButton], withIcons: Bool, width: Int, leastFactor: Double? = nil, wrapsLead: Bool = false
    ) throws(PageTooSmall) -> Stack {
        if buttons.isEmpty { return Stack() }
        let (count, target) = (buttons.count, design.target)
        let gap = max(withIcons ? design.smallGap : design.gap, design.targetGap)
        let room = width - (count - 1) * gap
        guard room >= count * target else { throw PageTooSmall() }
        func size(_ button: RowButton, _ em: Double, _ width: Int) -> TextSize {
            guard let label = button.label else { return TextSize(width: 0, height: 0) }
            return measure(label, TextStyle(em: em, weight: .semibold), width)
        }
        func padding(_ button: RowButton, _ em: Double) -> Int {
            max(design.labelInset, Int((em * (button.hasFace || !withIcons ? 0.9 : 0.4)).rounded(.up)))
        }
        /// The widths of the buttons; nil if they do not fit.
        func widths(_ em: Double) -> [Int]? {
            var widths = buttons.map { button in
                if wrapsLead, button.button == .lead { return 0 }
                let size = size(button, em, Self.anyWidth)
                return size.height <= target ? max(target, size.width + 2 * padding(button, em)) : room + 1
            }
            let rest = room - widths.reduce(0, +)
            if wrapsLead, let lead = buttons.firstIndex(where: { $0.button == .lead }) {
                let width = rest - 2 * padding(buttons[lead], em)
                let size = size(buttons[lead], em, width)
                guard rest >= target, size.fits(width, target, wholeWords: true) else { return nil }
                widths[lead] = rest
                return widths
            }
            return rest >= 0 ? widths : nil
        }
        var found: (em: Double, widths: [Int])?
        for factor in PageDesign.shrinking where found == nil && factor >= leastFactor ?? 0 {
            let em = max(design.labelEm * factor, design.smallestLabelEm)
            found = widths(em).map { (em, $0) }
        }
        let share = room / count
        // Icons go elsewhere before they break a label.
        let mayBreak = leastFactor == nil && !(withIcons && !design.isTight)
        for wholeWords in mayBreak ? [true, false] : [] where found == nil && (wholeWords || design.mayBreakWords) {
            let width = share - 2 * design.labelInset
            let fit = buttons.allSatisfy {
                size($0, design.smallestLabelEm, width).fits(width, target, wholeWords: wholeWords)
            }
            if fit { found = (design.smallestLabelEm, buttons.map { _ in share }) }
        }
        guard let found else { throw PageTooSmall(field: .labels) }
        return placed(buttons, found.widths, em: found.em, gap: gap, width: width)
    }

    /// The buttons of a row at their places.
    private func placed(_ buttons: [RowButton], _ fitting: [Int], em: Double, gap: Int, width: Int) -> Stack {
        var widths = fitting
        let target = design.target
        let rest = width - (buttons.count - 1) * gap - widths.reduce(0, +)
        let primary = buttons.firstIndex { $0.button.isPrimary }
        if let primary {
            // The primary button is large; that of a document has room for the next label.
            let isAlone = buttons.count == 1
            let wanted =
                buttons[primary].button == .lead ? max(3 * target, isAlone ? width : width * 9 / 20) : 3 * target
            widths[primary] += max(0, min(rest, wanted - widths[primary]))
        }
        var stack = Stack(height: target)
        // The label of the first button is in line with the texts above: a quiet button has no face.
        var (x, end) = (0, width)
        var isInLine = false
        let isAtEnd = buttons.map { $0.button.isPrimary || $0.button == .back && primary != nil }
        if let first = isAtEnd.firstIndex(of: false), !buttons[first].hasFace, let label = buttons[first].label {
            let rest = widths[first] - measure(label, TextStyle(em: em, weight: .medium), Self.anyWidth).width
            isInLine = rest / 2 > design.labelOutset
            x = -max(0, min(rest / 2, design.labelOutset))
        }
        if let primary { end -= widths[primary] }
        for (index, button) in buttons.enumerated() {
            var start = x
            if button.button.isPrimary {
                start = width - widths[index]
            } else if isAtEnd[index] {
                end -= gap + widths[index]
                start = end
            } else {
                x += widths[index] + gap
            }
            let rect = PixelRect(minX: start, minY: 0, maxX: start + widths[index], maxY: target)
            let style = TextStyle(em: em, weight: button.button.isPrimary ? .semibold : .medium)
            let isFirst = isAtEnd.firstIndex(of: false) == index
            stack.elements.append(
                PlacedElement(
                    button.element, rect, style: button.label == nil ? nil : style,
                    alignment: isFirst && isInLine ? .start : .center))
        }
        return stack
    }
}
