// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Joins the contours of some ink, which share edges, to few long ones for files.
///
/// Where one contour goes along a line and another comes back on it, both lines are taken out and the contours become
/// one: no place is wound round more or fewer times than before, so the ink under the non-zero rule is the same. What
/// is left is then simplified (``GridContour/simplify()``), and slivers are left out. Time grows with the number of points,
/// memory does not: after some thousands of points what has been joined is handed out.
struct ContourMerger {
    /// Vertices after which what has been joined is handed out.
    private static let fullCount = 4096
    /// Contours at such a place that are in both shapes, so that there is no seam.
    private static let overlapCount = 4

    private struct Line: Hashable {
        var start: GridPoint
        var end: GridPoint
    }

    private struct Node {
        var vertex: GridContour.Vertex
        var next: Int
        /// Taken out, or handed out.
        var isDone = false
    }

    private var nodes: [Node] = []
    /// The straight lines so far that have no counterpart, by the node that they start at.
    private var starts: [Line: Int] = [:]
    /// The last contours, as they came.
    private var recent: [GridContour] = []
    /// The largest sliver, until something else has been handed out.
    private var largestSliver: GridContour?
    private var isBlank = true

    /// Adds the contours between two marks.
    /// - Parameter body: takes contours that are ready.
    mutating func add(_ path: Path, from start: Path.Mark, to end: Path.Mark, _ body: (GridContour) -> Void) {
        var mark = start
        while mark != end {
            let next = path.endOfContour(at: mark)
            let contour = GridContour(path, from: mark, to: next)
            mark = next
            if nodes.count > Self.fullCount {
                handOut(body)
                for contour in recent { add(contour) }
            }
            add(contour)
            if recent.count == Self.overlapCount { recent.removeFirst() }
            recent.append(contour)
        }
    }

    /// Hands out the rest. Ink that is nothing but slivers is not lost: the largest stands for it.
    mutating func finish(_ body: (GridContour) -> Void) {
        handOut(body)
        if isBlank, let largestSliver { body(largestSliver) }
    }

    private mutating func handOut(_ body: (GridContour) -> Void) {
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
                takeOut(from: node, and: back)
                // The same place, and the one that stays.
                node = back
            } else {
                starts[line] = node
                node = next
            }
        }
    }

    /// Takes out the line that starts at `a` and the one back that starts at `b`, and joins the ends.
    private mutating func takeOut(from a: Int, and b: Int) {
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
    /// The contour of a path between two marks, without lines to where they start.
    init(_ path: Path, from start: Path.Mark, to end: Path.Mark) {
        var vertices: [Vertex] = []
        var index = start.pointCount
        for verb in path.verbs[start.verbCount..<end.verbCount] {
            func point(_ offset: Int) -> GridPoint { GridPoint(path.points[index + offset]) }
            switch verb {
            case .move, .line:
                if vertices.last?.point != point(0) { vertices.append(Vertex(point: point(0))) }
                index += 1
            case .quadratic:
                // The same curve as a cubic: two thirds of the way to the control point from either end.
                let (from, control, to) = (path.points[index - 1], path.points[index], path.points[index + 1])
                vertices.append(Vertex(
                    point: point(1),
                    controls: (
                        GridPoint(from.interpolated(to: control, 2.0 / 3)),
                        GridPoint(to.interpolated(to: control, 2.0 / 3))
                    )))
                index += 2
            case .cubic:
                vertices.append(Vertex(point: point(2), controls: (point(0), point(1))))
                index += 3
            }
        }
        // A contour closes itself: by a line, or because the last curve ends where it starts.
        if vertices.count > 1, vertices[vertices.count - 1].point == vertices[0].point {
            let last = vertices.removeLast()
            vertices[0].controls = last.controls
        }
        self.init(vertices)
    }
}
