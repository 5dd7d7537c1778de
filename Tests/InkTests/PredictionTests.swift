// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing

@Suite("Stroke predictor")
struct PredictorTests {
    private func predictor(after samples: some Sequence<Sample>) -> StrokePredictor {
        var predictor = StrokePredictor()
        for sample in samples { predictor.add(sample) }
        return predictor
    }

    /// One turn a second, by a rotation without sin.
    private func circle(rate: Double) -> Stroke {
        Stroke("circle", rate: rate, milliseconds: 500) { seconds in
            // The half angle's tangent, good to 1e-4 px over half a turn.
            let (cosine, sine) = Self.turn(seconds)
            return Point(x: 200 + 100 * cosine, y: 200 + 100 * sine)
        }
    }

    /// Cosine and sine of a part of a full turn, 0...0.6, by the power series.
    private static func turn(_ part: Double) -> (cosine: Double, sine: Double) {
        let angle = part * 2 * Double.pi
        var (cosine, sine, term) = (0.0, 0.0, 1.0)
        for power in 0..<30 {
            switch power % 4 {
            case 0: cosine += term
            case 1: sine += term
            case 2: cosine -= term
            default: sine -= term
            }
            term *= angle / Double(power + 1)
        }
        return (cosine, sine)
    }

    @Test("a straight line goes on straight, for nine tenths of the distance", arguments: [30.0, 60, 125, 250, 1000])
    func line(rate: Double) throws {
        let line = Stroke("line", rate: rate, milliseconds: 400) { Point(x: 20 + 300 * $0, y: 50 + 400 * $0) }
        var predictor = predictor(after: line.samples)
        _ = predictor.path(microsecondsAhead: 16_000)
        let found = predictor.path(microsecondsAhead: 16_000)
        let path = try #require(found)
        #expect(path.microseconds == 16_000)
        let way = path.displacement
        // 500 px/s for 16 ms are 8 px.
        #expect(abs(way.cross(Point(x: 0.6, y: 0.8))) < 0.01)
        // A slow panel gives less information.
        #expect((rate < 100 ? 6.5 : 7.0)...7.25 ~= way.dot(Point(x: 0.6, y: 0.8)))
        #expect(path.displacement(at: 0) == .zero)
    }

    @Test("predictions on a circle beat the last report", arguments: [50.0, 100, 250], [4, 8, 16] as [Int64])
    func circle(rate: Double, milliseconds: Int64) throws {
        let samples = circle(rate: rate).samples
        var predictor = predictor(after: samples)
        let found = predictor.path(microsecondsAhead: milliseconds * 1000)
        let path = try #require(found)
        let last = try #require(samples.last)
        let (cosine, sine) = Self.turn(0.5 + Double(milliseconds) / 1000)
        let truth = Point(x: 200 + 100 * cosine, y: 200 + 100 * sine)
        let held = last.position.distance(to: truth)
        #expect((last.position + path.displacement).distance(to: truth) < 0.2 * held)
    }

    @Test("a braking pen is predicted to stop near the right place and not to turn back")
    func stop() {
        // 600 px/s to rest in 150 ms, over 45 px.
        let stroke = Stroke("braking", rate: 120, milliseconds: 150) { seconds in
            Point(x: 10 + 600 * seconds - 2000 * seconds * seconds, y: 40)
        }
        for count in 1...stroke.samples.count {
            var predictor = predictor(after: stroke.samples.prefix(count))
            guard let path = predictor.path(microsecondsAhead: 20_000) else { continue }
            let end = stroke.samples[count - 1].position.x + path.displacement.x
            #expect(path.displacement.x > 0 && end < 57, "after \(count) reports")
        }
        let rest = (1...20).map { Sample(microseconds: 150_000 + Int64($0) * 8333, position: Point(x: 55, y: 40)) }
        var predictor = predictor(after: stroke.samples + rest)
        #expect(predictor.path(microsecondsAhead: 16_000) == nil)
    }

