// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// The generated workloads: kinds of ink that the rasterizer has to fill.
enum WorkloadKind: String, CaseIterable {
    /// The ink that single reports add to a signature: pieces 5 to 40 px long, 2 to 6 px wide, one fill each.
    case signature
    /// The strokes of ``redraw`` in pieces of 2 to 4 px, one fill each.
    case quads
    /// All strokes of a page, 1.5 to 6 px wide.
    case redraw
    /// Scribbles 40 to 200 px wide.
    case big
    /// Thin scribbles, 0.7 to 1.5 px wide.
    case hair

    var page: PixelSize {
        switch self {
        case .signature: PixelSize(width: 800, height: 480)
        case .quads, .redraw: PixelSize(width: 1920, height: 1080)
        case .big, .hair: PixelSize(width: 3840, height: 2160)
        }
    }

    /// Number of scribbles; one scribble of ``quads`` is 199 fills.
    var scribbleCount: Int {
        switch self {
        case .signature: 600
        case .quads, .redraw: 200
        case .big: 50
        case .hair: 2000
        }
    }

    /// ``quads`` are pieces of the scribbles of ``redraw``.
    var seed: UInt64 {
        switch self {
        case .signature: 1
        case .quads, .redraw: 2
        case .big: 3
        case .hair: 4
        }
    }

    func style(_ random: inout SplitMix64) -> Scribble.Style {
        switch self {
        case .signature:
            // Squared, so that short pieces are more frequent.
            let root = random.number(in: 0...1)
            let length = 5 + 35 * root * root
            let pieces = (length / 3.4).rounded()
            let step = length / pieces
            return .init(nodeCount: Int(pieces) + 1, step: step...step, width: 2...6, radius: 8, reach: 100)
        case .quads, .redraw: return .init(nodeCount: 399, step: 0.9...1.7, width: 1.5...6, radius: 8, reach: 24)
        case .big: return .init(nodeCount: 930, step: 3...5, width: 40...200, radius: 100, reach: 200)
        case .hair: return .init(nodeCount: 254, step: 1.5...2.5, width: 0.7...1.5, radius: 10, reach: 40)
        }
    }
}

extension RasterWorkload {
    private static let color = Color(red: 0x0A, green: 0x1A, blue: 0x5C)
    /// Distance from the ink to the edges of the page, in pixels.
    private static let margin = 8.0

    /// Generates the same polygons every time.
    /// - Parameter scribbleCount: replaces the number that the kind has.
    init(_ kind: WorkloadKind, scribbleCount: Int? = nil) {
        self.init(name: kind.rawValue, page: kind.page)
        var random = SplitMix64(seed: kind.seed)
        for _ in 0..<(scribbleCount ?? kind.scribbleCount) {
            let (scribble, offset) = Self.placed(kind, &random)
            if kind == .quads {
                for first in stride(from: 0, to: scribble.nodeCount - 1, by: 2) {
                    add(scribble.piece(first...first + 2), offset)
                }
            } else {
                add(kind == .signature ? scribble.piece(0...scribble.nodeCount - 1) : scribble.outline, offset)
            }
        }
    }

    /// A scribble and its place on the page. Scribbles larger than the page are dropped.
    private static func placed(_ kind: WorkloadKind, _ random: inout SplitMix64) -> (Scribble, Point) {
        while true {
            let scribble = Scribble(kind.style(&random), &random)
            var box = Rect.empty
            for point in scribble.outline { box.include(point) }
            let room = Point(
                x: Double(kind.page.width) - 2 * margin - (box.maxX - box.minX),
                y: Double(kind.page.height) - 2 * margin - (box.maxY - box.minY))
            if room.x < 0 || room.y < 0 { continue }
            let corner = Point(x: random.number(in: 0...room.x), y: random.number(in: 0...room.y))
            return (scribble, corner + Point(x: margin - box.minX, y: margin - box.minY))
        }
    }

    /// Rounds to 1/64 px, which 26.6 and 24.8 bits represent exactly, so that all rasterizers fill the same polygon.
    private mutating func add(_ polygon: [Point], _ offset: Point) {
        let grid = polygon.map { point in
            let place = point + offset
            return SIMD2(Float((place.x * 64).rounded() / 64), Float((place.y * 64).rounded() / 64))
        }
        addFill(grid, color: Self.color)
    }
}

/// A generated stroke that curls and crosses itself: a centre line of varying curvature and width. It uses + - * / and
/// square roots only, so that it is the same on every processor.
struct Scribble {
    /// Parameters of a kind of scribbles; lengths in pixels.
    struct Style {
        var nodeCount: Int
        /// Distance from a node to the next one.
        var step: ClosedRange<Double>
        var width: ClosedRange<Double>
        /// Radius of the tightest bends.
        var radius: Double
        /// Distance from the start at which the stroke turns back; varies from half to twice of it.
        var reach: Double
    }

    fileprivate struct Node {
        var position: Point
        /// Vector from the centre line to the right side of the stroke.
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
            // Most of the change happens within one radius, as in handwriting.
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

    /// Curvature, 1 / radius, to either side.
    private static func bend(_ style: Style, _ random: inout SplitMix64) -> Double {
        random.number(in: -1...1) / style.radius
    }

    /// The outline of the whole stroke, with round ends.
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

    /// The outline between two nodes, with straight ends.
    func piece(_ range: ClosedRange<Int>) -> [Point] {
        range.map { nodes[$0].position + nodes[$0].side } + range.reversed().map { nodes[$0].position - nodes[$0].side }
    }
}

extension Scribble.Node {
    /// Appends a half circle between both sides, as chords that deviate by at most 0.1 px.
    fileprivate func addCap(to outline: inout [Point]) {
        // Starts with the tangent of half a quarter turn; halves the angle until the chords are close enough.
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
    /// Rotated clockwise on the screen by the angle whose half has this tangent.
    fileprivate func turned(halfTangent tangent: Double) -> Point {
        let scale = 1 / (1 + tangent * tangent)
        let (cosine, sine) = ((1 - tangent * tangent) * scale, 2 * tangent * scale)
        return Point(x: x * cosine - y * sine, y: x * sine + y * cosine)
    }
}

extension SplitMix64 {
    /// A random part of the range, at most 30 % of it: one stroke does not have all widths.
    fileprivate mutating func part(of range: ClosedRange<Double>) -> ClosedRange<Double> {
        let start = number(in: range)
        let end = start + (number(in: range) - start) * 0.3
        return min(start, end)...max(start, end)
    }

    /// A random unit vector.
    fileprivate mutating func direction() -> Point {
        while true {
            let point = Point(x: number(in: -1...1), y: number(in: -1...1))
            if point.squaredLength <= 1, let direction = point.normalized { return direction }
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014). Swift's own random numbers in ranges may change with its version.
struct SplitMix64 {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Evenly distributed.
    mutating func number(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * (Double(next() >> 11) * 0x1p-53)
    }
}
