// SPDX-License-Identifier: Apache-2.0
import Record

/// How long reports take to the glass: from the kernel's time of a report to the first scan-out of a frame that shows
/// it.
struct GlassLatency {
    /// Of the frame that waits for its vblank.
    private var outstanding: [Int64] = []
    private var histogram = LatencyHistogram()
    private var start = Int64.min

    /// - Parameter reports: microseconds of the kernel's clock.
    mutating func queued(_ reports: [Int64]) { outstanding += reports }

    /// The frame queued last is on screen since then.
    mutating func shown(at microseconds: Int64) {
        for report in outstanding where report >= start { histogram.add(microseconds: microseconds - report) }
        outstanding.removeAll(keepingCapacity: true)
    }

    /// The frame queued last will never be seen.
    mutating func forget() { outstanding.removeAll(keepingCapacity: true) }

    /// Begins anew.
    /// - Parameter microseconds: earlier reports are somebody else's, also when they are seen from now on.
    mutating func reset(since microseconds: Int64) {
        self = GlassLatency()
        start = microseconds
    }

    /// Nil where nothing was shown.
    var measured: CaptureQuality.Latency? {
        guard let p50 = histogram.percentile(0.5), let p95 = histogram.percentile(0.95),
            let p99 = histogram.percentile(0.99)
        else { return nil }
        return CaptureQuality.Latency(p50: Double(p50) / 1000, p95: Double(p95) / 1000, p99: Double(p99) / 1000)
    }
}
