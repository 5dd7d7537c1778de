// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The pages of a flow without an ink field: the page on which a document is read, and questions.
extension PageLayout {
    /// The least height of the document, as shares of the page's height: with one row of buttons and with two.
    private static let (leastDocument, leastDocumentOverTwo) = (0.4, 0.5)

    // MARK: reading

    /// The document from edge to edge, and below it the foot with the buttons.
    func placeReading() throws(PageTooSmall) -> Places {
        let width = min(innerWidth, design.widestColumn)
        let row = try readingRow(width: width)
        let padding = footPadding
        let top = size.height - row.height - (row.height > 0 ? 2 * padding : 0)
        guard Double(top) >= Double(size.height) * Self.leastDocument else { throw PageTooSmall() }
        let document = PixelRect(minX: 0, minY: 0, maxX: size.width, maxY: top)
        let foot = PixelRect(minX: 0, minY: top, maxX: size.width, maxY: size.height)
        return (
            [PlacedElement(.document, document)] + row.moved(x: (size.width - width) / 2, y: top + padding), foot
        )
    }

    private var footPadding: Int { max(design.smallGap, design.margin / 2) + design.hairline }

    /// One row if the labels fit there at nearly their size; otherwise the primary button gets lines or a row of its
    /// own.
    private func readingRow(width: Int) throws(PageTooSmall) -> Stack {
        let buttons = rowButtons(withIcons: false)
        func one(_ leastFactor: Double, wrapsLead: Bool) -> Stack? {
            try? row(of: buttons, withIcons: false, width: width, leastFactor: leastFactor, wrapsLead: wrapsLead)
        }
        if let row = one(Self.leastSharedFactor, wrapsLead: false) { return row }
        let isTall = size.height > size.width
        if !isTall, let row = one(0.75, wrapsLead: true) { return row }
        if let rows = try? twoRows(of: buttons, withIcons: false, width: width),
            Double(size.height - rows.height - 2 * footPadding) >= Double(size.height) * Self.leastDocumentOverTwo
        {
            return rows
        }
        if let row = one(0, wrapsLead: true) { return row }
        return try row(of: buttons, withIcons: false, width: width)
    }

    // MARK: questions

    /// The parts of a question.
    private struct Question {
        var texts: [PageElement] = []
        /// The number of the question, in the corner.
        var corner: PageText?
        var options: [(element: PageElement, label: String, style: OptionStyle)] = []

        init(_ page: Page) {
            for element in page.elements {
                switch element {
                case .text(let text) where text.role == .corner || text.role == .trailingDetail: corner = text
                case .text, .row: texts.append(element)
                case .option(_, let label, let style): options.append((element, label, style))
                default: break
                }
            }
        }

        var isRating: Bool { options.allSatisfy { $0.style == .rating } }
    }

    /// The question above its answers, in the middle of the free room, and the buttons at the foot.
    func placeQuestion() throws(PageTooSmall) -> [PlacedElement] {
        let question = Question(page)
        let width = min(innerWidth, design.widestColumn)
        let x = (size.width - width) / 2
        let row = try buttonRow(withIcons: false, width: width)
        let rowTop = size.height - design.margin - row.height
        let room = rowTop - (row.height > 0 ? max(design.gap, design.targetGap) : 0) - design.margin
        let corner = question.corner.map { questionNumber($0, right: x + width) }
        let textWidth = width - (corner.map { $0.rect.width + design.gap } ?? 0)
        let oneOption = question.isRating ? (width - 4 * optionGap) / 5 : width
        guard oneOption >= design.target, room >= 2 * design.target, textWidth >= 3 * design.target else {
            throw PageTooSmall()
        }
        let factors = factors(.heading)
        let attempts =
            (design.isTight ? [] : attempts(factors)) + [(factor: factors.last!, wholeWords: !design.mayBreakWords)]
        // Two columns are better than smaller letters.
        let columnCounts = question.options.count > 1 && !question.isRating ? [1, 2] : [1]
        for (factor, wholeWords) in attempts {
            guard
                let header = stack(
                    question.texts, width: textWidth, height: room, factor: factor, wholeWords: wholeWords)
            else { continue }
            let headerHeight = max(header.height, corner?.rect.height ?? 0)
            let above = headerHeight > 0 ? headerHeight + design.gap : 0
            for columns in columnCounts {
                guard
                    let options = answers(
                        question, columns: columns, width: width, height: room - above, factor, wholeWords)
                else { continue }
                let rest = room - above - options.height
                let y = design.margin + rest * 2 / 5
                return header.moved(x: x, y: y) + (corner.map { [$0] } ?? [])
                    + options.moved(x: x, y: y + above) + row.moved(x: x, y: rowTop)
            }
        }
        throw PageTooSmall(field: .prompt)
    }

