// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport

/// A stroke made for a test, with a name that a failure prints.
struct Stroke: Sendable, CustomStringConvertible {
    var name: String
    var samples: [Sample]
    var description: String { name }

    init(_ name: String, _ points: [(ms: Double, x: Double, y: Double)], pressure: Double? = nil) {
        self.name = name
        samples = points.map {
            Sample(
                time: Timestamp(microseconds: Int64($0.ms * 1000)), position: Point(x: $0.x, y: $0.y),
                pressure: pressure)
        }
    }

    /// The reports of a panel of `rate` Hz for a movement; the last moment is always reported.
    init(_ name: String, rate: Double, milliseconds: Double, _ movement: (_ seconds: Double) -> Point) {
        var points: [(Double, Double, Double)] = []
        let count = Int(milliseconds * rate / 1000)
        for index in 0...count {
            let time = Double(index) * 1000 / rate
            points.append((time, movement(time / 1000).x, movement(time / 1000).y))
        }
        if milliseconds - points[points.count - 1].0 > 300 / rate {
            points.append((milliseconds, movement(milliseconds / 1000).x, movement(milliseconds / 1000).y))
        }
        self.init(name, points)
    }

    /// The ink after the pen has lifted.
    func drawn(with pen: Pen = Pen(), density: PixelDensity = .standard) -> StrokeInk {
        var ink = StrokeInk()
        var model = pen.makeStroke(density: density)
        for sample in samples { model.add(sample, to: &ink) }
        model.finish(&ink)
        return ink
    }

    /// A random walk with rests, corners, cusps and bad times, as hands and drivers produce them.
    static func random(seed: UInt64, count: Int = 40) -> Stroke {
        var random = SeededGenerator(seed: seed)
        var points: [(ms: Double, x: Double, y: Double)] = []
        var (x, y, dx, dy, time) = (100.0, 100.0, 5.0, 0.0, 0.0)
        for _ in 0..<count {
            points.append((time, x, y))
            switch Int.random(in: 0..<12, using: &random) {
            case 0: (dx, dy) = (-dx, -dy)
            case 1: (dx, dy) = (0, 0)
            case 2: (dx, dy) = (.random(in: -30...30, using: &random), .random(in: -30...30, using: &random))
            case 3: (dx, dy) = (dy, -dx)
            default: (dx, dy) = (dx * 0.95 - dy * 0.3, dy * 0.95 + dx * 0.3)
            }
            (x, y) = (((x + dx) * 4).rounded() / 4, ((y + dy) * 4).rounded() / 4)
            switch Int.random(in: 0..<15, using: &random) {
            case 0: break
            case 1: time -= 7
            case 2: time += 300
            default: time += .random(in: 6...18, using: &random)
            }
        }
        return Stroke("random, seed \(seed)", points)
    }
}

extension Stroke {
    /// Input that devices and drivers have delivered, and worse.
    static let hostile: [Stroke] = [
        Stroke("one sample", five(1)),
        Stroke("two samples", five(2)),
        Stroke("three samples", five(3)),
        Stroke("four samples", five(4)),
        line("two equal samples", 2) { _ in Point(x: 50, y: 50) },
        line("a hundred equal samples", 100) { _ in Point(x: 50, y: 50) },
        line("two samples a pixel apart", 2) { Point(x: 50 + $0, y: 50) },
        timed("two equal samples at one time", 2, across: 0) { _ in 0 },
        line("ten equal samples", 10) { _ in Point(x: 50, y: 50) },
        line("a long press with noise", 60) { Point(x: 50 + 0.3 * bit($0, 1), y: 50 + 0.3 * bit($0, 2)) },
        line("every sample twice", 24) { wave(($0 / 2).rounded(.down)) },
        timed("pairs at one time", 40) { Double(Int($0) / 2) * 20 },
        timed("all at one time", 30) { _ in 0 },
        timed("time running backwards", 30) { 300 - $0 * 10 },
        timed("one step back in time", 30) { $0 == 15 ? 20 : $0 * 10 },
        timed("a gap of ten seconds", 30) { $0 > 14 ? $0 * 10 + 10_000 : $0 * 10 },
        timed("the ends of time", 30) { Int($0) % 3 == 0 ? -9.2e15 : 9.2e15 },
        timed("a thousand reports a millisecond", 500) { $0 * 0.001 },
        line("a jump of 2000 pixels", 20) { Point(x: $0 > 9 ? $0 * 5 + 2000 : $0 * 5, y: 60) },
        line("a wild point", 20) { $0 == 6 ? Point(x: 2050, y: 900) : wave($0) },
        line("far above the page", 12) { wave($0) - Point(x: 200, y: 200) },
        timed("a clock that counts from 1970", 12) { 1.7e12 + $0 * 16 },
        line("a spike", 20) { Point(x: $0 * 5, y: $0 == 10 ? 900 : 60) },
        line("straight back", 20) { Point(x: 50 + min($0, 20 - $0) * 7, y: 60) },
        line("to and fro within a pixel", 50) { Point(x: 50 + Double(Int($0) % 2), y: 60) },
        line("a square of four samples", 5) { Point(x: $0 == 1 || $0 == 2 ? 90 : 50, y: $0 == 2 || $0 == 3 ? 90 : 50) },
        line("a circle smaller than the pen", 30) { around(Int($0), radius: 1) },
        line("a crawl", 200) { Point(x: 50 + $0 * 0.05, y: Int($0) % 3 == 0 ? 60.25 : 60) },
        line("as far as a thousand million", 9) { Point(x: ($0 - 4) * 3e8, y: Int($0) % 2 == 0 ? -1e9 : 1e9) },
    ]

