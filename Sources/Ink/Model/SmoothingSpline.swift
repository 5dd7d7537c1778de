// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Smooths positions over time: of all curves it takes the one that minimises
/// `sum h |q - p|^2 + mu * integral |q'''|^2`, with `mu = (2 pi cutoff)^-6`.
///
/// That is a low-pass of sixth order without delay, whose cut-off is in Hz whatever the sample rate: it passes the
/// movements of a hand whole (0.1 % loss at a third of the cut-off) and takes out the panel's noise above (I. J.
/// Schoenberg 1964; the third derivative because a hand moves with least jerk, T. Flash and N. Hogan 1985). Solved as
/// a banded system in time proportional to the number of samples.
enum SmoothingSpline {
    /// Of the weight of smoothness to that of the samples: where a device reports very fast, so many periods are
    /// enough, and the system stays solvable to a thousandth of a pixel.
    private static let strongestSmoothing = 1e8

    /// Moves `samples[fixed..<count - 1]`; the last one is put where it was measured, and so is the first of the
    /// stroke.
    ///
    /// Those before `fixed` are final and stay, but count as they were measured: tying the curve to where they were
    /// put instead would feed the little that was wrong with them back into the next ones, report after report.
    /// - Parameters:
    ///   - fixed: index of the first sample to move.
    ///   - startsStroke: whether the first sample is the first of the stroke, not only of what is remembered.
    ///   - cutoffs: in Hz, one for each sample.
    ///   - largestShift: in pixels.
    static func smooth(
        _ samples: inout [InkSample], from fixed: Int, startsStroke: Bool, cutoffs: [Double], largestShift: Double
    ) {
        let last = samples.count - 1
        samples[last].position = samples[last].measured
        guard fixed < last else { return }
        var system = BandedSystem(count: last + 1)
        // Near the origin, so that coordinates of any size keep their fraction.
        let origin = samples[last].measured
        for index in 0...last {
            let before = samples[max(index - 1, 0)].seconds
            let after = samples[min(index + 1, last)].seconds
            system.add(weight: (after - before) / 2, value: samples[index].measured - origin, at: index)
        }
        if last >= 3 {
            for index in 0...(last - 3) {
                addJerk(of: samples, at: index, cutoff: min(cutoffs[index + 1], cutoffs[index + 2]), to: &system)
            }
        }
        if startsStroke { system.fix(samples[0].measured - origin, at: 0) }
        system.fix(.zero, at: last)
        system.solve()
        for index in max(fixed, startsStroke ? 1 : 0)..<last {
            let measured = samples[index].measured
            samples[index].position = measured + limited(system.values[index] + origin - measured, to: largestShift)
        }
    }

    /// Adds the third difference of four samples, squared.
    private static func addJerk(of samples: [InkSample], at index: Int, cutoff: Double, to system: inout BandedSystem) {
        // Divided differences in units of the mean step, where they are about -1, 3, -3, 1.
        let span = (samples[index + 3].seconds - samples[index].seconds) / 3
        let b = (samples[index + 1].seconds - samples[index].seconds) / span
        let c = (samples[index + 2].seconds - samples[index].seconds) / span
        let coefficients = (
            -6 / (b * c * 3), 6 / (b * (c - b) * (3 - b)), -6 / (c * (c - b) * (3 - c)), 6 / (3 * (3 - b) * (3 - c)))
        let perRadian = 1 / (2 * Double.pi * cutoff * span)
        let square = perRadian * perRadian
        system.add(
            weight: span * min(square * square * square, strongestSmoothing), coefficients: coefficients, at: index)
    }

    /// Shortens a vector to `limit` softly: hardly where it is half as long, and never longer than it.
    private static func limited(_ shift: Point, to limit: Double) -> Point {
        guard limit > 0 else { return .zero }
        let ratio = shift.squaredLength / (limit * limit)
        return shift * (1 / (1 + ratio * ratio).squareRoot().squareRoot())
    }
}
