// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Raster

extension PlacedPage {
    /// Places the elements of a page. A page that is too small for touch targets of their size (shorter side below
    /// about 36 mm) is scaled down as a whole; texts shrink to the smallest legible size, and then the spacing is
    /// halved.
    /// - Parameters:
    ///   - size: the size of the picture after rotation.
    ///   - density: nil if the screen does not state its size; then 48 pixels count as 9 mm, or a tenth of the shorter
    ///     side if that is more.
    ///   - gloves: whether people wear gloves. Touch targets are larger then, unless the page is too small for that.
    ///   - letters: the least height of capitals in millimetres, for people who see little; ``Page/letters`` overrides
    ///     it. Without room, capitals are as high as fits in full scale, in steps of ``PageDesign/heights(from:)``.
    /// - Throws: ``PageTooSmall``: without a field if the picture has too few pixels (240 on the shorter side are
    ///   always enough), with a field if a text is too long. A page without an ink field is cut instead.
    public init(
        _ page: Page, size: PixelSize, density: PixelDensity?, gloves: Bool = false, letters: Double? = nil,
        measure: TextMeasure
    ) throws(PageTooSmall) {
        let wanted = PageDesign.unit(size: size, density: density)
        let density = density ?? PixelDensity(dotsPerInch: wanted * 25.4)
        let result = withoutActuallyEscaping(measure) { measure in
            PageLayout.fitting(
                page, size: size, unit: wanted, gloves: gloves, letters: page.letters ?? letters, measure: measure)
        }
        let (design, places) = try result.get()
        self.init(page, size: size, density: density, design: design, elements: places.elements, frame: places.frame)
        if page.direction == .rightToLeft { mirror() }
    }

    /// Swaps left and right. Alignments are relative to the direction of the page.
    private mutating func mirror() {
        func mirrored(_ rect: PixelRect) -> PixelRect {
            PixelRect(minX: size.width - rect.maxX, minY: rect.minY, maxX: size.width - rect.minX, maxY: rect.maxY)
        }
        for index in elements.indices {
            if elements[index].element.isInPlace { continue }
            elements[index].rect = mirrored(elements[index].rect)
        }
        if !frame.isEmpty { frame = mirrored(frame) }
    }
}

/// The layout of a page from left to right at one scale.
struct PageLayout {
    let page: Page
    let size: PixelSize
    let design: PageDesign
    let measure: TextMeasure

    /// A width that no text exceeds.
    static let anyWidth = 1 << 20

    /// The elements, and the frame around the ink field or beside it.
    typealias Places = (elements: [PlacedElement], frame: PixelRect)

    var innerWidth: Int { size.width - 2 * design.margin }

    /// Lays the page out at the largest scale at which it fits.
    /// - Parameter unit: pixels per millimetre; the largest scale.
    static func fitting(
        _ page: Page, size: PixelSize, unit: Double, gloves: Bool, letters: Double?, measure: @escaping TextMeasure
    ) -> Result<(PageDesign, Places), PageTooSmall> {
        for (letters, gloves, isTight) in special(letters.map(PageDesign.heights) ?? [], gloves: gloves) {
            let design = PageDesign(unit: unit, size: size, isTight: isTight, gloves: gloves, letters: letters)
            let layout = PageLayout(page: page, size: size, design: design, measure: measure)
            if let places = try? layout.place() { return .success((design, places)) }
        }
        var unit = unit
        // Steps of 5 %: few on a real screen, and the loop ends for any size.
        while unit > 0.4 {
            for isTight in [false, true] {
                let design = PageDesign(unit: unit, size: size, isTight: isTight)
                let layout = PageLayout(page: page, size: size, design: design, measure: measure)
                do throws(PageTooSmall) {
                    return .success((design, try layout.place()))
                } catch {
                    if error.field == nil { break }
                    // Scaling further to fit a long text would make letters illegible.
                    if isTight { return .failure(layout.measured(error)) }
                }
            }
            unit *= 0.95
        }
        return .failure(PageTooSmall())
    }

    /// The designs for large letters and for gloves, from the best one. Large letters matter more than large buttons:
    /// people do not press a label that they cannot read.
    static func special(
        _ large: [Double], gloves: Bool
    ) -> [(letters: Double?, gloves: Bool, isTight: Bool)] {
        let letters: [Double?] = large + (gloves ? [nil] : [])
        return letters.flatMap { letters in
            (gloves && letters != nil ? [true, false] : [gloves]).flatMap { gloves in
                [(letters, gloves, false), (letters, gloves, true)]
            }
        }
    }

