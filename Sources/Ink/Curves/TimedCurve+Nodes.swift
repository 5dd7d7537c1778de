// SPDX-License-Identifier: Apache-2.0
import Geometry

extension TimedCurve {
    /// Furthest distance of the drawn chords from the curve, in pixels.
    private static let tolerance = 0.03

    /// - Parameter controls: 2 to 4 points.
    init(controls: [Point], from startMicroseconds: Int64, to endMicroseconds: Int64) {
        self.controls = controls
        self.startMicroseconds = startMicroseconds
        self.endMicroseconds = endMicroseconds
    }

    /// The curve with 2 to 4 samples as control points.
    init(through samples: [Sample]) {
        self.init(
            controls: samples.map(\.position), from: samples[0].microseconds,
            to: samples[samples.count - 1].microseconds)
    }

    /// Whether all control points are one point.
    var isPoint: Bool { controls.allSatisfy { $0 == controls[0] } }

    func startNode(width: Double) -> CenterlinePoint {
        CenterlinePoint(microseconds: startMicroseconds, position: controls[0], width: width)
    }

    /// Appends the nodes after the start of the curve, which end exactly at its end.
    func appendNodes(width: Double, to nodes: inout [CenterlinePoint]) {
        let curve = curve
        let count = curve.segmentCount(tolerance: Self.tolerance)
        for step in 1...count {
            let t = Double(step) / Double(count)
            nodes.append(CenterlinePoint(
                microseconds: microseconds(at: t), position: step < count ? curve.point(at: t) : curve.end,
                width: width))
        }
    }
}
