// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Seeded random shapes, shared by tests and benchmarks.
public struct Shapes {
    public var random: SeededGenerator

    public init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    public mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    public mutating func integer(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// A vertex, sometimes on whole, half or 1/16 pixels, which gives ties and touching corners.
    public mutating func point(in box: ClosedRange<Double>) -> Point {
        let grid = [0.0, 1, 2, 16][integer(0...3)]
        func snapped(_ value: Double) -> Double { grid == 0 ? value : (value * grid).rounded() / grid }
        return Point(x: snapped(number(box)), y: snapped(number(box)))
    }

    /// A polygon that may cross itself.
    public mutating func polygon(corners: ClosedRange<Int>, in box: ClosedRange<Double>) -> [Point] {
        (0..<integer(corners)).map { _ in point(in: box) }
    }

    /// The outline of a random pen path, as pens produce it: forward along one side and back along the other. It
    /// overlaps itself at turns.
    public mutating func strokeOutline(width: ClosedRange<Double>, in box: ClosedRange<Double>, steps: Int) -> [Point] {
        var position = point(in: box)
        var direction = Point(x: number(-1...1), y: number(-1...1))
        var left: [Point] = []
        var right: [Point] = []
        for _ in 0..<steps {
            direction = direction + Point(x: number(-1...1), y: number(-1...1)) * 0.6
            guard let unit = direction.normalized else { continue }
            let half = number(width) / 2
            left.append(position + unit.perpendicular * half)
            right.append(position - unit.perpendicular * half)
            position = position + unit * number(1...4)
            if !box.contains(position.x) { direction.x = -direction.x }
            if !box.contains(position.y) { direction.y = -direction.y }
        }
        return left + right.reversed()
    }

    /// Curves that may cross.
    public mutating func curvedPath(contours: Int, in box: ClosedRange<Double>) -> Path {
        var path = Path()
        for _ in 0..<contours {
            path.move(to: point(in: box))
            for _ in 0..<integer(1...4) {
                switch integer(0...2) {
                case 0: path.addLine(to: point(in: box))
                case 1: path.addQuadratic(control: point(in: box), end: point(in: box))
                default: path.addCubic(control1: point(in: box), control2: point(in: box), end: point(in: box))
                }
            }
        }
        return path
    }

    /// A random one of the shapes above.
    public mutating func path(in box: ClosedRange<Double>) -> Path {
        switch integer(0...3) {
        case 0: Path(polygon: polygon(corners: 3...3, in: box))
        case 1: Path(polygon: polygon(corners: 3...12, in: box))
        case 2: Path(polygon: strokeOutline(width: 0.5...6, in: box, steps: integer(3...40)))
        default: curvedPath(contours: integer(1...3), in: box)
        }
    }
}

extension Path {
    /// Adds a quadratic Bézier curve as the cubic of the same shape.
    public mutating func addQuadratic(control: Point, end: Point) {
        guard let start = points.last else { return }
        let curve = CubicBezier(quadraticFrom: start, control: control, end: end)
        addCubic(control1: curve.control1, control2: curve.control2, end: end)
    }
}
