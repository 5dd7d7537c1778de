// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Predicts where a pen will be when a frame is shown, from the reports of its stroke.
///
/// Three filters follow the pen, from one for clean panels to one for noisy ones (`PenFilter`). Each has a say by how
/// well it expected the recent reports; so the noise of a panel need not be known. Each report is also compared with
/// where they together expected it, and the share of a prediction that is used follows from how well they agree: ink
/// that runs ahead at stops and cusps annoys more than ink that lags a little.
///
/// A value without a clock; the cost of a report does not depend on the length of the stroke, and no memory is
/// allocated.
public struct StrokePredictor: Sendable {
    /// The longest time predicted: later a writing hand is on its next letter.
    public static let longest = Duration.milliseconds(20)

    /// A velocity and an acceleration need as many reports.
    private static let leastReports = 3
    /// The ratio of stamped to repaired time within which the times are good enough for a speed.
    private static let stampLimits = 0.5...2.0
    /// The time constant in seconds over which the ratio is taken.
    private static let stampMemory = 0.04
    /// A stamp counts for at most this multiple of the repaired time, so that a pause is soon forgotten.
    private static let longestStamp = 4.0
    /// The share of a trusted prediction that is used: a pen is more often slower than expected than faster.
    private static let caution = 0.95
    /// Shorter predictions, in millimetres, are not worth a repaint.
    private static let leastMillimetres = 0.05
    /// No prediction is faster than this multiple of the fastest of the last three steps.
    static let speedLimit = 1.25
    /// No prediction is longer, in millimetres: 16 ms of a pen at 0.5 m/s. Faster contacts are rarely pens.
    public static let longestMillimetres = 8.0

    private struct Tracker: Sendable {
        var filters: PenFilters
        /// The last report.
        var time: Timestamp
        var seconds: Double
        var position: Point
        var count = 1
        /// The speeds of the last three steps in pixels a second.
        var speeds = (0.0, 0.0, 0.0)
        /// The recent time by the stamps, in seconds.
        var stamped = 0.0
        /// The same time as repaired.
        var repaired = 0.0
    }

    private var times = TimeAxis()
    private var tracker: Tracker?
    private var trust: PredictionTrust
    /// The time of the last prediction in seconds, for which trust is measured.
    private var horizon = 0.008
    private let density: PixelDensity

    /// - Parameter density: of the page that the samples' pixels belong to.
    public init(density: PixelDensity = .standard) {
        self.density = density
        trust = PredictionTrust(density: density)
    }

    /// The time of the last report; nil before the first.
    public var lastReport: Timestamp? { tracker?.time }

    /// Adds the next report of the stroke.
    public mutating func add(_ sample: Sample) {
        times.add(sample.time)
        let seconds = (tracker?.seconds ?? 0) + (times.step(to: times.count - 1) ?? 0)
        guard var next = tracker else {
            tracker = begun(at: sample, seconds)
            return
        }
        let step = MotionStep(seconds: seconds - next.seconds)
        let distance = sample.position - next.position
        // A landing shows no speed, so nothing was expected of the second report.
        if next.count > 1 {
            let scale = horizon / step.seconds
            trust.judge(
                predicted: next.filters.motion(after: step).position - next.position, actual: distance,
                weight: scale * scale, after: step.seconds)
        }
        next.filters.add(sample.position, after: step)
        next.speeds = (distance.length / step.seconds, next.speeds.0, next.speeds.1)
        let stamp = sample.time.seconds(since: next.time)
        let kept = Self.stampMemory / (Self.stampMemory + step.seconds)
        next.stamped = next.stamped * kept + min(stamp, Self.longestStamp * step.seconds)
        next.repaired = next.repaired * kept + step.seconds
        (next.time, next.seconds, next.position) = (sample.time, seconds, sample.position)
        next.count = min(next.count + 1, Self.leastReports)
        let isSane =
            next.filters.velocity.squaredLength.isFinite && next.filters.motion(after: step).position.isFinite
        tracker = isSane ? next : begun(at: sample, seconds)
    }

    private func begun(at sample: Sample, _ seconds: Double) -> Tracker {
        Tracker(
            filters: PenFilters(at: sample.position, density: density), time: sample.time, seconds: seconds,
            position: sample.position)
    }

