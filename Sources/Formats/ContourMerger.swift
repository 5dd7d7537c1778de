// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Joins contours that share edges into a few long ones, for smaller files.
///
/// If one contour follows a line and another follows it backwards, both lines are removed and the contours become
/// one. Winding numbers do not change, so the ink under the non-zero rule is the same. The result is simplified
/// (``GridContour/simplify()``) and slivers are dropped. Time is linear in the number of points and memory bounded:
/// joined contours are emitted after a few thousand points.
struct ContourMerger {
    /// The number of vertices after which joined contours are emitted.
    private static let fullCount = 4096
    /// The number of contours that are in the shapes before and after that, so that there is no seam.
    private static let overlapCount = 4

    private struct Line: Hashable {
        var start: GridPoint
        var end: GridPoint
    }

    private struct Node {
        var vertex: GridContour.Vertex
        var next: Int
        /// Removed, or emitted.
        var isDone = false
    }

    private var nodes: [Node] = []
    /// The start nodes of the straight lines that have no counterpart yet.
    private var starts: [Line: Int] = [:]
    /// The last contours as they were added.
    private var recent: [GridContour] = []
    /// The largest sliver, until something else was emitted.
    private var largestSliver: GridContour?
    private var isBlank = true

    /// Adds the contours between two marks.
    /// - Parameter body: receives finished contours.
    mutating func add(_ path: Path, from start: Path.Mark, to end: Path.Mark, _ body: (GridContour) -> Void) {
        var mark = start
        while mark != end {
            let next = path.endOfContour(at: mark)
            let contour = GridContour(path, from: mark, to: next)
            mark = next
            if nodes.count > Self.fullCount {
                emit(body)
                for contour in recent { add(contour) }
            }
            add(contour)
            if recent.count == Self.overlapCount { recent.removeFirst() }
            recent.append(contour)
        }
    }

    /// Emits the rest. If all ink is slivers, emits the largest.
    mutating func finish(_ body: (GridContour) -> Void) {
        emit(body)
        if isBlank, let largestSliver { body(largestSliver) }
    }

    private mutating func emit(_ body: (GridContour) -> Void) {
        for index in nodes.indices where !nodes[index].isDone {
            var vertices: [GridContour.Vertex] = []
            var node = index
            while !nodes[node].isDone {
                nodes[node].isDone = true
                vertices.append(nodes[node].vertex)
                node = nodes[node].next
            }
            var contour = GridContour(vertices)
            contour.simplify()
            if !contour.isSliver {
                isBlank = false
                body(contour)
            } else if abs(contour.doubleArea) > abs(largestSliver?.doubleArea ?? 0) {
                largestSliver = contour
            }
        }
        nodes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ contour: GridContour) {
        let vertices = contour.vertices
        guard vertices.count > 1 else { return }
        let first = nodes.count
        for (number, vertex) in vertices.enumerated() {
            nodes.append(Node(vertex: vertex, next: first + (number + 1) % vertices.count))
        }
        var node = first
        for number in vertices.indices {
            let next = first + (number + 1) % vertices.count
            if nodes[next].vertex.controls != nil {
                node = next
                continue
            }
            let line = Line(start: nodes[node].vertex.point, end: nodes[next].vertex.point)
            if let back = starts.removeValue(forKey: Line(start: line.end, end: line.start)) {
                remove(from: node, and: back)
                // The node at the same point that stays.
                node = back
            } else {
                starts[line] = node
                node = next
            }
        }
    }

    /// Removes the line from `a` and the opposite one from `b`, and joins the ends.
    private mutating func remove(from a: Int, and b: Int) {
        let (endOfA, endOfB) = (nodes[a].next, nodes[b].next)
        (nodes[a].next, nodes[b].next) = (nodes[endOfB].next, nodes[endOfA].next)
        nodes[endOfA].isDone = true
        nodes[endOfB].isDone = true
        for (old, new) in [(endOfA, b), (endOfB, a)] where !nodes[new].isDone {
            let line = Line(start: nodes[new].vertex.point, end: nodes[nodes[new].next].vertex.point)
            if starts[line] == old { starts[line] = new }
        }
    }
}

