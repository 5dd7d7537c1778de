// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Predicts where a pen will be when a frame is shown, from the reports of its stroke.
///
/// A velocity and an acceleration are fitted to the last 40 ms. Each report is compared with the prediction that would
/// have been made the same time before, and the share of a prediction that is used follows from how well they agree:
/// ink that runs ahead at stops and cusps annoys more than ink that lags a little.
///
/// A value without a clock; the cost of a report does not depend on the length of the stroke, and no memory is
/// allocated once warm.
public struct StrokePredictor: Sendable {
    /// The longest time predicted: later a writing hand is on its next letter.
    public static let maximumMicroseconds: Int64 = 20_000

    /// The number of reports kept: 32 ms of a panel that sends 1000 a second.
    private static let memory = 32
    /// The time that the motion is fitted to, in seconds; longer if ``leastReports`` need it.
    private static let window = 0.04
    private static let longestWindow = 0.1
    private static let leastReports = 4
    /// The ratio of stamped to repaired time within which the times are good enough for a speed.
    private static let stampLimits = 0.5...2.0
    /// The share of a fully trusted prediction that is used: falling a little short shows less than overshooting, and
    /// hardly increases the error.
    private static let caution = 0.9
    /// Nothing is predicted below this share.
    private static let leastShare = 0.2
    /// Shorter predictions, in millimetres, are not worth a repaint.
    private static let leastMillimetres = 0.05
    /// No prediction is faster than this multiple of the fastest of the last steps.
    static let speedLimit = 1.25
    private static let stepCount = 3
    /// No prediction is longer, in millimetres: 16 ms of a pen at 0.5 m/s. Faster contacts are rarely pens.
    public static let longestMillimetres = 8.0

    private struct Report {
        var microseconds: Int64
        var seconds: Double
        var position: Point
        /// The motion fitted when this was the last report.
        var motion: PenMotion?
    }

    private var times = TimeAxis()
    /// A ring once it is full.
    private var reports: [Report] = []
    private var newest = -1
    private var trust: PredictionTrust
    /// The time of the last prediction in seconds, for which trust is measured.
    private var horizon = 0.008
    private let pixelsPerMillimetre: Double

    /// - Parameter density: of the page that the samples' pixels belong to.
    public init(density: PixelDensity = .standard) {
        pixelsPerMillimetre = density.pixelsPerMillimetre
        trust = PredictionTrust(density: density)
        reports.reserveCapacity(Self.memory)
    }

    /// The time of the last report; nil before the first.
    public var lastMicroseconds: Int64? { newest < 0 ? nil : reports[newest].microseconds }

    /// Adds the next report of the stroke.
    public mutating func add(_ sample: Sample) {
        let seconds = times.add(sample.microseconds)
        judge(seconds, sample.position)
        let report = Report(microseconds: sample.microseconds, seconds: seconds, position: sample.position)
        newest = (newest + 1) % Self.memory
        if reports.count < Self.memory { reports.append(report) } else { reports[newest] = report }
        reports[newest].motion = fittedMotion()
    }

    /// Predicts the path of the pen from its last report to a time.
    /// - Parameter microseconds: on the scale of ``Sample/microseconds``; see ``path(microsecondsAhead:)``.
    public mutating func path(until microseconds: Int64) -> PredictedPath? {
        guard let lastMicroseconds else { return nil }
        let (ahead, isOverflow) = microseconds.subtractingReportingOverflow(lastMicroseconds)
        return isOverflow ? nil : path(microsecondsAhead: ahead)
    }

    /// Predicts the path of the pen from its last report.
    /// - Parameter microseconds: the time after that report; at most ``maximumMicroseconds`` of it are used.
    /// - Returns: nil when showing none is better.
    public mutating func path(microsecondsAhead microseconds: Int64) -> PredictedPath? {
        guard microseconds > 0, newest >= 0 else { return nil }
        let time = min(microseconds, Self.maximumMicroseconds)
        horizon = Double(time) * 1e-6
        guard let motion = reports[newest].motion else { return nil }
        let displacement = motion.displacement(after: horizon)
        let length = displacement.length
        guard length > 0, length.isFinite, let step = lastStep else { return nil }
        let share = trust.share
        guard share >= Self.leastShare else { return nil }
        // No turn of more than 90 degrees since the last step is predicted, and one of more than 60 only in part.
        let agreement = min(max(2 * step.dot(displacement) / (step.length * length), 0), 1)
        let limit = min(Self.speedLimit * fastestStep * horizon, Self.longestMillimetres * pixelsPerMillimetre)
        let used = min(share * agreement * Self.caution, limit / length)
        guard used * length >= Self.leastMillimetres * pixelsPerMillimetre else { return nil }
        return PredictedPath(microseconds: time, motion: motion, share: used)
    }

    /// The time in microseconds after the last report when the pen is taken to rest: two periods of the device, at
    /// least 10 ms.
    public var patienceMicroseconds: Int64 { max(10_000, Int64(times.period * 2e6)) }

    /// The report `age` before the newest.
    private func report(_ age: Int) -> Report { reports[(newest - age + Self.memory) % Self.memory] }

    /// The step to the last report from the one before; nil if it has no length.
    private var lastStep: Point? {
        guard reports.count > 1 else { return nil }
        let step = report(0).position - report(1).position
        return step.length > 0 ? step : nil
    }

