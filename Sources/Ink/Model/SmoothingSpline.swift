// SPDX-License-Identifier: Apache-2.0
internal import Geometry

/// Smooths positions over time: of all curves it takes the one that minimises
/// `sum h |q - p|^2 + mu * integral |q'''|^2`, with `mu = (2 pi cutoff)^-6`.
///
/// That is a low-pass of sixth order without delay, whose cut-off is in Hz whatever the sample rate: it passes the
/// movements of a hand whole (0.1 % loss at a third of the cut-off) and takes out the panel's noise above (I. J. Schoenberg 1964; the
/// third derivative because a hand moves with least jerk, T. Flash and N. Hogan 1985). Solved as a banded system in time
/// proportional to the number of samples.
enum SmoothingSpline {
    /// Of the weight of smoothness to that of the samples: where a device reports very fast, so many periods are
    /// enough, and the system stays solvable to a thousandth of a pixel.
    private static let strongestSmoothing = 1e8

    /// Moves `samples[fixed..<count - 1]` and leaves the others, and the first of the stroke, where they are; the last one
    /// is put where it was measured.
    /// - Parameters:
    ///   - fixed: index of the first sample to move; up to three before it tie the curve to what is final.
    ///   - cutoff: in Hz, of a sample by its index.
    static func smooth(
        _ samples: inout [InkSample], from fixed: Int, largestShift: Double, cutoff: (Int) -> Double
    ) {
        let last = samples.count - 1
        samples[last].position = samples[last].measured
        guard fixed < last else { return }
        let first = max(0, fixed - 3)
        var system = BandedSystem(count: last - first + 1)
        // Near the origin, so that coordinates of any size keep their fraction.
        let origin = samples[last].measured
        func isFixed(_ index: Int) -> Bool { index < fixed || index == 0 || index == last }

        for index in first...last {
            let before = index > 0 ? samples[index].seconds - samples[index - 1].seconds : 0
            let after = index < last ? samples[index + 1].seconds - samples[index].seconds : 0
            system.add(weight: (before + after) / 2, value: samples[index].measured - origin, at: index - first)
        }
        if last - first >= 3 {
            for index in first...(last - 3) where !(index...(index + 3)).allSatisfy(isFixed) {
                addJerk(of: samples, at: index, cutoff: min(cutoff(index + 1), cutoff(index + 2)), row: index - first, to: &system)
            }
        }
        for index in first...last where isFixed(index) {
            let position = index == 0 ? samples[0].measured : samples[index].position
            system.fix(position - origin, at: index - first)
        }
        system.solve()
        for index in first...last where !isFixed(index) {
            let measured = samples[index].measured
            samples[index].position = measured + limited(system.values[index - first] + origin - measured, to: largestShift)
        }
        if first == 0 { samples[0].position = samples[0].measured }
    }

    /// Adds the third difference of four samples, squared.
    private static func addJerk(of samples: [InkSample], at index: Int, cutoff: Double, row: Int, to system: inout BandedSystem) {
        let t = (0..<4).map { samples[index + $0].seconds }
        let span = (t[3] - t[0]) / 3
        // In units of the span, where the coefficients are about 1, 3, 3, 1.
        let coefficients = (0..<4).map { j in
            (0..<4).reduce(6.0) { $1 == j ? $0 : $0 * span / (t[j] - t[$1]) }
        }
        let perRadian = 1 / (2 * Double.pi * cutoff * span)
        let square = perRadian * perRadian
        system.add(
            weight: span * min(square * square * square, strongestSmoothing), coefficients: coefficients, at: row)
    }

    /// Shortens a vector to `limit` softly: hardly where it is half as long, and never longer than it.
    private static func limited(_ shift: Point, to limit: Double) -> Point {
        guard limit > 0 else { return .zero }
        let ratio = shift.squaredLength / (limit * limit)
        return shift * (1 / (1 + ratio * ratio).squareRoot().squareRoot())
    }
}
