// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A generated stroke that curls and crosses itself: a centre line whose curvature and width swell and shrink, and the
/// polygons of its ink. Made with + - * / and square roots only, so that it is the same on every processor.
struct Scribble {
    /// What scribbles of a kind have in common; lengths in pixels.
    struct Style {
        var nodeCount: Int
        /// From a node to the next one.
        var step: ClosedRange<Double>
        var width: ClosedRange<Double>
        /// Of its tightest bends.
        var radius: Double
        /// How far they get from their starts before they turn back: half of it to twice as far.
        var reach: Double
    }

    fileprivate struct Node {
        var position: Point
        /// From the centre line to its side, clockwise of the way (on the screen).
        var side: Point
    }

    private let nodes: [Node]
    var nodeCount: Int { nodes.count }

    init(_ style: Style, _ random: inout SplitMix64) {
        var nodes: [Node] = []
        nodes.reserveCapacity(style.nodeCount)
        var position = Point.zero
        var direction = random.direction()
        let reach = style.reach * random.number(in: 0.5...2)
        let widths = random.part(of: style.width)
        var (bend, width, step) = (Self.bend(style, &random), random.number(in: widths), style.step.lowerBound)
        var (nextBend, nextWidth, nextStep) = (bend, width, step)
        var untilNext = 0.0
        for _ in 0..<style.nodeCount {
            nodes.append(Node(position: position, side: direction.perpendicular * (width / 2)))
            if untilNext <= 0 {
                untilNext = random.number(in: 1...5) * style.radius
                nextBend = Self.bend(style, &random)
                nextWidth = random.number(in: widths)
                nextStep = random.number(in: style.step)
            }
            if position.length > reach {
                nextBend = (direction.cross(position) > 0 ? -0.7 : 0.7) / style.radius
            }
            // Most of the change within a radius of way, as a hand does it.
            let ease = min(1, step / style.radius)
            bend += (nextBend - bend) * ease
            width += (nextWidth - width) * ease
            step += (nextStep - step) * ease
            direction = direction.turned(halfTangent: bend * step / 2)
            position = position + direction * step
            untilNext -= step
        }
        self.nodes = nodes
    }

    /// 1 / radius, to either side.
    private static func bend(_ style: Style, _ random: inout SplitMix64) -> Double {
        random.number(in: -1...1) / style.radius
    }

    /// All of it, with round ends.
    var outline: [Point] {
        var outline: [Point] = []
        for node in nodes { outline.append(node.position + node.side) }
        nodes.last?.addCap(to: &outline)
        for node in nodes.reversed() { outline.append(node.position - node.side) }
        if var first = nodes.first {
            first.side = first.side * -1
            first.addCap(to: &outline)
        }
        return outline
    }

    /// The ink between some of its nodes, with straight ends.
    func piece(_ range: ClosedRange<Int>) -> [Point] {
        range.map { nodes[$0].position + nodes[$0].side } + range.reversed().map { nodes[$0].position - nodes[$0].side }
    }
}

extension Scribble.Node {
    /// The points of a half circle between its sides, as chords within a tenth of a pixel.
    fileprivate func addCap(to outline: inout [Point]) {
        // The tangent of half of a quarter turn, halved until the chords are good enough.
        var (tangent, count) = (1.0, 2)
        let radius = side.length
        while radius * (1 - 1 / (1 + tangent * tangent).squareRoot()) > 0.1 {
            tangent /= 1 + (1 + tangent * tangent).squareRoot()
            count *= 2
        }
        var offset = side
        for _ in 1..<count {
            offset = offset.turned(halfTangent: -tangent)
            outline.append(position + offset)
        }
    }
}

extension Point {
    /// Clockwise on the screen by the angle whose half has this tangent; exact in length but for rounding.
    fileprivate func turned(halfTangent tangent: Double) -> Point {
        let scale = 1 / (1 + tangent * tangent)
        let (cosine, sine) = ((1 - tangent * tangent) * scale, 2 * tangent * scale)
        return Point(x: x * cosine - y * sine, y: x * sine + y * cosine)
    }
}

extension SplitMix64 {
    /// Some of it, anywhere in it: a stroke is not of all widths.
    fileprivate mutating func part(of range: ClosedRange<Double>) -> ClosedRange<Double> {
        let start = number(in: range)
        let end = start + (number(in: range) - start) * 0.3
        return min(start, end)...max(start, end)
    }

    /// Length 1, to anywhere.
    fileprivate mutating func direction() -> Point {
        while true {
            let point = Point(x: number(in: -1...1), y: number(in: -1...1))
            if point.squaredLength <= 1, let direction = point.normalized { return direction }
        }
    }
}
