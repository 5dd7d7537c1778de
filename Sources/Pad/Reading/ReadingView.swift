// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry
import Record

/// The places of a document's pages on the screen: one column, fit to the width, enlarged up to three times.
///
/// The content has the pixels of the column at its usual size: x from the left edge of the viewport, y from the top of
/// the first page. A view shows a part of it, enlarged.
struct ReadingView: Equatable {
    static let zoomRange = 1.0...3.0

    /// The part of the screen that shows the document.
    let viewport: PixelRect
    /// The places of the pages in the content. Whole pixels, so that pictures are copied as they are.
    let pages: [PixelRect]
    /// The sizes of the pages in points.
    private let sizes: [DocumentFacts.PageSize]
    private let contentHeight: Double
    /// The point of the content in the upper left corner of the viewport.
    private(set) var origin = Point(x: 0, y: 0)
    private(set) var zoom = 1.0

    /// - Parameters:
    ///   - widest: of a page, in pixels.
    ///   - gap: between pages, and around them.
    init(_ sizes: [DocumentFacts.PageSize], in viewport: PixelRect, widest: Int, gap: Int) {
        self.viewport = viewport
        self.sizes = sizes
        let column = max(16, min(widest, viewport.width - 2 * gap))
        var y = gap
        pages = sizes.map { size in
            let ratio = size.height / size.width
            // The helper draws no larger picture: a long page is narrower than the others.
            let most = min(
                (Double(HelperLimits.pixels) / ratio).squareRoot(), Double(HelperLimits.pageSide) / max(ratio, 1))
            let width = max(1, min(column, Int(min(most, 1e6))))
            let height = min(ratio * Double(width), Double(HelperLimits.pageSide))
            let left = (viewport.width - width) / 2
            let rect = PixelRect(minX: left, minY: y, maxX: left + width, maxY: y + max(1, Int(height.rounded())))
            y = rect.maxY + gap
            return rect
        }
        contentHeight = Double(y)
        clamp()
    }

    // MARK: moving

    /// The part of the content that is visible.
    var visible: Rect {
        Rect(
            minX: origin.x, minY: origin.y, maxX: origin.x + Double(viewport.width) / zoom,
            maxY: origin.y + Double(viewport.height) / zoom)
    }

    /// Moves the content with a finger.
    /// - Parameter distance: in pixels of the screen.
    /// - Returns: whether the view has moved.
    @discardableResult
    mutating func move(by distance: Point) -> Bool {
        let before = origin
        origin = Point(x: origin.x - distance.x / zoom, y: origin.y - distance.y / zoom)
        clamp()
        return origin != before
    }

    /// Enlarges by a factor, and keeps the content at a place of the screen where it is.
    mutating func enlarge(by factor: Double, at place: Point) {
        guard factor.isFinite, factor > 0 else { return }
        let fixed = content(at: place)
        zoom = max(Self.zoomRange.lowerBound, min(zoom * factor, Self.zoomRange.upperBound))
        origin = Point(
            x: fixed.x - (place.x - Double(viewport.minX)) / zoom,
            y: fixed.y - (place.y - Double(viewport.minY)) / zoom)
        clamp()
    }

    /// Shows a place of the content in the middle, at the usual size.
    mutating func show(_ rect: Rect) {
        zoom = 1
        origin = Point(x: 0, y: (rect.minY + rect.maxY) / 2 - Double(viewport.height) / 2)
        clamp()
    }

    private mutating func clamp() {
        let (width, height) = (Double(viewport.width) / zoom, Double(viewport.height) / zoom)
        origin.x = max(0, min(origin.x, Double(viewport.width) - width))
        // A document that is shorter than the viewport stands in its middle.
        origin.y =
            contentHeight <= height ? (contentHeight - height) / 2 : max(0, min(origin.y, contentHeight - height))
        // Whole pixels of the screen.
        origin = Point(x: (origin.x * zoom).rounded() / zoom, y: (origin.y * zoom).rounded() / zoom)
    }

    // MARK: places

    func content(at place: Point) -> Point {
        Point(
            x: origin.x + (place.x - Double(viewport.minX)) / zoom,
            y: origin.y + (place.y - Double(viewport.minY)) / zoom)
    }

    /// The place of a part of the content on the screen.
    func place(of rect: Rect) -> Rect {
        func x(_ value: Double) -> Double { Double(viewport.minX) + (value - origin.x) * zoom }
        func y(_ value: Double) -> Double { Double(viewport.minY) + (value - origin.y) * zoom }
        return Rect(minX: x(rect.minX), minY: y(rect.minY), maxX: x(rect.maxX), maxY: y(rect.maxY))
    }

