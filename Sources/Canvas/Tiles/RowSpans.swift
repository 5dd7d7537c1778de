// SPDX-License-Identifier: Apache-2.0
import Geometry

/// From where to where contours of ink reach in each of a stack of equally high rows. Outer spans hold all that they
/// can touch; inner spans only what one contour covers from the row's top to its bottom.
struct RowSpans {
    /// In pixels: vertices are rounded to 1/256 of one when they are filled.
    static let margin = 1.0 / 64

    /// What is known of a row.
    struct Row {
        /// Nothing lies outside of these; left is right of right while there is nothing.
        var (left, right) = (Double.infinity, -Double.infinity)
        /// The rightmost place of edges that lead up, which have the ink on their right, and the leftmost of those that
        /// lead down.
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

    /// Forgets what was added.
    /// - Parameters:
    ///   - top: of the first row, in pixels.
    ///   - pitch: height of each, in pixels.
    mutating func begin(top: Double, pitch: Double, count: Int) {
        (self.top, self.pitch) = (top, pitch)
        rows.removeAll(keepingCapacity: true)
        for _ in 0..<count { rows.append(Row()) }
    }

    /// Adds the contours of `path` between two marks. A curve lies, row by row, between the lines that join its control
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
            case .quadratic:
                addCurve(current, point, point, path.points[index + 1])
                index += 2
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
        // One row has all of it; so may each, where it is so flat that rounding moves it from row to row.
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

    /// The columns that the contours can touch in a row; nil when they touch none.
    /// - Parameters:
    ///   - left: of the first column, in pixels.
    ///   - pitch: width of each, in pixels.
    func columns(inRow row: Int, from left: Int, pitch: Int, count: Int) -> ClosedRange<Int>? {
        let least = rows[row].left - Self.margin - Double(left)
        let most = rows[row].right + Self.margin - Double(left)
        guard least <= most, most >= 0, least < Double(count * pitch) else { return nil }
        return Self.cell(least, Double(pitch), count)...Self.cell(most, Double(pitch), count)
    }

    /// Which of `count` cells a value lies in; the nearest when it lies in none.
    private static func cell(_ value: Double, _ pitch: Double, _ count: Int) -> Int {
        // Written so that not-a-number passes, too.
        guard value > 0 else { return 0 }
        return value < pitch * Double(count) ? min(Int(value / pitch), count - 1) : count - 1
    }
}
