// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Foresees where a pen will be when a frame is shown, from the reports of its stroke so far.
///
/// A velocity and an acceleration are fitted to the last 40 ms. How much of what they foretell is used, the stroke
/// itself decides: each report judges what would have been foretold the same time before, and ink that runs ahead at
/// stops and cusps annoys more than ink that lags a little; so a stroke that cannot be foreseen is not.
///
/// A value without a clock; a report costs the same however long the stroke, and allocates nothing once warm.
public struct StrokePredictor: Sendable {
    /// The furthest it looks ahead: longer, and a hand that writes is on its next letter.
    public static let maximumMicroseconds: Int64 = 20_000

    /// Reports looked back at: 32 ms of a panel that sends 1000 a second.
    private static let memory = 32
    /// Time that the motion is fitted to, in seconds; longer only for the sake of ``leastReports``.
    private static let window = 0.04
    private static let longestWindow = 0.1
    private static let leastReports = 4
    /// How much longer or shorter the repaired times may be than the stamps before they say nothing of speed.
    private static let stampLimits = 0.5...2.0
    /// Used of a prediction that is fully believed: to fall a little short shows less than to overshoot, and costs
    /// hardly any error.
    private static let caution = 0.9
    /// Below this share of belief nothing is foretold.
    private static let leastShare = 0.2
    /// Shorter ways are not worth a repaint, in millimetres.
    private static let leastMillimetres = 0.05
    /// No prediction is faster than this many times the fastest of the last legs.
    static let speedLimit = 1.25
    private static let legCount = 3
    /// No prediction is longer, in millimetres: 16 ms of a pen at 0.5 m/s. What is faster is rarely a pen.
    public static let longestMillimetres = 8.0

    private struct Report {
        var microseconds: Int64
        var seconds: Double
        var position: Point
        /// As it was known then.
        var motion: PenMotion?
    }

    private var times = TimeAxis()
    /// A ring once it is full.
    private var reports: [Report] = []
    private var newest = -1
    private var trust: PredictionTrust
    /// What was asked for last, in seconds: for how far ahead trust is measured.
    private var horizon = 0.008
    private let pixelsPerMillimetre: Double

    /// - Parameter density: of the page that the samples' pixels belong to.
    public init(density: PixelDensity = .standard) {
        pixelsPerMillimetre = density.pixelsPerMillimetre
        trust = PredictionTrust(density: density)
        reports.reserveCapacity(Self.memory)
    }

    /// Of the last report; nil before the first.
    public var lastMicroseconds: Int64? { newest < 0 ? nil : reports[newest].microseconds }

    /// Takes the next report of the stroke.
    public mutating func add(_ sample: Sample) {
        let seconds = times.add(sample.microseconds)
        judge(seconds, sample.position)
        let report = Report(microseconds: sample.microseconds, seconds: seconds, position: sample.position)
        newest = (newest + 1) % Self.memory
        if reports.count < Self.memory { reports.append(report) } else { reports[newest] = report }
        reports[newest].motion = fittedMotion()
    }

    /// The way the pen will take from its last report to a time.
    /// - Parameter microseconds: on the scale of ``Sample/microseconds``; see ``path(microsecondsAhead:)``.
    public mutating func path(until microseconds: Int64) -> PredictedPath? {
        guard let lastMicroseconds else { return nil }
        let (ahead, isOverflow) = microseconds.subtractingReportingOverflow(lastMicroseconds)
        return isOverflow ? nil : path(microsecondsAhead: ahead)
    }

    /// The way the pen will take from its last report.
    /// - Parameter microseconds: how long from that report; the time beyond ``maximumMicroseconds`` is not looked into.
    /// - Returns: nil when nothing can be foretold that would be better than nothing.
    public mutating func path(microsecondsAhead microseconds: Int64) -> PredictedPath? {
        guard microseconds > 0, newest >= 0 else { return nil }
        let time = min(microseconds, Self.maximumMicroseconds)
        horizon = Double(time) * 1e-6
        guard let motion = reports[newest].motion else { return nil }
        let way = motion.displacement(after: horizon)
        let length = way.length
        guard length > 0, length.isFinite, let leg = lastLeg else { return nil }
        let share = trust.share
        guard share >= Self.leastShare else { return nil }
        // A turn of more than a quarter since the last leg is not foreseen, one of more than 60 degrees in part.
        let agreement = min(max(2 * leg.dot(way) / (leg.length * length), 0), 1)
        let limit = min(Self.speedLimit * fastestLeg * horizon, Self.longestMillimetres * pixelsPerMillimetre)
        let used = min(share * agreement * Self.caution, limit / length)
        guard used * length >= Self.leastMillimetres * pixelsPerMillimetre else { return nil }
        return PredictedPath(microseconds: time, motion: motion, share: used)
    }

    /// How long after the last report the pen must be thought to rest if no other has come, in microseconds: two
    /// periods of the device, at least 10 ms.
    public var patienceMicroseconds: Int64 { max(10_000, Int64(times.period * 2e6)) }

    /// The report `age` before the newest.
    private func report(_ age: Int) -> Report { reports[(newest - age + Self.memory) % Self.memory] }

    /// The way from the report before to the last one, unless they are in one place.
    private var lastLeg: Point? {
        guard reports.count > 1 else { return nil }
        let way = report(0).position - report(1).position
        return way.length > 0 ? way : nil
    }

    /// In pixels a second.
    private var fastestLeg: Double {
        var fastest = 0.0
        for age in 0..<min(Self.legCount, reports.count - 1) {
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
            fit.add(secondsBefore: before, way: report(count).position - last.position)
            count += 1
        }
        guard count > 2 else { return nil }
        // Reports with one stamp, or with a pause between them, have no speed that could be known.
        let first = report(count - 1)
        let stamped = Double(last.microseconds &- first.microseconds) * 1e-6
        guard Self.stampLimits.contains(stamped / (last.seconds - first.seconds)) else { return nil }
        return fit.motion
    }

    /// Compares where the pen is now with what would have been foretold about ``horizon`` ago.
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
