// SPDX-License-Identifier: Apache-2.0
import Geometry
import TestSupport
import Testing

@testable import Ink

@Suite("The noise of a panel")
struct PanelNoiseTests {
    @Test("the step of the coordinates is found from a few samples", arguments: [0.25, 1, 1.7, 3])
    func step(size: Double) {
        var random = SeededGenerator(seed: 5)
        var step = CoordinateStep()
        for _ in 0..<12 {
            step.add(
                Point(
                    x: 7 + size * Double(Int.random(in: 0...60, using: &random)),
                    y: 9 + size * Double(Int.random(in: 0...60, using: &random))))
        }
        #expect(abs(step.size - size) < 1e-6)
    }

    @Test("coordinates without a step are taken for a step of some tenths of a pixel")
    func noStep() {
        var random = SeededGenerator(seed: 6)
        var turned = CoordinateStep()
        for _ in 0..<60 {
            let x = Double(Int.random(in: 0...300, using: &random))
            let y = Double(Int.random(in: 0...200, using: &random))
            turned.add(Point(x: x * 0.9848 - y * 0.1736, y: x * 0.1736 + y * 0.9848))
        }
        #expect(turned.size > 0.1 && turned.size < 0.8)
    }

    /// Loops of writing with noise on every coordinate, in fine units.
    private func loops(rate: Double, seconds: Double, deviation: Double, seed: UInt64) -> [Point] {
        var random = SeededGenerator(seed: seed)
        // The sum of twelve numbers is nearly normal, with variance 1.
        func noise() -> Double { (0..<12).reduce(-6) { sum, _ in sum + .random(in: 0...1, using: &random) } }
        return (0..<Int(seconds * rate)).map { number in
            let point = InkPenTests.loops(seconds: Double(number) / rate)
            let noisy = Point(x: point.x + deviation * noise(), y: point.y + deviation * noise())
            return Point(x: (noisy.x * 20).rounded() / 20, y: (noisy.y * 20).rounded() / 20)
        }
    }

    @Test("the scatter of a noisy panel is its noise", arguments: [60.0, 120, 200], [0.25, 0.5, 1])
    func scatter(rate: Double, deviation: Double) throws {
        let estimates = try (0..<20 as Range<UInt64>).map { seed in
            var scatter = Scatter()
            for point in loops(rate: rate, seconds: 2, deviation: deviation, seed: seed) { scatter.add(point) }
            return try #require(scatter.deviation)
        }.sorted()
        #expect(abs(estimates[10] / deviation - 1) < 0.2, "\(estimates)")
        #expect(estimates[0] > 0.6 * deviation && estimates[19] < 1.5 * deviation, "\(estimates)")
    }

    @Test("movement is no scatter, and there is no estimate from a few samples", arguments: [60.0, 120, 200])
    func movement(rate: Double) throws {
        var scatter = Scatter()
        let points = loops(rate: rate, seconds: 2, deviation: 0, seed: 1)
        for point in points[..<9] { scatter.add(point) }
        #expect(scatter.deviation == nil)
        for point in points[9...] { scatter.add(point) }
        #expect(try #require(scatter.deviation) < 0.1)
    }

    @Test("the estimate is finite for hostile strokes", arguments: Stroke.hostile)
    func hostile(stroke: Stroke) {
        var noise = PanelNoise(InkParameters(), density: .standard)
        for sample in stroke.samples {
            noise.add(sample.position, period: 0.01)
            #expect(noise.deviation.isFinite && noise.deviation > 0)
        }
    }

    @Test("scatter counts as noise on panels of 60 Hz and more, up to a limit")
    func believed() {
        func deviation(period: Double, scatter: Double) -> Double {
            var noise = PanelNoise(InkParameters(), density: .standard)
            for point in loops(rate: 200, seconds: 2, deviation: scatter, seed: 3) { noise.add(point, period: period) }
            return noise.deviation / PixelDensity.standard.pixelsPerMillimetre
        }
        let parameters = InkParameters()
        #expect(deviation(period: 0.005, scatter: 0) < 0.03 && deviation(period: 0.016, scatter: 0.28) < 0.03)
        // Writing scatters less there.
        #expect(abs(deviation(period: 0.005, scatter: 0.28) - 0.85 * 0.28 * 25.4 / 150) < 0.01)
        #expect(abs(deviation(period: 0.016, scatter: 0.5) - 0.85 * 0.5 * 25.4 / 150) < 0.01)
        #expect(deviation(period: 0.016, scatter: 4) == parameters.noisePerScatter * parameters.mostScatter)
        #expect(deviation(period: 0.033, scatter: 4) < 0.03)
    }

