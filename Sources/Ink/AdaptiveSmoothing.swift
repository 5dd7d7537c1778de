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
    private let mostEndRest: Double
    private var noise: PanelNoise
    private var spline = SmoothingSpline()

    /// - Parameter scatter: of the strokes before.
    init(_ parameters: InkParameters, density: PixelDensity, after scatter: Scatter? = nil) {
        self.parameters = parameters
        runningSpeed = parameters.runningSpeed * density.pixelsPerMillimetre
        largestShift = parameters.largestShift * density.pixelsPerMillimetre
        mostEndRest = parameters.mostEndRest * density.pixelsPerMillimetre
        noise = PanelNoise(parameters, density: density, after: scatter)
    }

    /// The scatter of all samples added, for the next stroke.
    var scatter: Scatter { noise.scatter }

    /// The radius of a rest at an end of the stroke, in pixels.
    var rest: Double { min(parameters.endRest * noise.deviation, mostEndRest) }

    /// Adds a reported position.
    /// - Parameter period: the time between reports in seconds (``TimeAxis/period``).
    mutating func add(_ position: Point, period: Double) { noise.add(position, period: period) }

    /// Sets the speed of the next sample, and raises that of the samples before it within the span.
    func setSpeed(of next: inout InkSample, after samples: inout [InkSample]) {
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

    /// Computes the positions of the ink. The last sample stays where it was measured.
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
        let rest = rest
        let noise = noise.deviation
        if startsStroke, fixed == 0 { samples[0].position = landing(samples, rest: rest) }
        let start = startsStroke ? samples[0].position : nil
        spline.solve(samples, start: start)
        for index in samples.indices {
            samples[index].squaredResidual = (tip + spline[index]).squaredDistance(to: samples[index].measured)
        }
        raiseCutoffs(&samples, noise: noise)
        spline.solve(samples, start: start)
        let first = max(fixed, startsStroke ? 1 : 0)
        for index in first..<last {
            let measured = samples[index].measured
            samples[index].position = measured + limited(tip + spline[index] - measured, to: largestShift)
        }
        var landed = 0
        if let start { landed = steady(&samples, 1..<last, at: start, rest: rest, noise: noise, from: first) }
        steady(&samples, (landed..<last).reversed(), at: tip, rest: rest, noise: noise, from: first)
    }

    /// The place where a stroke starts: the mean of the samples of a rest there, or the first sample. The nearer a
    /// sample is to the middle, the more it counts.
    private func landing(_ samples: [InkSample], rest: Double) -> Point {
        var middle = samples[0].measured
        // The first sample may be far from the middle.
        for _ in 0..<2 {
            let last = middle
            var (sum, weights) = (Point.zero, 0.0)
            for sample in samples {
                let weight = 1 - sample.measured.distance(to: last) / rest
                guard weight > 0 else { break }
                sum = sum + (sample.measured - last) * weight
                weights += weight
            }
            if weights > 0 { middle = last + sum * (1 / weights) }
        }
        return middle
    }

    /// Keeps the ink at an end of the stroke near its samples. The smoothing swings back before a dash out of a rest,
    /// by more than a pixel: samples of the rest collapse into the end, and those around it move the less the nearer
    /// they are. The pen has not left the rest while it comes back.
    /// - Parameters:
    ///   - indices: of the samples from the end on, without itself.
    ///   - end: the place of the end.
    ///   - rest: the radius of the rest.
    ///   - fixed: the index of the first sample that is not final.
    /// - Returns: the number of samples of the rest.
    @discardableResult
    private func steady(
        _ samples: inout [InkSample], _ indices: some BidirectionalCollection<Int>, at end: Point, rest: Double,
        noise: Double, from fixed: Int
    ) -> Int {
        func keep(_ index: Int, distance: Double) {
            guard index >= fixed else { return }
            let shift = parameters.endShift * noise + parameters.endShiftPerDistance * distance
            let measured = samples[index].measured
            let position = measured + limited(samples[index].position - measured, to: min(shift, largestShift))
            let share = distance < rest ? max(0, 2 * distance / rest - 1) : 1
            samples[index].position = end + (position - end) * (share * share * (3 - 2 * share))
        }
        let resting = indices.prefix { samples[$0].measured.distance(to: end) < rest }
        var distance = rest
        for index in resting.reversed() {
            distance = min(distance, samples[index].measured.distance(to: end))
            keep(index, distance: distance)
        }
        distance = rest
        for index in indices.dropFirst(resting.count) {
            // The greatest up to the sample, because the distance itself rises and falls with the noise.
            distance = max(distance, samples[index].measured.distance(to: end))
            if parameters.endShift * noise + parameters.endShiftPerDistance * distance >= largestShift { break }
            keep(index, distance: distance)
        }
        return resting.count
    }

    /// Raises the cut-off where the mean deviation around a sample is more than noise.
    private func raiseCutoffs(_ samples: inout [InkSample], noise: Double) {
        let (reach, range) = (parameters.detailReach, parameters.detailNoise)
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
            let (excess, span) = (mean / noise - range.lowerBound, range.upperBound - range.lowerBound)
            let detail = span > 0 ? min(max(excess / span, 0), 1) : excess > 0 ? 1 : 0
            samples[index].cutoff += (parameters.detailCutoff - samples[index].cutoff) * detail
        }
    }

    /// Limits a vector softly: hardly at half the limit, and the result is never longer than the limit.
    private func limited(_ shift: Point, to limit: Double) -> Point {
        guard limit > 0 else { return .zero }
        let ratio = shift.squaredLength / (limit * limit)
        return shift * (1 / (1 + ratio * ratio).squareRoot().squareRoot())
    }
}
