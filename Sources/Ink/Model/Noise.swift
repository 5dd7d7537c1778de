// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How far a panel's samples are off, told by the step of its coordinates: a panel that reports whole units is off by
/// some part of a unit, whatever the hand does.
///
/// The step is the greatest common divisor of all differences between samples, each axis its own. A few samples are
/// enough: two random multiples of a step share no other divisor in six of ten cases.
struct Noise {
    /// Rests this small are none, in pixels: what rounding leaves of coordinates in files with three digits.
    private static let rounding = 0.03
    /// And so much more for each time that the smaller number, which was rounded too, goes into the larger one. Where
    /// there is no step, because coordinates were turned or scaled to others, the divisor ends at some tenths of a
    /// pixel because of it: about what a good panel is off.
    private static let roundingPerMultiple = 0.015

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
        while small > rounding {
            let multiple = (large / small).rounded()
            let rest = abs(large - small * multiple)
            if rest < rounding + roundingPerMultiple * multiple { return small }
            (large, small) = (small, rest)
        }
        return large
    }
}