    private func samples(_ points: [Point], rate: Double) -> [Sample] {
        points.enumerated().map { number, point in
            Sample(time: Timestamp(microseconds: Int64(Double(number) * 1_000_000 / rate)), position: point)
        }
    }

    @Test("strokes before show the scatter, whatever their number and density", arguments: [0.25, 0.5])
    func history(deviation: Double) throws {
        var history = ScatterHistory()
        #expect(history.millimetres == nil)
        for density in [PixelDensity.standard, PixelDensity(dotsPerInch: 300)] {
            let scale = density.pixelsPerMillimetre / PixelDensity.standard.pixelsPerMillimetre
            for seed in 0..<100 as Range<UInt64> {
                let points = loops(rate: 120, seconds: 1, deviation: deviation, seed: seed)
                history.add(samples(points.map { $0 * scale }, rate: 120), density: density)
                let scatter = try #require(history.millimetres)
                #expect(abs(scatter * PixelDensity.standard.pixelsPerMillimetre / deviation - 1) < 0.3)
                #expect(abs(scatter * 1000 - (scatter * 1000).rounded()) < 1e-9)
            }
        }
    }

    @Test("strokes of few samples, and those of a slow panel, show no scatter; the latest hundred strokes decide")
    func forgetting() throws {
        var history = ScatterHistory()
        func add(_ deviation: Double, rate: Double, seconds: Double) -> Double? {
            let points = loops(rate: rate, seconds: seconds, deviation: deviation, seed: 7)
            for _ in 0..<100 { history.add(samples(points, rate: rate), density: .standard) }
            return history.millimetres.map { $0 * PixelDensity.standard.pixelsPerMillimetre }
        }
        #expect(add(1, rate: 60, seconds: 0.1) == nil)
        #expect(add(1, rate: 40, seconds: 2) == nil)
        #expect(try #require(add(0.25, rate: 120, seconds: 2)) < 0.3)
        #expect(try #require(add(0.5, rate: 120, seconds: 2)) > 0.4)
    }

    @Test("an earlier history counts until this one has the reports of some seconds", arguments: [0.02, 0.5])
    func earlier(millimetres: Double) throws {
        let points = loops(rate: 120, seconds: 0.9, deviation: 0.5, seed: 3)
        var (fresh, history) = (ScatterHistory(), ScatterHistory(after: millimetres))
        #expect(history.millimetres == millimetres)
        for _ in 0..<2 {
            fresh.add(samples(points, rate: 120), density: .standard)
            history.add(samples(points, rate: 120), density: .standard)
            #expect(fresh.millimetres != nil && history.millimetres == millimetres)
        }
        history.add(samples(points, rate: 120), density: .standard)
        fresh.add(samples(points, rate: 120), density: .standard)
        #expect(history.millimetres == fresh.millimetres)
    }

    @Test("the history stays finite over hostile strokes")
    func hostileHistory() {
        var history = ScatterHistory()
        for stroke in Stroke.hostile {
            for _ in 0..<50 { history.add(stroke.samples, density: .standard) }
            #expect(history.millimetres.map { $0.isFinite && $0 >= 0 } ?? true)
        }
    }

    @Test("a pen that knows the scatter draws the first samples steadily", arguments: [60.0, 120])
    func known(rate: Double) {
        func turning(_ deviation: Double, known: Double?, reports: Double = 9) -> Double {
            (0..<20 as Range<UInt64>).reduce(0) { sum, seed in
                let points = loops(rate: rate, seconds: reports / rate, deviation: deviation, seed: seed)
                var (model, ink) = (Pen(.ink, panelScatter: known).makeStroke(), StrokeInk())
                for sample in samples(points, rate: rate) { model.add(sample, to: &ink) }
                return sum + ink.centerline.map(\.position).turning(every: 1)
            }
        }
        let clean = turning(0, known: nil)
        #expect(turning(0.5, known: nil) > 1.05 * clean)
        #expect(turning(0.5, known: 0.085) < 1.02 * clean)
        // Scatter below 0.06 mm at 60 reports a second is movement.
        #expect(turning(0, known: 0.05 * 60 / rate) == clean)
        // A pen that knows too much still draws the loops.
        #expect(abs(turning(0, known: 40, reports: 10) / turning(0, known: nil, reports: 10) - 1) < 0.05)
    }

