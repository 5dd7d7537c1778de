// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import TestSupport
import Testing

@testable import Ink

@Suite("The ends of strokes")
struct StrokeEndTests {
    private static let pixelsPerMillimetre = PixelDensity.standard.pixelsPerMillimetre
    private let tapering = Pen(.ink)
    private let plain = Pen(.ink, switches: [])

    /// A line to the right through the given places.
    private func line(_ places: [Double], rate: Double = 60) -> Stroke {
        Stroke("line", places.enumerated().map { (ms: Double($0) * 1000 / rate, x: 100 + $1, y: 100) })
    }

    /// A line that is drawn at speeds in mm/s, each over a length in millimetres, after a rest of some reports.
    private func line(rest: Int = 0, _ parts: [(speed: Double, millimetres: Double)], rate: Double = 60) -> Stroke {
        var places = [Double](repeating: 0, count: rest)
        var (place, end) = (0.0, 0.0)
        for part in parts {
            end += part.millimetres
            while place < end {
                places.append((place * Self.pixelsPerMillimetre * 4).rounded() / 4)
                place += part.speed / rate
            }
        }
        return line(places, rate: rate)
    }

    /// The width of the ink, in multiples of the pen's width, at a distance in millimetres from the start.
    private func width(of ink: StrokeInk, at millimetres: Double, _ pen: Pen) -> Double {
        let place = ink.centerline.min { a, b in
            abs(a.position.x - 100 - millimetres * Self.pixelsPerMillimetre)
                < abs(b.position.x - 100 - millimetres * Self.pixelsPerMillimetre)
        }
        return (place?.width ?? 0) / ((pen.width ?? Pen.inkWidth) * Self.pixelsPerMillimetre)
    }

    /// The distance that the ink goes to the left, beyond what the samples do.
    private func wayBack(_ stroke: Stroke) -> Double {
        func way(_ points: [Point]) -> Double {
            zip(points, points.dropFirst()).reduce(0) { $0 + max(0, $1.0.x - $1.1.x) }
        }
        return way(stroke.drawn(with: plain).centerline.map(\.position)) - way(stroke.samples.map(\.position))
    }

    @Test(
        "ink does not swing back at a rest before a dash, nor at one after it",
        arguments: [
            [0, 0, 0, 0, 30, 64, 100, 138, 176], [0, 0.25, 0.25, 0.5, 30, 64, 100, 138],
            [0, 0, 0, 0, 0, 0, 0, 0, 30, 60, 90, 120], [0, 0.25, 0, 0.25, 0.5, 0.25, 0, 30, 60, 90, 120],
            [0, 1, 1, 2, 2, 30, 60, 100, 140], [0, 0, 0, 0, 10, 40, 80, 120, 160],
        ])
    func whip(places: [Double]) {
        for (rate, limit) in [(60.0, 0.4), (120, 0.2)] {
            let places = places.map { $0 * 60 / rate }
            let forwards = wayBack(line(places, rate: rate))
            let backwards = wayBack(line(places.reversed().map { places[places.count - 1] - $0 }, rate: rate))
            #expect(max(forwards, backwards) < limit, "\(rate) Hz: \(forwards), \(backwards)")
        }
    }

