// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How much detail of the movement is drawn, and the smoothing that removes the rest.
///
/// The samples are smoothed twice. First with a cut-off that keeps all that a hand does in the open run of a line. What
/// that takes away is noise where it is as small as the panel's; where it is larger, at cusps and in fast small
/// letters, it was the hand's, and there the second smoothing lets much more pass. So a clean panel's ink follows every
/// sample and a coarse panel's ink is no rounder at its corners than it must be.
struct Detail {
    private let parameters: InkParameters
    /// In px/s.
    private let runningSpeed: Double
    /// In px.
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

    /// Notes the speed at the next sample, there and at those before it that it is in reach of.
    mutating func note(_ next: inout InkSample, after samples: inout [InkSample]) {
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

    /// Finds where the ink lies.
    /// - Parameters:
    ///   - fixed: index of the first sample to move; those before it are final. The last one is put where it was
    ///     measured, and so is the first of the stroke.
    ///   - startsStroke: whether the first sample is the first of the stroke, not only of what is remembered.
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

    /// Lets more pass where the mean of what was taken away around a sample is more than noise.
    private func raiseCutoffs(_ samples: inout [InkSample]) {
        let (reach, range) = (parameters.detailReach, parameters.detailNoise)
        let expected = max(parameters.noisePerStep * noise.step, leastNoise)
        // Samples in reach, and the sum of theirs.
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

    /// Shortens a vector to the limit softly: hardly where it is half as long, and never longer than it.
    private func limited(_ shift: Point) -> Point {
        guard largestShift > 0 else { return .zero }
        let ratio = shift.squaredLength / (largestShift * largestShift)
        return shift * (1 / (1 + ratio * ratio).squareRoot().squareRoot())
    }
}
