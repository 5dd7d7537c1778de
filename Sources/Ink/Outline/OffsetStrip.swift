// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The outline of ``OffsetPen``: a strip of quads between two edges, cut by cut, widened by the line around it.
///
/// A value whose copies go on independently, as ``StrokeOutliner``.
struct OffsetStrip {
    /// Quads a piece; keeps the boxes of pieces small.
    private static let quadsPerPiece = 8
    /// At most: each tone is a fill of its own, and wild input makes groups of hundreds of quads.
    private static let tonesPerGroup = 8

    private let lineWidth: Double
    private let switches: Set<PenSwitch>
    /// The line that the last group ended with, not widened: the edge that the next group shares.
    private var line: OffsetLine?
    private var last: Cut?
    /// The start of the last quad, and its tone.
    private var beforeLast: Cut?
    private var tone: Tone?

    /// One cut across the ink.
    private struct Cut {
        var center: Point
        var left: Point
        var right: Point
        var width: Double { left.distance(to: right) }
        /// Along the stroke; zero while unknown.
        var direction: Point
    }

    init(lineWidth: Double, switches: Set<PenSwitch>) {
        self.lineWidth = lineWidth
        self.switches = switches
    }

    mutating func begin(at sample: Sample, ink: inout StrokeInk) {
        let point = sample.position
        line = OffsetLine(at: point)
        last = Cut(center: point, left: point, right: point, direction: .zero)
        if switches.contains(.varyingColor) { tone = Tone(lightness: 0) }
        ink.tone = tone
        ink.append(CenterlinePoint(microseconds: sample.microseconds, position: point, width: lineWidth))
        // The round of the line around the point that the shape starts with.
        ink.appendPiece { $0.addDisc(around: point, radius: lineWidth / 2) }
    }

    /// Appends the ink of one group: dry or wet is the caller's to say.
    /// - Parameter next: the sample after the group, where there is one.
    mutating func append(_ group: TimedCurve, before next: Point?, to ink: inout StrokeInk) {
        guard let start = line, let previous = last else { return }
        let lines = lines(of: group, from: start, before: next)
        let shape = OffsetShape(lines)
        let cuts = cuts(of: shape, from: previous)
        var nodes = [CenterlinePoint(
            microseconds: group.startMicroseconds, position: previous.center, width: start.length + lineWidth)]
        for step in 1...shape.count {
            // The middle between the ends of the edges is the last control point, but for the rounding.
            let position = step < shape.count ? cuts[step].center : group.controls[group.controls.count - 1]
            let width =
                switches.contains(.noPinch) ? shape.length(step) + lineWidth : max(cuts[step].width, lineWidth)
            nodes.append(CenterlinePoint(
                microseconds: group.microseconds(at: shape.t(step)), position: position, width: width))
            ink.append(nodes[step])
        }
        // The round of a pen at rest lies within the one that the group before ended with.
        let isHidden = group.isPoint && switches.contains(.noPinch)
        if !isHidden { draw(shape, cuts, nodes, into: &ink) }
        line = lines[lines.count - 1]
        last = cuts[shape.count]
        beforeLast = cuts[shape.count - 1]
    }

    private func lines(of group: TimedCurve, from start: OffsetLine, before next: Point?) -> [OffsetLine] {
        let controls = group.controls
        var lines = [start] + zip(controls, controls.dropFirst()).map { OffsetLine(across: $0, to: $1) }
        if switches.contains(.smoothEdge), let next {
            // As the tutorial has it for the way itself: the joint is half way between the neighbouring control points.
            let following = OffsetLine(across: controls[controls.count - 1], to: next)
            lines[lines.count - 1] = OffsetLine(between: lines[lines.count - 2], and: following)
        }
        return lines
    }

    private func cuts(of shape: OffsetShape, from start: Cut) -> [Cut] {
        var cuts = [start]
        for step in 1...shape.count {
            let edges = shape.edges(step)
            let next = cut(edges.left, edges.right, after: cuts[step - 1])
            if step == 1, start.direction == .zero { cuts[0] = widened(start, along: next.direction) }
            cuts.append(next)
        }
        return cuts
    }

    /// Draws a group in pieces of one tone.
    private mutating func draw(
        _ shape: OffsetShape, _ cuts: [Cut], _ nodes: [CenterlinePoint], into ink: inout StrokeInk
    ) {
        var first = 0
        while first < shape.count {
            let newTone = tone(of: shape, before: first + 1)
            var end = first + 1
            while end < min(first + Self.quadsPerPiece, shape.count), tone(of: shape, before: end + 1) == newTone {
                end += 1
            }
            // A new tone begins one quad early: side by side, two fills would let the paper through where they meet.
            let overlapped = newTone == tone ? nil : first > 0 ? cuts[first - 1] : beforeLast
            tone = newTone
            ink.tone = newTone
            if switches.contains(.noPinch) {
                ink.appendOutline(along: nodes[first...end])
            } else {
                ink.appendPiece { path in
                    if let overlapped { drawQuad(from: overlapped, to: cuts[first], into: &path) }
                    for index in first..<end { drawQuad(from: cuts[index], to: cuts[index + 1], into: &path) }
                }
            }
            first = end
        }
    }

    private func tone(of shape: OffsetShape, before step: Int) -> Tone? {
        guard switches.contains(.varyingColor) else { return nil }
        let stride = (shape.count + Self.tonesPerGroup - 1) / Self.tonesPerGroup
        return shape.tone(before: (step - 1) / stride * stride + 1)
    }

    /// Ends the stroke: half a line beyond the last cut, with round corners.
    mutating func finish(_ ink: inout StrokeInk) {
        // Without pinches the ink is a line with round ends already.
        guard !switches.contains(.noPinch) else { return }
        guard let last, last.direction != .zero, let side = (last.right - last.left).normalized else { return }
        let radius = lineWidth / 2
        // The way on, at right angles to the cut; the cut may lean.
        let ahead = side.perpendicular * -1
        let (cornerLeft, cornerRight) = (last.left + side * radius, last.right - side * radius)
        ink.tone = tone
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
