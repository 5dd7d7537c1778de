// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The default pen: smooth, thick where it is slow, round at its ends.
///
/// Each report models the wet tail of the stroke again from the samples, about the last 80 ms:
///
/// 1. ``TimeAxis`` estimates when reports were taken, ``Dwell`` shortens rests, ``HeldLanding`` removes false ones.
/// 2. ``AdaptiveSmoothing`` removes the panel's noise (``PanelNoise``), with a cut-off in Hz.
/// 3. ``CurveVelocities`` and ``CurveNodes`` lay a curve in time through the result, which ends exactly at the last
///    sample, and starts at the first or in the rest there.
/// 4. ``WidthModel`` derives the width from speed, or from pressure; when the pen lifts fast, it thins out the end.
///
/// All measures are seconds and millimetres, never samples, so that a signature looks the same from panels of 60 and of
/// 200 Hz. Ink that leaves the tail is final, with the state that the next tail starts from; a report costs as much
/// after an hour as at the start, and allocates nothing once the arrays have their size. For input that no hand makes,
/// such as points all over the page, the tail is as short as possible and its curves are coarser.
struct InkPen: StrokeModel {
    private let parameters: InkParameters
    private var times = TimeAxis()
    private var dwell: Dwell
    private var landing = HeldLanding()
    private var smoothing: AdaptiveSmoothing
    private var widthModel: WidthModel
    /// The final samples that the smoothing and the speed look back at, then the wet ones.
    private var samples: [InkSample] = []
    /// The number of final samples in `samples`.
    private var dryCount = 0
    /// Whether the stroke's first sample has left `samples`.
    private var hasForgotten = false
    /// The pressures of the stroke.
    private var pressures = MeasuredPressure()
    private var velocities = CurveVelocities()
    private var curve = CurveNodes()
    private var writer = CenterlineWriter()
    /// The first node of ``curve`` that is not final.
    private var firstWetNode = 0
    private let density: PixelDensity
    /// The end of the stroke before, until the first sample.
    private var lastEnd: TaperedEnd?
    private(set) var trail: StrokeTrail?

    /// - Parameters:
    ///   - density: of the page that the samples' pixels belong to.
    ///   - last: the trail of the stroke before.
    init(_ parameters: InkParameters, density: PixelDensity = .standard, after last: StrokeTrail? = nil) {
        self.parameters = parameters
        self.density = density
        lastEnd = last?.taperedEnd
        dwell = Dwell(
            radius: parameters.dwellRadius * density.pixelsPerMillimetre, landingTime: parameters.landingTime,
            time: parameters.dwellTime)
        smoothing = AdaptiveSmoothing(parameters, density: density, after: last?.scatter)
        widthModel = WidthModel(parameters, density: density)
    }

    mutating func add(_ sample: Sample, to ink: inout StrokeInk) { add(sample, to: &ink, drawsWet: true) }

    mutating func add(followed sample: Sample, to ink: inout StrokeInk) { add(sample, to: &ink, drawsWet: false) }

    mutating func finish(_ ink: inout StrokeInk) {
        trail = StrokeTrail(scatter: smoothing.scatter, taperedEnd: taper(&ink))
        ink.dry()
    }

    /// Thins out the end if the pen left fast.
    private mutating func taper(_ ink: inout StrokeInk) -> TaperedEnd? {
        guard parameters.tapers, !curve.nodes.isEmpty else { return nil }
        let full = curve.nodes[max(firstWetNode - 1, 0)...].map { CenterlinePoint($0) }
        guard widthModel.taper(&curve.nodes, firstWet: firstWetNode) else { return nil }
        let nodes = curve.nodes[firstWetNode...].lazy.map { CenterlinePoint($0) }
        writer.write(dry: EmptyCollection(), wet: nodes, to: &ink)
        let thinCount = zip(nodes.reversed(), full.reversed()).prefix { $0.width < $1.width }.count
        return TaperedEnd(full, thinCount: thinCount, parameters, density: density)
    }

    private mutating func add(_ sample: Sample, to ink: inout StrokeInk, drawsWet: Bool) {
        if let lastEnd {
            if lastEnd.continues(at: sample) { lastEnd.draw(to: &ink) }
            self.lastEnd = nil
        }
        append(sample)
        smoothing.smooth(&samples, from: dryCount, startsStroke: !hasForgotten)
        velocities.update(&samples, from: dryCount)
        let first = max(dryCount - 1, 0)
        curve.update(samples, from: first)
        if !pressures.isMeasured { curve.removePressure() }
        // The first node is already final, unless it is the stroke's first.
        let firstNewNode = dryCount > 0 ? 1 : 0
        let newDryCount = nextDryCount()
        firstWetNode = newDryCount > dryCount ? curve.indices[newDryCount - 1 - first] + 1 : firstNewNode
        dryCount = newDryCount
        widthModel.update(&curve.nodes, firstWet: firstWetNode)
        widthModel.settle(curve.nodes, firstNewNode..<firstWetNode)
        let nodes = curve.nodes.lazy.map { CenterlinePoint($0) }
        writer.write(
            dry: nodes[firstNewNode..<firstWetNode], wet: drawsWet ? nodes[firstWetNode...] : nil, to: &ink)
        forgetOld()
    }