extension GridContour {
    /// The contour of a path between two marks, without lines of length 0.
    init(_ path: Path, from start: Path.Mark, to end: Path.Mark) {
        var vertices: [Vertex] = []
        var index = start.pointCount
        for verb in path.verbs[start.verbCount..<end.verbCount] {
            func point(_ offset: Int) -> GridPoint { GridPoint(path.points[index + offset]) }
            switch verb {
            case .move, .line:
                if vertices.last?.point != point(0) { vertices.append(Vertex(point: point(0))) }
                index += 1
            case .cubic:
                vertices.append(Vertex(point: point(2), controls: (point(0), point(1))))
                index += 3
            }
        }
        // A contour is closed by a line, or by a last curve that ends at its start.
        if vertices.count > 1, vertices[vertices.count - 1].point == vertices[0].point {
            let last = vertices.removeLast()
            vertices[0].controls = last.controls
        }
        self.init(vertices)
    }
}

/// A point on the grid of a file's coordinates, in steps of 1/100 pixel.
struct GridPoint: Hashable {
    static let decimals = 2
    static let stepsPerPixel = 100.0
    /// Ten million pixels, so that cross products of differences fit an `Int64`.
    private static let limit = 1e9

    var x: Int64
    var y: Int64

    init(x: Int64, y: Int64) { (self.x, self.y) = (x, y) }

    /// The nearest grid point. NaN becomes 0.
    init(_ point: Point) {
        func steps(_ value: Double) -> Int64 {
            value.isNaN ? 0 : Int64(min(max((value * Self.stepsPerPixel).rounded(), -Self.limit), Self.limit))
        }
        self.init(x: steps(point.x), y: steps(point.y))
    }

    static func - (a: GridPoint, b: GridPoint) -> GridPoint { GridPoint(x: a.x - b.x, y: a.y - b.y) }

    func cross(_ other: GridPoint) -> Int64 { x * other.y - y * other.x }
    func dot(_ other: GridPoint) -> Int64 { x * other.x + y * other.y }
}

/// A closed contour on the grid.
struct GridContour {
    struct Vertex {
        var point: GridPoint
        /// The control points of the cubic that leads to `point`; nil for a straight line.
        var controls: (first: GridPoint, second: GridPoint)?
    }

    /// The maximum movement of an edge when vertices are dropped, in steps. 1/100 pixel changes the grey along an edge
    /// by less than 3 of 255, which is invisible even at eight times the size.
    static let tolerance = 1.0
    /// The area of a sliver in square steps: 1/100 square pixel is invisible on its own.
    static let leastArea: Int64 = 100
    /// The maximum number of vertices that one line replaces; bounds the time per vertex.
    private static let longestSkip = 40

    /// The ends of lines and curves; the first one comes from the last vertex.
    private(set) var vertices: [Vertex]

    init(_ vertices: [Vertex]) { self.vertices = vertices }

    /// Twice the area, positive if clockwise on the screen; curves are taken as polygons of their control points.
    var doubleArea: Int64 {
        guard let origin = vertices.last?.point else { return 0 }
        var sum: Int64 = 0
        var last = GridPoint(x: 0, y: 0)
        for vertex in vertices {
            for point in [vertex.controls?.first, vertex.controls?.second, vertex.point] {
                guard let point else { continue }
                let next = point - origin
                sum &+= last.cross(next)
                last = next
            }
        }
        return sum
    }

    var isSliver: Bool { abs(doubleArea) < 2 * Self.leastArea }

    /// Drops folds within the ink and vertices on nearly straight lines.
    mutating func simplify() {
        startAtCorner()
        removeFolds()
        removeFlatVertices()
    }

    /// Rotates the list so that it starts with a vertex that stays: the end of a curve, or else the leftmost.
    private mutating func startAtCorner() {
        let curved = vertices.firstIndex { $0.controls != nil }
        let leftmost = vertices.indices.min { a, b in
            let (a, b) = (vertices[a].point, vertices[b].point)
            return (a.x, a.y) < (b.x, b.y)
        }
        guard let first = curved ?? leftmost, first > 0 else { return }
        vertices = Array(vertices[first...] + vertices[..<first])
    }