    @Test(
        "doubt about few samples steadies the first stroke on a noisy panel and changes none on a clean one",
        arguments: [60.0, 120])
    func doubt(rate: Double) {
        func turning(_ deviation: Double, _ change: (inout InkParameters) -> Void) -> Double {
            var parameters = InkParameters()
            change(&parameters)
            return (0..<40 as Range<UInt64>).reduce(0) { sum, seed in
                let points = loops(rate: rate, seconds: 0.7, deviation: deviation, seed: seed)
                var (model, ink) = (InkPen(parameters), StrokeInk())
                for sample in samples(points, rate: rate) { model.add(sample, to: &ink) }
                return sum + ink.centerline.map(\.position).turning(every: 1)
            }
        }
        func trusting(_ parameters: inout InkParameters) {
            parameters.scatterDoubt = 0
            parameters.leastScatterRange = 1
        }
        let (first, trusted) = (turning(0.5) { _ in }, turning(0.5, trusting))
        let known = turning(0.5) { $0.knownScatter = 0.085 }
        #expect(first - known < 0.7 * (trusted - known), "\(first), \(trusted), \(known)")
        #expect(turning(0) { _ in } == turning(0, trusting))
    }

    @Test("a stroke draws its first samples as steadily as the one before showed the scatter", arguments: [60.0, 120])
    func trail(rate: Double) {
        func turning(after seconds: Double?) -> Double {
            (0..<20 as Range<UInt64>).reduce(0) { sum, seed in
                var (trail, ink) = (StrokeTrail?.none, StrokeInk())
                for seconds in [seconds, 9 / rate].compactMap(\.self) {
                    let points = loops(rate: rate, seconds: seconds, deviation: 0.5, seed: seed)
                    var model = Pen().makeStroke(after: trail)
                    ink = StrokeInk()
                    for sample in samples(points, rate: rate) { model.add(sample, to: &ink) }
                    model.finish(&ink)
                    trail = model.trail
                }
                return sum + ink.centerline.map(\.position).turning(every: 1)
            }
        }
        #expect(turning(after: 2) < 0.97 * turning(after: nil))
    }

    @Test("jitter in fine units is smoothed as well as in coarse ones", arguments: [60.0, 120])
    func jitter(rate: Double) {
        func turning(_ points: [Point]) -> Double {
            var (model, ink) = (Pen(.ink).makeStroke(), StrokeInk())
            for sample in samples(points, rate: rate) { model.add(sample, to: &ink) }
            return ink.centerline.map(\.position).turning(every: 1)
        }
        let clean = turning(loops(rate: rate, seconds: 2, deviation: 0, seed: 1))
        let ratios = (0..<10 as Range<UInt64>).map {
            turning(loops(rate: rate, seconds: 2, deviation: 0.5, seed: $0)) / clean
        }.sorted()
        #expect(ratios[5] < 1.1 && ratios[9] < 1.3, "\(ratios)")
    }
}

extension [Point] {
    /// The sum of the absolute changes of direction, in radians, of a line with a point about every `step` pixels.
    func turning(every step: Double) -> Double {
        var points: [Point] = []
        for point in self where points.last.map({ $0.distance(to: point) >= step }) ?? true { points.append(point) }
        let legs = zip(points, points.dropFirst()).map { $1 - $0 }
        return zip(legs, legs.dropFirst()).reduce(0) { sum, legs in
            // The half angle, from the sine and cosine without a library function that differs between machines.
            let (cosine, sine) = (legs.0.dot(legs.1), abs(legs.0.cross(legs.1)))
            return sum + 2 * sine / ((cosine * cosine + sine * sine).squareRoot() + cosine)
        }
    }
}
