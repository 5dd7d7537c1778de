// SPDX-License-Identifier: Apache-2.0
import CaptureFixtures
import HostAPI
import Record
import TestSupport
import Testing

@Suite("Quality of a capture")
struct QualityMeterTests {
    private func stroke(_ times: Int64...) -> CaptureStroke {
        CaptureStroke(pen: "ink", samples: times.map { .init(microseconds: $0, x: 1, y: 2) })
    }

    private func quality(_ strokes: CaptureStroke...) -> CaptureQuality {
        var meter = QualityMeter()
        for stroke in strokes { meter.add(stroke) }
        return meter.quality(ignoredContacts: 0, latency: nil)
    }

    @Test("rate and longest gap are those within strokes, not between them")
    func rate() {
        let found = quality(stroke(0, 5000, 10_000, 20_000), stroke(9_000_000), stroke(50_000_000, 50_005_000))
        #expect(found.reportRate == 4 / 0.025)
        #expect(found.longestGap == 10_000)
    }

    @Test("strokes of one report have no rate and no gap, and without elapsed time there is no rate")
    func none() {
        #expect(quality() == CaptureQuality())
        #expect(quality(stroke(7), stroke(8)) == CaptureQuality())
        #expect(quality(stroke(7, 7)) == CaptureQuality(longestGap: 0))
    }

    @Test("steps back in time count as 0, and extreme times do not overflow")
    func backwards() {
        let found = quality(stroke(10_000, 5000, 15_000))
        #expect(found.longestGap == 10_000 && found.reportRate == 200)
        #expect(quality(stroke(.min, .max)).longestGap == .max)
        #expect(quality(stroke(.max, .min)) == CaptureQuality(longestGap: 0))
    }

    @Test("the other members are passed through")
    func others() {
        let latency = CaptureQuality.Latency(p50: 1, p95: 2, p99: 3)
        #expect(
            QualityMeter().quality(drops: 4, ignoredContacts: 5, latency: latency)
                == CaptureQuality(drops: 4, ignoredContacts: 5, latency: latency))
    }

    @Test("the quality of any capture can be encoded", arguments: Breadth.seeds(8, long: 50))
    func recordable(seed: UInt64) throws {
        var source = RandomCapture(seed: seed)
        var record = source.record()
        var meter = QualityMeter()
        for case .stroke(let stroke) in record.entries { meter.add(stroke) }
        record.end = source.end(.accepted)
        record.end?.quality = meter.quality(ignoredContacts: 1, latency: nil)
        #expect(try CaptureDecoder.decode(CaptureEncoder.encode(record)) == record)
    }
}
