// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// A page cut into square tiles, numbered row by row, to find ink by its position.
struct TileGrid {
    /// The side in pixels: a tile's row fits the bits of a word (``TileMask``), and little ink outside a region is
    /// drawn in vain.
    static let side = 32

    let size: PixelSize
    let columnCount: Int
    let rowCount: Int
    var count: Int { columnCount * rowCount }

    init(size: PixelSize) {
        self.size = size
        columnCount = (size.width + Self.side - 1) / Self.side
        rowCount = (size.height + Self.side - 1) / Self.side
    }

    /// The pixels of a tile, clipped to the page.
    func rect(of tile: Int) -> PixelRect {
        let (row, column) = tile.quotientAndRemainder(dividingBy: columnCount)
        let (x, y) = (column * Self.side, row * Self.side)
        return PixelRect(
            minX: x, minY: y, maxX: min(x + Self.side, size.width), maxY: min(y + Self.side, size.height))
    }

    /// Calls `body` with each tile that contains a pixel of `rect`, which may reach beyond the page.
    @inline(__always)
    func forEachTile(in rect: PixelRect, _ body: (Int) -> Void) {
        let rect = rect.intersection(PixelRect(size: size))
        if rect.isEmpty { return }
        for row in rect.minY / Self.side...(rect.maxY - 1) / Self.side {
            for column in rect.minX / Self.side...(rect.maxX - 1) / Self.side { body(row * columnCount + column) }
        }
    }

    /// Calls `body` with each tile that a piece of ink can touch, and hardly any other: for a long slanting piece with
    /// few of the tiles of its bounding box.
    /// - Parameter spans: scratch memory.
    func forEachTile(
        touchedBy piece: StrokeInk.Piece, of outline: Path, _ spans: inout RowSpans, _ body: (Int) -> Void
    ) {
        let box = PixelRect(covering: RowSpans.widened(piece.bounds), within: PixelRect(size: size))
        if box.isEmpty { return }
        let rows = box.minY / Self.side...(box.maxY - 1) / Self.side
        let columns = box.minX / Self.side...(box.maxX - 1) / Self.side
        if rows.count == 1 || columns.count == 1 {
            forEachTile(in: box, body)
            return
        }
        spans.begin(top: Double(rows.lowerBound * Self.side), pitch: Double(Self.side), count: rows.count)
        spans.add(outline, from: piece.start, to: piece.end)
        for row in rows {
            guard
                let span = spans.columns(
                    inRow: row - rows.lowerBound, from: columns.lowerBound * Self.side, pitch: Self.side,
                    count: columns.count)
            else { continue }
            for column in span { body(row * columnCount + columns.lowerBound + column) }
        }
    }
}

/// The extent of contours in each of some rows of equal height. Outer spans contain all that the contours can touch;
/// inner spans only what one contour covers from the row's top to its bottom.
struct RowSpans {
    /// The error of fills in pixels: vertices are rounded to 1/256 of a pixel.
    static let margin = 1.0 / 64

    struct Row {
        /// The outer span; empty while left is greater than right.
        var (left, right) = (Double.infinity, -Double.infinity)
        /// The rightmost coordinate of edges that lead up, which have the ink on their right, and the leftmost of those
        /// that lead down.
        var (innerLeft, innerRight) = (-Double.infinity, Double.infinity)
    }

    private enum Direction { case up, down, unknown }

    private(set) var rows: [Row] = []
    private var top = 0.0
    private var pitch = 1.0

    /// The pixels that ink with these bounds may touch.
    static func widened(_ rect: Rect) -> Rect {
        Rect(
            minX: rect.minX - margin, minY: rect.minY - margin, maxX: rect.maxX + margin, maxY: rect.maxY + margin)
    }

    /// Removes all contours and sets the rows.
    /// - Parameters:
    ///   - top: of the first row, in pixels.
    ///   - pitch: height of a row, in pixels.
    mutating func begin(top: Double, pitch: Double, count: Int) {
        (self.top, self.pitch) = (top, pitch)
        rows.removeAll(keepingCapacity: true)
        for _ in 0..<count { rows.append(Row()) }
    }

