// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The course of predicted ink. It leaves the tip of the ink in the ink's direction and goes on curving as the ink
/// does, bends into the direction in which the pen is expected, and ends where the pen is expected.
///
/// The ink ends exactly at the last report, which is off by the panel's noise. A course straight from there to a good
/// prediction would leave with a kink.
struct PredictedCurve {
    /// The ink's shape is taken from two chords of this many widths: shorter ones show the noise of the last report,
    /// longer ones do not see a turn.
    private static let reach = 0.25
    /// The largest curvature that is continued, in radians over the length of the course. A tighter one is a cusp, or
    /// noise.
    private static let mostTurn = 1.0

    private let bezier: CubicBezier

    /// - Parameters:
    ///   - centerline: the ink; not empty, and ends at the tip.
    init(_ path: PredictedPath, after centerline: [CenterlinePoint]) {
        let tip = centerline[centerline.count - 1]
        let end = tip.position + path.displacement
        let length = path.displacement.length
        let third = path.displacement * (1.0 / 3)
        var control1 = tip.position + third
        var control2 = end - (path.direction.map { $0 * (length / 3) } ?? third)
        if length > 0, let tail = TailShape(centerline, reach: tip.width * Self.reach) {
            let ahead = tail.direction.dot(path.displacement)
            // A turn of 60 to 90 degrees is sharp anyway: the more of it, the less of the ink's direction is kept.
            let kept = min(max(2 * ahead / length, 0), 1)
            control1 = tip.position + tail.direction * (kept * length / 3)
            // This second control point would give the curve the ink's curvature at the tip.
            let turn = min(max(tail.curvature * length, -Self.mostTurn), Self.mostTurn)
            let aside = tail.direction.perpendicular * (turn * length / 6)
            let curved = tip.position + tail.direction * (ahead * 2 / 3) + aside
            // The more the ink's direction and the way to the end differ, the more of the ink's curvature is noise.
            control2 = control2.interpolated(to: curved, max(2 * ahead / length - 1, 0) / 2)
        }
        bezier = CubicBezier(start: tip.position, control1: control1, control2: control2, end: end)
    }

    /// - Parameter fraction: of the course, 0...1.
    func point(at fraction: Double) -> Point { bezier.point(at: fraction) }
}

/// The direction and the curvature of ink at its tip.
private struct TailShape {
    /// A unit vector.
    let direction: Point
    /// Radians a pixel; positive where the ink turns towards `direction.perpendicular`.
    let curvature: Double

    /// The number of points looked at, so that a long rest costs nothing.
    private static let most = 32

    /// Measures the last two chords of at least `reach` pixels; nil when the ink is shorter than one.
    init?(_ centerline: [CenterlinePoint], reach: Double) {
        var index = centerline.count - 1
        let first = max(0, index - Self.most)
        func chord() -> Point? {
            let end = centerline[index].position
            while index > first {
                index -= 1
                let chord = end - centerline[index].position
                if chord.squaredLength >= reach * reach { return chord }
            }
            return nil
        }
        guard let last = chord(), let lastDirection = last.normalized else { return nil }
        guard let before = chord(), let beforeDirection = before.normalized else {
            (direction, curvature) = (lastDirection, 0)
            return
        }
        let (lastLength, length) = (last.length, last.length + before.length)
        let turn = beforeDirection.cross(lastDirection)
        // A chord has the direction of the curve at its middle.
        curvature = 2 * turn / length
        let bent = lastDirection + lastDirection.perpendicular * (curvature * lastLength / 2)
        direction = bent.normalized ?? lastDirection
    }
}