    /// Predicts the path of the pen from its last report to a time.
    /// - Returns: nil when showing none is better.
    public mutating func path(until time: Timestamp) -> PredictedPath? {
        // A report that came late is older than its stamp.
        lastReport.flatMap { path(after: time - $0 + .seconds(times.delay)) }
    }

    /// Predicts the path of the pen from its last report.
    /// - Parameter duration: the time after that report; at most ``longest`` of it is used.
    /// - Returns: nil when showing none is better.
    public mutating func path(after duration: Duration) -> PredictedPath? {
        guard duration > .zero, let tracker else { return nil }
        let duration = min(duration, Self.longest)
        horizon = duration.seconds
        // Equal stamps and pauses say nothing about the speed.
        guard tracker.count >= Self.leastReports, Self.stampLimits.contains(tracker.stamped / tracker.repaired)
        else { return nil }
        let end = tracker.filters.motion(after: MotionStep(seconds: horizon))
        let displacement = end.position - tracker.position
        let (length, velocity) = (displacement.length, tracker.filters.velocity)
        guard length > 0, length.isFinite, velocity.squaredLength > 0, let share = trust.share else { return nil }
        // A pen that brakes is predicted to stop and not to turn back: no turn of more than 90 degrees is predicted,
        // and one of more than 60 only in part.
        let agreement = min(max(2 * velocity.dot(displacement) / (velocity.length * length), 0), 1)
        let fastest = max(tracker.speeds.0, max(tracker.speeds.1, tracker.speeds.2))
        let limit = min(Self.speedLimit * fastest * horizon, Self.longestMillimetres * density.pixelsPerMillimetre)
        let used = min(share * agreement * Self.caution, limit / length)
        guard used * length >= Self.leastMillimetres * density.pixelsPerMillimetre else { return nil }
        return PredictedPath(
            duration: duration, displacement: displacement * used, direction: end.velocity.normalized)
    }

    /// The time after the last report when the pen is taken to rest: two periods of the device, at least 10 ms.
    public var patience: Duration { max(.milliseconds(10), .microseconds(Int64(times.period * 2e6))) }
}

/// The predicted path of a pen from its last report.
public struct PredictedPath: Sendable {
    /// The time from the report to the end of the path; above 0.
    public let duration: Duration
    /// The position of the pen at the end relative to its last report, in pixels.
    public let displacement: Point
    /// The unit direction of the pen at the end; nil if it rests there.
    public let direction: Point?
}

/// How good the recent predictions of a stroke were: the share of them that would have had the least squared error.
private struct PredictionTrust: Sendable {
    /// The time constant in seconds with which old predictions lose weight.
    private static let memory = 0.08
    /// A movement in millimetres whose square counts against predicting: movements of the size of a panel's noise do
    /// not show that a stroke is predictable.
    private static let doubtMillimetres = 0.085
    /// The least share of predictions of the right kind. One bad prediction, as at a cusp, does not make the next ones
    /// bad.
    private static let leastGoodShare = 0.7
    /// The least value of the best share: below it, nothing is predicted.
    private static let leastShare = 0.3

    /// Squared pixels, as the sums.
    private let doubt: Double
    private var agreement = 0.0
    private var size = 0.0

    init(density: PixelDensity) {
        let distance = Self.doubtMillimetres * density.pixelsPerMillimetre
        doubt = distance * distance
    }

    /// 0...1; nil when predictions are worthless.
    var share: Double? {
        let best = agreement / (size + doubt)
        return best < Self.leastShare ? nil : min(max(best, Self.leastGoodShare), 1)
    }

    /// Updates the share with a prediction and what became of it.
    /// - Parameters:
    ///   - predicted: the predicted displacement.
    ///   - actual: the displacement of the pen in that time.
    ///   - weight: of the squared length, to compare short predictions with long ones.
    ///   - seconds: the time since the last call.
    mutating func judge(predicted: Point, actual: Point, weight: Double, after seconds: Double) {
        let age = seconds / Self.memory
        // About exp(-age); rational, because exp differs between machines.
        let kept = 1 / (1 + age * (1 + age * 0.5))
        let nextAgreement = agreement * kept + predicted.dot(actual) * weight
        let nextSize = size * kept + predicted.squaredLength * weight
        let isSane = nextAgreement.isFinite && nextSize.isFinite
        (agreement, size) = isSane ? (nextAgreement, nextSize) : (0, 0)
    }
}
