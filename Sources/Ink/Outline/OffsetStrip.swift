// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The outline of ``OffsetPen``: a strip of quads between two edges, cut by cut, widened by the line around it.
///
/// A value whose copies go on independently, as ``StrokeOutliner``.
struct OffsetStrip {
    /// Furthest distance of the drawn chords from the edge curves, in pixels.
    private static let tolerance = 0.03
    /// Quads a piece; keeps the boxes of pieces small.
    private static let quadsPerPiece = 8

    private let lineWidth: Double
    /// The edges at the end of the last group, not widened: the edge that the next group shares.
    private var edges: (left: Point, right: Point)?
    private var last: Cut?

    /// One cut across the ink.
    private struct Cut {
        var center: Point
        var left: Point
        var right: Point
        var width: Double { left.distance(to: right) }
        /// Along the stroke; zero while unknown.
        var direction: Point
    }

    init(lineWidth: Double) { self.lineWidth = lineWidth }

    mutating func begin(at sample: Sample, ink: inout StrokeInk) {
        let point = sample.position
        edges = (point, point)
        last = Cut(center: point, left: point, right: point, direction: .zero)
        ink.append(CenterlinePoint(microseconds: sample.microseconds, position: point, width: lineWidth))
        // The round of the line around the point that the shape starts with.
        ink.appendPiece { $0.addDisc(around: point, radius: lineWidth / 2) }
    }

    /// Appends the ink of one group: dry or wet is the caller's to say.
    mutating func append(_ group: TimedCurve, to ink: inout StrokeInk) {
        guard let start = edges, var previous = last else { return }
        var (lefts, rights) = ([start.left], [start.right])
        for (before, point) in zip(group.controls, group.controls.dropFirst()) {
            let (left, right) = OffsetPen.offsets(from: before, to: point)
            lefts.append(left)
            rights.append(right)
        }
        let (left, right) = (CubicBezier(raising: lefts), CubicBezier(raising: rights))
        let count = max(left.segmentCount(tolerance: Self.tolerance), right.segmentCount(tolerance: Self.tolerance))
        var cuts: [Cut] = []
        for step in 1...count {
            let t = Double(step) / Double(count)
            let next = cut(
                step < count ? left.point(at: t) : left.end, step < count ? right.point(at: t) : right.end,
                after: previous)
            if previous.direction == .zero { previous = widened(previous, along: next.direction) }
            if cuts.isEmpty { cuts.append(previous) }
            cuts.append(next)
            previous = next
            // The middle between the ends of the edges is the last control point, but for the rounding.
            let position = step < count ? next.center : group.controls[group.controls.count - 1]
            ink.append(CenterlinePoint(
                microseconds: group.microseconds(at: t), position: position, width: max(next.width, lineWidth)))
        }
        for first in stride(from: 0, to: count, by: Self.quadsPerPiece) {
            ink.appendPiece { path in
                for index in first..<min(first + Self.quadsPerPiece, count) {
                    drawQuad(from: cuts[index], to: cuts[index + 1], into: &path)
                }
            }
        }
        edges = (left.end, right.end)
        last = previous
    }

    /// Ends the stroke: half a line beyond the last cut, with round corners.
    mutating func finish(_ ink: inout StrokeInk) {
        guard let last, last.direction != .zero, let side = (last.right - last.left).normalized else { return }
        let radius = lineWidth / 2
        // The way on, at right angles to the cut; the cut may lean.
        let ahead = side.perpendicular * -1
        let (cornerLeft, cornerRight) = (last.left + side * radius, last.right - side * radius)
        ink.appendPiece { path in
            path.move(to: last.left)
            path.addArc(
                around: cornerLeft, radius: radius, from: side * -1, to: ahead, end: cornerLeft + ahead * radius)
            path.addLine(to: cornerRight + ahead * radius)
            path.addArc(around: cornerRight, radius: radius, from: ahead, to: side, end: last.right)
        }
    }

    /// The cut between two edge points, widened on both sides by half of the line.
    private func cut(_ left: Point, _ right: Point, after previous: Cut) -> Cut {
        let center = left.interpolated(to: right, 0.5)
        let direction = (center - previous.center).normalized ?? previous.direction
        // Where the edges meet, as at the first sample, there is no line across to make longer: go by the way.
        let side = (right - left).normalized ?? direction.perpendicular
        let margin = side * (lineWidth / 2)
        return Cut(center: center, left: left - margin, right: right + margin, direction: direction)
    }

    private func widened(_ cut: Cut, along direction: Point) -> Cut {
        let margin = direction.perpendicular * (lineWidth / 2)
        return Cut(center: cut.center, left: cut.center - margin, right: cut.center + margin, direction: direction)
    }

    /// Adds the quad between two cuts. One that is folded or turned over is drawn as the two triangles that it
    /// consists of, each the right way round, together with a line along the middle: no hole and no gap at a sharp
    /// turn.
    private func drawQuad(from a: Cut, to b: Cut, into path: inout Path) {
        if a.left == b.left, a.right == b.right { return }
        let corners = [a.left, b.left, b.right, a.right]
        let turns = corners.indices.map { index in
            let (p, q, r) = (corners[index], corners[(index + 1) % 4], corners[(index + 2) % 4])
            return (q - p).cross(r - q)
        }
        if turns.allSatisfy({ $0 >= 0 }) && turns.contains(where: { $0 > 0 }) {
            path.addPolygon(corners)
            return
        }
        for triangle in [[a.left, b.left, b.right], [a.left, b.right, a.right]] {
            let area = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0])
            if area > 0 { path.addPolygon(triangle) } else if area < 0 { path.addPolygon(triangle.reversed()) }
        }
        let radius = lineWidth / 2
        if let way = (b.center - a.center).normalized {
            let side = way.perpendicular * radius
            path.addPolygon([a.center - side, b.center - side, b.center + side, a.center + side])
        }
        path.addDisc(around: b.center, radius: radius)
    }
}