    /// Cuts off the folds on the inner side of bends. There an outline goes from one edge over the centre of the stroke
    /// to the next edge, which crosses the first. The loop between the crossings lies in both parts of the stroke, so
    /// its winding number goes from two to one.
    private mutating func removeFolds() {
        var kept: [Vertex] = []
        kept.reserveCapacity(vertices.count)
        func add(_ vertex: Vertex) {
            if vertex.controls == nil {
                if vertex.point == kept.last?.point { return }
                // A line and the same line back.
                if kept.count > 1, kept[kept.count - 1].controls == nil, kept[kept.count - 2].point == vertex.point {
                    kept.removeLast()
                    return
                }
                cutFold(before: vertex.point)
            }
            kept.append(vertex)
        }
        func cutFold(before end: GridPoint) {
            guard kept.count > 3, kept.suffix(3).allSatisfy({ $0.controls == nil }) else { return }
            let points = kept.suffix(4).map(\.point)
            let (start, corner, centre, other) = (points[0], points[1], points[2], points[3])
            guard Self.isFold(corner, centre, other),
                let crossing = Self.crossing(start, corner, other, end)
            else { return }
            kept.removeLast(3)
            if kept.last?.point != crossing { kept.append(Vertex(point: crossing)) }
        }
        for vertex in vertices { add(vertex) }
        // The closing line.
        if vertices.first?.controls == nil, let first = kept.first {
            while kept.count > 1, kept.last?.controls == nil, kept.last?.point == first.point { kept.removeLast() }
        }
        vertices = kept
    }

    /// Whether the path from one corner to the other turns clockwise around a centre with the same distance to both, up
    /// to rounding.
    private static func isFold(_ corner: GridPoint, _ centre: GridPoint, _ other: GridPoint) -> Bool {
        let (a, b) = (corner - centre, other - centre)
        let (squaredA, squaredB) = (Double(a.dot(a)), Double(b.dot(b)))
        return a.cross(b) < 0 && abs(squaredA.squareRoot() - squaredB.squareRoot()) <= 2
    }

    /// The crossing of the segments ab and cd.
    private static func crossing(_ a: GridPoint, _ b: GridPoint, _ c: GridPoint, _ d: GridPoint) -> GridPoint? {
        let (ab, cd) = (b - a, d - c)
        let (sideOfC, sideOfD) = (ab.cross(c - a), ab.cross(d - a))
        let (sideOfA, sideOfB) = (cd.cross(a - c), cd.cross(b - c))
        guard (sideOfC < 0) != (sideOfD < 0), (sideOfA < 0) != (sideOfB < 0), sideOfA != sideOfB else { return nil }
        let share = Double(sideOfA) / (Double(sideOfA) - Double(sideOfB))
        return GridPoint(
            x: a.x + Int64((Double(ab.x) * share).rounded()), y: a.y + Int64((Double(ab.y) * share).rounded()))
    }

    /// Goes from each vertex that stays to the furthest one such that all vertices between are near the line.
    private mutating func removeFlatVertices() {
        guard let first = vertices.first else { return }
        let around = vertices + [first]
        var kept = [first]
        var start = 0
        while start < around.count - 1 {
            var end = start + 1
            while end + 1 < around.count, around[end].controls == nil, around[end + 1].controls == nil,
                end - start < Self.longestSkip,
                Self.isNear(around[(start + 1)...end], from: around[start].point, to: around[end + 1].point)
            {
                end += 1
            }
            if end < around.count - 1 { kept.append(around[end]) }
            start = end
        }
        vertices = kept
    }

    /// Whether all vertices are within the tolerance of the segment.
    private static func isNear(_ vertices: ArraySlice<Vertex>, from start: GridPoint, to end: GridPoint) -> Bool {
        let line = end - start
        let squaredLength = line.dot(line)
        return vertices.allSatisfy { vertex in
            let offset = vertex.point - start
            let along = line.dot(offset)
            guard along >= 0, along <= squaredLength else { return false }
            let across = Double(line.cross(offset))
            return across * across <= tolerance * tolerance * Double(squaredLength)
        }
    }
}
