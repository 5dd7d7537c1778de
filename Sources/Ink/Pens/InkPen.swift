// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The pen that everyone gets who asks for none: smooth, thick where it is slow, round at its ends.
///
/// Each report models the wet tail of the stroke again, about the last 80 ms, from the samples:
///
/// 1. ``TimeAxis`` repairs the times.
/// 2. ``SmoothingSpline`` takes the panel's noise out, with a cut-off in Hz that rises with speed.
/// 3. ``CurveVelocities`` lays a curve in time through the result, which starts and ends exactly at the first and last
///    sample.
/// 4. ``WidthModel`` makes the width of speed in px/s, or of pressure.
///
/// Everything counts in seconds and none of it in samples, so that a signature looks the same from panels of 60 and of
/// 200 Hz. What leaves the tail is final, with the state that the next tail starts from; a report costs as much after
/// an hour as at the start.
public struct InkPen: StrokeModel {
    private let parameters: InkParameters
    private var times = TimeAxis()
    /// Some final samples, which the smoothing and the speed look back at, then the wet ones.
    private var samples: [InkSample] = []
    /// So many of `samples` are final.
    private var dryCount = 0
    /// Whether `samples` no longer begins with the stroke's first.
    private var hasForgotten = false
    private var dwell: Dwell
    private var widthModel: WidthModel
    private var writer = CenterlineWriter()

    public init(_ parameters: InkParameters = InkParameters()) {
        self.parameters = parameters
        dwell = Dwell(radius: parameters.dwellRadius, time: parameters.dwellTime)
        widthModel = WidthModel(parameters)
    }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        take(sample)
        let cutoffs = samples.map(cutoff)
        SmoothingSpline.smooth(
            &samples, from: dryCount, startsStroke: !hasForgotten, cutoffs: cutoffs,
            largestShift: parameters.largestShift)
        CurveVelocities.update(&samples, from: dryCount)
        let curve = CurveNodes(samples[max(dryCount - 1, 0)...])
        let widths = widthModel.widths(of: curve.nodes)
        let points = zip(curve.nodes, widths.widths).map {
            CenterlinePoint(microseconds: $0.microseconds, position: $0.position, width: $1)
        }
        // The first node is final already, unless it is the stroke's first.
        let start = dryCount > 0 ? 1 : 0
        var end = start
        let newDryCount = dryCountNow()
        if newDryCount > dryCount {
            let settled = curve.indices[newDryCount - 1 - max(dryCount - 1, 0)]
            widthModel.settle(widths, at: settled)
            end = settled + 1
        }
        writer.write(dry: points[start..<end], wet: points[end...], to: &ink)
        dryCount = newDryCount
        forgetOld()
    }

    private mutating func take(_ sample: Sample) {
        var next = InkSample(
            microseconds: sample.microseconds, seconds: times.add(sample.microseconds), measured: sample.position,
            pressure: sample.pressure, speed: 0, position: sample.position)
        dwell.shorten(&next, after: &samples)
        next.speed = speed(upTo: next)
        for index in samples.indices.reversed() {
            guard next.seconds - samples[index].seconds <= parameters.speedSpan else { break }
            samples[index].speed = max(samples[index].speed, next.speed)
        }
        samples.append(next)
    }

    /// Way over the last span of time, or what there is of it.
    private func speed(upTo next: InkSample) -> Double {
        let span = parameters.speedSpan
        guard let start = samples.last(where: { next.seconds - $0.seconds >= span }) ?? samples.first else { return 0 }
        return start.measured.distance(to: next.measured) / max(next.seconds - start.seconds, span / 2)
    }

    /// In Hz.
    private func cutoff(of sample: InkSample) -> Double {
        let detail = min(1, sample.speed / parameters.fullDetailSpeed)
        return parameters.slowCutoff + (parameters.fastCutoff - parameters.slowCutoff) * detail
    }

    private func dryCountNow() -> Int {
        var count = dryCount
        let tip = samples[samples.count - 1].seconds
        while samples.count - count > parameters.leastWetSamples,
            tip - samples[count].seconds > parameters.wetTime || samples.count - count > parameters.mostWetSamples
        { count += 1 }
        return count
    }

    /// Keeps what the next report looks back at.
    private mutating func forgetOld() {
        let oldest = samples[samples.count - 1].seconds - parameters.wetTime - parameters.memoryTime
        var count = max(0, dryCount - parameters.mostWetSamples)
        while dryCount - count > 3, samples[count + 1].seconds < oldest { count += 1 }
        guard count > 0 else { return }
        samples.removeFirst(count)
        dryCount -= count
        hasForgotten = true
    }
}