    private mutating func append(_ sample: Sample) {
        let pressure = sample.pressure.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
        pressures.add(pressure)
        times.add(sample.time)
        var next = InkSample(
            time: sample.time, report: times.count - 1, seconds: 0, measured: sample.position,
            pressure: pressure, speed: 0, position: sample.position)
        // A report can show that those before were late; dry samples stay.
        for index in samples.indices.dropFirst(max(dryCount, 1)) {
            guard
                let step = landing.jump.flatMap({ $0.report == samples[index].report ? $0.seconds : nil })
                    ?? times.step(to: samples[index].report)
            else { continue }
            samples[index].seconds = samples[index - 1].seconds + step
        }
        if let last = samples.last { next.seconds = last.seconds + (times.step(to: next.report) ?? 0) }
        dwell.shorten(&next, after: &samples, noise: smoothing.rest)
        smoothing.add(next.measured, period: times.period)
        smoothing.setSpeed(of: &next, after: &samples)
        samples.append(next)
        if dryCount == 0, !hasForgotten { shortenLanding() }
    }

    private mutating func shortenLanding() {
        let tip = samples[samples.count - 1].seconds
        guard landing.shorten(&samples, least: parameters.leastJump * density.pixelsPerMillimetre) else { return }
        dwell.shift(by: samples[samples.count - 1].seconds - tip)
        var retimed: [InkSample] = []
        for var sample in samples {
            sample.speed = 0
            smoothing.setSpeed(of: &sample, after: &retimed)
            retimed.append(sample)
        }
        samples = retimed
    }

    private func nextDryCount() -> Int {
        var count = dryCount
        // A microsecond for rounding.
        let tip = samples[samples.count - 1].seconds - 1e-6
        while samples.count - count > parameters.leastWetSamples,
            curve.isWild || tip - samples[count].seconds > parameters.wetTime
                || samples.count - count > parameters.mostWetSamples
        { count += 1 }
        return count
    }

    /// Removes the samples that the next report does not look back at.
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
    fileprivate init(_ node: CurveNode) {
        self.init(time: node.time, position: node.position, width: node.width)
    }
}

/// A sample as ``InkPen`` models it.
struct InkSample {
    var time: Timestamp
    /// The number of the report whose step of time this sample has; after a rest an earlier one than its own.
    var report: Int
    /// When the report was taken (``TimeAxis``); strictly growing.
    var seconds: Double
    var measured: Point
    /// 0...1; nil where the device measures none.
    var pressure: Double?
    /// The greatest mean speed in px/s over any ``InkParameters/speedSpan`` that contains this sample.
    var speed: Double
    /// The cut-off of the smoothing here, in Hz.
    var cutoff = 0.0
    /// The squared distance in px from the position of the first smoothing.
    var squaredResidual = 0.0
    /// The position of the ink.
    var position: Point
    /// The velocity of the ink in px/s.
    var velocity = Point.zero
}

/// The settings of ``InkPen``, in millimetres on the screen or page and in seconds, so that ink looks the same on every
/// panel.
///
/// Tuned on recorded handwriting and on handwriting made by the sigma-lognormal model of hand movements (R. Plamondon
/// 1995), both read at simulated 30 to 200 Hz.
struct InkParameters: Equatable, Sendable {
    // MARK: width

    /// Width at ``referenceSpeed`` in mm, about the mean width of writing. Above 0, usually 0.2...2.
    var width = Pen.inkWidth
    /// Speed of quick writing in mm/s. Above 0, usually 30...200.
    var referenceSpeed = 92.0
    /// Width of a resting pen, as a multiple of ``width``. At least 1.
    var slowWidth = 1.72
    /// Width that a faster and faster pen approaches, as a multiple of ``width``. Above 0, at most 1; with 1 the width
    /// is the same at every speed.
    var fastWidth = 0.18
    /// The least width of a tip and at speed, in mm; at speed at least a pixel. 0...0.2.
    var leastWidth = 0.1
    /// Width at no pressure, as a multiple of ``width``; where the device measures pressure, it is used in place of
    /// speed. 0...1.
    var lightWidth = 0.3
    /// Width at full pressure, as a multiple of ``width``. 1...3.
    var heavyWidth = 1.4
    /// Maps measured pressure to the width between ``lightWidth`` and ``heavyWidth``.
    var pressureCurve = PressureCurve.linear
    /// Time constant in seconds of the two-sided exponential that makes the width follow the hand smoothly.
    /// 0.005...0.05.
    var widthTime = 0.016
    /// The ends of a stroke are at most as wide as the ink this far away, in multiples of ``width``, so that a pen that
    /// lands, waits and leaves makes no knob. 0...20; 0 limits nothing.
    var endReach = 8.0
    /// The largest change of width per millimetre, as a part of the width. 0.05...1; 0.177 is 3 % a pixel at 150 dpi
    /// and shows neither steps nor beads.
    var widthSlope = 0.177

