// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How a pen moves at its last report: a velocity and an acceleration, fitted to the moments before.
struct PenMotion: Sendable {
    /// Pixels a second.
    private let velocity: Point
    /// Half the acceleration, in pixels a second squared.
    private let halfAcceleration: Point

    /// - Returns: where the pen will be after `seconds`, from where it is. A pen that brakes comes to a stop where its
    ///   velocity has run out and does not turn back: hands stop more often than they return on their way.
    func displacement(after seconds: Double) -> Point {
        let braking = -2 * velocity.dot(halfAcceleration)
        var time = seconds
        if braking * seconds > velocity.squaredLength { time = velocity.squaredLength / braking }
        return velocity * time + halfAcceleration * (time * time)
    }

    /// Least squares of `v t + a t² / 2` through the last report, for times before it.
    struct Fit {
        /// Seconds that count as 1, so that the sums are of one size.
        private static let unit = 0.04
        /// Pulls the acceleration towards zero, the more the fewer reports there are and the shorter the time that they
        /// span: that of three noisy reports is mostly noise.
        private static let damping = 0.02

        private var count = 1.0
        private var (t2, t3, t4) = (0.0, 0.0, 0.0)
        private var first = Point.zero
        private var second = Point.zero

        /// Takes a report `seconds` before the last one and `way` from it.
        mutating func add(secondsBefore seconds: Double, way: Point) {
            let t = -seconds / Self.unit
            let squared = t * t
            count += 1
            t2 += squared
            t3 += squared * t
            t4 += squared * squared
            first = first + way * t
            second = second + way * squared
        }

        /// - Returns: nil when the reports do not say.
        var motion: PenMotion? {
            let damped = t4 + Self.damping * count
            let determinant = t2 * damped - t3 * t3
            guard determinant > 1e-12 else { return nil }
            let velocity = (first * damped - second * t3) * (1 / determinant / Self.unit)
            let half = (second * t2 - first * t3) * (1 / determinant / (Self.unit * Self.unit))
            guard velocity.squaredLength.isFinite, half.squaredLength.isFinite else { return nil }
            return PenMotion(velocity: velocity, halfAcceleration: half)
        }
    }
}
