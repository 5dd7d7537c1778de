// SPDX-License-Identifier: Apache-2.0

/// An instant on a clock that nobody sets: on a panel the kernel's CLOCK_MONOTONIC, which stamps reports and page
/// flips. Only the difference of two of them has a meaning. Its resolution is that of evdev, a microsecond.
///
///     let sample = Sample(time: .zero + .milliseconds(8), position: Point(x: 10, y: 20))
///
/// Sums are rounded towards zero and clamped to what 64 bits can hold, so a broken clock does no harm.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since the clock's zero; may be negative.
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static let zero = Timestamp(microseconds: 0)
    /// Before and after all others: the ends of the range.
    public static let distantPast = Timestamp(microseconds: .min)
    public static let distantFuture = Timestamp(microseconds: .max)

    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        let (sum, isOverflow) = time.microseconds.addingReportingOverflow(duration.microseconds)
        return isOverflow ? (sum < 0 ? .distantFuture : .distantPast) : Timestamp(microseconds: sum)
    }

    public static func += (time: inout Timestamp, duration: Duration) { time = time + duration }

    public static func - (time: Timestamp, duration: Duration) -> Timestamp { time + (.zero - duration) }

    /// Exact.
    public static func - (time: Timestamp, other: Timestamp) -> Duration {
        .microseconds(time.microseconds) - .microseconds(other.microseconds)
    }

    /// The seconds from another instant to this one, for the mathematics of curves. Wraps if they are further apart
    /// than 64 bits can hold.
    public func seconds(since other: Timestamp) -> Double { Double(microseconds &- other.microseconds) * 1e-6 }

    /// The time at `fraction` (0...1) of the way to another one; exact at both ends.
    public func interpolated(to end: Timestamp, _ fraction: Double) -> Timestamp {
        if fraction >= 1 { return end }
        let way = Double(end.microseconds &- microseconds) * fraction
        return Timestamp(microseconds: microseconds &+ (Int64(exactly: way.rounded()) ?? 0))
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }
}

extension Duration {
    /// Whole microseconds, rounded towards zero and clamped to what 64 bits can hold.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, isSumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return isOverflow || isSumOverflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// ``microseconds`` as seconds.
    public var seconds: Double { Double(microseconds) * 1e-6 }

    public var magnitude: Duration { self < .zero ? .zero - self : self }
}