    func place() throws(PageTooSmall) -> Places {
        guard innerWidth > design.target, size.height > 2 * design.target else { throw PageTooSmall() }
        switch page.inkField {
        case .signing, .note: return try placeSigning()
        case .drawing(let tools):
            guard let bar = ToolBar.best(for: tools, page, size: size, design: design) else { throw PageTooSmall() }
            return (bar.elements, bar.rect)
        case nil:
            if page.hasDocument { return try placeReading() }
            if page.isLargeTexts { return (try placeLargeTexts(), .empty) }
            return (page.hasOptions ? try placeQuestion() : try placeCentred(), .empty)
        }
    }

    // MARK: texts

    /// Elements from top to bottom. Their places are relative to the stack's upper left corner.
    struct Stack {
        var elements: [PlacedElement] = []
        var height = 0

        func moved(x: Int, y: Int) -> [PlacedElement] {
            elements.map { element in
                var element = element
                element.rect = element.rect.moved(x: x, y: y)
                return element
            }
        }
    }

    func style(_ role: PageText.Role, _ factor: Double) -> TextStyle {
        TextStyle(
            em: max(design.em(role) * factor, design.smallestEm), weight: PageDesign.weight(role),
            alignsFigures: role == .corner, face: PageDesign.face(role))
    }

    /// Elements of one kind that follow one another.
    private struct Group: Equatable {
        var role: PageText.Role
        var isRow = false
    }

    /// How rows stand beside one another.
    enum RowColumns {
        case one
        /// Each value has one line.
        case two
        case twoOfLines
    }

    /// The narrowest column in which values have several lines, in ems.
    private static let narrowestColumn = 10.0

    /// Stacks texts, wrapped to the width; nil if they do not fit.
    func stack(
        _ elements: [PageElement], width: Int, height: Int, factor: Double, wholeWords: Bool,
        rowColumns: RowColumns = .one, alignment: PlacedElement.Alignment = .start
    ) -> Stack? {
        var stack = Stack()
        var last: Group?
        /// Space before the next element: little within a group, more between groups.
        func skip(to group: Group) {
            guard let before = last else { return }
            if before != group {
                stack.height += design.smallGap
            } else if page.isLargeTexts, !group.isRow {
                // More space separates answers of several lines.
                stack.height += design.gap
            } else {
                stack.height += Int(style(group.role, factor).em * (PageDesign.lineSpacing - 1) * 1.2)
            }
        }
        for (index, element) in elements.enumerated() {
            switch element {
            case .text(let text):
                let style = style(text.role, factor)
                if text.role == .trailingDetail, let index = stack.elements.indices.last,
                    place(text, style, beside: index, width: width, in: &stack)
                {
                    continue
                }
                let needed = measure(text.text, style, width)
                skip(to: Group(role: text.role))
                guard needed.fits(width, height - stack.height, wholeWords: wholeWords) else { return nil }
                let narrow = alignment == .center ? balancedWidth(of: text.text, style, width, measure) : width
                let x = (width - narrow) / 2
                let rect = PixelRect(minX: x, minY: stack.height, maxX: x + narrow, maxY: stack.height + needed.height)
                stack.elements.append(PlacedElement(element, rect, style: style, alignment: alignment))
                stack.height = rect.maxY
                last = Group(role: text.role)
            case .row:
                // The first of successive rows has placed all of them.
                if index > 0, elements[index - 1].isRow { continue }
                let group = Group(role: .body, isRow: true)
                skip(to: group)
                let rows = Array(elements[index...].prefix { $0.isRow })
                guard let placed = self.rows(rows, columns: rowColumns, width, factor, wholeWords) else { return nil }
                stack.elements += placed.moved(x: 0, y: stack.height)
                stack.height += placed.height
                guard stack.height <= height else { return nil }
                last = group
            case .picture, .logo, .tick, .warningSign, .sign, .inkField, .button, .target, .line, .document, .option:
                break
            }
        }
        return stack
    }

    /// Places a detail at the end of the line of the detail before it, if both fit there on one line.
    private func place(_ text: PageText, _ style: TextStyle, beside index: Int, width: Int, in stack: inout Stack)
        -> Bool
    {
        guard let first = stack.elements[index].text, first.role == .detail else { return false }
        let (one, other) = (measure(first.text, style, Self.anyWidth), measure(text.text, style, Self.anyWidth))
        guard one.width + design.gap + other.width <= width else { return false }
        var rect = stack.elements[index].rect
        guard max(one.height, other.height) <= rect.height else { return false }
        rect.minX = width - other.width
        stack.elements[index].rect.maxX = rect.minX - design.gap
        stack.elements.append(PlacedElement(.text(text), rect, style: style, alignment: .end))
        return true
    }

