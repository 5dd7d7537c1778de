// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The motion of a pen at one moment. Left alone, its acceleration decays at ``MotionStep/decay``: a hand that curves
/// or brakes goes on curving or braking for about 30 ms (the target that manoeuvres of R. A. Singer 1970).
struct PenMotion: Sendable {
    /// The position in pixels.
    var position: Point
    /// The velocity in pixels a second.
    var velocity = Point.zero
    /// The acceleration in pixels a second squared.
    var acceleration = Point.zero

    /// The motion some time later.
    func after(_ step: MotionStep) -> PenMotion {
        PenMotion(
            position: position + velocity * step.seconds + acceleration * step.shift,
            velocity: velocity + acceleration * step.gain, acceleration: acceleration * step.kept)
    }
}

/// The effect of an acceleration in a step of time.
struct MotionStep: Sendable {
    /// The rate at which accelerations decay, per second; tuned with ``PenFilter``'s figures.
    static let decay = 30.0

    /// The length of the step.
    let seconds: Double
    /// The part of an acceleration that is left.
    let kept: Double
    /// The change of velocity per acceleration, in seconds.
    let gain: Double
    /// The change of position per acceleration, in seconds squared.
    let shift: Double

    /// - Parameter seconds: above 0; 0.0001...0.2 here.
    init(seconds: Double) {
        self.seconds = seconds
        let x = Self.decay * seconds
        // About exp(-x); rational, because exp differs between machines.
        kept = 1 / (1 + x * (1 + x * (0.5 + x / 6)))
        gain = (1 - kept) / Self.decay
        shift = (seconds - gain) / Self.decay
    }
}

/// Follows the motion of a pen through noisy reports: a Kalman filter. The hand changes the acceleration at random,
/// more strongly the faster it moves; so a report counts the more, the smaller its noise is beside what the hand may
/// have done since the last one. This weighs reports well at every report rate.
///
/// It starts with the speed of the first two reports: one that starts at rest lags behind for ten.
///
/// Tuned on open recordings by pen, finger and mouse and on movements of the sigma-lognormal model, read at 30 to
/// 200 Hz with and without noise (docs/ink.md). No figure is critical: a quarter more or less changes errors by 1 to
/// 2 %.
struct PenFilter: Sendable {
    /// How far a hand's acceleration and a panel's reports are taken to change by chance.
    struct Tuning: Sendable {
        /// The error of a report of a resting pen in mm.
        var noise: Double
        /// The change of acceleration: for one at speed `v`, its variance grows by `(agility * v)²` each second.
        /// The unit is seconds to the power of -2.5.
        var agility: Double
        /// A moving pen's reports are also off by this time, in seconds.
        var timeNoise: Double

        /// The tuning for clean and fast panels: it expects the reports to go on as the last three.
        static let quick = Tuning(noise: 0.02, agility: 800, timeNoise: 0.0002)
        /// The tuning for ordinary panels.
        static let even = Tuning(noise: 0.034, agility: 220, timeNoise: 0.001)
        /// The tuning for noise.
        static let calm = Tuning(noise: 0.12, agility: 45, timeNoise: 0.001)
    }

    /// A hand is as agile as at this speed, in mm/s, even when it rests.
    private static let leastSpeed = 17.0
    /// The time constant in seconds over which the speed is averaged.
    private static let speedMemory = 0.04
    /// The likely acceleration in mm/s² of a pen that lands.
    private static let landingAcceleration = 1000.0
    /// The time constant in seconds with which old errors lose weight.
    private static let errorMemory = 0.1

    private(set) var motion: PenMotion
    /// How far the reports were from where they were expected: the recent mean, in pixels.
    private(set) var error = 0.0
    private var errorWeight = 0.0
    /// nil after the first report, which shows no speed.
    private var covariance: MotionCovariance?
    private var squaredSpeed = 0.0
    /// The variance of the error of a report, in squared pixels.
    private let noise: Double
    /// The variance in squared seconds of the time of a report.
    private let timeNoise: Double
    private let squaredAgility: Double
    /// The variance of the acceleration of a pen that lands, in pixels and seconds.
    private let landing: Double
    private let squaredLeastSpeed: Double

    /// Begins a stroke.
    init(_ tuning: Tuning, at position: Point, density: PixelDensity) {
        let scale = density.pixelsPerMillimetre * density.pixelsPerMillimetre
        noise = tuning.noise * tuning.noise * scale
        squaredAgility = tuning.agility * tuning.agility
        timeNoise = tuning.timeNoise * tuning.timeNoise
        squaredLeastSpeed = Self.leastSpeed * Self.leastSpeed * scale
        landing = Self.landingAcceleration * Self.landingAcceleration * scale
        motion = PenMotion(position: position)
    }

    /// Adds the report that came `step` after the last one.
    mutating func add(_ position: Point, after step: MotionStep) {
        guard var covariance else {
            motion = PenMotion(position: position, velocity: (position - motion.position) * (1 / step.seconds))
            squaredSpeed = motion.velocity.squaredLength
            covariance = MotionCovariance(noise: noise, landing: landing, after: step.seconds)
            // Nothing was expected yet: the panel's noise alone is.
            (error, errorWeight) = (noise.squareRoot(), 1)
            return
        }
        let newPart = step.seconds / (step.seconds + Self.speedMemory)
        squaredSpeed += (motion.velocity.squaredLength - squaredSpeed) * newPart
        let hand = squaredSpeed + squaredLeastSpeed
        motion = motion.after(step)
        covariance.pass(step, drive: squaredAgility * hand)
        let surprise = position - motion.position
        let gains = covariance.measure(noise: noise + timeNoise * hand)
        self.covariance = covariance
        motion.position = motion.position + surprise * gains.position
        motion.velocity = motion.velocity + surprise * gains.velocity
        motion.acceleration = motion.acceleration + surprise * gains.acceleration
        errorWeight = errorWeight * Self.keptError(after: step.seconds) + 1
        error += (surprise.length - error) / errorWeight
    }

