// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Ink

/// When reports were taken, and ink from reports that come in pairs, in bursts, late or by a coarse clock.
@Suite("Times of reports")
struct TimeAxisTests {
    /// The steps between reports as known after the last one, in milliseconds; at most the last 32.
    private func steps(_ milliseconds: [Double]) -> [Double] {
        var times = TimeAxis()
        for stamp in milliseconds { times.add(.zero + .milliseconds(stamp)) }
        return (1..<times.count).compactMap { times.step(to: $0).map { $0 * 1000 } }
    }

    /// The stamps that a driver puts on reports taken every 16 ms.
    private static func stamps(_ driver: String, count: Int = 40) -> [Double] {
        (0..<count).map { index in
            let time = Double(index) * 16
            return switch driver {
            case "pairs": time + (index % 2 == 0 ? 15 : 0)
            case "bursts of four": Double(index / 4) * 64 + Double(index % 4) * 0.2
            case "one in ten late": time + (index % 10 == 5 ? 11 : 0)
            case "three of twelve held up": index % 12 < 3 ? Double(index / 12 * 12 + 3) * 16 - 1 : time
            case "a clock of 10 ms": (time / 10).rounded(.down) * 10
            default: time
            }
        }
    }

    private static let drivers = [
        "regular", "pairs", "bursts of four", "one in ten late", "three of twelve held up", "a clock of 10 ms",
    ]

    @Test("reports in pairs, in bursts, late or by a coarse clock were taken at regular times", arguments: drivers)
    func regular(driver: String) {
        // The last ones wait for reports that show how late they are.
        for step in steps(Self.stamps(driver)).dropLast(4) { #expect(abs(step - 16) < 2) }
    }

    @Test("a pause and missing reports stay where they were")
    func pauses() {
        let stamps: [Double] = [0, 8, 16, 24, 32, 40, 48, 56, 80, 88, 96, 104, 2104, 2112, 2120, 2128]
        let known = steps(stamps)
        #expect(known.count == 15 && known[7] > 16 && known[11] > 24)
        for (index, step) in known.enumerated() where index != 7 && index != 11 { #expect(abs(step - 8) < 2) }
    }

    @Test("times grow for any stamps", arguments: Breadth.seeds(6, long: 20))
    func anyStamps(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (times, microseconds) = (TimeAxis(), Int64(0))
        for _ in 0..<200 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: microseconds &-= 5000
            case 1: microseconds = .random(in: .min ... .max, using: &random)
            case 2: break
            default: microseconds &+= .random(in: 1...30_000, using: &random)
            }
            times.add(Timestamp(microseconds: microseconds))
            #expect((0.0005...0.05).contains(times.period) && times.delay >= 0)
            for number in 0..<times.count {
                if let step = times.step(to: number) { #expect(step > 0 && step <= 4.001 * times.period) }
            }
        }
    }

    @Test("ink is the same from any driver", arguments: drivers)
    func ink(driver: String) {
        func drawn(_ stamps: [Double]) -> [CenterlinePoint] {
            let points = stamps.enumerated().map { index, stamp in
                let phase = Double(index % 16) - 8
                return (ms: stamp, x: Double(index) * 6, y: 60 + (index / 16 % 2 == 0 ? 1 : -1) * (64 - phase * phase))
            }
            return Stroke(driver, points).drawn(with: Pen(.ink, switches: [])).centerline
        }
        let (ink, even) = (drawn(Self.stamps(driver, count: 80)), drawn(Self.stamps("regular", count: 80)))
        let line = even.map { CenterlinePoint(time: .zero, position: $0.position, width: 0) }
        for point in ink { #expect(OutlineChecks.distance(from: point.position, toInkAlong: line) < 1.5) }
        let width = ink.map(\.width).reduce(0, +) / Double(ink.count)
        let evenWidth = even.map(\.width).reduce(0, +) / Double(even.count)
        #expect(abs(width / evenWidth - 1) < 0.05)
    }
}