    /// Rows in columns, each read from top to bottom.
    private func rows(
        _ rows: [PageElement], columns: RowColumns, _ width: Int, _ factor: Double, _ wholeWords: Bool
    ) -> Stack? {
        let gap = 2 * design.gap
        let count = columns == .one ? 1 : 2
        let columnWidth = (width - (count - 1) * gap) / count
        let perColumn = (rows.count + count - 1) / count
        let narrowest = Self.narrowestColumn * style(.body, factor).em
        if columns == .twoOfLines, Double(columnWidth) < narrowest { return nil }
        var stack = Stack()
        for (number, start) in stride(from: 0, to: rows.count, by: perColumn).enumerated() {
            let column = rows[start..<min(start + perColumn, rows.count)]
            let labels = labelColumn(column, columnWidth, factor)
            var y = 0
            for case .row(let label, let value, let field) in column {
                guard
                    let row = row(
                        label, value, of: field, labels: labels, columnWidth, factor, wholeWords,
                        onOneLine: columns == .two)
                else { return nil }
                // A value may have several lines.
                if y > 0 { y += (design.smallGap + 1) / 2 }
                stack.elements += row.moved(x: number * (columnWidth + gap), y: y)
                y += row.height
            }
            stack.height = max(stack.height, y)
        }
        return stack
    }

    /// The width of the labels of rows: that of the widest, at most two fifths of the column.
    private func labelColumn(_ rows: ArraySlice<PageElement>, _ width: Int, _ factor: Double) -> Int {
        var widest = 1
        for case .row(let label, _, _) in rows {
            widest = max(widest, measure(label, style(.detail, factor), Self.anyWidth).width)
        }
        return min(widest, width * 2 / 5)
    }

    /// A label and its value beside each other, their first lines on one baseline.
    /// - Parameter labels: the width of the labels.
    private func row(
        _ label: String, _ value: String, of field: PageText.Field, labels: Int, _ width: Int, _ factor: Double,
        _ wholeWords: Bool, onOneLine: Bool
    ) -> Stack? {
        let labelStyle = style(.detail, factor)
        let valueStyle = TextStyle(em: style(.body, factor).em, weight: .medium)
        let start = labels + max(design.gap, Int(labelStyle.em))
        let (one, other) = (measure(label, labelStyle, labels), measure(value, valueStyle, width - start))
        guard one.fits(labels, .max, wholeWords: wholeWords),
            other.fits(width - start, .max, wholeWords: wholeWords),
            !onOneLine || measure(value, valueStyle, Self.anyWidth).width <= width - start
        else { return nil }
        let baseline = max(one.baseline, other.baseline)
        let (top, valueTop) = (baseline - one.baseline, baseline - other.baseline)
        let height = max(top + one.height, valueTop + other.height)
        return Stack(
            elements: [
                PlacedElement(
                    .text(PageText(label, .detail, of: field)),
                    PixelRect(minX: 0, minY: top, maxX: labels, maxY: height), style: labelStyle),
                PlacedElement(
                    .text(PageText(value, .body, of: field)),
                    PixelRect(minX: start, minY: valueTop, maxX: width, maxY: height), style: valueStyle),
            ], height: height)
    }

    /// Factors for the size of text, from large to the smallest legible one.
    func factors(_ largest: PageText.Role) -> [Double] {
        let end = PageDesign.shrinking.firstIndex { design.em(largest) * $0 <= design.smallestEm }
        return Array(PageDesign.shrinking.prefix(through: end ?? PageDesign.shrinking.count - 1))
    }

    /// Words stay whole unless that takes more than smaller letters.
    func attempts(_ factors: [Double]) -> [(factor: Double, wholeWords: Bool)] {
        factors.map { ($0, true) } + (design.mayBreakWords ? factors.map { ($0, false) } : [])
    }

    // MARK: pages without an ink field

