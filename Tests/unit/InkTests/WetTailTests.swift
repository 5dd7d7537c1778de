// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing

/// Ink soon after the tip is final.
@Suite("The wet tail")
struct WetTailTests {
    private static func stroke(rate: Double) -> Stroke {
        Stroke("\(rate) Hz", rate: rate, milliseconds: 1000, InkPenTests.loops)
    }

    @Test("ink is final after 80 ms, or after five reports at low rates", arguments: [60.0, 125, 250])
    func boundedInTime(rate: Double) {
        let period = 1e6 / rate
        let longest = Duration.microseconds(Int((max(80_000, 5 * period) + period).rounded(.up)))
        let samples = Self.stroke(rate: rate).samples
        var ink = StrokeInk()
        var model = Pen(.ink).makeStroke()
        for sample in samples {
            model.add(sample, to: &ink)
            guard ink.dryPointCount < ink.centerline.count else { continue }
            let age = sample.time - ink.centerline[ink.dryPointCount].time
            #expect(age <= longest, "\(age) at \(sample.time)")
        }
        #expect(ink.dryPointCount > ink.centerline.count / 2)
        #expect(ink.dryPieceCount > ink.pieces.count / 2)
    }

    @Test(
        "a tutorial's pen models at most the last five samples again",
        arguments: Pen.tutorials, [60.0, 125, 250])
    func boundedInSamples(pen: Pen, rate: Double) {
        let samples = Self.stroke(rate: rate).samples
        var ink = StrokeInk()
        var model = pen.makeStroke()
        for (index, sample) in samples.enumerated() {
            model.add(sample, to: &ink)
            guard ink.dryPointCount < ink.centerline.count else { continue }
            let oldest = samples[max(index - 5, 0)].time
            #expect(ink.centerline[ink.dryPointCount].time >= oldest, "sample \(index)")
        }
        #expect(ink.dryPointCount > ink.centerline.count / 2)
        #expect(ink.dryPieceCount > ink.pieces.count / 2)
    }

    @Test("old ink is final on screen, and lifting does not change dry ink", arguments: Pen.tested)
    func farPartIsFinal(pen: Pen) {
        for rate in [60.0, 125, 250] {
            let stroke = Self.stroke(rate: rate)
            let final = stroke.drawn(with: pen)
            let age = Duration.microseconds(Int(max(80_000, 5e6 / rate) + 1e6 / rate))
            var ink = StrokeInk()
            var model = pen.makeStroke()
            for sample in stroke.samples {
                model.add(sample, to: &ink)
                let far = ink.centerline.prefix { $0.time < sample.time - age }
                #expect(far.count <= ink.dryPointCount)
                #expect(far == final.centerline.prefix(far.count))
                var (lifted, other) = (ink, model)
                other.finish(&lifted)
                let dryEnd = ink.dryPieceCount > 0 ? ink.pieces[ink.dryPieceCount - 1].end.pointCount : 0
                #expect(lifted.outline.points.prefix(dryEnd) == final.outline.points.prefix(dryEnd))
                #expect(lifted.centerline.prefix(ink.dryPointCount) == final.centerline.prefix(ink.dryPointCount))
            }
        }
    }
}

@Suite("Long strokes")
struct LongStrokeTests {
    @Test("skipping wet tails gives the same final ink", arguments: PenName.allCases)
    func followed(name: PenName) {
        for stroke in Stroke.hostile + (0..<5).map({ Stroke.random(seed: 700 + $0) }) {
            var (model, ink) = (Pen(name).makeStroke(), StrokeInk())
            for (index, sample) in stroke.samples.enumerated() {
                if index == stroke.samples.count - 1 {
                    model.add(sample, to: &ink)
                } else {
                    model.add(followed: sample, to: &ink)
                }
            }
            model.finish(&ink)
            let expected = stroke.drawn(with: Pen(name))
            #expect(ink.outline == expected.outline && ink.centerline == expected.centerline, "\(stroke)")
        }
    }

    @Test("forgetFirst removes final ink only and leaves the rest unchanged")
    func forgotten() {
        for stroke in (0..<20).map({ Stroke.random(seed: 800 + $0) }) {
            var (model, ink) = (Pen(.ink).makeStroke(), StrokeInk())
            var pieces: [[Point]] = []
            for sample in stroke.samples {
                model.add(followed: sample, to: &ink)
                guard ink.dryPieceCount > 3 else { continue }
                pieces += Self.pieces(ink).prefix(ink.dryPieceCount - 1)
                ink.forgetFirst(ink.dryPieceCount - 1)
                #expect(ink.dryPieceCount == 1)
            }
            if let last = stroke.samples.last { model.add(last, to: &ink) }
            model.finish(&ink)
            pieces += Self.pieces(ink)
            var (whole, expected) = (Pen(.ink).makeStroke(), StrokeInk())
            for sample in stroke.samples + stroke.samples.suffix(1) { whole.add(sample, to: &expected) }
            whole.finish(&expected)
            #expect(pieces == Self.pieces(expected), "\(stroke)")
        }
    }

    private static func pieces(_ ink: StrokeInk) -> [[Point]] {
        ink.pieces.map { Array(ink.outline.points[$0.start.pointCount..<$0.end.pointCount]) }
    }

    @Test("a stroke that jumps at every sample has a few nodes per sample")
    func wild() {
        var random = SeededGenerator(seed: 9)
        var (model, ink) = (Pen(.ink).makeStroke(), StrokeInk())
        for index in 0..<3000 {
            let place = Point(x: .random(in: 0...1200, using: &random), y: .random(in: 0...600, using: &random))
            model.add(Sample(time: .zero + .milliseconds(5 * index), position: place), to: &ink)
        }
        ink.dry()
        #expect(ink.centerline.count < 6 * 3000)
    }

    @Test("ink dries continuously during 5000 samples of the fastest device")
    func fastDevice() {
        var ink = StrokeInk()
        var model = Pen(.ink).makeStroke()
        var dryCount = 0
        for index in 0..<5000 {
            // Back and forth at 400 px/s, five pixels further down each time.
            let (row, column) = index.quotientAndRemainder(dividingBy: 1000)
            let x = Double(row % 2 == 0 ? column : 1000 - column) * 0.4
            model.add(
                Sample(time: .zero + .milliseconds(1 * index), position: Point(x: x, y: Double(index) * 0.005)),
                to: &ink)
            guard index % 100 == 99 else { continue }
            #expect(ink.dryPointCount > dryCount, "sample \(index)")
            dryCount = ink.dryPointCount
        }
        #expect(ink.isFinite)
    }
}
