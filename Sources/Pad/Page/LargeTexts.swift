// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Raster

/// The labels of the buttons that turn the pages with another page's texts in large letters.
public struct PageTurning: Equatable, Sendable {
    public var next: String
    public var back: String

    public init(next: String, back: String) {
        self.next = next
        self.back = back
    }
}

/// A line of a wrapped text.
public struct TextLine: Equatable, Sendable {
    /// The line with the spaces and the line feed at its end.
    public var text: String
    /// Whether it ends between words, or is the last one. A word may go on after a soft hyphen.
    public var isWhole: Bool

    public init(_ text: String, isWhole: Bool) {
        self.text = text
        self.isWhole = isWhole
    }

    fileprivate var endsInSpace: Bool { text.unicodeScalars.last?.properties.isWhitespace == true }
}

/// Wraps a text to a width in pixels, as the painter draws it. All lines together are the text.
public typealias TextLines = (_ text: String, _ style: TextStyle, _ width: Int) -> [TextLine]

extension PlacedPage {
    /// Places a page. If its texts have no room in the letters that were asked for, ``largeTexts`` come before it, and
    /// it leads back to them. The parameters are those of ``init(_:size:density:gloves:letters:measure:)``.
    /// - Parameter page: without ``Page/turning``, no pages come before it.
    public static func withTexts(
        _ page: Page, size: PixelSize, density: PixelDensity?, gloves: Bool = false, letters: Double? = nil,
        measure: TextMeasure, lines: TextLines
    ) throws(PageTooSmall) -> PlacedPage {
        func place(_ page: Page) throws(PageTooSmall) -> PlacedPage {
            try PlacedPage(page, size: size, density: density, gloves: gloves, letters: letters, measure: measure)
        }
        let placed = try place(page)
        let unit = PageDesign.unit(size: size, density: density)
        guard let turning = page.turning, let wanted = page.letters ?? letters,
            let own = placed.leastLetters(unit: unit), own < wanted * 0.999,
            var last = try? place(page.leadingBack(turning))
        else { return placed }
        for height in PageDesign.heights(from: wanted) where height > own * 1.001 {
            let parts = withoutActuallyEscaping(measure) { measure in
                withoutActuallyEscaping(lines) { lines in
                    LargeTexts(page, turning, size: size, unit: unit, measure: measure, lines: lines)
                        .pages(gloves: gloves, letters: height)
                }
            }
            let pages = (parts ?? []).compactMap { try? place($0) }
            if !pages.isEmpty, pages.count == parts?.count {
                last.largeTexts = pages
                return last
            }
        }
        return placed
    }

    /// The height of the lowest capitals of its texts and answers in millimetres; nil without texts. Buttons and hints
    /// do not count, because people know them by their places, nor do the numbers of a rating, which are large.
    func leastLetters(unit: Double) -> Double? {
        let ems = elements.compactMap { element in
            switch element.element {
            case .text(let text): text.role == .corner ? nil : element.style?.em
            case .option(_, _, let style): style == .rating ? nil : element.style?.em
            default: nil
            }
        }
        return ems.min().map { PageDesign.capitals(ofEm: $0, unit: unit) }
    }
}

extension Page {
    /// The page as it follows its texts in large letters: with Back instead of Cancel and Decline, which are on the
    /// first page of texts.
    fileprivate func leadingBack(_ turning: PageTurning) -> Page {
        var page = self
        page.elements.removeAll { $0.isButton(.cancel) || $0.isButton(.decline) }
        if page.elements.contains(where: { $0.isButton(.back) }) { return page }
        let first = page.elements.firstIndex { if case .button = $0 { true } else { false } }
        page.elements.insert(.button(.back, label: turning.back), at: first ?? page.elements.endIndex)
        return page
    }
}

extension PageElement {
    fileprivate func isButton(_ wanted: PageButton) -> Bool {
        if case .button(wanted, _) = self { true } else { false }
    }
}

/// The texts of a page in letters that it has no room for, on as many pages as they need. Each text begins where the
/// last one ended. Words are whole, and so are rows that fit.
private struct LargeTexts {
    private let page: Page
    private let turning: PageTurning
    private let size: PixelSize
    private let unit: Double
    private let measure: TextMeasure
    private let lines: TextLines
    /// The texts of each page that is full, and of the one that is being filled.
    private var full: [[PageElement]] = []
    private var current: [PageElement] = []