    @Test("ink ends exactly at the last sample, and starts within the noise of the first")
    func places() throws {
        let least = InkParameters().endRest * InkParameters().leastNoise * Self.pixelsPerMillimetre
        for stroke in (0..<30).map({ Stroke.random(seed: $0) }) {
            let points = stroke.drawn().centerline.map(\.position)
            let (first, second) = (stroke.samples[0].position, stroke.samples[1].position)
            #expect(points.last == stroke.samples.last?.position)
            let distance = try #require(points.first).distance(to: first)
            #expect(distance < InkParameters().mostEndRest * Self.pixelsPerMillimetre)
            // Units of 0.25 px hardly add to the noise.
            if second.distance(to: first) > 1.1 * least { #expect(distance == 0, "\(stroke)") }
        }
    }

    @Test("the start of a stroke that begins with a rest is the middle of the rest")
    func landing() throws {
        // Whole units with noise: (1, 0), (0, 1), (-1, 0), (0, -1) around a place that the first sample misses.
        let rest = [(101.0, 100.0), (100, 101), (99, 100), (100, 99), (101, 100), (100, 101), (99, 100), (100, 99)]
        let dash = (1...11).map { (100 + 12 * Double($0), 100.0) }
        let points = (rest + dash).enumerated().map { (ms: 10 * Double($0), x: $1.0, y: $1.1) }
        let start = try #require(Stroke("rest", points).drawn(with: plain).centerline.first).position
        #expect(start.distance(to: Point(x: 100, y: 100)) < 0.8 && start.distance(to: Point(x: 101, y: 100)) > 0.3)
    }

    @Test("a pen that lands, waits and leaves makes no knob")
    func knob() {
        for rest in [0, 3, 6, 12] {
            let ink = line(rest: rest, [(120, 30)], rate: 100).drawn(with: plain)
            let (end, inner) = (width(of: ink, at: 0, plain), width(of: ink, at: 2.5, plain))
            #expect(end < 1.15 * inner, "\(rest): \(end), \(inner)")
        }
    }

    @Test("the noise of a long rest where the pen lands draws no scribble", arguments: [4, 10, 20])
    func landing(rest: Int) {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var stroke = line(rest: rest, [(60, 20)], rate: 120)
            for index in stroke.samples.indices {
                func noise() -> Double {
                    (0..<4).reduce(0) { sum, _ in sum + .random(in: -0.45...0.45, using: &random) }
                }
                stroke.samples[index].position =
                    stroke.samples[index].position + Point(x: noise(), y: noise())
            }
            let pen = Pen(.ink, switches: [], panelScatter: 0.085)
            let points = stroke.drawn(with: pen).centerline.map(\.position).prefix { $0.x < 110 }
            let way = zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
            #expect(way < 2.2 * points[0].distance(to: points[points.count - 1]), "\(seed): \(way)")
        }
    }

    @Test("slow drawing has all its turns", arguments: [60.0, 120])
    func slowTurns(rate: Double) {
        // A circle of 2 mm at 5 mm a second.
        let radius = Self.pixelsPerMillimetre
        let stroke = Stroke("circle", rate: rate, milliseconds: 1250) { seconds in
            Point(x: 100 + radius * cos(5 * seconds), y: 100 + radius * sin(5 * seconds))
        }
        let points = stroke.drawn(with: plain).centerline.map(\.position)
        #expect(points.allSatisfy { abs($0.distance(to: Point(x: 100, y: 100)) - radius) < 0.4 })
    }

