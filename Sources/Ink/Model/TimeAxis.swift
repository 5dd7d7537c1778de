// SPDX-License-Identifier: Apache-2.0

/// Repairs the times of samples: strictly growing, in seconds from the first one.
///
/// Devices and drivers stamp reports late, twice, backwards or after a pause of seconds. Where the stamps are nearly
/// regular their jitter is averaged out, as a phase-locked loop does; where they are not they are believed, within
/// limits.
struct TimeAxis {
    /// Shortest and longest step, in periods. Shorter would make a speed of what is only two reports delivered
    /// together; longer would stretch a pause so far that the samples around it no longer hold each other.
    private static let stepLimits = (shortest: 0.35, longest: 4.0)
    /// A stamp is jitter when it is off by less than this part of a period.
    private static let jitterLimit = 0.5
    /// Part of a stamp's error that is believed: averages over about 1/gain = 6 periods.
    private static let gain = 0.16
    /// Steps that the period is the mean of.
    private static let memory = 8
    /// Periods that devices have, in seconds.
    private static let periodLimits = (shortest: 0.0005, longest: 0.05)

    private var lastMicroseconds: Int64?
    private var seconds = 0.0
    /// Where the stamps say we are, in seconds; differs from `seconds` by the jitter.
    private var stamped = 0.0
    private var steps: [Double] = []

    /// The mean time between reports in seconds; an ordinary panel's before the second report.
    private(set) var period = 0.01

    /// The repaired time of the next sample.
    mutating func add(_ microseconds: Int64) -> Double {
        guard let last = lastMicroseconds else {
            lastMicroseconds = microseconds
            return 0
        }
        lastMicroseconds = microseconds
        // Wraps for stamps further apart than the type can say; any result is then clamped.
        let step = Double(microseconds &- last) * 1e-6
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
        // Equal and backward stamps say nothing about how often the device reports.
        guard step > 0 else { return }
        let longest = steps.isEmpty ? Self.periodLimits.longest : period * Self.stepLimits.longest
        steps.append(min(step, longest))
        if steps.count > Self.memory { steps.removeFirst() }
        let mean = steps.reduce(0, +) / Double(steps.count)
        period = min(max(mean, Self.periodLimits.shortest), Self.periodLimits.longest)
    }
}
