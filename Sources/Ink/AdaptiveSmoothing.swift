// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Removes the panel's noise and keeps the detail of the hand.
///
/// The samples are smoothed twice. The first cut-off keeps all that a hand does in the open run of a line. Deviations
/// as small as the panel's noise are noise; larger ones, at cusps and in fast small letters, are the hand's, and there
/// the second smoothing has a much higher cut-off. So the ink of a clean panel follows every sample, and that of a
/// coarse panel is no rounder at its corners than necessary.
struct AdaptiveSmoothing {
    private let parameters: InkParameters
    // The parameters in pixels.
    private let runningSpeed: Double
    private let largestShift: Double
    private let leastNoise: Double
    private var noise = Noise()
    private var spline = SmoothingSpline()

    init(_ parameters: InkParameters, density: PixelDensity) {
        self.parameters = parameters
        runningSpeed = parameters.runningSpeed * density.pixelsPerMillimetre
        largestShift = parameters.largestShift * density.pixelsPerMillimetre
        leastNoise = parameters.leastNoise * density.pixelsPerMillimetre
    }

    /// Sets the speed of the next sample, and raises that of the samples before it within the span.
    mutating func setSpeed(of next: inout InkSample, after samples: inout [InkSample]) {
        noise.add(next.measured)
        let span = parameters.speedSpan
        var start = next
        for index in samples.indices.reversed() {
            start = samples[index]
            if next.seconds - start.seconds >= span { break }
        }
        next.speed = start.measured.distance(to: next.measured) / max(next.seconds - start.seconds, span / 2)
        for index in samples.indices.reversed() {
            guard next.seconds - samples[index].seconds <= span else { break }
            samples[index].speed = max(samples[index].speed, next.speed)
        }
    }

    /// Computes the positions of the ink. The last sample stays where it was measured, and so does the first of the
    /// stroke.
    /// - Parameter fixed: the index of the first sample to move; those before it are final.
    mutating func smooth(_ samples: inout [InkSample], from fixed: Int, startsStroke: Bool) {
        let last = samples.count - 1
        let tip = samples[last].measured
        samples[last].position = tip
        guard fixed < last else { return }
        for index in samples.indices {
            let running = min(1, samples[index].speed / runningSpeed)
            samples[index].cutoff =
                parameters.restCutoff + (parameters.runningCutoff - parameters.restCutoff) * running
        }
        spline.solve(samples, startsStroke: startsStroke)
        for index in samples.indices {
            samples[index].squaredResidual = (tip + spline[index]).squaredDistance(to: samples[index].measured)
        }
        raiseCutoffs(&samples)
        spline.solve(samples, startsStroke: startsStroke)
        for index in max(fixed, startsStroke ? 1 : 0)..<last {
            let measured = samples[index].measured
            samples[index].position = measured + limited(tip + spline[index] - measured)
        }
    }

    /// Raises the cut-off where the mean deviation around a sample is more than noise.
    private func raiseCutoffs(_ samples: inout [InkSample]) {
        let (reach, range) = (parameters.detailReach, parameters.detailNoise)
        let expected = max(parameters.noisePerStep * noise.step, leastNoise)
        // The samples in reach, and the sum of their squared residuals.
        var (first, end, sum) = (0, 0, 0.0)
        for index in samples.indices {
            while end < samples.count, samples[end].seconds - samples[index].seconds <= reach {
                sum += samples[end].squaredResidual
                end += 1
            }
            while samples[index].seconds - samples[first].seconds > reach {
                sum -= samples[first].squaredResidual
                first += 1
            }
            // Two axes.
            let mean = (max(0, sum) / Double(2 * (end - first))).squareRoot()
            let (excess, span) = (mean / expected - range.lowerBound, range.upperBound - range.lowerBound)
            let detail = span > 0 ? min(max(excess / span, 0), 1) : excess > 0 ? 1 : 0
            samples[index].cutoff += (parameters.detailCutoff - samples[index].cutoff) * detail
        }
    }

    /// Limits a vector softly: hardly at half the limit, and the result is never longer than the limit.
    private func limited(_ shift: Point) -> Point {
        guard largestShift > 0 else { return .zero }
        let ratio = shift.squaredLength / (largestShift * largestShift)
        return shift * (1 / (1 + ratio * ratio).squareRoot().squareRoot())
    }
}

/// Estimates a panel's noise from the step of its coordinates: a panel that reports whole units is off by some part of
/// a unit, whatever the hand does.
///
/// The step is the greatest common divisor of all differences between samples, for each axis. A few samples are enough:
/// two random multiples of a step share no other divisor in six of ten cases.
struct Noise {
    /// Remainders up to this, in pixels, are 0: rounding in files with three digits.
    private static let rounding = 0.03
    /// More of it for each time that the smaller number, which was rounded too, goes into the larger one. Without a
    /// step, because coordinates were rotated or scaled, the divisor ends at some tenths of a pixel: about the error of
    /// a good panel.
    private static let roundingPerMultiple = 0.015

    private var last: Point?
    private var stepX = 0.0
    private var stepY = 0.0

    /// The larger step of both axes in pixels; 0 before any movement.
    var step: Double { max(stepX, stepY) }

    mutating func add(_ position: Point) {
        defer { last = position }
        guard let last else { return }
        stepX = Self.divisor(stepX, abs(position.x - last.x))
        stepY = Self.divisor(stepY, abs(position.y - last.y))
    }

    /// Euclid's algorithm, for numbers that are nearly multiples of something.
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