    init(
        _ page: Page, _ turning: PageTurning, size: PixelSize, unit: Double, measure: @escaping TextMeasure,
        lines: @escaping TextLines
    ) {
        self.page = page
        self.turning = turning
        self.size = size
        self.unit = unit
        self.measure = measure
        self.lines = lines
    }

    /// - Returns: nil if not even one word has room.
    func pages(gloves: Bool, letters: Double) -> [Page]? {
        for layouts in layouts(letters: letters, gloves: gloves) {
            var texts = self
            if texts.fill(layouts) { return texts.pages(letters: letters) }
        }
        return nil
    }

    private func pages(letters: Double) -> [Page] {
        full.enumerated().map { index, texts in
            let count = PageElement.text(PageText("\(index + 1)/\(full.count)", .corner))
            return page(texts + (full.count > 1 ? [count] : []), isFirst: index == 0, letters: letters)
        }
    }

    /// - Parameter isFirst: whether it has the buttons Cancel, Decline and Back of the page itself.
    private func page(_ texts: [PageElement], isFirst: Bool, letters: Double? = nil) -> Page {
        let leaving: [PageElement] =
            isFirst
            ? page.elements.filter { $0.isButton(.cancel) || $0.isButton(.decline) || $0.isButton(.back) }
            : [.button(.back, label: turning.back)]
        var made = Page(texts + leaving + [.button(.next, label: turning.next)], direction: page.direction)
        (made.isLargeTexts, made.letters) = (true, letters)
        return made
    }

    // MARK: layouts

    /// The layouts of the first page and of the others, and the heights that these have for texts.
    private struct Layouts {
        let page: PageLayout
        let first: Int
        let others: Int

        /// The least area of a letter with the space around it, in squares of the em.
        private static let letterArea = 0.25

        /// The number of scalars of a text that no page has room for.
        private func capacity(_ text: PageText) -> Int {
            let em = page.style(text.role, 0).em
            return 64 + Int(Double(page.textWidth * max(first, others)) / (em * em * Self.letterArea))
        }

        /// Whether no page has room for a text, known without measuring it.
        func isBeyond(_ text: PageText) -> Bool { text.text.unicodeScalars.count > capacity(text) }

        /// The lines of a text. If a text is too long for any page, only its beginning is wrapped, and the rest is one
        /// line.
        func lines(of text: PageText, _ lines: TextLines) -> [TextLine] {
            let (scalars, capacity) = (text.text.unicodeScalars, capacity(text))
            if scalars.count <= capacity { return page.lines(of: text, lines) }
            let end = scalars.index(scalars.startIndex, offsetBy: capacity)
            var head = text
            head.text = String(scalars[..<end])
            var wrapped = page.lines(of: head, lines)
            // The last line is cut, and the line before may have ended at the cut.
            guard wrapped.count > 2 else { return page.lines(of: text, lines) }
            let cut = wrapped.suffix(2).map(\.text).joined()
            wrapped.removeLast(2)
            return wrapped + [TextLine(cut + String(scalars[end...]), isWhole: true)]
        }

        /// Whether texts have room.
        func fits(_ texts: [PageElement], isFirst: Bool) -> Bool { page.stack(texts, isFirst ? first : others) != nil }
    }

    /// The layouts with letters of a height, from the best one. A nil height stands for the usual letters.
    private func layouts(letters: Double?, gloves: Bool) -> [Layouts] {
        let designs = letters.map { PageLayout.special([$0], gloves: gloves).filter { $0.letters != nil } }
        return (designs ?? [(nil, false, false), (nil, false, true)]).compactMap { letters, gloves, isTight in
            let design = PageDesign(unit: unit, size: size, isTight: isTight, gloves: gloves, letters: letters)
            func layout(isFirst: Bool) -> PageLayout {
                PageLayout(page: page([], isFirst: isFirst), size: size, design: design, measure: measure)
            }
            let others = layout(isFirst: false)
            guard let first = try? layout(isFirst: true).textRoom(), let rest = try? others.textRoom() else {
                return nil
            }
            return Layouts(page: others, first: first.height, others: rest.height)
        }
    }

    // MARK: texts

