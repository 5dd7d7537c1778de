// SPDX-License-Identifier: Apache-2.0
import Linux

/// Whether the wall clock is good enough to remove signatures by their age: a time service holds it, and it has not been
/// set by much for a while.
struct ClockWatch {
    enum Verdict: Equatable {
        case trusted
        /// No time service has set it, or somebody else has since.
        case unsynchronized
        /// It went by other steps than time does, by so many microseconds at once; negative is back.
        case jumped(by: Int64)
    }

    /// Microseconds. A day of the fastest slewing that adjtimex(2) has, 500 millionths, is 43 s; ages are days.
    private static let jump: Int64 = 600_000_000
    /// Microseconds without a jump after which the clock is believed again.
    private static let steadyTime: Int64 = 3_600_000_000

    private var last: WallClock.Reading?
    private var lastJump: (at: Int64, by: Int64)?

    /// - Parameter reading: not older than the one before.
    mutating func judge(_ reading: WallClock.Reading) -> Verdict {
        if let last {
            let step = (reading.microseconds &- last.microseconds) &- (reading.sinceBoot &- last.sinceBoot)
            // Not `abs`, which has no answer for the least number.
            if step > Self.jump || step < -Self.jump { lastJump = (reading.sinceBoot, step) }
        }
        last = reading
        if !reading.isSynchronized { return .unsynchronized }
        guard let lastJump, reading.sinceBoot &- lastJump.at < Self.steadyTime else { return .trusted }
        return .jumped(by: lastJump.by)
    }
}

extension ClockWatch.Verdict: CustomStringConvertible {
    /// For the log.
    var description: String {
        switch self {
        case .trusted: "the clock is synchronized and steady: captures are removed by age again"
        case .unsynchronized:
            "no capture is removed by age, because the clock is not synchronized (timedatectl); maximum-count needs none"
        case .jumped(let microseconds):
            "no capture is removed by age for an hour, because the clock was set "
                + (microseconds < 0 ? "back" : "forward") + " by \(microseconds.magnitude / 1_000_000) s"
        }
    }
}
