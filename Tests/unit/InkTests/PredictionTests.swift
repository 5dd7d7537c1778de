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

    @Test("a straight line goes on straight, for nearly all of the distance", arguments: [30.0, 60, 125, 250, 1000])
    func line(rate: Double) throws {
        let line = Stroke("line", rate: rate, milliseconds: 400) { Point(x: 20 + 300 * $0, y: 50 + 400 * $0) }
        var predictor = predictor(after: line.samples)
        _ = predictor.path(after: .milliseconds(16))
        let found = predictor.path(after: .milliseconds(16))
        let path = try #require(found)
        #expect(path.duration == .milliseconds(16))
        // 500 px/s for 16 ms are 8 px, of which 5 % are left out.
        #expect(abs(path.displacement.cross(Point(x: 0.6, y: 0.8))) < 0.01)
        #expect(7.3...7.65 ~= path.displacement.dot(Point(x: 0.6, y: 0.8)))
        let direction = try #require(path.direction)
        #expect(direction.distance(to: Point(x: 0.6, y: 0.8)) < 1e-6)
    }

    /// The distances in px from the pen 8 or 16 ms after each report of a circle of radius 40 px, drawn in half a
    /// second (500 px/s).
    /// - Parameter reports: the numbers of the reports that count.
    private func circleErrors(
        rate: Double, jitter: Double, milliseconds: Int64, reports: PartialRangeFrom<Int>, end: Int = .max
    ) -> Errors {
        func pen(_ seconds: Double) -> Point {
            let (cosine, sine) = Self.turn(seconds * 2)
            return Point(x: 200 + 40 * cosine, y: 200 + 40 * sine)
        }
        var random = SeededGenerator(seed: 7)
        var errors = Errors()
        let ahead = Double(milliseconds) / 1000
        for _ in 0..<40 {
            var predictor = StrokePredictor()
            var last: Point?
            for index in 0..<Int(rate * 0.45) {
                let seconds = Double(index) / rate
                // About normal: the sum of three uniform numbers.
                func noise() -> Double {
                    (0..<3).reduce(0.0) { sum, _ in sum + Double.random(in: -jitter...jitter, using: &random) }
                }
                let position = pen(seconds) + Point(x: noise(), y: noise())
                predictor.add(Sample(time: Timestamp(microseconds: Int64(seconds * 1e6)), position: position))
                let path = predictor.path(after: .milliseconds(milliseconds))
                if let last, reports.contains(index), index < end {
                    let truth = pen(seconds + ahead)
                    errors.held.append(position.distance(to: truth))
                    errors.straight.append((position + (position - last) * (rate * ahead)).distance(to: truth))
                    errors.predicted.append((position + (path?.displacement ?? .zero)).distance(to: truth))
                }
                last = position
            }
        }
        return errors
    }

    private struct Errors {
        var held: [Double] = []
        var straight: [Double] = []
        var predicted: [Double] = []

        static func median(_ errors: [Double]) -> Double { errors.sorted()[errors.count / 2] }
    }

    @Test(
        "on a circle, clean or noisy, predictions beat the last velocity and the last report",
        arguments: [60.0, 120, 240], [8, 16] as [Int64])
    func circle(rate: Double, milliseconds: Int64) {
        // 0.3 px three times uniform deviate by 0.3 px.
        // Reports at 60 Hz are 8 px and 12 degrees apart; with noise they need more of the past.
        for (jitter, gain) in [(0.0, 0.75), (0.3, rate < 100 ? 0.95 : 0.9)] {
            let errors = circleErrors(rate: rate, jitter: jitter, milliseconds: milliseconds, reports: 12...)
            let (straight, held) = (Errors.median(errors.straight), Errors.median(errors.held))
            let predicted = Errors.median(errors.predicted)
            // The part that is left out on purpose, 5 %.
            let left = 0.05 * held
            #expect(predicted < gain * straight + left, "jitter \(jitter): \(predicted) px, straight \(straight) px")
            #expect(predicted < 0.4 * held, "jitter \(jitter): \(predicted) px, held \(held) px")
        }
    }

    @Test("a pen that lands moving is followed from its third report on", arguments: [120.0, 200], [0, 0.3])
    func landing(rate: Double, jitter: Double) {
        let errors = circleErrors(rate: rate, jitter: jitter, milliseconds: 8, reports: 2..., end: 12)
        let (straight, predicted) = (Errors.median(errors.straight), Errors.median(errors.predicted))
        #expect(predicted < (jitter > 0 ? 1.05 : 0.9) * straight, "\(predicted) px, straight \(straight) px")
    }

    @Test("a braking pen is predicted to stop near the right place and not to turn back")
    func stop() {
        // 600 px/s to rest in 150 ms, over 45 px.
        let stroke = Stroke("braking", rate: 120, milliseconds: 150) { seconds in
            Point(x: 10 + 600 * seconds - 2000 * seconds * seconds, y: 40)
        }
        for count in 1...stroke.samples.count {
            var predictor = predictor(after: stroke.samples.prefix(count))
            guard let path = predictor.path(after: .milliseconds(20)) else { continue }
            let end = stroke.samples[count - 1].position.x + path.displacement.x
            #expect(path.displacement.x > 0 && end < 58, "after \(count) reports")
        }
        let rest = (1...20).map {
            Sample(time: Timestamp(microseconds: 150_000 + Int64($0) * 8333), position: Point(x: 55, y: 40))
        }
        var predictor = predictor(after: stroke.samples + rest)
        #expect(predictor.path(after: .milliseconds(16)) == nil)
    }

    @Test("steps that say nothing about the next one hardly worsen it", arguments: 0..<5 as Range<UInt64>)
    func unforeseeable(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (held, missed) = (0.0, 0.0)
        var predictor = StrokePredictor()
        var position = Point(x: 500, y: 500)
        var predicted = Point.zero
        for index in 0..<400 {
            let step = Point(x: .random(in: -15...15, using: &random), y: .random(in: -15...15, using: &random))
            held += step.squaredLength
            missed += (step - predicted).squaredLength
            position = position + step
            predictor.add(Sample(time: .zero + .milliseconds(8 * index), position: position))
            predicted = predictor.path(after: .milliseconds(8))?.displacement ?? .zero
        }
        // Carrying the last velocity on would double the squared error.
        #expect(missed < 1.3 * held)
    }

    @Test("nothing is predicted for no time, for the past, or from one report")
    func nothing() {
        var predictor = predictor(after: circle(rate: 100).samples)
        #expect(predictor.path(after: .zero) == nil)
        #expect(predictor.path(after: .microseconds(Int64.min)) == nil)
        var single = self.predictor(after: [Sample(time: .zero, position: .zero)])
        #expect(single.path(after: .milliseconds(8)) == nil)
        var none = StrokePredictor()
        #expect(none.path(after: .milliseconds(8)) == nil)
    }

    @Test("predictions keep the limits of time and of speed")
    func bounds() {
        for seed in 0..<60 as Range<UInt64> {
            let stroke = Stroke.random(seed: seed, count: 80)
            var predictor = StrokePredictor()
            for (index, sample) in stroke.samples.enumerated() {
                predictor.add(sample)
                guard let path = predictor.path(after: .microseconds(Int64.max)) else { continue }
                #expect(path.duration == StrokePredictor.longest)
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
            #expect(predictor.patience >= .milliseconds(10))
            for ahead in [.microseconds(1), .milliseconds(8), .microseconds(Int64.max)] as [Duration] {
                guard let path = predictor.path(after: ahead) else { continue }
                #expect(path.displacement.isFinite && path.direction?.isFinite != false)
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
                let ways = (predictor.path(after: .milliseconds(16)), standard.path(after: .milliseconds(16)))
                #expect(ways.0?.displacement == ways.1.map { $0.displacement * factor })
            }
            #expect(standard.path(after: .milliseconds(16)) != nil)
        }
    }

    @Test("reports with equal times have no speed")
    func oneTime() {
        let samples = (0..<40).map {
            Sample(time: Timestamp(microseconds: 7), position: Point(x: Double($0) * 5, y: 0))
        }
        var predictor = predictor(after: samples)
        #expect(predictor.path(after: .milliseconds(16)) == nil)
    }

    @Test("the time of the start makes no difference", arguments: Breadth.seeds(3, long: 10))
    func timeShift(seed: UInt64) {
        let samples = Stroke.random(seed: seed, count: 60).samples
        let later = samples.map { Sample(time: $0.time + .microseconds(123_456_789), position: $0.position) }
        var (first, second) = (predictor(after: samples), predictor(after: later))
        let ways = [first.path(after: .milliseconds(9)), second.path(after: .milliseconds(9))].map { $0?.displacement }
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
        _ = predictor.path(after: .milliseconds(12))
        let found = predictor.path(after: .milliseconds(12))
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
        #expect(end.width == tip.width && end.time == tip.time + .milliseconds(12))
        #expect(Array(ink.centerline.prefix(bare.centerline.count)) == bare.centerline)
        let checks = OutlineChecks(ink)
        #expect(checks.leastArea > 0)
        // The stroke is straight, and so is its continuation.
        for fraction in [0.0, 0.3, 0.7, 1] {
            let point = tip.position + path.displacement * fraction
            #expect(checks.winding(at: point + Point(x: 0, y: tip.width * 0.4)) > 0)
        }
    }

    /// The directions in radians of the chords of `points`, each relative to the one before.
    private func turns(_ points: [Point]) -> [Double] {
        let chords = zip(points, points.dropFirst()).map { $1 - $0 }
        // Small angles: the sine is the angle.
        return zip(chords, chords.dropFirst()).map { $0.cross($1) / ($0.length * $1.length) }
    }

    @Test("predicted ink goes on in the direction and with the curvature of the ink", arguments: [60.0, 120, 240])
    func continuesCurve(rate: Double) throws {
        // A parabola, whose curvature near its apex is 0.02 a pixel; 400 px/s.
        let stroke = Stroke("parabola", rate: rate, milliseconds: 250) { seconds in
            let x = 400 * (seconds - 0.25)
            return Point(x: 150 + x, y: 60 + 0.01 * x * x)
        }
        var ink = StrokeInk()
        var model = Pen(.ink).makeStroke()
        var predictor = StrokePredictor()
        for sample in stroke.samples {
            model.add(sample, to: &ink)
            predictor.add(sample)
        }
        let inkCount = ink.centerline.count
        let found = predictor.path(after: .milliseconds(16))
        #expect(found != nil)
        ink.show(found)
        let points = ink.centerline.map(\.position)
        // From 4 px before the tip on, so that the chord over the tip is among them.
        let first = try #require(points[..<inkCount].lastIndex { $0.distance(to: points[inkCount - 1]) > 4 })
        for turn in turns(Array(points[first...])) { #expect(abs(turn) < 0.08) }
        // 6 px further on the parabola has turned by 0.12 from the tip, to the same side.
        let tip = points[inkCount - 1]
        let end = points[points.count - 1]
        #expect(end.distance(to: Point(x: end.x, y: 60 + 0.01 * (end.x - 150) * (end.x - 150))) < 0.25)
        #expect((end - tip).cross(points[points.count - 1] - points[points.count - 2]) > 0)
    }

    @Test("after noise, predicted ink leaves the tip in the ink's direction", arguments: Breadth.seeds(6, long: 20))
    func noKink(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (ink, predictor) = (StrokeInk(), StrokePredictor())
        var model = Pen(.ink).makeStroke()
        var shown = 0
        for index in 0..<60 {
            // 360 px/s at 120 Hz on a coarse panel.
            let noise = Point(x: .random(in: -0.5...0.5, using: &random), y: .random(in: -0.5...0.5, using: &random))
            let exact = Point(x: 20 + 3 * Double(index), y: 50 + 0.02 * Double(index * index)) + noise
            let sample = Sample(
                time: .zero + .microseconds(8333 * index),
                position: Point(x: exact.x.rounded(), y: exact.y.rounded()))
            model.add(sample, to: &ink)
            predictor.add(sample)
            guard index > 10, let path = predictor.path(after: .milliseconds(16)) else { continue }
            let inkCount = ink.centerline.count
            ink.show(path)
            let points = ink.centerline.map(\.position)
            let before = try #require(points[..<inkCount].last { $0.distance(to: points[inkCount - 1]) > 0.5 })
            let (arrival, departure) = (points[inkCount - 1] - before, points[inkCount] - points[inkCount - 1])
            // The straight way to the end may differ by more: the last report is off by up to a pixel.
            let angle = abs(arrival.cross(departure)) / (arrival.length * departure.length)
            #expect(angle < 0.25 && arrival.dot(departure) > 0, "report \(index)")
            shown += 1
        }
        #expect(shown > 40)
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
            ink.show(predictor.path(after: .milliseconds(16)))
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