    /// Spreads all texts over pages.
    /// - Returns: false if one has no room on a page of its own.
    private mutating func fill(_ layouts: Layouts) -> Bool {
        for element in page.elements {
            switch element {
            case .text(let text) where text.role != .corner: if !add(text, layouts) { return false }
            case .option(_, let label, let style) where style != .rating:
                if !add(PageText(label, .body), layouts) { return false }
            case .row(let label, let value, let field):
                // Labels and values are above each other where they have no room beside each other.
                let lines = [PageText(label + ":", .detail, of: field), PageText(value, .body, of: field)]
                if !add([element], layouts), !add(lines.map { .text($0) }, layouts),
                    !lines.allSatisfy({ add($0, layouts) })
                {
                    return false
                }
            default: break
            }
        }
        endPage()
        return true
    }

    private mutating func endPage() {
        if !current.isEmpty { full.append(current) }
        current = []
    }

    /// Adds elements to the page that is being filled, or to the next one.
    /// - Returns: false if they have no room on one page.
    private mutating func add(_ whole: [PageElement], _ layouts: Layouts) -> Bool {
        if !layouts.fits(current + whole, isFirst: full.isEmpty) {
            if current.isEmpty || !layouts.fits(whole, isFirst: false) { return false }
            endPage()
        }
        current += whole
        return true
    }

    /// Adds a text to the page that is being filled, and continues it on the next ones.
    /// - Returns: false if a line of it has no room on a page of its own.
    private mutating func add(_ text: PageText, _ layouts: Layouts) -> Bool {
        var rest = text.trimmed
        while !rest.text.isEmpty {
            let isFirst = full.isEmpty
            if !layouts.isBeyond(rest), layouts.fits(current + [.text(rest)], isFirst: isFirst) {
                current.append(.text(rest))
                return true
            }
            var lines = layouts.lines(of: rest, lines)
            var count = lastEnd(of: lines) { part in
                layouts.fits(current + [.text(rest.with(part))], isFirst: isFirst)
            }
            if count == 0, current.isEmpty {
                // Try smaller letters for a word that is wider than the page. Measure only this word again, not the
                // text after it.
                let end = lines.prefix { !$0.isWhole }.count + 1
                guard end > 1, end <= lines.count,
                    let wide = wideWord(rest.untrimmed(lines[..<end]), isFirst: isFirst, below: layouts)
                else { return false }
                (lines, count) = (wide.lines + lines[end...], wide.count)
            }
            if count > 0 { current.append(.text(rest.with(lines[..<count]))) }
            endPage()
            rest = rest.with(lines[count...])
        }
        return true
    }

    /// The lines of a word that is wider than the page, and the number of lines that fit: one line in the largest
    /// letters in which the word is whole or, if no large letters are small enough, several lines in the usual letters.
    private func wideWord(
        _ text: PageText, isFirst: Bool, below layouts: Layouts
    ) -> (lines: [TextLine], count: Int)? {
        let design = layouts.page.design
        let heights = PageDesign.heights(from: design.letters ?? 0).dropFirst().map(Optional.some) + [nil]
        for letters in heights {
            for layouts in self.layouts(letters: letters, gloves: design.targetGap > 0) {
                let lines = layouts.page.lines(of: text, lines)
                let end = min(lines.prefix { !$0.isWhole }.count + 1, lines.count)
                if letters != nil, end > 1 { continue }
                let count = mostFitting(end) { layouts.fits([.text(text.with(lines[..<$0]))], isFirst: isFirst) }
                if count > 0 { return (lines, count) }
            }
        }
        return nil
    }

    /// The number of lines that a page has room for. The last one ends between words, and at a hyphen only if that
    /// saves more than a line.
    private func lastEnd(of lines: [TextLine], _ fits: (ArraySlice<TextLine>) -> Bool) -> Int {
        let ends = lines.indices.filter { lines[$0].isWhole }.map { $0 + 1 }
        let count = mostFitting(ends.count) { fits(lines[..<ends[$0 - 1]]) }
        guard count > 0 else { return 0 }
        let last = ends[count - 1]
        let isBetter = count > 1 && !lines[last - 1].endsInSpace && lines[ends[count - 2] - 1].endsInSpace
        return isBetter && ends[count - 2] == last - 1 ? last - 1 : last
    }

