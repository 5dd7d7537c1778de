// SPDX-License-Identifier: Apache-2.0
package import Geometry
package import HostAPI

/// The latency from the kernel's time of a report to the first scan-out of a frame that shows it.
package struct GlassLatency {
    /// The reports of the frame that waits for its vblank.
    private var outstanding: [Timestamp] = []
    package private(set) var histogram = LatencyHistogram()
    private var start = Timestamp.distantPast

    package init() {}

    /// - Parameter reports: the kernel's times of the reports.
    package mutating func queued(_ reports: [Timestamp]) { outstanding += reports }

    /// The last queued frame appeared on screen at this time.
    package mutating func shown(at time: Timestamp) {
        for report in outstanding where report >= start { histogram.add(time - report) }
        outstanding.removeAll(keepingCapacity: true)
    }

    /// The last queued frame will never be shown.
    package mutating func forget() { outstanding.removeAll(keepingCapacity: true) }

    /// Starts a new measurement.
    /// - Parameter time: reports before it do not count, even if they are shown later.
    package mutating func reset(since time: Timestamp) {
        self = GlassLatency()
        start = time
    }

    /// nil if no report was shown.
    package var measured: CaptureQuality.Latency? {
        func milliseconds(_ fraction: Double) -> Double? {
            histogram.percentile(fraction).map { Double($0.microseconds) / 1000 }
        }
        guard let p50 = milliseconds(0.5), let p95 = milliseconds(0.95), let p99 = milliseconds(0.99) else {
            return nil
        }
        return CaptureQuality.Latency(p50: p50, p95: p95, p99: p99)
    }
}

/// A histogram of latencies, in whole microseconds, in bounded memory.
///
/// Its buckets are log-linear as in HdrHistogram: exact below 128, then 64 for each doubling. A percentile is at most
/// 1.6 % too high.
package struct LatencyHistogram: Sendable {
    private static let linearCount = 128
    private static let stepsPerDoubling = 64
    /// 12 days: longer than any latency, and small enough that bucket arithmetic cannot overflow.
    package static let ceiling = Duration.microseconds(1 << 40)

    private var buckets: [Int] = []
    package private(set) var count = 0
    package private(set) var maximum = Duration.zero

    package init() {}

    /// Adds a latency, clamped to 0...``ceiling``. Recordings with future times and clock changes can give any value.
    package mutating func add(_ latency: Duration) {
        let value = min(max(latency, .zero), Self.ceiling)
        let bucket = Self.bucket(of: value.microseconds)
        if bucket >= buckets.count { buckets += Array(repeating: 0, count: bucket + 1 - buckets.count) }
        buckets[bucket] += 1
        count += 1
        maximum = max(maximum, value)
    }

    /// The smallest latency that at least this share of the reports did not exceed; nil without reports.
    /// - Parameter fraction: 0...1.
    package func percentile(_ fraction: Double) -> Duration? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((Double(count) * fraction).rounded(.up)))
        var seen = 0
        for (bucket, number) in buckets.enumerated() {
            seen += number
            if seen >= wanted { return min(.microseconds(Self.upperBound(of: bucket)), maximum) }
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

extension LatencyHistogram {
    /// Percentiles and maximum, in milliseconds.
    package var summary: String {
        guard let median = percentile(0.5), let high = percentile(0.95), let tail = percentile(0.99) else {
            return "not measured"
        }
        return "p50 \(milliseconds(median)) p95 \(milliseconds(high)) p99 \(milliseconds(tail)) "
            + "max \(milliseconds(maximum)) ms"
    }

    /// Milliseconds with three decimals, e.g. 0.417.
    private func milliseconds(_ latency: Duration) -> String {
        let microseconds = latency.microseconds
        let thousandths = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
    }
}