    /// A field's place in the content.
    func content(of field: Field) -> Rect? {
        guard pages.indices.contains(field.page - 1) else { return nil }
        let (page, size) = (pages[field.page - 1], sizes[field.page - 1])
        let (scaleX, scaleY) = (Double(page.width) / size.width, Double(page.height) / size.height)
        let rect = field.rectangle
        return Rect(
            minX: Double(page.minX) + rect.minX * scaleX, minY: Double(page.maxY) - rect.maxY * scaleY,
            maxX: Double(page.minX) + rect.maxX * scaleX, maxY: Double(page.maxY) - rect.minY * scaleY)
    }

    /// Whether a place is visible, as far as it can be: fields may reach beyond their page, or be higher than the
    /// viewport.
    func isVisible(_ rect: Rect) -> Bool {
        let visible = visible
        let (left, right) = (max(rect.minX, 0), min(rect.maxX, Double(viewport.width)))
        let height = Double(viewport.height) / zoom
        let isInHeight =
            rect.height > height
            ? rect.minY <= visible.minY + height / 2 && rect.maxY >= visible.maxY - height / 2
            : max(rect.minY, 0) >= visible.minY - 1 && min(rect.maxY, contentHeight) <= visible.maxY + 1
        return isInHeight && left >= visible.minX - 1 && right <= visible.maxX + 1
    }

    /// The indices of the pages that are visible, at least in part; empty only for a document without pages.
    var visiblePages: Range<Int> {
        let visible = visible
        let first = pages.firstIndex { Double($0.maxY) > visible.minY } ?? max(0, pages.count - 1)
        let end = pages[first...].firstIndex { Double($0.minY) >= visible.maxY } ?? pages.count
        return first..<max(end, min(first + 1, pages.count))
    }

    /// The number of the page in the middle of the viewport, from 1.
    var currentPage: Int {
        let middle = (visible.minY + visible.maxY) / 2
        return (pages.firstIndex { Double($0.maxY) > middle } ?? max(0, pages.count - 1)) + 1
    }

    /// The visible parts of the pages, in pixels of their pictures.
    var parts: [SeenView.Part] {
        let visible = visible
        return visiblePages.compactMap { index in
            let page = pages[index]
            let rect = PixelRect(covering: visible, within: page)
            if rect.isEmpty { return nil }
            return SeenView.Part(
                page: index + 1,
                rect: [rect.minX - page.minX, rect.minY - page.minY, rect.maxX - page.minX, rect.maxY - page.minY])
        }
    }

    /// The visible share of the content, from 0 to 1; nil if all of it is visible.
    var share: ClosedRange<Double>? {
        let visible = visible
        if visible.minY <= 0, visible.maxY >= contentHeight { return nil }
        let low = max(0, visible.minY / contentHeight)
        return low...max(low, min(1, visible.maxY / contentHeight))
    }
}

/// The parts of a document that a person has had on the screen: rows of pixels of its pages, of views that showed the
/// whole width of the page.
struct SeenRows: Equatable {
    /// The rows of each page in ascending ranges that do not touch.
    private var rows: [Int: [Range<Int>]] = [:]
    private let sizes: [(width: Int, height: Int)]

    static func == (a: SeenRows, b: SeenRows) -> Bool { a.rows == b.rows }

    /// - Parameter pages: their places.
    init(pages: [PixelRect]) { sizes = pages.map { ($0.width, $0.height) } }

    mutating func add(_ parts: [SeenView.Part]) {
        for part in parts where sizes.indices.contains(part.page - 1) && part.rect.count == 4 {
            guard part.rect[0] <= 0, part.rect[2] >= sizes[part.page - 1].width, part.rect[1] < part.rect[3] else {
                continue
            }
            var (low, high) = (part.rect[1], part.rect[3])
            var kept: [Range<Int>] = []
            for range in rows[part.page] ?? [] {
                if range.upperBound < low || range.lowerBound > high {
                    kept.append(range)
                } else {
                    (low, high) = (min(low, range.lowerBound), max(high, range.upperBound))
                }
            }
            rows[part.page] = (kept + [low..<high]).sorted { $0.lowerBound < $1.lowerBound }
        }
    }

    /// The numbers of the pages of which something was seen.
    var pages: [Int] { rows.keys.sorted() }

    /// The first row that was not seen: its page, from 1, and its number; nil if all were.
    var firstUnseen: (page: Int, row: Int)? {
        for (index, size) in sizes.enumerated() {
            let first = rows[index + 1]?.first
            guard let first, first.lowerBound <= 0 else { return (index + 1, 0) }
            if first.upperBound < size.height { return (index + 1, first.upperBound) }
        }
        return nil
    }
}
