// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Ink between two cubics that run beside the samples, the further apart the faster the hand: the final version of
/// "iOS SDK: Advanced Freehand Drawing Techniques" (A. Khan, Tuts+ 2012), constants and all.
///
/// At each sample a short line stands across the way from the sample before; its ends are control points of the two
/// cubics (grouped as in ``SmoothedBezierPen``). Its length is the way times `0.2 / clamp(way squared, 0.01, 1)`, so a
/// fifth of the way between samples that are at least a pixel apart. It depends on the sample rate; that is how the
/// tutorial has it. At the first sample the line has no length, and a group starts with the line that the one before
/// ended with, so that neighbours share that edge.
///
/// The tutorial fills each shape and also strokes it with a line 1 wide, which adds half a pixel on every side and
/// keeps slow ink from vanishing. Here each cut across the ink is made longer by half of the line at both ends, and
/// the stroke starts and ends with the line's round: the same ink where the two edges are about parallel, as one
/// surface with no border inside it. The parts of a group that the hand folded over are drawn turned the right way
/// round.
///
/// The author's suggestions are switches; without them the ink is the tutorial's:
///
/// - ``PenSwitch/smoothEdge``: the line at a joint is half way between its neighbours, so that the edges have one
///   direction there, as the way itself.
/// - ``PenSwitch/noPinch``: the ink is as wide as the lines are long, also where they turn round and the edges cross.
/// - ``PenSwitch/varyingColor``: the ink is the lighter the further apart samples are, lightest from
///   ``lightestWay`` on. Overlaps of two tones show when the ink is not opaque.
public struct OffsetPen: StrokeModel {
    /// Width in pixels of the line around the shape: UIBezierPath's own.
    public static let defaultLineWidth = 1.0
    /// The tutorial's FF, LOWER and UPPER.
    static let factor = 0.2
    static let squaredLengthLimits = 0.01...1.0
    /// Way in pixels between samples where ink of varying colour is lightest.
    static let lightestWay = 40.0

    private var grouping = CubicGrouping()
    private var strip: OffsetStrip

    /// - Parameter lineWidth: of the line around the shape, in pixels.
    public init(lineWidth: Double = Self.defaultLineWidth, switches: Set<PenSwitch> = []) {
        strip = OffsetStrip(lineWidth: lineWidth, switches: switches)
    }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
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
        let way = end - start
        let limited = min(max(way.squaredLength, squaredLengthLimits.lowerBound), squaredLengthLimits.upperBound)
        let half = way.perpendicular * (factor / limited / 2)
        return (end - half, end + half)
    }
}