    private func placeCentred() throws(PageTooSmall) -> [PlacedElement] {
        var room = PixelRect(
            minX: design.margin, minY: design.margin, maxX: size.width - design.margin,
            maxY: size.height - design.margin)
        var elements: [PlacedElement] = []
        for element in page.elements where element.isInPlace {
            let rect: PixelRect
            if case .target(let place) = element {
                // Limited by the room of targets near corners.
                let arm = min(6 * design.unit, Double(min(size.width, size.height)) / 10)
                rect = PixelRect(around: place, radius: Int(arm))
            } else {
                rect = PixelRect(size: size)
            }
            elements.append(PlacedElement(element, rect))
            // Away from targets and lines.
            (room.minY, room.maxY) = (size.height * 42 / 100, size.height * 76 / 100)
        }
        // Buttons stand at the foot, below the texts.
        let width = min(innerWidth, design.widestColumn)
        let row = try buttonRow(withIcons: false, width: width)
        if row.height > 0 {
            room.maxY -= row.height
            elements += row.moved(x: (size.width - width) / 2, y: room.maxY)
            room.maxY -= design.gap
        }
        var texts: [PageElement] = []
        var figures: [PageElement] = []
        for element in page.elements {
            switch element {
            case .text(let text) where text.role == .corner: elements.append(corner(text))
            case .text: texts.append(element)
            case .picture, .logo, .tick, .warningSign, .sign: figures.append(element)
            case .row, .inkField, .button, .target, .line, .document, .option: break
            }
        }
        if texts.isEmpty { return elements + figures.map { PlacedElement($0, PixelRect(size: size)) } }
        // Large texts reach up to the corner, usual ones do not.
        if design.letters != nil, let corner = elements.first(where: { $0.text?.role == .corner }) {
            room.minY = max(room.minY, corner.rect.maxY)
        }
        // Figures take up to two fifths of the height.
        let highest = room.height * 2 / 5
        let heights = figures.map { figure in
            switch figure {
            case .tick, .warningSign, .sign:
                min(highest, Int(Double(min(size.width, size.height)) * PageDesign.signShare))
            case .logo(let picture): logoHeight(picture, in: room.width, highest)
            default: highest
            }
        }
        let textHeight = room.height - heights.reduce(0) { $0 + $1 + design.gap }
        // Texts may be larger, because nothing else needs the room.
        let factors = [design.centredGrowth] + factors(.headline)
        let attempts = attempts(factors)
        var stack: Stack?
        for (factor, wholeWords) in attempts where stack == nil {
            stack = self.stack(
                texts, width: room.width, height: textHeight, factor: factor, wholeWords: wholeWords, alignment: .center
            )
        }
        if stack == nil, design.letters != nil { throw PageTooSmall() }
        let placed = stack ?? cut(texts, width: room.width, height: textHeight)
        let whole = placed.height + heights.reduce(0) { $0 + $1 + design.gap }
        var y = room.minY + (room.height - whole) / 2
        for (figure, height) in zip(figures, heights) {
            elements.append(
                PlacedElement(figure, PixelRect(minX: room.minX, minY: y, maxX: room.maxX, maxY: y + height)))
            y += height + design.gap
        }
        return elements + placed.moved(x: room.minX, y: y)
    }

    /// The height of a logo: a quarter of the page's shorter side at most, and not wider than half of the room. Logos
    /// are not enlarged beyond that, however large their file is.
    private func logoHeight(_ picture: Picture, in width: Int, _ height: Int) -> Int {
        guard picture.size.width > 0 else { return 0 }
        let widest =
            Double(width) * PageDesign.logoWidthShare * Double(picture.size.height) / Double(picture.size.width)
        return min(height, Int(widest), Int(Double(min(size.width, size.height)) * PageDesign.logoShare))
    }

    /// A text in the upper corner at the end of the lines.
    private func corner(_ text: PageText) -> PlacedElement {
        let style = style(text.role, 1)
        let needed = measure(text.text, style, Self.anyWidth)
        let right = size.width - design.margin
        let rect = PixelRect(
            minX: max(design.margin, right - needed.width), minY: design.margin, maxX: right,
            maxY: design.margin + needed.height)
        return PlacedElement(.text(text), rect, style: style, alignment: .end)
    }

    /// Texts that are too long for the page: what fits of each, at the smallest size.
    private func cut(_ texts: [PageElement], width: Int, height: Int) -> Stack {
        var stack = Stack()
        for element in texts {
            guard case .text(let text) = element, stack.height < height else { continue }
            let style = style(text.role, 0)
            let end = min(height, stack.height + measure(text.text, style, width).height)
            stack.elements.append(
                PlacedElement(
                    element, PixelRect(minX: 0, minY: stack.height, maxX: width, maxY: end), style: style,
                    alignment: .center))
            stack.height = end
        }
        return stack
    }
}

extension PixelRect {
    fileprivate init(around point: Point, radius: Int) {
        let (x, y) = (Int(point.x.rounded(.down)), Int(point.y.rounded(.down)))
        self.init(minX: x - radius, minY: y - radius, maxX: x + radius + 1, maxY: y + radius + 1)
    }
}
