// SPDX-License-Identifier: Apache-2.0
import Geometry
import HostAPI
import Raster

/// The signing page: texts above or beside the card with the field, buttons at the foot.
extension PageLayout {
    /// The columns of pixels for texts, and for the card and the buttons, from left to right.
    private struct Columns {
        var texts: Range<Int>
        var card: Range<Int>
        var isBeside: Bool
    }

    private var columns: [Columns] {
        let width = min(innerWidth, design.widestColumn)
        let start = (size.width - width) / 2
        let one = start..<start + width
        let stacked = Columns(texts: one, card: one, isBeside: false)
        guard Double(size.width) >= Double(size.height) * PageDesign.besideRatio else { return [stacked] }
        let texts = design.margin..<design.margin + Int(Double(innerWidth) * PageDesign.besideShare)
        let card = texts.upperBound + design.margin..<size.width - design.margin
        return [Columns(texts: texts, card: card, isBeside: true), stacked]
    }

    func placeSigning() throws(PageTooSmall) -> Places {
        var failure = PageTooSmall()
        for columns in columns {
            do throws(PageTooSmall) { return try placeSigning(columns) } catch { failure = error }
        }
        throw failure
    }

    /// The largest height of the field, as a share of its width.
    private var proportion: Double {
        if case .note = page.inkField { PageDesign.noteProportion } else { PageDesign.fieldProportion }
    }

    private func placeSigning(_ columns: Columns) throws(PageTooSmall) -> Places {
        let field = page.elements.firstIndex { if case .inkField = $0 { true } else { false } }!
        let (before, after) = (Array(page.elements[..<field]), Array(page.elements[field...]))
        let icons = page.elements.filter { if case .button(_, nil) = $0 { true } else { false } }
        let width = columns.card.count
        // The icons are on the card, or on small pages between the other buttons.
        let variants =
            try buttonRows(withIcons: false, width: width).map { (row: $0, icons: icons) }
            + ((try? buttonRows(withIcons: true, width: width)) ?? []).map { (row: $0, icons: []) }
        // Words stay whole unless that takes letters much smaller than usual.
        let factors = factors(.heading)
        var attempts: [(factor: Double, wholeWords: Bool, field: PageDesign.FieldHeight)] = []
        if !design.isTight {
            // A little smaller letters are better than a low field.
            func field(_ factor: Double) -> PageDesign.FieldHeight { factor > 0.75 ? .good : .least }
            attempts = factors.filter { $0 > 0.6 }.map { ($0, true, field($0)) }
            if columns.isBeside {
                // There is more room for these texts than for the field.
                attempts.insert((1.15, true, .good), at: 0)
            } else {
                attempts.append((factors.last!, true, .least))
                if design.mayBreakWords { attempts += factors.map { ($0, false, field($0)) } }
            }
        }
        if !columns.isBeside { attempts.append((factors.last!, !design.mayBreakWords, .least)) }
        let highest = size.height - 2 * design.margin
        // Many rows go into two columns before letters shrink.
        let rowColumns: [RowColumns] = before.count(where: \.isRow) > 3 ? [.one, .two, .twoOfLines] : [.one]
        for (attempt, rowColumns) in attempts.flatMap({ attempt in rowColumns.map { (attempt, $0) } }) {
            let (factor, wholeWords, height) = attempt
            guard
                let header = stack(
                    before, width: columns.texts.count, height: highest, factor: factor, wholeWords: wholeWords,
                    rowColumns: rowColumns),
                let footer = stack(
                    after, width: width, height: highest, factor: max(min(factor, 1), design.leastFooterFactor),
                    wholeWords: wholeWords)
            else { continue }
            let above = header.height > 0 && !columns.isBeside ? header.height + design.gap : 0
            let below = footer.height > 0 ? footer.height + design.smallGap : 0
            for (row, icons) in variants {
                let gap = row.height > 0 ? max(design.gap, design.targetGap) : 0
                let room = highest - row.height - gap - above - below
                guard
                    let card = Card(
                        icons: icons, width: width, height: room, least: height, size, proportion: proportion, design)
                else { continue }
                // The buttons are at the foot, as on other pages. In landscape the card and the texts are in the middle
                // of the free room, where the eye puts it, a little higher; in portrait the card is near the buttons.
                let rest = room - card.size.height
                let isTall = size.width < size.height
                let under = isTall ? min(gap, rest / 3) : rest - rest * 2 / 5
                let x = columns.card.lowerBound
                let rowTop = size.height - design.margin - row.height
                let y = rowTop - gap - under - below - card.size.height
                let top = isTall ? design.margin + (rest - under) * 2 / 5 : y - above
                let headerTop = min(top, size.height - design.margin - header.height)
                return (
                    header.moved(x: columns.texts.lowerBound, y: headerTop)
                        + card.elements(page.elements[field], x: x, y: y)
                        + footer.moved(x: x, y: y + card.size.height + design.smallGap) + row.moved(x: x, y: rowTop),
                    PixelRect(minX: x, minY: y, maxX: x + card.size.width, maxY: y + card.size.height)
                )
            }
        }
        // One short line of each text fits beside a field for which there is room.
        let row = variants.map(\.row.height).min() ?? 0
        let room = highest - row - 3 * design.gap
        let card = Card(
            icons: [], width: width, height: room * 2 / 3, least: .least, size, proportion: proportion, design)
        throw PageTooSmall(field: card == nil ? nil : longestField)
    }

