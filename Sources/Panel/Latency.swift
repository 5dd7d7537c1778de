// SPDX-License-Identifier: Apache-2.0
import HostAPI
import Record

/// The latency from the kernel's time of a report to the first scan-out of a frame that shows it.
struct GlassLatency {
    /// The reports of the frame that waits for its vblank.
    private var outstanding: [Int64] = []
    private(set) var histogram = LatencyHistogram()
    private var start = Int64.min

    /// - Parameter reports: microseconds of the kernel's clock.
    mutating func queued(_ reports: [Int64]) { outstanding += reports }

    /// The last queued frame appeared on screen at this time.
    mutating func shown(at microseconds: Int64) {
        for report in outstanding where report >= start { histogram.add(microseconds: microseconds - report) }
        outstanding.removeAll(keepingCapacity: true)
    }

    /// The last queued frame will never be shown.
    mutating func forget() { outstanding.removeAll(keepingCapacity: true) }

    /// Starts a new measurement.
    /// - Parameter microseconds: reports before this time do not count, even if they are shown later.
    mutating func reset(since microseconds: Int64) {
        self = GlassLatency()
        start = microseconds
    }

    /// nil if no report was shown.
    var measured: CaptureQuality.Latency? {
        guard let p50 = histogram.percentile(0.5), let p95 = histogram.percentile(0.95),
            let p99 = histogram.percentile(0.99)
        else { return nil }
        return CaptureQuality.Latency(p50: Double(p50) / 1000, p95: Double(p95) / 1000, p99: Double(p99) / 1000)
    }
}

/// A histogram of latencies in microseconds, in bounded memory.
///
/// Its buckets are log-linear as in HdrHistogram: exact below 128, then 64 for each doubling. A percentile is at most
/// 1.6 % too high.
package struct LatencyHistogram: Sendable {
    private static let linearCount = 128
    private static let stepsPerDoubling = 64
    /// 12 days: longer than any latency, and small enough that bucket arithmetic cannot overflow.
    static let ceiling: Int64 = 1 << 40

    private var buckets: [Int] = []
    private(set) var count = 0
    private(set) var maximum: Int64 = 0

    /// Adds a latency, clamped to 0...``ceiling``. Recordings with future times and clock changes can give any value.
    mutating func add(microseconds: Int64) {
        let value = min(max(microseconds, 0), Self.ceiling)
        let bucket = Self.bucket(of: value)
        if bucket >= buckets.count { buckets += Array(repeating: 0, count: bucket + 1 - buckets.count) }
        buckets[bucket] += 1
        count += 1
        maximum = max(maximum, value)
    }

    /// The smallest latency that at least this share of the reports did not exceed; nil without reports.
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