    /// Adds the contours of `path` between two marks. In each row a curve lies between the lines that join its control
    /// points.
    mutating func add(_ path: Path, from start: Path.Mark, to end: Path.Mark) {
        guard start.pointCount < end.pointCount else { return }
        var first = path.points[start.pointCount]
        var current = first
        var index = start.pointCount
        for verb in path.verbs[start.verbCount..<end.verbCount] {
            let point = path.points[index]
            switch verb {
            case .move:
                addLine(from: current, to: first)
                first = point
                index += 1
            case .line:
                addLine(from: current, to: point)
                index += 1
            case .cubic:
                addCurve(current, point, path.points[index + 1], path.points[index + 2])
                index += 3
            }
            current = path.points[index - 1]
        }
        addLine(from: current, to: first)
    }

    private mutating func addLine(from start: Point, to end: Point) {
        add(start, end, end.y < start.y ? .up : end.y > start.y ? .down : .unknown)
    }

    private mutating func addCurve(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) {
        let leadsUp = p0.y >= p1.y && p1.y >= p2.y && p2.y >= p3.y
        let leadsDown = p0.y <= p1.y && p1.y <= p2.y && p2.y <= p3.y
        let direction: Direction = leadsUp == leadsDown ? .unknown : leadsUp ? .up : .down
        for (start, end) in [(p0, p1), (p0, p2), (p0, p3), (p1, p2), (p1, p3), (p2, p3)] {
            add(start, end, direction)
        }
    }

    private mutating func add(_ start: Point, _ end: Point, _ direction: Direction) {
        let (upper, lower) = start.y <= end.y ? (start, end) : (end, start)
        guard lower.y + Self.margin >= top, upper.y - Self.margin < top + pitch * Double(rows.count) else { return }
        let first = Self.cell(upper.y - Self.margin - top, pitch, rows.count)
        let last = Self.cell(lower.y + Self.margin - top, pitch, rows.count)
        let (least, most) = (min(start.x, end.x), max(start.x, end.x))
        let height = lower.y - upper.y
        // All of it is in one row, or in each of several rows if it is nearly flat, so that rounding may move it.
        guard first < last, height > Self.margin else {
            for row in first...last { include(least, most, row, direction) }
            return
        }
        let slope = (lower.x - upper.x) / height
        for row in first...last {
            let rowTop = top + pitch * Double(row)
            let (y0, y1) = (max(upper.y, rowTop - Self.margin), min(lower.y, rowTop + pitch + Self.margin))
            let (x0, x1) = (upper.x + (y0 - upper.y) * slope, upper.x + (y1 - upper.y) * slope)
            include(max(least, min(x0, x1)), min(most, max(x0, x1)), row, direction)
        }
    }

    @inline(__always)
    private mutating func include(_ left: Double, _ right: Double, _ row: Int, _ direction: Direction) {
        if left < rows[row].left { rows[row].left = left }
        if right > rows[row].right { rows[row].right = right }
        if direction != .down, right > rows[row].innerLeft { rows[row].innerLeft = right }
        if direction != .up, left < rows[row].innerRight { rows[row].innerRight = left }
    }

    /// The columns that the contours can touch in a row; nil without contours.
    /// - Parameters:
    ///   - left: of the first column, in pixels.
    ///   - pitch: width of a column, in pixels.
    func columns(inRow row: Int, from left: Int, pitch: Int, count: Int) -> ClosedRange<Int>? {
        let least = rows[row].left - Self.margin - Double(left)
        let most = rows[row].right + Self.margin - Double(left)
        guard least <= most, most >= 0, least < Double(count * pitch) else { return nil }
        return Self.cell(least, Double(pitch), count)...Self.cell(most, Double(pitch), count)
    }

    /// The index of the cell that contains a value, clamped to `count` cells.
    private static func cell(_ value: Double, _ pitch: Double, _ count: Int) -> Int {
        // 0 for NaN.
        guard value > 0 else { return 0 }
        return value < pitch * Double(count) ? min(Int(value / pitch), count - 1) : count - 1
    }
}