    /// Whether the ink thins out where the pen leaves fast.
    var tapers = false
    /// The speed of the leaving pen in mm/s from which the ink thins out, and from which it does so most. 30...500.
    var taperSpeed = 90.0...250.0
    /// The least width of the tip, as a part of the width without taper; ``widthSlope`` limits the change to it.
    /// 0.1...1.
    var taperWidth = 0.4
    /// The speed is measured over this many seconds before the end. 0.01...0.1.
    var taperTime = 0.03
    /// A stroke shorter than this has no taper, in multiples of ``width``: it is a dot or a comma. At twice the length
    /// the taper is whole. 1...10.
    var taperLength = 4.0
    /// A stroke that begins up to this many seconds after a tapered one may continue it. A hand needs longer to lift
    /// and land: of 1,600 gaps between strokes of recorded handwriting 1 % are shorter. 0...0.12.
    var taperGap = 0.08
    /// Such a stroke starts where the pen was going, give or take this many millimetres and half of the way. 0.5...5.
    var taperTolerance = 1.0

    // MARK: position

    /// The cut-off in Hz while the pen rests. 2...10: a resting pen has no detail.
    var restCutoff = 5.0
    /// The cut-off in Hz at ``runningSpeed`` and above, without detail. 8...20: a hand swings at up to 8 Hz.
    var runningCutoff = 12.0
    /// A speed in mm/s. 30...150.
    var runningSpeed = 68.0
    /// The cut-off in Hz where a lower one would remove more than noise. 15...30: cusps and fast small letters need it,
    /// and a panel of 60 Hz has no more.
    var detailCutoff = 26.0
    /// The error of samples, as a part of the panel's step: 0.29 is rounding alone, and panels jitter too. 0.3...1.
    var noisePerStep = 0.6
    /// The least error of samples, in mm. 0.01...0.1.
    var leastNoise = 0.025
    /// ``Pen/panelScatter``; nil if unknown.
    var knownScatter: Double?
    /// The error of samples, as a part of their scatter (``Scatter``), which also has some of the movement. 0...1.
    var noisePerScatter = 0.85
    /// The scatter in mm from which it counts as noise, and from which it counts fully: quick writing scatters by up to
    /// 0.07 at 60 reports a second. Both are proportionally smaller at more reports. 0.01...0.2.
    var scatterRange = 0.06...0.08
    /// The least part of ``scatterRange``, reached at 120 reports a second: the noise that it then tells from writing
    /// is little more than ``leastNoise``. 0.1...1.
    var leastScatterRange = 0.5
    /// The scatter of n differences counts as larger by this part of it over the square root of n. 0...3: below 1, the
    /// first strokes on a noisy panel wobble; above 2, quick writing on a clean one loses detail.
    var scatterDoubt = 1.5
    /// A known scatter counts up to the scatter of these strokes plus this many times its doubt. 1...4: below, the
    /// first strokes on a noisy panel wobble.
    var contradictingDoubt = 2.0
    /// The scatter in mm that larger ones count as. 0...0.2.
    var mostScatter = 0.09
    /// The time between reports in seconds up to which scatter counts fully, and from which it counts nothing: at 30
    /// reports a second writing scatters. 0.01...0.05.
    var scatterPeriod = 0.0175...0.025
    /// Deviations of this many times the noise begin to count as detail, and count fully. 0.5...5.
    var detailNoise = 1...2.5
    /// Deviations are averaged over this many seconds to both sides. 0.02...0.1.
    var detailReach = 0.045
    /// Speed is measured over this many seconds, so that a cusp within quick writing keeps its detail. 0.03...0.1.
    var speedSpan = 0.06
    /// The largest distance of the ink from a sample, in mm: two touch units of a coarse panel. 0...0.7; 0
    /// interpolates.
    var largestShift = 0.25
    /// A pen that stays within this distance in mm rests. 0...0.35.
    var dwellRadius = 0.17
    /// The longest modelled rest in seconds at the start of a stroke: a nib lands lightly. 0.01...0.2.
    var landingTime = 0.02
    /// The least jump in mm out of a landing that the device has held up. 0.1...1.
    var leastJump = 0.3
    /// The longest modelled rest elsewhere. 0.02...0.2.
    var dwellTime = 0.06
    /// Samples within this many times the noise from an end of the stroke are a rest there and have no shape. 0...6.
    var endRest = 4.0
    /// The largest radius of such a rest, in mm. 0...0.5.
    var mostEndRest = 0.35
    /// The largest distance of the ink from a sample at an end: this many times the noise. 0...10.
    var endShift = 3.0
    /// The part of a sample's distance from the end that is added to ``endShift``. 0...1.
    var endShiftPerDistance = 0.25

    // MARK: time

    /// Ink older than this many seconds is final. By then later samples move it by less than 0.003 mm. 0.04...0.2.
    var wetTime = 0.08
    /// How far the smoothing looks back at final samples, in seconds before the wet ones. 0.05...0.2.
    var memoryTime = 0.1
    /// The number of last samples that are never final: at low rates the smoothing looks ahead this far. 2...8.
    var leastWetSamples = 4
    /// The maximum number of wet samples, and of remembered ones, so that a report costs the same on the fastest
    /// device. 16...512.
    var mostWetSamples = 96
}