    @Test("an unpredictable stroke is not predicted")
    func unforeseeable() {
        var random = SeededGenerator(seed: 5)
        var shown = 0
        var predictor = StrokePredictor()
        for index in 0..<400 {
            let position = Point(x: .random(in: 0..<50, using: &random), y: .random(in: 0..<50, using: &random))
            predictor.add(Sample(microseconds: Int64(index) * 8000, position: position))
            if predictor.path(microsecondsAhead: 12_000) != nil { shown += 1 }
        }
        #expect(shown < 20)
    }

    @Test("nothing is predicted for no time, for the past, or from one report")
    func nothing() {
        var predictor = predictor(after: circle(rate: 100).samples)
        #expect(predictor.path(microsecondsAhead: 0) == nil)
        #expect(predictor.path(microsecondsAhead: .min) == nil)
        var single = self.predictor(after: [Sample(microseconds: 0, position: .zero)])
        #expect(single.path(microsecondsAhead: 8000) == nil)
        var none = StrokePredictor()
        #expect(none.path(microsecondsAhead: 8000) == nil)
    }

    @Test("predictions keep the limits of time and of speed")
    func bounds() {
        for seed in 0..<60 as Range<UInt64> {
            let stroke = Stroke.random(seed: seed, count: 80)
            var predictor = StrokePredictor()
            for (index, sample) in stroke.samples.enumerated() {
                predictor.add(sample)
                guard let path = predictor.path(microsecondsAhead: .max) else { continue }
                #expect(path.microseconds == StrokePredictor.maximumMicroseconds)
                let positions = stroke.samples[max(0, index - 3)...index].map(\.position)
                let longest = zip(positions, positions.dropFirst()).map { $0.distance(to: $1) }.max() ?? 0
                // The repaired steps of these strokes are at least 2 ms.
                #expect(path.displacement.length <= longest * 1.25 * 20 / 2, "seed \(seed), report \(index)")
            }
        }
    }

    @Test("any input gives finite predictions", arguments: Stroke.hostile)
    func hostile(stroke: Stroke) {
        let longest = StrokePredictor.longestMillimetres * PixelDensity.standard.pixelsPerMillimetre
        var predictor = StrokePredictor()
        for sample in stroke.samples {
            predictor.add(sample)
            #expect(predictor.patienceMicroseconds >= 10_000)
            for ahead in [1, 8000, .max] as [Int64] {
                guard let path = predictor.path(microsecondsAhead: ahead) else { continue }
                #expect((0...4).allSatisfy { path.displacement(at: Double($0) / 4).isFinite })
                #expect(path.displacement.length <= longest + 1e-9)
            }
        }
    }

    @Test("its limits are lengths on the page: twice the density, twice the distance")
    func density() throws {
        for factor in [0.25, 1, 4] {
            let stroke = Stroke("swing", rate: 125, milliseconds: 400) { seconds in
                Point(x: 20 + 900 * seconds * seconds, y: 50 + 400 * seconds) * factor
            }
            var predictor = StrokePredictor(density: PixelDensity(dotsPerInch: 150 * factor))
            var standard = StrokePredictor()
            for sample in stroke.samples {
                predictor.add(sample)
                var same = sample
                same.position = same.position * (1 / factor)
                standard.add(same)
                // Powers of two scale without rounding.
                let ways = (predictor.path(microsecondsAhead: 16_000), standard.path(microsecondsAhead: 16_000))
                #expect(ways.0?.displacement == ways.1.map { $0.displacement * factor })
            }
            #expect(standard.path(microsecondsAhead: 16_000) != nil)
        }
    }

    @Test("reports with equal times have no speed")
    func oneTime() {
        let samples = (0..<40).map { Sample(microseconds: 7, position: Point(x: Double($0) * 5, y: 0)) }
        var predictor = predictor(after: samples)
        #expect(predictor.path(microsecondsAhead: 16_000) == nil)
    }