    @Test("a slow stroke, and the slow part of a fast one, have the width of their speed")
    func slow() {
        let slow = line([(8, 12)]).drawn(with: plain)
        let slowing = line([(150, 45), (12, 12)], rate: 120).drawn(with: plain)
        for place in [0, 2.0, 6, 11] { #expect(width(of: slow, at: place, plain) > 1.5) }
        for place in [48.0, 50, 55] { #expect(width(of: slowing, at: place, plain) > 1.5, "\(place)") }
    }

    @Test("an end whose width comes from pressure keeps it")
    func pressedEnd() {
        var stroke = line([(120, 30)])
        for index in stroke.samples.indices { stroke.samples[index].pressure = index < 3 ? 1 : 0.2 }
        #expect(width(of: stroke.drawn(with: plain), at: 0, plain) > 1.25)
    }

    @Test("a marker is as wide at its ends as elsewhere")
    func marker() {
        var parameters = InkParameters(width: 2)
        (parameters.slowWidth, parameters.fastWidth) = (1, 1)
        for stroke in [line(rest: 5, [(300, 40)]), line([(5, 9)])] {
            var (model, ink) = (InkPen(parameters), StrokeInk())
            for sample in stroke.samples { model.add(sample, to: &ink) }
            model.finish(&ink)
            #expect(ink.centerline.allSatisfy { abs($0.width - 2 * Self.pixelsPerMillimetre) < 1e-9 })
        }
    }

    // MARK: taper

    @Test("ink thins out where the pen leaves fast, along the same line, by no more than the largest slope")
    func taper() throws {
        for speed in [300.0, 600] {
            let stroke = line([(speed, 60)])
            let (thin, full) = (stroke.drawn(with: tapering).centerline, stroke.drawn(with: plain).centerline)
            #expect(thin.map(\.position) == full.map(\.position))
            let parameters = InkParameters()
            let least = parameters.leastWidth * Self.pixelsPerMillimetre
            let expected = try max(#require(full.last).width * parameters.taperWidth, least)
            #expect(abs(try #require(thin.last).width - expected) < 0.02)
            let steps = zip(thin, thin.dropFirst()).map { a, b in
                (max(a.width, b.width) / min(a.width, b.width) - 1) / a.position.distance(to: b.position)
            }
            let slope = InkParameters().widthSlope / Self.pixelsPerMillimetre
            #expect(try #require(steps.max()) < slope * 1.0001)
        }
    }

    @Test("a fast end of steady pressure thins out, and one whose pressure has fallen stays as it is")
    func pressed() throws {
        func tip(_ falling: Double, _ pen: Pen) throws -> Double {
            var stroke = line([(400, 60)])
            let last = stroke.samples.count - 1
            for index in stroke.samples.indices {
                stroke.samples[index].pressure = max(0.01, 0.6 - falling * Double(max(0, index - last + 3)) / 3)
            }
            stroke.samples[0].pressure = 0.5
            return try #require(stroke.drawn(with: pen).centerline.last).width
        }
        #expect(try abs(tip(0, tapering) / tip(0, plain) - InkParameters().taperWidth) < 0.1)
        #expect(try tip(0.6, tapering) > 0.6 * tip(0.6, plain))
    }

    @Test("slow ends, rests, dots and commas have no taper")
    func noTaper() {
        let strokes = [
            line([(60, 30)]), line([(300, 40), (40, 20)]), line([0]), line([0, 2]), line([(300, 1.5)], rate: 1000),
            line((0..<12).map { Double(min($0, 8)) * 30 }),
        ]
        for stroke in strokes {
            let (ink, expected) = (stroke.drawn(with: tapering), stroke.drawn(with: plain))
            #expect(ink.centerline == expected.centerline, "\(stroke.samples)")
        }
    }

    @Test("a stroke of less than four widths has no taper, however long it rests before", arguments: [0, 12, 60])
    func comma(rest: Int) throws {
        func ratio(_ widths: Double) throws -> Double {
            let stroke = line(rest: rest, [(300, widths * 2)], rate: 120)
            let thin = stroke.drawn(with: Pen(.ink, width: 2)).centerline.last
            let full = stroke.drawn(with: Pen(.ink, width: 2, switches: [])).centerline.last
            return try #require(thin).width / #require(full).width
        }
        #expect(try ratio(2.5) == 1 && ratio(3.5) == 1)
        #expect(try ratio(9) < 0.5)
    }

    @Test("the taper changes only the wet tail")
    func tail() throws {
        for seed in 0..<30 as Range<UInt64> {
            let stroke = Stroke.random(seed: seed)
            var (model, ink) = (tapering.makeStroke(), StrokeInk())
            for sample in stroke.samples { model.add(sample, to: &ink) }
            let before = ink
            model.finish(&ink)
            let count = before.dryPointCount
            #expect(ink.centerline.prefix(count) == before.centerline.prefix(count))
            #expect(ink.centerline.map(\.position) == before.centerline.map(\.position))
            #expect(ink.dryPieceCount == ink.pieces.count && ink.dryPointCount == ink.centerline.count)
        }
    }

    // MARK: the next stroke continues

    /// A fast line whose contact is lost for some reports, as two strokes.
    private func broken(lost: Int, rate: Double = 60, speed: Double = 250) -> (Stroke, Stroke) {
        let samples = line([(speed, 90)], rate: rate).samples
        var (first, second) = (Stroke("first", []), Stroke("second", []))
        first.samples = Array(samples[..<(samples.count / 2)])
        second.samples = Array(samples[(samples.count / 2 + lost)...])
        return (first, second)
    }

    private func drawn(_ stroke: Stroke, after last: Stroke, with pen: Pen) -> (ink: StrokeInk, last: StrokeInk) {
        func draw(_ stroke: Stroke, after end: StrokeTrail?) -> (StrokeInk, StrokeTrail?) {
            var (model, ink) = (pen.makeStroke(after: end), StrokeInk())
            for sample in stroke.samples { model.add(sample, to: &ink) }
            model.finish(&ink)
            return (ink, model.trail)
        }
        let (before, end) = draw(last, after: nil)
        return (draw(stroke, after: end).0, before)
    }

    @Test("a stroke that continues at once draws the end of the one before with its full width", arguments: [1, 2, 3])
    func continued(lost: Int) throws {
        for (rate, speed) in [(60.0, 250.0), (120, 500)] {
            let (first, second) = broken(lost: lost, rate: rate, speed: speed)
            let (ink, last) = drawn(second, after: first, with: tapering)
            #expect(ink.centerline == second.drawn(with: tapering).centerline)
            // The outlines of both together are those of the first stroke without taper and of the second alone.
            let full = first.drawn(with: plain)
            let tip = try #require(full.centerline.last)
            #expect(try #require(last.centerline.last).width < 0.7 * tip.width)
            let extra = ink.pieces.count - second.drawn(with: tapering).pieces.count
            let box = ink.pieces[..<extra].reduce(Rect.empty) { $0.union($1.bounds) }
            #expect(abs(box.maxX - full.bounds.maxX) < 1e-9 && abs(box.maxX - tip.position.x - tip.width / 2) < 0.01)
            let thinned = zip(last.centerline, full.centerline).first { $0.width < $1.width - 0.01 }
            let start = try #require(thinned).0.position
            #expect(box.minX < start.x)
        }
    }

    @Test("a stroke continues none that is far off in time or place, slow or without taper")
    func notContinued() {
        func isPlain(_ second: Stroke, after first: Stroke, with pen: Pen? = nil) -> Bool {
            let pen = pen ?? tapering
            return drawn(second, after: first, with: pen).ink.outline == second.drawn(with: pen).outline
        }
        func moved(_ stroke: Stroke, by offset: Point = .zero, milliseconds: Int = 0) -> Stroke {
            var stroke = stroke
            for index in stroke.samples.indices {
                stroke.samples[index].position = stroke.samples[index].position + offset
                stroke.samples[index].time += .milliseconds(milliseconds)
            }
            return stroke
        }
        let (first, second) = broken(lost: 1)
        #expect(!isPlain(second, after: first))
        #expect(isPlain(second, after: first, with: plain))
        #expect(isPlain(moved(second, milliseconds: 60), after: first))
        #expect(isPlain(moved(second, milliseconds: -34), after: first))
        #expect(isPlain(moved(second, milliseconds: .max / 2000), after: first))
        // The pen moves 49 pixels in the 33 ms between both.
        for offset in [Point(x: 0, y: 32), Point(x: 0, y: -32), Point(x: -60, y: 0), Point(x: 32, y: 0)] {
            #expect(isPlain(moved(second, by: offset), after: first), "\(offset)")
            #expect(!isPlain(moved(second, by: offset * 0.5), after: first) || offset.x == -60, "\(offset)")
        }
        let (slow, next) = broken(lost: 1, speed: 60)
        #expect(isPlain(next, after: slow))
    }

    @Test("finishing a stroke without samples draws nothing")
    func blank() {
        for pen in Pen.tested {
            var (model, ink) = (pen.makeStroke(), StrokeInk())
            model.finish(&ink)
            #expect(ink.pieces.isEmpty && ink.centerline.isEmpty)
        }
    }
}

@Suite("A landing that the device repeats")
struct HeldLandingTests {
    /// A run up and down, as loops of writing begin.
    private func movement(_ seconds: Double, direction: Double) -> Point {
        let (along, across) = (260 * seconds, 24 * (1 - cos(24 * seconds)))
        return Point(
            x: 100 + along * cos(direction) - across * sin(direction),
            y: 100 + along * sin(direction) + across * cos(direction))
    }

    /// The stroke as a device reports it that repeats the first position for some milliseconds.
    private func stroke(held milliseconds: Double, rate: Double, direction: Double) -> Stroke {
        var stroke = Stroke("held", rate: rate, milliseconds: 300) { movement($0, direction: direction) }
        let start = stroke.samples[0]
        for index in stroke.samples.indices
        where stroke.samples[index].time.seconds(since: start.time) * 1000 <= milliseconds {
            stroke.samples[index].position = start.position
        }
        return stroke
    }

    private func start(of ink: StrokeInk) -> [Point] {
        let points = ink.centerline.map(\.position)
        return Array(points.prefix { $0.distance(to: points[0]) < 30 })
    }

    @Test("makes no knee", arguments: [120.0, 200], [5.0, 20, 45])
    func knee(rate: Double, held: Double) {
        for direction in stride(from: 0.0, to: 6, by: 0.7) {
            let stroke = stroke(held: held, rate: rate, direction: direction)
            let measured = stroke.samples.map(\.position).prefix { $0.distance(to: stroke.samples[0].position) < 30 }
            let ink = start(of: stroke.drawn(with: Pen(.ink, switches: [])))
            let excess = ink.turning(every: 1) - Array(measured).turning(every: 1)
            #expect(excess < 0.2, "\(held) ms at \(rate) Hz, \(direction): \(excess)")
        }
    }

    @Test("a pen that rests and then starts keeps its rest and its ink")
    func rest() {
        // A hand gets faster.
        let places = [0.0, 0, 0, 0, 0, 1, 4, 9, 16, 25, 36, 48]
        let stroke = Stroke("start", places.enumerated().map { (ms: Double($0) * 5, x: 100 + $1, y: 100) })
        var landing = HeldLanding()
        var samples = stroke.samples.enumerated().map { number, sample in
            InkSample(
                time: sample.time, report: number, seconds: sample.time.seconds(since: stroke.samples[0].time),
                measured: sample.position, pressure: nil, speed: 0, position: sample.position)
        }
        #expect(!landing.shorten(&samples, least: 0.5) && samples.count == 12)
        #expect(landing.jump == nil)
    }

    @Test("a pen on a coarse panel that rests again after its first step was not held up")
    func coarse() {
        // A slow start in steps of 2 px, as a panel of 160 Hz reports it.
        let places = [0.0, 0, 0, 2, 2, 2, 2, 2, 4, 4, 6, 9, 13, 18, 24, 31, 39]
        let stroke = Stroke("coarse", places.enumerated().map { (ms: Double($0) * 6.25, x: 100 + $1, y: 100) })
        var landing = HeldLanding()
        var samples = stroke.samples.enumerated().map { number, sample in
            InkSample(
                time: sample.time, report: number, seconds: sample.time.seconds(since: stroke.samples[0].time),
                measured: sample.position, pressure: nil, speed: 0, position: sample.position)
        }
        #expect(!landing.shorten(&samples, least: 1.8) && samples.count == places.count)
        #expect(landing.jump == nil)
    }

    @Test("takes the time that the speed after the jump needs, and no longer than it was held")
    func times() throws {
        // 5 px a report of 5 ms, held for four reports.
        for (length, expected) in [(25.0, 0.025), (12, 0.012), (90, 0.025)] {
            let places = [0, 0, 0, 0, 0, length, length + 5, length + 10]
            var samples = places.enumerated().map { number, place in
                InkSample(
                    time: Timestamp(microseconds: Int64(number) * 5000), report: number,
                    seconds: Double(number) * 0.005, measured: Point(x: place, y: 0), pressure: nil, speed: 0,
                    position: Point(x: place, y: 0))
            }
            var landing = HeldLanding()
            #expect(landing.shorten(&samples, least: 0.5) && samples.count == 4)
            #expect(abs(try #require(landing.jump).seconds - expected) < 1e-9 && landing.jump?.report == 5)
            #expect(abs(samples[1].seconds - expected) < 1e-9 && abs(samples[3].seconds - expected - 0.01) < 1e-9)
        }
    }
}
