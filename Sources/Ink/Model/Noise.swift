// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How far a panel's samples are off, told by the step of its coordinates: a panel that reports whole units is off by
/// some part of a unit, whatever the hand does.
///
/// The step is the greatest common divisor of all differences between samples, each axis its own. A few samples are
/// enough: two random multiples of a step share no other divisor in six of ten cases.
struct Noise {
    /// Divisors this small are none, in pixels: coordinates that were turned or calibrated lie on no grid, and what is
    /// left of rounding in files with three digits is less.
    private static let finest = 0.03

    private var last: Point?
    private var stepX = 0.0
    private var stepY = 0.0

    /// The larger step of both axes in pixels; 0 before anything has moved.
    var step: Double { max(stepX, stepY) }

    mutating func add(_ position: Point) {
        defer { last = position }
        guard let last else { return }
        stepX = Self.divisor(stepX, abs(position.x - last.x))
        stepY = Self.divisor(stepY, abs(position.y - last.y))
    }

    /// Euclid's, for numbers that are nearly multiples of something.
    private static func divisor(_ a: Double, _ b: Double) -> Double {
        var (large, small) = a > b ? (a, b) : (b, a)
        while small > finest {
            let rest = large - small * (large / small).rounded(.down)
            // A rest just below the divisor is rounding too.
            (large, small) = (small, min(rest, small - rest))
        }
        return large
    }
}
