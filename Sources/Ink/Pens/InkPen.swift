// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The pen that everyone gets who asks for none: smooth, thick where it is slow, round at its ends.
///
/// Each report models the wet tail of the stroke again, about the last 80 ms, from the samples:
///
/// 1. ``TimeAxis`` repairs the times, ``Dwell`` shortens rests.
/// 2. ``SmoothingSpline`` takes the panel's noise out, with a cut-off in Hz that ``Detail`` chooses.
/// 3. ``CurveVelocities`` lays a curve in time through the result, which starts and ends exactly at the first and last
///    sample.
/// 4. ``WidthModel`` makes the width of speed, or of pressure.
///
/// Everything counts in seconds and millimetres and none of it in samples, so that a signature looks the same from
/// panels of 60 and of 200 Hz. What leaves the tail is final, with the state that the next tail starts from; a report
/// costs as much after an hour as at the start, and allocates nothing once the arrays have their size. Of input that no
/// hand makes, such as points all over the page, the tail is as short as it can be, and its curves are coarser.
public struct InkPen: StrokeModel {
    private let parameters: InkParameters
    private var times = TimeAxis()
    private var dwell: Dwell
    private var detail: Detail
    private var widthModel: WidthModel
    /// Some final samples, which the smoothing and the speed look back at, then the wet ones.
    private var samples: [InkSample] = []
    /// So many of `samples` are final.
    private var dryCount = 0
    /// Whether `samples` no longer begins with the stroke's first.
    private var hasForgotten = false
    /// Whether the pressure was ever another than the first one. A channel that does not change was not measured.
    private var firstPressure: Double?
    private var hasPressure = false
    private var velocities = CurveVelocities()
    private var curve = CurveNodes()
    private var writer = CenterlineWriter()

    /// - Parameter density: of the page, which turns millimetres into the samples' pixels.
    public init(_ parameters: InkParameters = InkParameters(), density: PixelDensity = .standard) {
        self.parameters = parameters
        dwell = Dwell(radius: parameters.dwellRadius * density.pixelsPerMillimetre, time: parameters.dwellTime)
        detail = Detail(parameters, density: density)
        widthModel = WidthModel(parameters, density: density)
    }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) { add(sample, to: &ink, drawsWet: true) }

    public mutating func add(followed sample: Sample, to ink: inout StrokeInk) {
        add(sample, to: &ink, drawsWet: false)
    }

    private mutating func add(_ sample: Sample, to ink: inout StrokeInk, drawsWet: Bool) {
        take(sample)
        detail.smooth(&samples, from: dryCount, startsStroke: !hasForgotten)
        velocities.update(&samples, from: dryCount)
        let first = max(dryCount - 1, 0)
        curve.update(samples, from: first)
        if !hasPressure { curve.forgetPressure() }
        widthModel.update(&curve.nodes)
        write(from: first, to: &ink, drawsWet: drawsWet)
        forgetOld()
    }

    private mutating func take(_ sample: Sample) {
        let pressure = sample.pressure.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
        notePressure(pressure)
        var next = InkSample(
            microseconds: sample.microseconds, seconds: times.add(sample.microseconds), measured: sample.position,
            pressure: pressure, speed: 0, position: sample.position)
        dwell.shorten(&next, after: &samples)
        detail.note(&next, after: &samples)
        samples.append(next)
    }

    private mutating func notePressure(_ pressure: Double?) {
        guard let pressure else { return }
        if let firstPressure, firstPressure != pressure { hasPressure = true }
        firstPressure = firstPressure ?? pressure
    }

    /// - Parameter first: the sample of the first node.
    private mutating func write(from first: Int, to ink: inout StrokeInk, drawsWet: Bool) {
        // The first node is final already, unless it is the stroke's first.
        let start = dryCount > 0 ? 1 : 0
        var end = start
        let newDryCount = dryCountNow()
        if newDryCount > dryCount {
            let settled = curve.indices[newDryCount - 1 - first]
            widthModel.settle(at: curve.nodes[settled])
            end = settled + 1
        }
        writer.beginReport(&ink)
        for index in start..<end { writer.add(dry: CenterlinePoint(curve.nodes[index]), to: &ink) }
        dryCount = newDryCount
        guard drawsWet else {
            ink.dry()
            return
        }
        writer.beginWet(&ink)
        for index in end..<max(end, curve.nodes.count) {
            writer.add(wet: CenterlinePoint(curve.nodes[index]), to: &ink)
        }
        writer.endReport(&ink)
    }

    private func dryCountNow() -> Int {
        var count = dryCount
        let tip = samples[samples.count - 1].seconds
        while samples.count - count > parameters.leastWetSamples,
            curve.isWild || tip - samples[count].seconds > parameters.wetTime
                || samples.count - count > parameters.mostWetSamples
        { count += 1 }
        return count
    }

    /// Keeps what the next report looks back at.
    private mutating func forgetOld() {
        let oldest = samples[samples.count - 1].seconds - parameters.wetTime - parameters.memoryTime
        let most = curve.isWild ? parameters.leastWetSamples : parameters.mostWetSamples
        var count = max(0, dryCount - most)
        while dryCount - count > 3, samples[count + 1].seconds < oldest { count += 1 }
        guard count > 0 else { return }
        samples.removeFirst(count)
        dryCount -= count
        hasForgotten = true
    }
}

extension CenterlinePoint {
    init(_ node: CurveNode) {
        self.init(microseconds: node.microseconds, position: node.position, width: node.width)
    }
}
