// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// CLOCK_REALTIME, what people's clocks show: it may be set, forwards and back, while the program runs.
public enum WallClock {
    /// Microseconds since 1970-01-01 UTC. Any thread.
    public static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// What the kernel says of the clock at this moment. Any thread.
    public static func read() -> Reading {
        // Not known is not synchronized: a filter of system calls may forbid to ask.
        Reading(
            microseconds: microseconds, sinceBoot: clinux_boottime_ns() / 1000,
            isSynchronized: clinux_clock_is_synchronized() == 1)
    }

    public struct Reading: Equatable, Sendable {
        /// Since 1970-01-01 UTC.
        public var microseconds: Int64
        /// Microseconds of CLOCK_BOOTTIME, which nobody can set.
        public var sinceBoot: Int64
        /// Whether a time service holds the clock in step with others (adjtimex(2)). The kernel forgets it when
        /// somebody sets the clock.
        public var isSynchronized: Bool

        public init(microseconds: Int64, sinceBoot: Int64, isSynchronized: Bool) {
            self.microseconds = microseconds
            self.sinceBoot = sinceBoot
            self.isSynchronized = isSynchronized
        }
    }
}
