// SPDX-License-Identifier: Apache-2.0

/// Closed contours of lines and Bézier curves, as the rasterizer fills them. A contour closes itself.
///
/// Stored flat (verbs and points) so that appending to one that has grown before allocates nothing.
public struct Path: Equatable, Sendable {
    public enum Verb: UInt8, Sendable {
        /// Starts a contour; 1 point.
        case move
        /// 1 point.
        case line
        /// Control point and end.
        case quadratic
        /// Two control points and end.
        case cubic
    }

    public private(set) var verbs: [Verb] = []
    public private(set) var points: [Point] = []

    public init() {}

    /// One closed polygon.
    public init(polygon: [Point]) { addPolygon(polygon) }

    public var isEmpty: Bool { verbs.isEmpty }

    public mutating func move(to point: Point) {
        verbs.append(.move)
        points.append(point)
    }

    /// The following three continue the contour begun by ``move(to:)``.
    public mutating func addLine(to point: Point) {
        precondition(!verbs.isEmpty, "a contour starts with move(to:)")
        verbs.append(.line)
        points.append(point)
    }

    public mutating func addQuadratic(control: Point, end: Point) {
        precondition(!verbs.isEmpty, "a contour starts with move(to:)")
        verbs.append(.quadratic)
        points.append(control)
        points.append(end)
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

    public mutating func append(_ other: Path) {
        verbs.append(contentsOf: other.verbs)
        points.append(contentsOf: other.points)
    }

    /// A place between two verbs, for taking back or filling a part of a growing path.
    public struct Mark: Equatable, Sendable {
        public let verbCount: Int
        public let pointCount: Int
        public static let start = Mark(verbCount: 0, pointCount: 0)

        public init(verbCount: Int, pointCount: Int) {
            self.verbCount = verbCount
            self.pointCount = pointCount
        }
    }

    /// The place where the next contour will start.
    public var end: Mark { Mark(verbCount: verbs.count, pointCount: points.count) }

    /// The place where the contour that starts at `mark` ends and the next one starts.
    public func endOfContour(at mark: Mark) -> Mark {
        var (verb, point) = (mark.verbCount, mark.pointCount)
        repeat {
            switch verbs[verb] {
            case .move, .line: point += 1
            case .quadratic: point += 2
            case .cubic: point += 3
            }
            verb += 1
        } while verb < verbs.count && verbs[verb] != .move
        return Mark(verbCount: verb, pointCount: point)
    }

    /// Takes back everything added after `mark`; keeps the memory.
    public mutating func truncate(to mark: Mark) {
        verbs.removeLast(verbs.count - mark.verbCount)
        points.removeLast(points.count - mark.pointCount)
    }

    /// Takes away everything before `mark`, the start of a contour; keeps the memory.
    public mutating func removeFirst(upTo mark: Mark) {
        verbs.removeFirst(mark.verbCount)
        points.removeFirst(mark.pointCount)
    }

    /// The box of all points, control points included: never smaller than the ink.
    public var bounds: Rect { bounds(from: .start, to: end) }

    /// The box of the points between two marks.
    public func bounds(from start: Mark, to end: Mark) -> Rect {
        var box = Rect.empty
        for index in start.pointCount..<end.pointCount { box.include(points[index]) }
        return box
    }
}
