// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Ink between two cubics beside the samples, the wider the faster the hand: the final version of "iOS SDK: Advanced
/// Freehand Drawing Techniques" (A. Khan, Tuts+ 2012), with its constants.
///
/// At each sample a short line stands across the direction from the sample before; its ends are control points of the
/// two cubics (grouped by ``CubicGrouping``). Its length is the distance times `0.2 / clamp(distance squared, 0.01,
/// 1)`: a fifth of the distance where that is at least a pixel. At the first sample the line has no length, and a group
/// starts with the line that the one before ended with, so that neighbours share an edge.
///
/// The tutorial fills each shape and also strokes it with a line 1 wide, which adds half a pixel on every side and
/// keeps slow ink visible. Here each cut across the ink is made longer by half of the line at both ends, and the stroke
/// starts and ends with the line's round: the same ink where the two edges are about parallel, as one surface without
/// inner borders. Folded parts of a group are drawn turned the right way round.
///
/// The author's suggestions are switches (``PenSwitch``). Overlaps of two tones show when the ink is not opaque.
struct OffsetPen: StrokeModel {
    /// The tutorial's FF, LOWER and UPPER.
    private static let factor = 0.2
    private static let squaredLengthLimits = 0.01...1.0

    private var grouping = CubicGrouping()
    private var strip: OffsetStrip

    /// - Parameter lineWidth: of the line around the shape, in pixels.
    init(lineWidth: Double, switches: Set<PenSwitch> = []) {
        strip = OffsetStrip(lineWidth: lineWidth, switches: switches)
    }

    mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        ink.removeWet()
        if grouping.isEmpty { strip.begin(at: sample, ink: &ink) }
        if let curve = grouping.add(sample) { strip.append(curve, before: sample.position, to: &ink) }
        ink.dry()
        var tail = strip
        if let rest = grouping.rest { tail.append(rest, before: nil, to: &ink) }
        tail.finish(&ink)
    }

    /// The line across the way from `start` to `end`, centred at `end`.
    static func offsets(from start: Point, to end: Point) -> (left: Point, right: Point) {
        let step = end - start
        let limited = min(max(step.squaredLength, squaredLengthLimits.lowerBound), squaredLengthLimits.upperBound)
        let half = step.perpendicular * (factor / limited / 2)
        return (end - half, end + half)
    }
}

/// The outline of ``OffsetPen``: a strip of quads between two edges, widened by the line around it.
private struct OffsetStrip {
    /// Quads per piece; keeps the bounds of pieces small.
    private static let quadsPerPiece = 8
    /// The maximum: each tone is a fill of its own, and wild input makes groups of hundreds of quads.
    private static let tonesPerGroup = 8

