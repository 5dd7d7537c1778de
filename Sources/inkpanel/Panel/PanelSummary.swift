// SPDX-License-Identifier: Apache-2.0

/// What a panel did while it ran: the line it logs at the end.
struct PanelSummary {
    /// Reports of contacts, also of those that did not draw.
    var reportCount = 0
    /// Times the kernel dropped reports because they were not read in time.
    var dropCount = 0
    var flipCount = 0

    /// One line for the log; tests on a real kernel read it.
    func line(_ result: RenderThread.Result) -> String {
        let leftOut = result.leftOutCount > 0 ? ", left out \(result.leftOutCount)" : ""
        return "reports \(reportCount), dropped \(dropCount), strokes \(result.strokeCount), "
            + "samples \(result.sampleCount), frames \(result.frameCount), flips \(flipCount), "
            + "report to pixels \(result.latency.summary)\(leftOut)"
    }
}

extension LatencyHistogram {
    /// Median, 99th percentile and maximum in milliseconds.
    var summary: String {
        guard let median = percentile(0.5), let tail = percentile(0.99) else { return "not measured" }
        return "p50 \(milliseconds(median)) p99 \(milliseconds(tail)) max \(milliseconds(maximum)) ms"
    }

    /// To the microsecond, e.g. 0.417.
    private func milliseconds(_ microseconds: Int64) -> String {
        let thousandths = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
    }
}
