// SPDX-License-Identifier: Apache-2.0
import Geometry
@testable import Ink
import TestSupport
import Testing

@Suite("The ends of strokes")
struct StrokeEndTests {
    private static let pixelsPerMillimetre = PixelDensity.standard.pixelsPerMillimetre
    private let tapering = Pen(.ink)
    private let plain = Pen(.ink, switches: [])

    /// A line to the right, at 60 reports a second, through the given places.
    private func line(_ places: [Double]) -> Stroke {
        Stroke("line", places.enumerated().map { (ms: Double($0) * 1000 / 60, x: 100 + $1, y: 100) })
    }

    /// A line that is drawn at a speed in mm/s, after a rest of some reports.
    private func dash(rest: Int = 0, speed: Double, millimetres: Double, slowEnd: Bool = false) -> Stroke {
        var places = [Double](repeating: 0, count: rest)
        var (place, step) = (0.0, speed / 60)
        while place < millimetres {
            places.append(place)
            if slowEnd, place > millimetres - 20 { step = max(step * 0.6, 0.2) }
            place += step
        }
        return line(places.map { ($0 * Self.pixelsPerMillimetre * 4).rounded() / 4 })
    }

    /// The distance that the ink goes to the left, beyond what the samples do.
    private func wayBack(_ stroke: Stroke) -> Double {
        func way(_ points: [Point]) -> Double {
            zip(points, points.dropFirst()).reduce(0) { $0 + max(0, $1.0.x - $1.1.x) }
        }
        return way(stroke.drawn(with: plain).centerline.map(\.position)) - way(stroke.samples.map(\.position))
    }

    @Test("ink does not swing back at a rest before a dash, nor at one after it", arguments: [
        [0, 0, 0, 0, 30, 64, 100, 138, 176], [0, 0.25, 0.25, 0.5, 30, 64, 100, 138],
        [0, 0, 0, 0, 0, 0, 0, 0, 30, 60, 90, 120], [0, 0.25, 0, 0.25, 0.5, 0.25, 0, 30, 60, 90, 120],
        [0, 1, 1, 2, 2, 30, 60, 100, 140], [0, 0, 0, 0, 10, 40, 80, 120, 160],
    ])
    func whip(places: [Double]) {
        let forwards = wayBack(line(places))
        let backwards = wayBack(line(places.reversed().map { places[places.count - 1] - $0 }))
        #expect(max(forwards, backwards) < 0.4, "\(forwards), \(backwards)")
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

    @Test("a pen that lands, waits and leaves makes no knob, and a slow stroke keeps its width")
    func knobs() throws {
        let pen = Pen(.ink, width: 0.5, switches: [])
        for rest in [0, 3, 6, 12] {
            let ink = dash(rest: rest, speed: 120, millimetres: 30).drawn(with: pen).centerline
            let mean = ink.reduce(0) { $0 + $1.width } / Double(ink.count)
            #expect(try #require(ink.first).width < 1.3 * mean, "\(rest)")
        }
        let slow = dash(speed: 8, millimetres: 12).drawn(with: pen).centerline
        #expect(slow.allSatisfy { $0.width > 1.4 * 0.5 * Self.pixelsPerMillimetre })
    }

    @Test("a marker is as wide at its ends as elsewhere")
    func marker() {
        var parameters = InkParameters(width: 2)
        (parameters.slowWidth, parameters.fastWidth) = (1, 1)
        for stroke in [dash(rest: 5, speed: 300, millimetres: 40), dash(speed: 5, millimetres: 9)] {
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
            let stroke = dash(speed: speed, millimetres: 60)
            let (thin, full) = (stroke.drawn(with: tapering).centerline, stroke.drawn(with: plain).centerline)
            #expect(thin.map(\.position) == full.map(\.position))
            let ratio = try #require(thin.last).width / #require(full.last).width
            #expect(abs(ratio - InkParameters().taperWidth) < 0.01)
            let steps = zip(thin, thin.dropFirst()).map { a, b in
                (max(a.width, b.width) / min(a.width, b.width) - 1) / a.position.distance(to: b.position)
            }
            let slope = InkParameters().widthSlope / Self.pixelsPerMillimetre
            #expect(try #require(steps.max()) < slope * 1.0001)
        }
    }

    @Test("slow ends, rests, dots and commas have no taper")
    func noTaper() {
        let strokes = [
            dash(speed: 60, millimetres: 30), dash(speed: 300, millimetres: 60, slowEnd: true),
            dash(speed: 300, millimetres: 1.5), line([0]), line([0, 2]), line([0, 4, 9]),
            line((0..<12).map { Double(min($0, 8)) * 30 }),
        ]
        for stroke in strokes {
            let (ink, expected) = (stroke.drawn(with: tapering), stroke.drawn(with: plain))
            #expect(ink.centerline == expected.centerline, "\(stroke.samples)")
        }
    }

    @Test("a pen that still presses while it leaves has less taper")
    func pressure() throws {
        func tip(_ pressure: Double) throws -> Double {
            var stroke = dash(speed: 400, millimetres: 60)
            for index in stroke.samples.indices { stroke.samples[index].pressure = index == 0 ? 0.5 : pressure }
            let (thin, full) = (stroke.drawn(with: tapering).centerline, stroke.drawn(with: plain).centerline)
            return try #require(thin.last).width / #require(full.last).width
        }
        let tips = try [0.02, 0.4, 0.8, 1].map(tip)
        #expect(tips == tips.sorted() && tips[0] < 0.45 && tips[3] == 1, "\(tips)")
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

    @Test("finishing a stroke without samples draws nothing")
    func blank() {
        for pen in Pen.tested {
            var (model, ink) = (pen.makeStroke(), StrokeInk())
            model.finish(&ink)
            #expect(ink.pieces.isEmpty && ink.centerline.isEmpty)
        }
    }
}
