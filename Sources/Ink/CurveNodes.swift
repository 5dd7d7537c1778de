// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Computes velocities that make a curve of cubics in time through the modelled positions smooth to its second
/// derivative (the natural cubic spline), limited where a spline would swing out.
struct CurveVelocities {
    /// The largest velocity as a multiple of the slower neighbouring chord's: 3 keeps a cubic within its chord (F.
    /// Fritsch and R. Carlson 1980), so that a jump of a device makes no loop.
    private static let largestRatio = 3.0

    /// A row of the tridiagonal system after forward elimination.
    private struct Row {
        /// The element to the right of the diagonal.
        var ratio: Double
        var value: Point
    }

    /// The chord from one sample to the next.
    private struct Chord {
        var inverse: Double
        var velocity: Point
    }

    // Kept for their memory.
    private var rows: [Row] = []
    private var chords: [Chord] = []

    /// Sets the velocity of the samples from index `fixed` on; that of the sample before is final.
    mutating func update(_ samples: inout [InkSample], from fixed: Int) {
        let first = max(0, fixed - 1)
        let last = samples.count - 1
        guard first < last else {
            samples[last].velocity = .zero
            return
        }
        chords.removeAll(keepingCapacity: true)
        for index in first..<last {
            let inverse = 1 / (samples[index + 1].seconds - samples[index].seconds)
            let step = samples[index + 1].position - samples[index].position
            chords.append(Chord(inverse: inverse, velocity: step * inverse))
        }
        rows.removeAll(keepingCapacity: true)
        rows.append(
            fixed > 0
                ? Row(ratio: 0, value: samples[first].velocity) : Row(ratio: 0.5, value: chords[0].velocity * 1.5))
        for (index, before) in chords.enumerated() {
            let after = index + 1 < chords.count ? chords[index + 1] : Chord(inverse: 0, velocity: .zero)
            let row = rows[index]
            let pivot = 1 / (2 * (before.inverse + after.inverse) - before.inverse * row.ratio)
            let right = before.velocity * (3 * before.inverse) + after.velocity * (3 * after.inverse)
            rows.append(Row(ratio: after.inverse * pivot, value: (right - row.value * before.inverse) * pivot))
        }
        for index in stride(from: rows.count - 2, through: fixed - first, by: -1) {
            rows[index].value = rows[index].value - rows[index + 1].value * rows[index].ratio
        }
        for index in fixed...last {
            samples[index].velocity = limitedVelocity(at: index - first)
        }
    }

    private func limitedVelocity(at index: Int) -> Point {
        let velocity = rows[index].value
        guard index > 0, index < chords.count else {
            // A backward velocity at an end of the stroke would draw a hook.
            let chord = chords[index > 0 ? index - 1 : 0].velocity
            return velocity.dot(chord) < 0 ? .zero : limited(velocity, by: chord.length)
        }
        return limited(velocity, by: min(chords[index - 1].velocity.length, chords[index].velocity.length))
    }

    private func limited(_ velocity: Point, by speed: Double) -> Point {
        let limit = Self.largestRatio * speed
        let length = velocity.length
        return length > limit ? velocity * (limit / length) : velocity
    }
}

/// The curve in time through modelled samples, as nodes near enough to each other for ``WidthModel`` and the outline.
struct CurveNodes {
    /// The largest distance of the chords from the curve in pixels.
    private static let tolerance = 0.02
    /// The longest time between nodes in seconds: a quarter of the time over which widths are smoothed.
    private static let step = 0.004
    /// The maximum number of nodes between two samples.
    private static let most = 32.0
    /// The shortest time in seconds between more than four nodes, so that wild input at 1000 Hz costs no more.
    private static let shortestStep = 0.00025
    /// A wet tail that would need more nodes than this is not writing: recorded hands need 184 at most, on a page of
    /// 3840 pixels. Each report would cost ten times the usual, and 300,000 of them half a minute.
    private static let mostNeeded = 384.0
    /// The maximum number of nodes between two samples of such a tail.
    private static let mostOfWild = 4.0

    /// The longest handle as a part of the chord; an arc of 130 degrees has 0.48. With more, a fast step before a slow
    /// one would bulge, as from drivers that deliver reports in pairs.
    private static let longestHandle = 0.7

    /// The curve between two samples, and the number of nodes that it needs.
    private struct Segment {
        var curve: CubicBezier
        var needed: Double
    }

    /// Whether the last curve was not writing.
    private(set) var isWild = false

    // Kept for their memory.
    private var segments: [Segment] = []
    var nodes: [CurveNode] = []
    /// The index of each sample's node.
    private(set) var indices: [Int] = []

    /// Lays the curve through the samples from index `first` on.
    mutating func update(_ samples: [InkSample], from first: Int) {
        nodes.removeAll(keepingCapacity: true)
        indices.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        var needed = 0.0
        for index in first..<samples.count - 1 {
            let segment = Self.segment(from: samples[index], to: samples[index + 1])
            segments.append(segment)
            needed += segment.needed
        }
        isWild = needed > Self.mostNeeded
        let most = isWild ? Self.mostOfWild : Self.most
        nodes.append(CurveNode(samples[first]))
        indices.append(0)
        for (index, segment) in segments.enumerated() {
            append(segment, from: samples[first + index], to: samples[first + index + 1], most: most)
            indices.append(nodes.count - 1)
        }
    }

    /// Ignores pressure that is not measured.
    mutating func removePressure() {
        for index in nodes.indices { nodes[index].pressure = nil }
    }

    private static func segment(from a: InkSample, to b: InkSample) -> Segment {
        let time = b.seconds - a.seconds
        let chord = a.position.distance(to: b.position)
        let curve = CubicBezier(
            start: a.position, control1: a.position + handle(a.velocity, time, chord: chord),
            control2: b.position - handle(b.velocity, time, chord: chord), end: b.position)
        return Segment(
            curve: curve, needed: max(Double(curve.segmentCount(tolerance: tolerance)), (time / step).rounded(.up)))
    }

    private mutating func append(_ segment: Segment, from a: InkSample, to b: InkSample, most: Double) {
        let time = b.seconds - a.seconds
        let count = Int(min(segment.needed, most, max(4, time / Self.shortestStep)))
        for step in 1..<max(count, 1) {
            let t = Double(step) / Double(count)
            var node = CurveNode(b)
            node.time = a.time.interpolated(to: b.time, t)
            node.seconds = a.seconds + time * t
            node.position = segment.curve.point(at: t)
            node.pressure = Self.pressure(a, b, t)
            nodes.append(node)
        }
        nodes.append(CurveNode(b))
    }

    /// The vector from an end of a cubic in time to its control point.
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

/// A point of the curve through the modelled samples, with the values of ``WidthModel``.
struct CurveNode {
    var time: Timestamp
    /// The time in seconds (``TimeAxis``).
    var seconds: Double
    var position: Point
    var pressure: Double?
    /// Full width of the ink in pixels.
    var width = 0.0

    /// The distance from the node before, in pixels.
    var distance = 0.0
    /// The target width from the node before to this one.
    var target = 0.0
    /// The part of a deviation from the target that is left here.
    var decay = 0.0
    /// The mean of this target and those before, weighted towards the latest.
    var past = 0.0

    init(_ sample: InkSample) {
        time = sample.time
        seconds = sample.seconds
        position = sample.position
        pressure = sample.pressure
    }
}
