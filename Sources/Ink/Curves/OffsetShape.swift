// SPDX-License-Identifier: Apache-2.0
import Geometry

/// One group's ink: the two curves beside the way, and what blends along it.
struct OffsetShape {
    /// Furthest distance of the drawn chords from the edge curves, in pixels.
    private static let tolerance = 0.03

    let left: CubicBezier
    let right: CubicBezier
    /// The lines' lengths and ways, x and y of one curve.
    private let measures: CubicBezier
    let count: Int

    /// - Parameter lines: 2 to 4.
    init(_ lines: [OffsetLine]) {
        left = CubicBezier(raising: lines.map(\.left))
        right = CubicBezier(raising: lines.map(\.right))
        measures = CubicBezier(raising: lines.map { Point(x: $0.length, y: $0.way) })
        count = max(left.segmentCount(tolerance: Self.tolerance), right.segmentCount(tolerance: Self.tolerance))
    }

    func t(_ step: Int) -> Double { Double(step) / Double(count) }

    /// The ends of the cut after so many of ``count`` steps.
    func edges(_ step: Int) -> (left: Point, right: Point) {
        step < count ? (left.point(at: t(step)), right.point(at: t(step))) : (left.end, right.end)
    }

    /// What the lines are long there, whichever way they point.
    func length(_ step: Int) -> Double { max(measures.point(at: t(step)).x, 0) }

    /// The tone of the ink between a step and the one before.
    func tone(before step: Int) -> Tone {
        let middle = (Double(step) - 0.5) / Double(count)
        return Tone(lightness: measures.point(at: middle).y / OffsetPen.lightestWay)
    }
}
