// SPDX-License-Identifier: Apache-2.0
import Glibc

/// CLOCK_REALTIME, what people's clocks show: it may be set, forwards and back, while the program runs.
public enum WallClock {
    /// Microseconds since 1970-01-01 UTC. Any thread.
    public static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