    @Test("the time of the start makes no difference", arguments: 0..<10 as Range<UInt64>)
    func timeShift(seed: UInt64) {
        let samples = Stroke.random(seed: seed, count: 60).samples
        let later = samples.map { Sample(microseconds: $0.microseconds + 123_456_789, position: $0.position) }
        var (first, second) = (predictor(after: samples), predictor(after: later))
        let ways = [first.path(microsecondsAhead: 9000), second.path(microsecondsAhead: 9000)].map { $0?.displacement }
        #expect(ways[0] == ways[1])
    }
}

@Suite("Predicted ink")
struct PredictedInkTests {
    private let stroke = Stroke("slope", rate: 100, milliseconds: 300) { Point(x: 30 + 400 * $0, y: 30 + 100 * $0) }

    /// The ink of the stroke with the pen down, and the predicted path.
    private func predicted(_ name: PenName) throws -> (ink: StrokeInk, bare: StrokeInk, path: PredictedPath) {
        var ink = StrokeInk()
        var model = Pen(name).makeStroke()
        var predictor = StrokePredictor()
        for sample in stroke.samples {
            model.add(sample, to: &ink)
            predictor.add(sample)
        }
        let bare = ink
        _ = predictor.path(microsecondsAhead: 12_000)
        let found = predictor.path(microsecondsAhead: 12_000)
        let path = try #require(found)
        _ = ink.takeChangedBounds()
        ink.show(path)
        return (ink, bare, path)
    }

    private func isSame(_ one: StrokeInk, _ other: StrokeInk) -> Bool {
        one.outline == other.outline && one.centerline == other.centerline && one.pieces.count == other.pieces.count
            && one.dryPieceCount == other.dryPieceCount && one.dryPointCount == other.dryPointCount
    }

    @Test("predicted ink leads from the tip to the predicted position, as wide as the tip", arguments: PenName.allCases)
    func joins(name: PenName) throws {
        let (ink, bare, path) = try predicted(name)
        let tip = try #require(bare.centerline.last)
        let end = try #require(ink.centerline.last)
        #expect(end.position.distance(to: tip.position + path.displacement) < 1e-9)
        #expect(end.width == tip.width && end.microseconds == tip.microseconds + 12_000)
        #expect(Array(ink.centerline.prefix(bare.centerline.count)) == bare.centerline)
        let checks = OutlineChecks(ink)
        #expect(checks.leastArea > 0)
        for fraction in [0.0, 0.3, 0.7, 1] {
            let point = tip.position + path.displacement(at: fraction)
            #expect(checks.winding(at: point + Point(x: 0, y: tip.width * 0.4)) > 0)
        }
    }

    @Test("lifting removes it", arguments: PenName.allCases)
    func dries(name: PenName) throws {
        var (ink, bare, _) = try predicted(name)
        ink.dry()
        bare.dry()
        #expect(isSame(ink, bare))
    }

    @Test("the next report removes it", arguments: PenName.allCases)
    func nextReport(name: PenName) throws {
        // Once with prediction after every report and once without.
        var (ink, bare) = (StrokeInk(), StrokeInk())
        var (model, bareModel) = (Pen(name).makeStroke(), Pen(name).makeStroke())
        var predictor = StrokePredictor()
        for sample in stroke.samples {
            model.add(sample, to: &ink)
            bareModel.add(sample, to: &bare)
            #expect(isSame(ink, bare))
            predictor.add(sample)
            ink.show(predictor.path(microsecondsAhead: 16_000))
        }
    }

    @Test("the changed bounds contain it when it comes and when it goes", arguments: PenName.allCases)
    func changedBounds(name: PenName) throws {
        var (ink, bare, _) = try predicted(name)
        let added = ink.pieces[bare.pieces.count...].reduce(Rect.empty) { $0.union($1.bounds) }
        let coming = ink.takeChangedBounds()
        #expect(!added.isEmpty && coming == added)
        ink.removePrediction()
        let going = ink.takeChangedBounds()
        #expect(going == added && isSame(ink, bare))
        ink.removePrediction()
        let nothing = ink.takeChangedBounds()
        #expect(nothing.isEmpty)
    }
}
