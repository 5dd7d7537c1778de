// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// A smooth random pen path with varying bends that turns back at the sides of the page: the centre line, the half
/// width at each sample, and their outlines.
public struct Scribble {
    private var centres: [Point] = []
    /// Vectors from the centre to the left side; their length is half the width.
    private var sides: [Point] = []

    /// - Parameters:
    ///   - width: range of the slowly changing width, in pixels.
    ///   - step: distance between samples, in pixels.
    ///   - bend: tangent of the largest change of direction at a sample.
    public init(
        _ shapes: inout Shapes, width: ClosedRange<Double>, page: PixelSize, samples: Int, step: ClosedRange<Double>,
        bend: Double
    ) {
        let (pageWidth, pageHeight) = (Double(page.width), Double(page.height))
        var centre = Point(x: shapes.number(0...pageWidth), y: shapes.number(0...pageHeight))
        var direction = shapes.direction()
        var turn = 0.0
        var half = shapes.number(width) / 2
        for _ in 0..<samples {
            turn = min(max(turn + shapes.number(-0.3...0.3) * bend, -bend), bend)
            direction = (direction + direction.perpendicular * turn).normalized ?? direction
            if centre.x < 0 { direction.x = abs(direction.x) }
            if centre.y < 0 { direction.y = abs(direction.y) }
            if centre.x > pageWidth { direction.x = -abs(direction.x) }
            if centre.y > pageHeight { direction.y = -abs(direction.y) }
            half += (shapes.number(width) / 2 - half) * 0.1
            centres.append(centre)
            sides.append(direction.perpendicular * half)
            centre = centre + direction * shapes.number(step)
        }
    }

    /// One contour: along the left side, round the end, back along the right side and round the start. It overlaps
    /// itself where the path crosses itself or a bend is tighter than half the width.
    public var outline: [Point] {
        let end = centres.count - 1
        var points = zip(centres, sides).map { $0 + $1 }
        points += Self.cap(centres[end], from: sides[end])
        points += zip(centres, sides).reversed().map { $0 - $1 }
        points += Self.cap(centres[0], from: sides[0] * -1)
        return points
    }

    /// The band between samples as quads with shared ends.
    public var quads: [[Point]] {
        (1..<centres.count).map { index -> [Point] in
            let (start, startSide) = (centres[index - 1], sides[index - 1])
            let (end, endSide) = (centres[index], sides[index])
            return [start + startSide, end + endSide, end - endSide, start - startSide]
        }
    }

    /// The inner points of half a circle, in eight steps.
    private static func cap(_ centre: Point, from side: Point) -> [Point] {
        let eighth = Point(x: 0.9238795325112867, y: -0.3826834323650898)
        var spoke = side
        return (1..<8).map { _ in
            spoke = Point(x: spoke.x * eighth.x - spoke.y * eighth.y, y: spoke.x * eighth.y + spoke.y * eighth.x)
            return centre + spoke
        }
    }
}
