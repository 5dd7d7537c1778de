// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A point on the grid of a file's coordinates, a hundred steps a pixel.
struct GridPoint: Hashable {
    static let decimals = 2
    static let stepsPerPixel = 100.0
    /// Ten million pixels: cross products of differences fit an `Int64`.
    private static let limit = 1e9

    var x: Int64
    var y: Int64

    init(x: Int64, y: Int64) { (self.x, self.y) = (x, y) }

    /// The nearest one. What is not a number, which no outline holds, becomes 0.
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
        /// Of the cubic that leads to `point`; nil for a straight line.
        var controls: (first: GridPoint, second: GridPoint)?
    }

    /// In steps: how far an edge may move when vertices are left out. 1/100 pixel is less than 3 of 255 levels of grey
    /// along an edge, and at eight times the size still not to be seen.
    static let tolerance = 1.0
    /// In square steps, 1/100 square pixel: what is smaller is not visible on its own.
    static let leastArea: Int64 = 100
    /// How many vertices a line may leave out. Bounds the time that a vertex takes.
    private static let longestSkip = 40

    /// Ends of lines and curves, in order; the one that leads to the first comes from the last.
    private(set) var vertices: [Vertex]

    init(_ vertices: [Vertex]) { self.vertices = vertices }

    /// Twice the area, above 0 where the contour turns clockwise on the screen. Curves count with their control points.
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

    /// Leaves out what does not change the look: folds that lie within the ink, and vertices on nearly straight lines.
    mutating func simplify() {
        startAtCorner()
        removeFolds()
        removeFlatVertices()
    }

    /// Makes the first vertex one that stays: at the end of a curve, or else the leftmost.
    private mutating func startAtCorner() {
        let curved = vertices.firstIndex { $0.controls != nil }
        let leftmost = vertices.indices.min { a, b in
            let (a, b) = (vertices[a].point, vertices[b].point)
            return (a.x, a.y) < (b.x, b.y)
        }
        guard let first = curved ?? leftmost, first > 0 else { return }
        vertices = Array(vertices[first...] + vertices[..<first])
    }

    /// Cuts off the folds on the inner side of bends, where an outline goes from one of its edges by the centre of the
    /// stroke to the next edge, which crosses the first. The loop from crossing to crossing lies in both parts of the
    /// stroke that meet there: the contour winds round it twice, and then once.
    private mutating func removeFolds() {
        var kept: [Vertex] = []
        kept.reserveCapacity(vertices.count)
        func add(_ vertex: Vertex) {
            if vertex.controls == nil {
                if vertex.point == kept.last?.point { return }
                // There and back again.
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
        // The line from the last to the first.
        if vertices.first?.controls == nil, let first = kept.first {
            while kept.count > 1, kept.last?.controls == nil, kept.last?.point == first.point { kept.removeLast() }
        }
        vertices = kept
    }

    /// Whether the way from one corner to the other turns clockwise round a centre that is as far from both, but for
    /// rounding.
    private static func isFold(_ corner: GridPoint, _ centre: GridPoint, _ other: GridPoint) -> Bool {
        let (a, b) = (corner - centre, other - centre)
        let (squaredA, squaredB) = (Double(a.dot(a)), Double(b.dot(b)))
        return a.cross(b) < 0 && abs(squaredA.squareRoot() - squaredB.squareRoot()) <= 2
    }

    /// Where the lines a to b and c to d cross between their ends.
    private static func crossing(_ a: GridPoint, _ b: GridPoint, _ c: GridPoint, _ d: GridPoint) -> GridPoint? {
        let (ab, cd) = (b - a, d - c)
        let (sideOfC, sideOfD) = (ab.cross(c - a), ab.cross(d - a))
        let (sideOfA, sideOfB) = (cd.cross(a - c), cd.cross(b - c))
        guard (sideOfC < 0) != (sideOfD < 0), (sideOfA < 0) != (sideOfB < 0), sideOfA != sideOfB else { return nil }
        let share = Double(sideOfA) / (Double(sideOfA) - Double(sideOfB))
        return GridPoint(
            x: a.x + Int64((Double(ab.x) * share).rounded()), y: a.y + Int64((Double(ab.y) * share).rounded()))
    }

    /// From each vertex that stays, on to the furthest whose line leaves out nothing but what is near to it.
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

    /// Whether all lie beside the line, within the tolerance.
    private static func isNear(_ vertices: ArraySlice<Vertex>, from start: GridPoint, to end: GridPoint) -> Bool {
        let way = end - start
        let squaredLength = way.dot(way)
        return vertices.allSatisfy { vertex in
            let offset = vertex.point - start
            let along = way.dot(offset)
            guard along >= 0, along <= squaredLength else { return false }
            let across = Double(way.cross(offset))
            return across * across <= tolerance * tolerance * Double(squaredLength)
        }
    }
}