    private let lineWidth: Double
    private let switches: Set<PenSwitch>
    /// The line at the end of the last group, not widened: the edge that the next group shares.
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
        ink.append(CenterlinePoint(time: sample.time, position: point, width: lineWidth))
        // The line around the point that the shape starts with is a disc.
        ink.appendPiece { $0.addDisc(around: point, radius: lineWidth / 2) }
    }

    /// Appends the ink of one group; the caller dries it or not.
    /// - Parameter next: the sample after the group, if any.
    mutating func append(_ group: TimedCurve, before next: Point?, to ink: inout StrokeInk) {
        guard let start = line, let previous = last else { return }
        let lines = lines(of: group, from: start, before: next)
        let shape = OffsetShape(lines)
        let cuts = cuts(of: shape, from: previous)
        var nodes = [
            CenterlinePoint(
                time: group.start, position: previous.center, width: start.length + lineWidth)
        ]
        for step in 1...shape.count {
            // At the end the middle between the edges is the last control point, but for rounding.
            let position = step < shape.count ? cuts[step].center : group.controls[group.controls.count - 1]
            let width =
                switches.contains(.noPinch) ? shape.length(step) + lineWidth : max(cuts[step].width, lineWidth)
            nodes.append(
                CenterlinePoint(
                    time: group.time(at: shape.t(step)), position: position, width: width))
            ink.append(nodes[step])
        }
        // The disc of a resting pen lies within the round end of the group before.
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
            // The joint is half way between the neighbouring control points, as the tutorial's centre.
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
            // A new tone begins one quad early: the paper would show through between two fills side by side.
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
        // The ink of noPinch is a line with round ends already.
        guard !switches.contains(.noPinch) else { return }
        guard let last, last.direction != .zero, let side = (last.right - last.left).normalized else { return }
        let radius = lineWidth / 2
        // Forward, at right angles to the cut; the cut may lean.
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
        // There is no line across to make longer where the edges meet, as at the first sample.
        let side = (right - left).normalized ?? direction.perpendicular
        let margin = side * (lineWidth / 2)
        return Cut(center: center, left: left - margin, right: right + margin, direction: direction)
    }

    private func widened(_ cut: Cut, along direction: Point) -> Cut {
        let margin = direction.perpendicular * (lineWidth / 2)
        return Cut(center: cut.center, left: cut.center - margin, right: cut.center + margin, direction: direction)
    }

    /// Adds the quad between two cuts. A folded or inverted one is drawn as two triangles, each the right way round,
    /// and a line along the middle, so that a sharp turn has no hole and no gap.
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
        if let direction = (b.center - a.center).normalized {
            let side = direction.perpendicular * radius
            path.addPolygon([a.center - side, b.center - side, b.center + side, a.center + side])
        }
        path.addDisc(around: b.center, radius: radius)
    }
}

/// The short line across the direction of movement at a sample.
struct OffsetLine {
    var left: Point
    var right: Point
    /// Pixels; more than from ``left`` to ``right`` where lines of different directions were blended.
    var length: Double
    /// The distance from the sample before, in pixels.
    var distance: Double

    /// The line at the first sample.
    init(at point: Point) {
        (left, right) = (point, point)
        (length, distance) = (0, 0)
    }

    init(across start: Point, to end: Point) {
        (left, right) = OffsetPen.offsets(from: start, to: end)
        length = left.distance(to: right)
        distance = start.distance(to: end)
    }

    /// The line half way between two lines, end by end.
    init(between a: OffsetLine, and b: OffsetLine) {
        left = a.left.interpolated(to: b.left, 0.5)
        right = a.right.interpolated(to: b.right, 0.5)
        length = (a.length + b.length) / 2
        distance = (a.distance + b.distance) / 2
    }
}

/// The ink of one group: the two edge curves, and the measures that blend along them.
private struct OffsetShape {
    /// Furthest distance of the drawn chords from the edge curves, in pixels.
    private static let tolerance = 0.03
    /// Distance in pixels between samples from which ink of varying colour is lightest.
    private static let lightestDistance = 40.0

    let left: CubicBezier
    let right: CubicBezier
    /// The lines' lengths and distances, as x and y of one curve.
    private let measures: CubicBezier
    let count: Int

    /// - Parameter lines: 2 to 4.
    init(_ lines: [OffsetLine]) {
        left = CubicBezier(raising: lines.map(\.left))
        right = CubicBezier(raising: lines.map(\.right))
        measures = CubicBezier(raising: lines.map { Point(x: $0.length, y: $0.distance) })
        count = max(left.segmentCount(tolerance: Self.tolerance), right.segmentCount(tolerance: Self.tolerance))
    }

    func t(_ step: Int) -> Double { Double(step) / Double(count) }

    /// The ends of the cut after `step` of ``count`` steps.
    func edges(_ step: Int) -> (left: Point, right: Point) {
        step < count ? (left.point(at: t(step)), right.point(at: t(step))) : (left.end, right.end)
    }

    /// The blended length of the lines, whichever way they point.
    func length(_ step: Int) -> Double { max(measures.point(at: t(step)).x, 0) }

    /// The tone of the ink between a step and the one before.
    func tone(before step: Int) -> Tone {
        let middle = (Double(step) - 0.5) / Double(count)
        return Tone(lightness: measures.point(at: middle).y / Self.lightestDistance)
    }
}