    /// The field of the longest text, which the host should shorten.
    private var longestField: PageText.Field? {
        var lengths: [PageText.Field: Int] = [:]
        for element in page.elements {
            switch element {
            case .text(let text):
                if let field = text.field { lengths[field, default: 0] += text.text.unicodeScalars.count + 1 }
            case .row(let label, let value, let field):
                lengths[field, default: 0] += label.unicodeScalars.count + value.unicodeScalars.count + 1
            case .picture, .logo, .tick, .warningSign, .sign, .inkField, .button, .target, .line, .document, .option:
                break
            }
        }
        return lengths.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    }
}

/// The card of the signing page: the signing field, and icons in its upper corner, above or beside the field.
private struct Card {
    let size: PixelSize
    private let field: PixelRect
    private let icons: [(PageElement, PixelRect)]

    /// nil if the room is too low for the field.
    /// - Parameters:
    ///   - height: the room for the card, which takes no more than the field's proportion allows.
    ///   - least: the smallest height of the field.
    ///   - page: the size of the page.
    ///   - proportion: the largest height of the field, as a share of its width.
    init?(
        icons: [PageElement], width: Int, height: Int, least: PageDesign.FieldHeight, _ page: PixelSize,
        proportion: Double, _ design: PageDesign
    ) {
        let inset = design.cardInset
        let target = design.target
        let pitch = target + design.targetGap
        func field(width: Int, height: Int) -> (width: Int, height: Int)? {
            let least = design.fieldHeight(least, width: width, page: page)
            let field = (width: width, height: min(height, Int(Double(width) * proportion)))
            return field.width >= 2 * target && field.height >= least ? field : nil
        }
        let beside = icons.isEmpty ? 0 : target
        let column = icons.count * pitch - design.targetGap + 2 * inset
        let sideField = field(width: width - 2 * inset - beside, height: height - 2 * inset)
        let side = sideField.flatMap { max($0.height + 2 * inset, column) <= height ? $0 : nil }
        let iconsFit = !icons.isEmpty && icons.count * pitch - design.targetGap <= width - 2 * inset
        let above = iconsFit ? field(width: width - 2 * inset, height: height - 2 * inset - target) : nil
        let area = { (field: (width: Int, height: Int)?) in field.map { $0.width * $0.height } ?? 0 }
        if let side, area(side) >= area(above) {
            let full = max(side.height + 2 * inset, column)
            size = PixelSize(width: width, height: full)
            self.field = PixelRect(
                minX: inset, minY: inset, maxX: inset + side.width, maxY: full - inset)
            self.icons = icons.enumerated().map { index, icon in
                let (x, y) = (width - inset - target, inset + index * pitch)
                return (icon, PixelRect(minX: x, minY: y, maxX: x + target, maxY: y + target))
            }
        } else if let above {
            size = PixelSize(width: width, height: above.height + 2 * inset + target)
            self.field = PixelRect(
                minX: inset, minY: target + inset, maxX: width - inset, maxY: target + inset + above.height)
            self.icons = icons.enumerated().map { index, icon in
                let x = width - inset - target - (icons.count - 1 - index) * pitch
                return (icon, PixelRect(minX: x, minY: inset, maxX: x + target, maxY: inset + target))
            }
        } else {
            return nil
        }
    }

    func elements(_ element: PageElement, x: Int, y: Int) -> [PlacedElement] {
        [PlacedElement(element, field.moved(x: x, y: y))]
            + icons.map { PlacedElement($0.0, $0.1.moved(x: x, y: y)) }
    }
}

extension PixelRect {
    func moved(x: Int, y: Int) -> PixelRect {
        PixelRect(minX: minX + x, minY: minY + y, maxX: maxX + x, maxY: maxY + y)
    }
}
