// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The curve in time through modelled samples as nodes near enough to each other for ``WidthModel`` and the outline.
struct CurveNodes {
    /// Furthest distance of the chords from the curve in pixels.
    private static let tolerance = 0.02
    /// Longest time between nodes in seconds: a fifth of the time over which widths are smoothed.
    private static let step = 0.004
    /// Bounds the nodes between two samples, for wild ones.
    private static let most = 32

    private(set) var nodes: [WidthModel.Node]
    /// Of each sample its node.
    private(set) var indices: [Int]

    init(_ samples: ArraySlice<InkSample>) {
        nodes = samples.first.map { [Self.node(at: $0)] } ?? []
        indices = [0]
        for (a, b) in zip(samples, samples.dropFirst()) {
            let time = b.seconds - a.seconds
            let curve = CubicBezier(
                start: a.position, control1: a.position + a.velocity * (time / 3),
                control2: b.position - b.velocity * (time / 3), end: b.position)
            let needed = max(Double(curve.segmentCount(tolerance: Self.tolerance)), (time / Self.step).rounded(.up))
            let count = Int(min(needed, Double(Self.most)))
            for step in 1..<max(count, 1) {
                let t = Double(step) / Double(count)
                nodes.append(WidthModel.Node(
                    microseconds: .interpolated(from: a.microseconds, to: b.microseconds, t),
                    seconds: a.seconds + time * t, position: curve.point(at: t), pressure: Self.pressure(a, b, t)))
            }
            nodes.append(Self.node(at: b))
            indices.append(nodes.count - 1)
        }
    }

    private static func node(at sample: InkSample) -> WidthModel.Node {
        WidthModel.Node(
            microseconds: sample.microseconds, seconds: sample.seconds, position: sample.position,
            pressure: sample.pressure)
    }

    private static func pressure(_ a: InkSample, _ b: InkSample, _ t: Double) -> Double? {
        guard let before = a.pressure, let after = b.pressure else { return b.pressure ?? a.pressure }
        return before + (after - before) * t
    }
}
