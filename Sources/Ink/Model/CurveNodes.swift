// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The curve in time through modelled samples as nodes near enough to each other for ``WidthModel`` and the outline.
struct CurveNodes {
    /// Furthest distance of the chords from the curve in pixels.
    private static let tolerance = 0.02
    /// Longest time between nodes in seconds: a fifth of the time over which widths are smoothed.
    private static let step = 0.004
    /// Bounds the nodes between two samples, for wild ones.
    private static let most = 32.0
    /// And more than a few are none nearer than this in seconds, so that a device of 1000 Hz gone wild costs no more.
    private static let shortestStep = 0.00025
    /// A wet tail that would need more nodes than this is no writing: recorded hands need 184 at most, on a page of
    /// 3840 pixels. Each report would cost ten times the usual, and 300,000 of them half a minute.
    private static let mostWanted = 384.0
    /// Bounds the nodes between two samples of such a tail.
    private static let mostOfWild = 4.0

    /// Longest handle as a part of the chord; an arc of 130 degrees has 0.48. A burst before a slow step, as drivers
    /// deliver that hand reports over in pairs, would bulge with more.
    private static let longestHandle = 0.6

    /// The way between two samples, and how many nodes it wants.
    private struct Segment {
        var curve: CubicBezier
        var wanted: Double
    }

    /// Whether the last curve was no writing.
    private(set) var isWild = false

    // Kept for their memory.
    private var segments: [Segment] = []
    var nodes: [CurveNode] = []
    /// Of each sample its node.
    private(set) var indices: [Int] = []

    /// Lays the curve through the samples from index `first` on.
    mutating func update(_ samples: [InkSample], from first: Int) {
        nodes.removeAll(keepingCapacity: true)
        indices.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        var wanted = 0.0
        for index in first..<samples.count - 1 {
            let segment = Self.segment(from: samples[index], to: samples[index + 1])
            segments.append(segment)
            wanted += segment.wanted
        }
        isWild = wanted > Self.mostWanted
        let most = isWild ? Self.mostOfWild : Self.most
        nodes.append(CurveNode(samples[first]))
        indices.append(0)
        for (index, segment) in segments.enumerated() {
            append(segment, from: samples[first + index], to: samples[first + index + 1], most: most)
            indices.append(nodes.count - 1)
        }
    }

    /// For a channel that turned out to measure nothing.
    mutating func forgetPressure() {
        for index in nodes.indices { nodes[index].pressure = nil }
    }

    private static func segment(from a: InkSample, to b: InkSample) -> Segment {
        let time = b.seconds - a.seconds
        let chord = a.position.distance(to: b.position)
        let curve = CubicBezier(
            start: a.position, control1: a.position + handle(a.velocity, time, chord: chord),
            control2: b.position - handle(b.velocity, time, chord: chord), end: b.position)
        return Segment(
            curve: curve, wanted: max(Double(curve.segmentCount(tolerance: tolerance)), (time / step).rounded(.up)))
    }

    private mutating func append(_ segment: Segment, from a: InkSample, to b: InkSample, most: Double) {
        let time = b.seconds - a.seconds
        let count = Int(min(segment.wanted, most, max(4, time / Self.shortestStep)))
        for step in 1..<max(count, 1) {
            let t = Double(step) / Double(count)
            var node = CurveNode(b)
            node.microseconds = .interpolated(from: a.microseconds, to: b.microseconds, t)
            node.seconds = a.seconds + time * t
            node.position = segment.curve.point(at: t)
            node.pressure = Self.pressure(a, b, t)
            nodes.append(node)
        }
        nodes.append(CurveNode(b))
    }

    /// From an end of a cubic in time to its control point.
    private static func handle(_ velocity: Point, _ time: Double, chord: Double) -> Point {
        let handle = velocity * (time / 3)
        let (length, limit) = (handle.length, longestHandle * chord)
        return length > limit ? handle * (limit / length) : handle
    }

    private static func pressure(_ a: InkSample, _ b: InkSample, _ t: Double) -> Double? {
        guard let before = a.pressure, let after = b.pressure else { return b.pressure ?? a.pressure }
        return before + (after - before) * t
    }
}