    /// Separate, because it is slow.
    static let long = Stroke(
        "5000 samples",
        (0..<5000).map { index in
            let (column, row) = (Double(index % 100), Double(index / 100))
            return (ms: Double(index) * 5, x: 50 + column * 6, y: 40 + row * 8 + column * (99 - column) * 0.02)
        })

    private static func five(_ count: Int) -> [(ms: Double, x: Double, y: Double)] {
        let points: [(ms: Double, x: Double, y: Double)] = [(0, 50, 50), (10, 60, 55), (20, 75, 50), (30, 75, 70)]
        return Array(points.prefix(count))
    }

    /// 100 samples a second.
    private static func line(_ name: String, _ count: Int, _ position: (Double) -> Point) -> Stroke {
        Stroke(
            name,
            (0..<count).map { index in
                let point = position(Double(index))
                return (ms: Double(index) * 10, x: point.x, y: point.y)
            })
    }

    /// A line to the right; `milliseconds` maps a sample's index to its time.
    private static func timed(
        _ name: String, _ count: Int, across pixels: Double = 2, _ milliseconds: (Double) -> Double
    ) -> Stroke {
        Stroke(
            name,
            (0..<count).map { index in
                (ms: milliseconds(Double(index)), x: 20 + Double(index) * pixels, y: 60)
            })
    }

    /// A wave of parabolas, four pixels a sample.
    private static func wave(_ index: Double) -> Point {
        let phase = index.truncatingRemainder(dividingBy: 10)
        return Point(x: 50 + index * 4, y: 50 + phase * (10 - phase) * 0.6)
    }

    /// 0 and 1 in alternating groups of `length` samples.
    private static func bit(_ index: Double, _ length: Int) -> Double { Double(Int(index) / length % 2) }

    /// Points of a circle by repeated rotation by about 37 degrees, without sin.
    private static func around(_ index: Int, radius: Double) -> Point {
        var point = Point(x: radius, y: 0)
        for _ in 0..<index { point = Point(x: point.x * 0.8 - point.y * 0.6, y: point.x * 0.6 + point.y * 0.8) }
        return point + Point(x: 50, y: 50)
    }
}

extension Pen {
    /// Every pen without switches, with each of its switches, and with all of them.
    static let tested: [Pen] = PenName.allCases.flatMap { name in
        [Pen(name, switches: [])] + PenSwitch.allCases.filter(name.switches.contains).map { Pen(name, switches: [$0]) }
            + (name.switches.count > 1 ? [Pen(name, switches: name.switches)] : [])
    }

    // Not in the tests' arguments, because Swift 6.0 crashes over a closure there.

    /// Every pen without switches and with all of them.
    static let plainOrChanged = tested.filter { $0.switches.isEmpty || $0.switches == $0.name.switches }
    static let untapered = tested.filter { !$0.switches.contains(.taper) }
    static let tutorials = tested.filter { $0.name != .ink }
}
