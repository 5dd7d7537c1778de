// SPDX-License-Identifier: Apache-2.0
import HostAPI
import TestSupport
import Testing

@testable import Record

@Suite("Latency to the screen")
struct GlassLatencyTests {
    @Test("each report counts from its time to the first frame that shows it")
    func counts() {
        var glass = GlassLatency()
        #expect(glass.measured == nil)
        glass.queued([1000, 2000])
        #expect(glass.measured == nil)
        glass.shown(at: 18_000)
        glass.queued([30_000])
        glass.shown(at: 34_000)
        // A flip without reports, for example of a button.
        glass.shown(at: 90_000)
        let measured = glass.measured
        #expect(abs((measured?.p50 ?? 0) - 16) < 0.3)
        #expect(abs((measured?.p99 ?? 0) - 17) < 0.3)
    }

    @Test("reports outstanding when another capture begins do not count for it")
    func resets() {
        var glass = GlassLatency()
        glass.queued([1000])
        glass.reset(since: 2000)
        glass.queued([1500])
        glass.shown(at: 500_000)
        #expect(glass.measured == nil)
    }
}