    /// About exp(-seconds / errorMemory).
    private static func keptError(after seconds: Double) -> Double {
        let age = seconds / errorMemory
        return 1 / (1 + age * (1 + age * 0.5))
    }
}

/// Filters of three tunings, weighed by how well each expected the recent reports.
struct PenFilters: Sendable {
    /// The time between reports in seconds up to which `quick` counts fully, and from which it counts nothing: a hand
    /// turns between two reports of a slow panel.
    private static let quickSteps = 0.009...0.015

    private var quick: PenFilter
    private var even: PenFilter
    private var calm: PenFilter
    /// The shares of `quick` and `calm`, 0...1; `even` has the rest.
    private var quickShare = 1.0 / 3
    private var calmShare = 1.0 / 3

    /// Begins a stroke.
    init(at position: Point, density: PixelDensity) {
        quick = PenFilter(.quick, at: position, density: density)
        even = PenFilter(.even, at: position, density: density)
        calm = PenFilter(.calm, at: position, density: density)
    }

    mutating func add(_ position: Point, after step: MotionStep) {
        quick.add(position, after: step)
        even.add(position, after: step)
        calm.add(position, after: step)
        weigh(after: step.seconds)
    }

    /// The pen's position a step after the last report, and its velocity there.
    func motion(after step: MotionStep) -> PenMotion {
        let (quick, even, calm) = (quick.motion.after(step), even.motion.after(step), calm.motion.after(step))
        return PenMotion(
            position: mixed(quick.position, even.position, calm.position),
            velocity: mixed(quick.velocity, even.velocity, calm.velocity))
    }

    /// The velocity at the last report.
    var velocity: Point { mixed(quick.motion.velocity, even.motion.velocity, calm.motion.velocity) }

    private func mixed(_ quick: Point, _ even: Point, _ calm: Point) -> Point {
        even + (quick - even) * quickShare + (calm - even) * calmShare
    }

    /// Weighs the filters by the sixth powers of their errors, so that the better one prevails. The likelihoods of a
    /// bank of filters would do about the same, and need a logarithm.
    /// - Parameter seconds: since the report before.
    private mutating func weigh(after seconds: Double) {
        let least = min(quick.error, min(even.error, calm.error))
        guard least > 0, least.isFinite else { return }
        func weight(_ filter: PenFilter) -> Double {
            let ratio = least / filter.error
            return ratio * ratio * ratio * ratio * ratio * ratio
        }
        let (full, none) = (Self.quickSteps.lowerBound, Self.quickSteps.upperBound)
        let quickPart = min(max((none - seconds) / (none - full), 0), 1)
        let weights = (quick: weight(quick) * quickPart, calm: weight(calm))
        let sum = weights.quick + weight(even) + weights.calm
        (quickShare, calmShare) = (weights.quick / sum, weights.calm / sum)
    }
}

/// The variances and covariances of a ``PenMotion``, the same for x and y, in pixels and seconds.
private struct MotionCovariance: Sendable {
    private var (pp, pv, pa): (Double, Double, Double)
    private var (vv, va, aa): (Double, Double, Double)

    /// The covariances of a motion that two reports have shown.
    /// - Parameters:
    ///   - noise: the variance of a report.
    ///   - landing: the variance of the acceleration between them.
    ///   - seconds: the time between them.
    init(noise: Double, landing: Double, after seconds: Double) {
        (pp, pv, pa) = (noise, noise / seconds, 0)
        // The mean velocity since the first report is that of the middle.
        (vv, va) = (2 * noise / (seconds * seconds) + landing * seconds * seconds / 4, landing * seconds / 2)
        aa = landing
    }

    /// Lets time pass while the acceleration is driven at random.
    /// - Parameter drive: the growth of the acceleration's variance per second.
    mutating func pass(_ step: MotionStep, drive: Double) {
        let (t, kept, gain, shift) = (step.seconds, step.kept, step.gain, step.shift)
        // The rows of the transition times the covariance.
        let positionRow = (p: pp + t * pv + shift * pa, v: pv + t * vv + shift * va, a: pa + t * va + shift * aa)
        let velocityRow = (v: vv + gain * va, a: va + gain * aa)
        // The drive without its decay, which is smaller than the error of the drive itself.
        let driven = drive * t
        let t2 = t * t
        pp = positionRow.p + t * positionRow.v + shift * positionRow.a + driven * t2 * t2 / 20
        pv = positionRow.v + gain * positionRow.a + driven * t2 * t / 8
        pa = positionRow.a * kept + driven * t2 / 6
        vv = velocityRow.v + gain * velocityRow.a + driven * t2 / 3
        va = velocityRow.a * kept + driven * t / 2
        aa = aa * kept * kept + driven
    }

    /// Measures the position.
    /// - Parameter noise: the variance of the measurement.
    /// - Returns: the shares of the measured deviation to add to the motion.
    mutating func measure(noise: Double) -> (position: Double, velocity: Double, acceleration: Double) {
        let scale = 1 / (pp + noise)
        let gains = (position: pp * scale, velocity: pv * scale, acceleration: pa * scale)
        aa -= gains.acceleration * pa
        va -= gains.velocity * pa
        vv -= gains.velocity * pv
        pa -= gains.position * pa
        pv -= gains.position * pv
        pp -= gains.position * pp
        return gains
    }
}
