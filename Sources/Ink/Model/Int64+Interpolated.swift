// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// The time at `fraction` (0...1) of the way, exact at both ends. Wraps instead of trapping when the two are
    /// further apart than the type can say, which only a broken clock gives.
    static func interpolated(from start: Int64, to end: Int64, _ fraction: Double) -> Int64 {
        if fraction >= 1 { return end }
        let difference = Double(end &- start) * fraction
        return start &+ (Int64(exactly: difference.rounded()) ?? 0)
    }
}
