// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Repairs the times of samples: strictly growing, in seconds from the first one.
///
/// Devices and drivers stamp reports late, twice, backwards or after a pause of seconds. Where the stamps are nearly
/// regular their jitter is averaged out, as by a phase-locked loop; elsewhere they are used within limits.
struct TimeAxis {
    /// The shortest and longest step, in periods. A shorter one would show two reports delivered together as a speed;
    /// after a longer one the samples around a pause would no longer influence each other.
    private static let stepLimits = (shortest: 0.35, longest: 4.0)
    /// An error below this part of a period is jitter.
    private static let jitterLimit = 0.5
    /// The part of a stamp's error that is used: averages over about 1/gain = 6 periods.
    private static let gain = 0.16
    /// The number of steps that the period is the mean of.
    private static let memory = 8
    /// The periods of devices, in seconds.
    private static let periodLimits = (shortest: 0.0005, longest: 0.05)

    private var last: Timestamp?
    private var seconds = 0.0
    /// The time according to the stamps, in seconds; differs from `seconds` by the jitter.
    private var stamped = 0.0
    private var steps: [Double] = []
    /// The number of reports after the first.
    private var count = 0

    /// The mean time between reports in seconds; before the second report that of an ordinary panel.
    private(set) var period = 0.01

    /// The mean step of the whole stroke in seconds; 0 before the second report. Unlike ``period``, a pause hardly
    /// changes it.
    var meanStep: Double { count > 0 ? seconds / Double(count) : 0 }

    /// Adds the time stamp of the next sample and returns its repaired time.
    mutating func add(_ time: Timestamp) -> Double {
        defer { last = time }
        guard let last else { return 0 }
        count += 1
        // Any value, for stamps that a broken clock made; it is clamped below.
        let step = time.seconds(since: last)
        updatePeriod(step)
        let limited = min(max(step, period * Self.stepLimits.shortest), period * Self.stepLimits.longest)
        stamped += step
        let error = stamped - (seconds + period)
        if abs(error) < Self.jitterLimit * period {
            seconds += period + error * Self.gain
        } else {
            seconds += limited
            stamped = seconds
        }
        return seconds
    }

    private mutating func updatePeriod(_ step: Double) {
        // Equal and backward stamps say nothing about the report rate.
        guard step > 0 else { return }
        let longest = steps.isEmpty ? Self.periodLimits.longest : period * Self.stepLimits.longest
        steps.append(min(step, longest))
        if steps.count > Self.memory { steps.removeFirst() }
        let mean = steps.reduce(0, +) / Double(steps.count)
        period = min(max(mean, Self.periodLimits.shortest), Self.periodLimits.longest)
    }
}

/// Shortens rests. A pen that stays in place draws no shape, but a long stop makes the smoothing ring around it, and an
/// endless rest must not fill the wet tail.
struct Dwell {
    private let radius: Double
    /// The longest rest in seconds.
    private let time: Double
    private var anchor: (position: Point, seconds: Double)?
    /// The total time removed, in seconds.
    private var removed = 0.0

    init(radius: Double, time: Double) {
        self.radius = radius
        self.time = time
    }

    /// Sets the next sample's time. When the pen has rested long enough, the next sample replaces the last one.
    mutating func shorten(_ next: inout InkSample, after samples: inout [InkSample]) {
        next.seconds -= removed
        guard let anchor, let last = samples.last, next.measured.distance(to: anchor.position) <= radius else {
            anchor = (next.measured, next.seconds)
            return
        }
        guard samples.count > 1, last.seconds - anchor.seconds >= time else { return }
        removed += next.seconds - last.seconds
        next.seconds = last.seconds
        samples.removeLast()
    }
}
