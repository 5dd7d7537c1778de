// SPDX-License-Identifier: Apache-2.0

/// Closed contours of lines and cubic Bézier curves, as the rasterizer fills them. Contours close themselves.
///
/// ```swift
/// var leaf = Path()
/// leaf.move(to: Point(x: 10, y: 50))
/// leaf.addCubic(control1: Point(x: 30, y: 0), control2: Point(x: 70, y: 0), end: Point(x: 90, y: 50))
/// leaf.addLine(to: Point(x: 50, y: 80))
/// ```
///
/// Verbs and points are stored flat, so that a path that keeps its memory grows again without allocations.
public struct Path: Equatable, Sendable {
    /// A step of a contour.
    public enum Verb: UInt8, Sendable {
        /// Starts a contour; 1 point.
        case move
        /// 1 point.
        case line
        /// Two control points and end.
        case cubic
    }

    public private(set) var verbs: [Verb] = []
    public private(set) var points: [Point] = []

    public init() {}

    public init(polygon: [Point]) { addPolygon(polygon) }

    public var isEmpty: Bool { verbs.isEmpty }

    public mutating func move(to point: Point) {
        verbs.append(.move)
        points.append(point)
    }

    /// Continues the contour that ``move(to:)`` began, as the next one does.
    public mutating func addLine(to point: Point) {
        precondition(!verbs.isEmpty, "a contour starts with move(to:)")
        verbs.append(.line)
        points.append(point)
    }

    public mutating func addCubic(control1: Point, control2: Point, end: Point) {
        precondition(!verbs.isEmpty, "a contour starts with move(to:)")
        verbs.append(.cubic)
        points.append(control1)
        points.append(control2)
        points.append(end)
    }

    public mutating func addPolygon(_ polygon: [Point]) {
        for (index, point) in polygon.enumerated() {
            if index == 0 { move(to: point) } else { addLine(to: point) }
        }
    }

    /// Appends the contours between two marks of `other`, with all points moved by `place`. An `end` of nil is the end
    /// of the path.
    public mutating func append(
        _ other: Path, from start: Mark = .start, to end: Mark? = nil, _ place: (Point) -> Point = { $0 }
    ) {
        let end = end ?? other.end
        verbs.append(contentsOf: other.verbs[start.verbCount..<end.verbCount])
        for point in other.points[start.pointCount..<end.pointCount] { points.append(place(point)) }
    }

    /// A position between two verbs, to truncate a growing path or to fill a part of it.
    public struct Mark: Equatable, Sendable {
        public let verbCount: Int
        public let pointCount: Int
        public static let start = Mark(verbCount: 0, pointCount: 0)

        /// The position of `mark` after everything before `start` was removed.
        public static func - (mark: Mark, start: Mark) -> Mark {
            Mark(verbCount: mark.verbCount - start.verbCount, pointCount: mark.pointCount - start.pointCount)
        }
    }

    /// The position where the next contour will start.
    public var end: Mark { Mark(verbCount: verbs.count, pointCount: points.count) }

    /// The end of the contour that starts at `mark`.
    public func endOfContour(at mark: Mark) -> Mark {
        var (verb, point) = (mark.verbCount, mark.pointCount)
        repeat {
            switch verbs[verb] {
            case .move, .line: point += 1
            case .cubic: point += 3
            }
            verb += 1
        } while verb < verbs.count && verbs[verb] != .move
        return Mark(verbCount: verb, pointCount: point)
    }

    /// Removes everything after `mark`; keeps the memory.
    public mutating func truncate(to mark: Mark) {
        verbs.removeLast(verbs.count - mark.verbCount)
        points.removeLast(points.count - mark.pointCount)
    }

    /// Removes everything before `mark`, the start of a contour; keeps the memory.
    public mutating func removeFirst(upTo mark: Mark) {
        verbs.removeFirst(mark.verbCount)
        points.removeFirst(mark.pointCount)
    }

    /// The bounding box of all points, control points included: never smaller than the ink.
    public var bounds: Rect { bounds(from: .start, to: end) }

    /// The bounding box of the points between two marks.
    public func bounds(from start: Mark, to end: Mark) -> Rect {
        var box = Rect.empty
        for index in start.pointCount..<end.pointCount { box.include(points[index]) }
        return box
    }

    /// The contours as polygons. Chords that are at most `tolerance` (in the path's units) from a curve replace it, as
    /// in the rasterizer; the end points of every curve are kept exactly.
    public func polygons(tolerance: Double) -> [[Point]] {
        var polygons: [[Point]] = []
        var polygon: [Point] = []
        var index = 0
        for verb in verbs {
            switch verb {
            case .move:
                if !polygon.isEmpty { polygons.append(polygon) }
                polygon = [points[index]]
                index += 1
            case .line:
                polygon.append(points[index])
                index += 1
            case .cubic:
                let curve = CubicBezier(
                    start: polygon[polygon.count - 1], control1: points[index], control2: points[index + 1],
                    end: points[index + 2])
                let count = curve.segmentCount(tolerance: tolerance)
                for step in 1..<count { polygon.append(curve.point(at: Double(step) / Double(count))) }
                polygon.append(curve.end)
                index += 3
            }
        }
        if !polygon.isEmpty { polygons.append(polygon) }
        return polygons
    }
}

/// Which points are inside a path.
public enum FillRule: Sendable {
    /// The winding number is not zero: overlaps are inside. Used for strokes.
    case nonZero
    /// The winding number is odd.
    case evenOdd
}

/// A cubic Bézier segment.
public struct CubicBezier: Equatable, Sendable {
    public var start, control1, control2, end: Point

    public init(start: Point, control1: Point, control2: Point, end: Point) {
        self.start = start
        self.control1 = control1
        self.control2 = control2
        self.end = end
    }

    /// A quadratic segment raised by one degree.
    public init(quadraticFrom start: Point, control: Point, end: Point) {
        self.init(
            start: start, control1: start.interpolated(to: control, 2.0 / 3),
            control2: end.interpolated(to: control, 2.0 / 3),
            end: end)
    }

    /// - Parameter t: 0 at the start, 1 at the end.
    public func point(at t: Double) -> Point {
        let u = 1 - t
        return start * (u * u * u) + control1 * (3 * u * u * t) + control2 * (3 * u * t * t) + end * (t * t * t)
    }

    /// The number of equal steps of t that keeps the chords within `tolerance` of the curve: Wang's formula (G. Wang
    /// 1984, as in R. Goldman, Pyramid Algorithms, 5.6.3), bounded by the second differences of the control points. At
    /// least 1 and at most 512, so that a wild control point costs bounded time.
    public func segmentCount(tolerance: Double) -> Int {
        let first = (start - control1 * 2 + control2).squaredLength
        let second = (control1 - control2 * 2 + end).squaredLength
        let needed = (0.75 * max(first, second).squareRoot() / tolerance).squareRoot().rounded(.up)
        return needed < 512 ? max(1, Int(needed)) : 512
    }
}
