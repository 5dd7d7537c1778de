// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Record

@Suite("Latency histogram")
struct LatencyHistogramTests {
    @Test("percentiles are at most 1.6 % above the exact ones and never below", arguments: Breadth.seeds(6, long: 20))
    func percentiles(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var histogram = LatencyHistogram()
        var values: [Duration] = []
        for _ in 0..<500 {
            let value = Duration.microseconds(
                Int64.random(in: 0...(1 << Int64.random(in: 1...30, using: &random)), using: &random))
            values.append(value)
            histogram.add(value)
        }
        values.sort()
        for fraction in [0.01, 0.5, 0.9, 0.99, 1] {
            let exact = values[max(1, Int((500 * fraction).rounded(.up))) - 1]
            let found = try #require(histogram.percentile(fraction))
            #expect(found >= exact && found.seconds <= exact.seconds * 1.016 + 1e-6, "seed \(seed), \(fraction)")
        }
        #expect(histogram.maximum == values.last)
    }

    @Test("an empty histogram has no percentile; latencies are clamped to its range")
    func edges() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(0.5) == nil)
        #expect(histogram.summary == "not measured")
        histogram.add(.microseconds(-5))
        histogram.add(.microseconds(Int64.max))
        #expect(histogram.percentile(0.5) == .zero)
        #expect(histogram.percentile(1) == LatencyHistogram.ceiling)
    }
}
