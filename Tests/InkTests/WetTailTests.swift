// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Testing

/// That the ink behind the tip is final, and soon.
@Suite("The wet tail")
struct WetTailTests {
    private static func stroke(rate: Double) -> Stroke {
        Stroke("\(rate) Hz", rate: rate, milliseconds: 1000, InkPenTests.loops)
    }

    @Test("ink is final after 80 ms, or after five reports where they are rarer", arguments: [60.0, 125, 250])
    func boundedInTime(rate: Double) {
        let period = 1e6 / rate
        let longest = Int64((max(80_000, 5 * period) + period).rounded(.up))
        let samples = Self.stroke(rate: rate).samples
        var ink = StrokeInk()
        var model = Pen(.ink).makeStroke()
        for sample in samples {
            model.add(sample, to: &ink)
            guard ink.dryPointCount < ink.centerline.count else { continue }
            let age = sample.microseconds - ink.centerline[ink.dryPointCount].microseconds
            #expect(age <= longest, "\(age) us at \(sample.microseconds)")
        }
        #expect(ink.dryPointCount > ink.centerline.count / 2)
        #expect(ink.dryPieceCount > ink.pieces.count / 2)
    }

    @Test("a tutorial's pen draws no more than the last five samples again",
        arguments: Pen.tutorials, [60.0, 125, 250])
    func boundedInSamples(pen: Pen, rate: Double) {
        let samples = Self.stroke(rate: rate).samples
        var ink = StrokeInk()
        var model = pen.makeStroke()
        for (index, sample) in samples.enumerated() {
            model.add(sample, to: &ink)
            guard ink.dryPointCount < ink.centerline.count else { continue }
            let oldest = samples[max(index - 5, 0)].microseconds
            #expect(ink.centerline[ink.dryPointCount].microseconds >= oldest, "sample \(index)")
        }
        #expect(ink.dryPointCount > ink.centerline.count / 2)
        #expect(ink.dryPieceCount > ink.pieces.count / 2)
    }

    @Test("what is old is on screen as it stays, and lifting changes none of what was dry", arguments: Pen.tested)
    func farPartIsFinal(pen: Pen) {
        for rate in [60.0, 125, 250] {
            let stroke = Self.stroke(rate: rate)
            let final = stroke.drawn(with: pen)
            let age = Int64(max(80_000, 5e6 / rate) + 1e6 / rate)
            var ink = StrokeInk()
            var model = pen.makeStroke()
            for sample in stroke.samples {
                model.add(sample, to: &ink)
                let far = ink.centerline.prefix { $0.microseconds < sample.microseconds - age }
                #expect(far.count <= ink.dryPointCount)
                #expect(far == final.centerline.prefix(far.count))
                var lifted = ink
                lifted.dry()
                let dryEnd = ink.dryPieceCount > 0 ? ink.pieces[ink.dryPieceCount - 1].end.pointCount : 0
                #expect(lifted.outline.points.prefix(dryEnd) == final.outline.points.prefix(dryEnd))
                #expect(lifted.centerline.prefix(ink.dryPointCount) == final.centerline.prefix(ink.dryPointCount))
            }
        }
    }
}
