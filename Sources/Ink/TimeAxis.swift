// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Estimates when reports were taken: strictly growing times, in seconds.
///
/// Devices and drivers stamp reports late, in pairs and bursts, twice, backwards or with a coarse clock, and a delay is
/// never negative. A device takes at most one report a period, so each one was taken at least a period before the next:
/// its time is the lower envelope of the stamps after it, each minus its periods, as the least delays show the clock
/// behind a network's jitter (V. Paxson 1998). Later reports can correct the steps to those before.
struct TimeAxis {
    /// The longest step, in periods. After a longer one the samples around a pause would not influence each other.
    private static let longestStep = 4.0
    /// A longer step counts as this many periods in the mean: reports are missing before it, or the pen rested.
    private static let longestCounted = 1.5
    /// The periods of devices, in seconds.
    private static let periodLimits = (shortest: 0.0005, longest: 0.05)
    /// The longest time between stamps, in seconds: longer ones lose their fraction.
    private static let longestPause = 1.0
    /// The number of reports that are looked back at.
    private static let memory = 33
    /// The number of last reports that those after them may show to be late.
    private static let undecided = 4

    private struct Report {
        /// The time stamp in seconds, never less than that of the report before.
        var stamp: Double
        /// The estimate of when it was taken.
        var time: Double
    }

    private var last: Timestamp?
    /// The last reports.
    private var reports: [Report] = []
    /// The number of reports added.
    private(set) var count = 0

    /// The mean time between reports in seconds; before the second report that of an ordinary panel.
    private(set) var period = 0.01

    /// Adds the time stamp of the next report.
    mutating func add(_ time: Timestamp) {
        // Any value, for stamps that a broken clock made; it is then limited.
        let step = last.map { time.seconds(since: $0) } ?? 0
        last = time
        let stamp = (reports.last?.stamp ?? 0) + min(max(step, 0), Self.longestPause)
        if reports.count == Self.memory { reports.removeFirst() }
        reports.append(Report(stamp: stamp, time: stamp))
        count += 1
        estimateTimes()
        updatePeriod()
        estimateTimes()
        // Nothing after the last report shows yet how late it is: it may be as late as others.
        let latest = reports.reduce(0) { max($0, $1.stamp - $1.time) }
        if latest > 0 {
            let earliest = reports[reports.count - 2].time + period
            reports[reports.count - 1].time = min(stamp, max(earliest, stamp - latest))
        }
    }

    /// How late the last report was stamped, in seconds.
    var delay: Double { reports.last.map { $0.stamp - $0.time } ?? 0 }

    /// The time from the report before to a report, in seconds, as now known; nil if it is too old to be corrected.
    /// - Parameter number: of a report, counted from 0.
    func step(to number: Int) -> Double? {
        let index = number - (count - reports.count)
        guard index > 0 else { return nil }
        return min(reports[index].time - reports[index - 1].time, period * Self.longestStep)
    }

    private mutating func estimateTimes() {
        for index in reports.indices.dropLast().reversed() {
            reports[index].time = min(reports[index].stamp, reports[index + 1].time - period)
        }
    }

    private mutating func updatePeriod() {
        guard reports.count > 1 else { return }
        // The first step may be a rest, and there is no period yet to know it by.
        let first = reports.count > 2 && count == reports.count ? 1 : 0
        // Nothing shows yet whether the last steps are pauses or delays.
        let last = reports.count - (reports.count > 2 * Self.undecided ? Self.undecided : 1)
        let longest = count <= 5 ? Self.periodLimits.longest : period * Self.longestCounted
        var sum = 0.0
        for index in first..<last {
            let (before, after) = (reports[index], reports[index + 1])
            // A step that the envelope does not explain as a delay is a pause.
            sum += after.stamp - before.stamp - max(0, after.time - before.time - longest)
        }
        let mean = sum / Double(last - first)
        period = min(max(mean, Self.periodLimits.shortest), Self.periodLimits.longest)
    }
}

/// Shortens rests. A pen that stays in place draws no shape, but a long stop makes the smoothing ring around it, and an
/// endless rest must not fill the wet tail.
struct Dwell {
    private let radius: Double
    /// The longest rest in seconds at the start of the stroke.
    private let landingTime: Double
    /// The longest one elsewhere.
    private let time: Double
    private var anchor: (position: Point, seconds: Double)?

    init(radius: Double, landingTime: Double, time: Double) {
        self.radius = radius
        self.landingTime = landingTime
        self.time = time
    }

    /// Follows samples whose times have changed.
    mutating func shift(by seconds: Double) { if anchor?.seconds ?? 0 > 0 { anchor?.seconds += seconds } }

    /// Adds the next sample; when the pen has rested long enough, it replaces the last one.
    /// - Parameter noise: the radius in which the noise of a resting pen stays.
    mutating func shorten(_ next: inout InkSample, after samples: inout [InkSample], noise: Double) {
        guard let anchor, let last = samples.last, next.measured.distance(to: anchor.position) <= max(radius, noise)
        else {
            anchor = (next.measured, next.seconds)
            return
        }
        // A microsecond for rounding.
        let longest = (anchor.seconds > 0 ? time : landingTime) - 1e-6
        guard samples.count > 1, last.seconds - anchor.seconds >= longest else { return }
        (next.report, next.seconds) = (last.report, last.seconds)
        samples.removeLast()
    }
}
