// SPDX-License-Identifier: Apache-2.0
import CLinux

/// CLOCK_MONOTONIC, the clock that evdev reports and page-flip events carry once asked to.
public enum MonotonicClock {
    /// Nanoseconds since an arbitrary start (boot). Any thread.
    public static var nanoseconds: Int64 { clinux_monotonic_ns() }
    /// Microseconds on the same scale; evdev's resolution.
    public static var microseconds: Int64 { clinux_monotonic_ns() / 1000 }
}