    private var optionGap: Int { max(design.smallGap, design.targetGap) }

    /// The answers from top to bottom, or the numbers of a rating from the start to the end; nil if they do not fit.
    private func answers(
        _ question: Question, columns: Int, width: Int, height: Int, _ factor: Double, _ wholeWords: Bool
    ) -> Stack? {
        let options = question.options
        let gap = optionGap
        if question.isRating { return rating(options.map(\.element), width: width, height: height, factor) }
        let columnGap = max(gap, design.gap)
        let columnWidth = (width - (columns - 1) * columnGap) / columns
        let style = TextStyle(em: style(.body, factor).em, weight: .medium)
        let labelWidth = columnWidth - design.optionInset.label - design.optionInset.end
        guard labelWidth >= Int(4 * style.em) else { return nil }
        var heights: [Int] = []
        for option in options {
            let needed = measure(option.label, style, labelWidth)
            guard needed.fits(labelWidth, height, wholeWords: wholeWords) else { return nil }
            heights.append(max(design.target, needed.height + 2 * design.optionPadding))
        }
        let perColumn = (options.count + columns - 1) / columns
        // Rows beside each other have one height; all have, if there is room.
        var rows = (0..<perColumn).map { row in
            stride(from: row, to: options.count, by: perColumn).map { heights[$0] }.max() ?? 0
        }
        let highest = rows.max() ?? 0
        if perColumn * highest + (perColumn - 1) * gap <= height { rows = rows.map { _ in highest } }
        var stack = Stack(height: rows.reduce(0, +) + (perColumn - 1) * gap)
        guard stack.height <= height else { return nil }
        for (index, option) in options.enumerated() {
            let (column, row) = (index / perColumn, index % perColumn)
            let y = rows[..<row].reduce(0) { $0 + $1 + gap }
            let x = column * (columnWidth + columnGap)
            stack.elements.append(
                PlacedElement(
                    option.element, PixelRect(minX: x, minY: y, maxX: x + columnWidth, maxY: y + rows[row]),
                    style: style))
        }
        return stack
    }

    /// Numbers in one row, with equal targets.
    private func rating(_ options: [PageElement], width: Int, height: Int, _ factor: Double) -> Stack? {
        let (count, gap) = (options.count, optionGap)
        let side = (width - (count - 1) * gap) / count
        let high = min(max(design.target, min(side, design.target * 3 / 2)), height)
        guard high >= design.target else { return nil }
        var em = min(style(.heading, max(factor, 1)).em, Double(high) * 0.5)
        if design.letters != nil { em = max(em, design.smallestEm) }
        let style = TextStyle(em: em, weight: .semibold, alignsFigures: true)
        guard design.letters == nil || measure("5", style, side).fits(side, high, wholeWords: true) else { return nil }
        return Stack(
            elements: options.enumerated().map { index, option in
                let x = index * (side + gap)
                return PlacedElement(
                    option, PixelRect(minX: x, minY: 0, maxX: x + side, maxY: high), style: style, alignment: .center)
            }, height: high)
    }

    /// The number of the question, beside its first line.
    private func questionNumber(_ text: PageText, right: Int) -> PlacedElement {
        let style = style(.detail, 1)
        let needed = measure(text.text, style, Self.anyWidth)
        let rect = PixelRect(
            minX: max(design.margin, right - needed.width), minY: design.margin, maxX: right,
            maxY: design.margin + needed.height)
        return PlacedElement(.text(text), rect, style: style, alignment: .end)
    }
}
