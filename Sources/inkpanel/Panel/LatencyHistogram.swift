// SPDX-License-Identifier: Apache-2.0

/// How long reports took, in microseconds, in bounded memory however long the panel runs.
///
/// Log-linear buckets as in HdrHistogram: exact below 128, then 64 buckets to each doubling, so a percentile is at most
/// 1.6 % too high.
struct LatencyHistogram: Sendable {
    private static let linearCount = 128
    private static let stepsPerDoubling = 64
    /// 12 days: beyond any wait, and far from where the arithmetic of buckets would overflow.
    static let ceiling: Int64 = 1 << 40

    private var buckets: [Int] = []
    private(set) var count = 0
    private(set) var maximum: Int64 = 0

    /// Negative times (a recording from the future, a clock that was set) count as zero, absurd ones as the ceiling.
    mutating func add(microseconds: Int64) {
        let value = min(max(microseconds, 0), Self.ceiling)
        let bucket = Self.bucket(of: value)
        if bucket >= buckets.count { buckets += Array(repeating: 0, count: bucket + 1 - buckets.count) }
        buckets[bucket] += 1
        count += 1
        maximum = max(maximum, value)
    }

    /// The smallest time that at least this share of the reports kept; nil when there were none.
    /// - Parameter fraction: 0...1.
    func percentile(_ fraction: Double) -> Int64? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((Double(count) * fraction).rounded(.up)))
        var seen = 0
        for (bucket, number) in buckets.enumerated() {
            seen += number
            if seen >= wanted { return min(Self.upperBound(of: bucket), maximum) }
        }
        return maximum
    }

    private static func bucket(of value: Int64) -> Int {
        if value < linearCount { return Int(value) }
        let doubling = 63 - value.leadingZeroBitCount - 6  // 1 for 128..<256: its top 7 bits index 64 steps
        let step = Int(value >> Int64(doubling)) - stepsPerDoubling
        return linearCount + (doubling - 1) * stepsPerDoubling + step
    }

    private static func upperBound(of bucket: Int) -> Int64 {
        if bucket < linearCount { return Int64(bucket) }
        let doubling = (bucket - linearCount) / stepsPerDoubling + 1
        let step = (bucket - linearCount) % stepsPerDoubling + stepsPerDoubling
        return (Int64(step + 1) << Int64(doubling)) - 1
    }
}