    /// The speed of the fastest of the last steps, in pixels a second.
    private var fastestStep: Double {
        var fastest = 0.0
        for age in 0..<min(Self.stepCount, reports.count - 1) {
            let (end, start) = (report(age), report(age + 1))
            fastest = max(fastest, start.position.distance(to: end.position) / (end.seconds - start.seconds))
        }
        return fastest
    }

    private func fittedMotion() -> PenMotion? {
        var fit = PenMotion.Fit()
        let last = report(0)
        var count = 1
        while count < reports.count {
            let before = last.seconds - report(count).seconds
            if before > Self.longestWindow || before > Self.window && count >= Self.leastReports { break }
            fit.add(secondsBefore: before, displacement: report(count).position - last.position)
            count += 1
        }
        guard count > 2 else { return nil }
        // Equal stamps and pauses say nothing about the speed.
        let first = report(count - 1)
        let stamped = Double(last.microseconds &- first.microseconds) * 1e-6
        guard Self.stampLimits.contains(stamped / (last.seconds - first.seconds)) else { return nil }
        return fit.motion
    }

    /// Compares the pen's position with the prediction that would have been made about ``horizon`` ago.
    private mutating func judge(_ seconds: Double, _ position: Point) {
        guard newest >= 0 else { return }
        var best: Report?
        for age in 0..<reports.count {
            let candidate = report(age)
            if let best, abs(seconds - candidate.seconds - horizon) > abs(seconds - best.seconds - horizon) { break }
            best = candidate
        }
        guard let best, let motion = best.motion, seconds - best.seconds >= horizon / 2 else { return }
        let time = seconds - best.seconds
        let scale = horizon / time
        trust.judge(
            predicted: motion.displacement(after: time), actual: position - best.position, weight: scale * scale,
            after: seconds - report(0).seconds)
    }
}

/// The predicted path of a pen from its last report.
public struct PredictedPath: Sendable {
    /// The time from the report to the end of the path; above 0.
    public let microseconds: Int64
    fileprivate let motion: PenMotion
    /// The share of the motion that is used, 0...1.
    fileprivate let share: Double

    /// The position of the pen relative to its last report, in pixels.
    /// - Parameter fraction: of the time, 0...1.
    public func displacement(at fraction: Double) -> Point {
        motion.displacement(after: Double(microseconds) * 1e-6 * fraction) * share
    }

    /// The displacement at the end of the time.
    public var displacement: Point { displacement(at: 1) }
}

/// The motion of a pen at its last report: a velocity and an acceleration fitted to the reports before.
struct PenMotion: Sendable {
    /// Pixels a second.
    private let velocity: Point
    /// Half the acceleration, in pixels a second squared.
    private let halfAcceleration: Point

    /// The displacement from the last report. A braking pen stops where its velocity has run out and does not turn
    /// back: hands stop more often than they reverse.
    func displacement(after seconds: Double) -> Point {
        let braking = -2 * velocity.dot(halfAcceleration)
        var time = seconds
        if braking * seconds > velocity.squaredLength { time = velocity.squaredLength / braking }
        return velocity * time + halfAcceleration * (time * time)
    }

    /// Least squares of `v t + a t² / 2` through the last report, for times before it.
    struct Fit {
        /// The unit of time in seconds, so that the sums have similar sizes.
        private static let unit = 0.04
        /// Pulls the acceleration towards zero, more so with few reports and a short time span: that of three noisy
        /// reports is mostly noise.
        private static let damping = 0.02

        private var count = 1.0
        private var (t2, t3, t4) = (0.0, 0.0, 0.0)
        private var first = Point.zero
        private var second = Point.zero

        /// Adds a report `seconds` before the last one, at `displacement` from it.
        mutating func add(secondsBefore seconds: Double, displacement: Point) {
            let t = -seconds / Self.unit
            let squared = t * t
            count += 1
            t2 += squared
            t3 += squared * t
            t4 += squared * squared
            first = first + displacement * t
            second = second + displacement * squared
        }

        /// nil when the reports do not determine it.
        var motion: PenMotion? {
            let damped = t4 + Self.damping * count
            let determinant = t2 * damped - t3 * t3
            guard determinant > 1e-12 else { return nil }
            let velocity = (first * damped - second * t3) * (1 / determinant / Self.unit)
            let half = (second * t2 - first * t3) * (1 / determinant / (Self.unit * Self.unit))
            guard velocity.squaredLength.isFinite, half.squaredLength.isFinite else { return nil }
            return PenMotion(velocity: velocity, halfAcceleration: half)
        }
    }
}

/// How good the recent predictions of a stroke were: the share of them that would have had the least squared error.
private struct PredictionTrust: Sendable {
    /// The time constant in seconds with which old predictions lose weight.
    private static let memory = 0.08
    /// A movement in millimetres whose square counts against predicting: a stroke has to show that it is predictable,
    /// and movements of the size of a panel's noise never do.
    private static let doubtMillimetres = 0.34

    /// Squared pixels, as the sums.
    private let doubt: Double
    private var agreement = 0.0
    private var size = 0.0

    init(density: PixelDensity) {
        let distance = Self.doubtMillimetres * density.pixelsPerMillimetre
        doubt = distance * distance
    }

    /// 0...1.
    var share: Double { min(max(agreement / (size + doubt), 0), 1) }

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
