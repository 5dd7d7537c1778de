// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing

@Suite("Long strokes")
struct LongStrokeTests {
    @Test("without its wet tail on the way, ink is the same in the end", arguments: PenName.allCases)
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
            ink.dry()
            let expected = stroke.drawn(with: Pen(name))
            #expect(ink.outline == expected.outline && ink.centerline == expected.centerline, "\(stroke)")
        }
    }

    @Test("what is forgotten of a stroke is what was final, and the rest is as it was")
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
            ink.dry()
            pieces += Self.pieces(ink)
            var (whole, expected) = (Pen(.ink).makeStroke(), StrokeInk())
            for sample in stroke.samples + stroke.samples.suffix(1) { whole.add(sample, to: &expected) }
            expected.dry()
            #expect(pieces == Self.pieces(expected), "\(stroke)")
        }
    }

    private static func pieces(_ ink: StrokeInk) -> [[Point]] {
        ink.pieces.map { Array(ink.outline.points[$0.start.pointCount..<$0.end.pointCount]) }
    }

    @Test("a stroke that leaps at each sample costs a few nodes for each")
    func wild() {
        var random = SeededGenerator(seed: 9)
        var (model, ink) = (Pen(.ink).makeStroke(), StrokeInk())
        for index in 0..<3000 {
            let place = Point(x: .random(in: 0...1200, using: &random), y: .random(in: 0...600, using: &random))
            model.add(Sample(microseconds: Int64(index) * 5000, position: place), to: &ink)
        }
        ink.dry()
        #expect(ink.centerline.count < 6 * 3000)
    }

    @Test("ink dries as it comes through a stroke of 5000 samples of the fastest device")
    func fastDevice() {
        var ink = StrokeInk()
        var model = Pen(.ink).makeStroke()
        var dryCount = 0
        for index in 0..<5000 {
            // To and fro at 400 px/s, five pixels further down each time.
            let (row, column) = index.quotientAndRemainder(dividingBy: 1000)
            let x = Double(row % 2 == 0 ? column : 1000 - column) * 0.4
            model.add(
                Sample(microseconds: Int64(index) * 1000, position: Point(x: x, y: Double(index) * 0.005)), to: &ink)
            guard index % 100 == 99 else { continue }
            #expect(ink.dryPointCount > dryCount, "sample \(index)")
            dryCount = ink.dryPointCount
        }
        #expect(ink.isFinite)
    }
}