    /// The largest number, at most `most`, that fits. All smaller numbers fit, too.
    private func mostFitting(_ most: Int, _ fits: (Int) -> Bool) -> Int {
        var (low, high) = (0, most)
        while low < high {
            let middle = (low + high + 1) / 2
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

extension PageText {
    /// The text without spaces and line feeds at its ends.
    fileprivate var trimmed: PageText {
        let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
        var end = scalars.endIndex
        while end > scalars.startIndex, scalars[scalars.index(before: end)].properties.isWhitespace {
            end = scalars.index(before: end)
        }
        return PageText(String(scalars[..<end]), role, of: field)
    }

    fileprivate func with(_ lines: ArraySlice<TextLine>) -> PageText { untrimmed(lines).trimmed }

    fileprivate func untrimmed(_ lines: ArraySlice<TextLine>) -> PageText {
        PageText(lines.map(\.text).joined(), role, of: field)
    }
}

extension PageLayout {
    fileprivate var textWidth: Int { min(innerWidth, design.widestColumn) }

    /// The room for texts, and the buttons below it.
    fileprivate func textRoom() throws(PageTooSmall) -> (height: Int, row: Stack) {
        let row = try turningRows()
        let height = size.height - 2 * design.margin - row.height - max(design.gap, design.targetGap)
        guard height > 0, textWidth > 0 else { throw PageTooSmall() }
        return (height, row)
    }

    /// Texts in the smallest letters of the design.
    fileprivate func stack(_ texts: [PageElement], _ height: Int) -> Stack? {
        stack(texts, width: textWidth, height: height, factor: 0, wholeWords: !design.mayBreakWords)
    }

    fileprivate func lines(of text: PageText, _ lines: TextLines) -> [TextLine] {
        lines(text.text, style(text.role, 0), textWidth)
    }

    /// The texts from the top, where the eye finds the next ones, and the buttons at the foot.
    func placeLargeTexts() throws(PageTooSmall) -> [PlacedElement] {
        let (height, row) = try textRoom()
        let x = (size.width - textWidth) / 2
        var texts: [PageElement] = []
        var number: PageText?
        for element in page.elements {
            switch element {
            case .text(let text) where text.role == .corner: number = text
            case .text, .row: texts.append(element)
            default: break
            }
        }
        guard let stack = stack(texts, height) else { throw PageTooSmall(field: .prompt) }
        let foot = row.elements + [number.flatMap { self.number($0, in: row) }].compactMap { $0 }
        return stack.moved(x: x, y: design.margin)
            + Stack(elements: foot).moved(x: x, y: size.height - design.margin - row.height)
    }

    /// The buttons in one row, or in several if their labels have no room beside each other.
    private func turningRows() throws(PageTooSmall) -> Stack {
        let buttons = rowButtons(withIcons: false)
        let ways = [
            [buttons], [buttons.filter { !$0.button.isPrimary }, buttons.filter(\.button.isPrimary)],
            buttons.map { [$0] },
        ]
        for way in ways {
            var rows = Stack()
            for buttons in way {
                guard let row = try? row(of: buttons, withIcons: false, width: textWidth) else { break }
                let y = rows.elements.isEmpty ? 0 : rows.height + max(design.smallGap, design.targetGap)
                rows.elements += row.moved(x: 0, y: y)
                rows.height = y + row.height
            }
            if rows.elements.count == buttons.count { return rows }
        }
        throw PageTooSmall(field: .labels)
    }

    /// The number of the page, at the start of the last row of buttons or between them; nil without room.
    private func number(_ text: PageText, in row: Stack) -> PlacedElement? {
        let style = style(text.role, 0)
        let needed = measure(text.text, style, Self.anyWidth)
        guard let last = row.elements.map(\.rect).max(by: { $0.minY < $1.minY }), needed.height <= last.height else {
            return nil
        }
        let buttons = row.elements.map(\.rect).filter { $0.maxY == last.maxY }.sorted { $0.minX < $1.minX }
        let starts = [0] + buttons.map { $0.maxX + design.gap }
        let y = last.minY + (last.height - needed.height) / 2
        for (start, button) in zip(starts, buttons) where button.minX - design.gap - start >= needed.width {
            let x = start == 0 ? 0 : start + (button.minX - design.gap - start - needed.width) / 2
            let rect = PixelRect(minX: x, minY: y, maxX: x + needed.width, maxY: y + needed.height)
            return PlacedElement(.text(text), rect, style: style)
        }
        return nil
    }
}
