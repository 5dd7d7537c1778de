// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Smooths positions over time: of all curves it takes the one that minimises
/// `sum h |q - p|^2 + mu * integral |q'''|^2`, with `mu = (2 pi cutoff)^-6`.
///
/// That is a low-pass of sixth order without delay, whose cut-off is in Hz whatever the sample rate: it passes the
/// movements of a hand whole (0.1 % loss at a third of the cut-off) and takes out the panel's noise above (I. J.
/// Schoenberg 1964; the third derivative because a hand moves with least jerk, T. Flash and N. Hogan 1985). Solved as
/// a banded system in time proportional to the number of samples.
struct SmoothingSpline {
    /// Of the weight of smoothness to that of the samples: where a device reports very fast, so many periods are
    /// enough, and the system stays solvable to a thousandth of a pixel.
    private static let strongestSmoothing = 1e8

    private var system = BandedSystem()

    /// Finds the smooth position of each sample, to be asked for with `self[index]`, with the cut-offs that the samples
    /// have. The last one stays where it was measured, and so does the first of the stroke.
    ///
    /// Those that are final count as they were measured: tying the curve to where they were put instead would feed the
    /// little that was wrong with them back into the next ones, report after report.
    /// - Parameters:
    ///   - samples: at least one.
    ///   - startsStroke: whether the first sample is the first of the stroke, not only of what is remembered.
    mutating func solve(_ samples: [InkSample], startsStroke: Bool) {
        let last = samples.count - 1
        system.reset(count: samples.count)
        // Near the origin, so that coordinates of any size keep their fraction.
        let origin = samples[last].measured
        for index in 0...last {
            let before = samples[max(index - 1, 0)].seconds
            let after = samples[min(index + 1, last)].seconds
            system.add(weight: (after - before) / 2, value: samples[index].measured - origin, at: index)
        }
        if last >= 3 {
            for index in 0...(last - 3) { addJerk(of: samples, at: index) }
        }
        if startsStroke { system.fix(samples[0].measured - origin, at: 0) }
        system.fix(.zero, at: last)
        system.solve()
    }

    /// How far the smooth position of a sample of the last ``solve(_:startsStroke:)`` lies from the last sample.
    subscript(index: Int) -> Point { system[index] }

    /// Adds the third difference of four samples, squared.
    private mutating func addJerk(of samples: [InkSample], at index: Int) {
        // Divided differences in units of the mean step, where they are about -1, 3, -3, 1.
        let span = (samples[index + 3].seconds - samples[index].seconds) / 3
        let b = (samples[index + 1].seconds - samples[index].seconds) / span
        let c = (samples[index + 2].seconds - samples[index].seconds) / span
        let coefficients = (
            -6 / (b * c * 3), 6 / (b * (c - b) * (3 - b)), -6 / (c * (c - b) * (3 - c)), 6 / (3 * (3 - b) * (3 - c)))
        let cutoff = min(samples[index + 1].cutoff, samples[index + 2].cutoff)
        let perRadian = 1 / (2 * Double.pi * cutoff * span)
        let square = perRadian * perRadian
        system.add(
            weight: span * min(square * square * square, Self.strongestSmoothing), coefficients: coefficients,
            at: index)
    }
}
