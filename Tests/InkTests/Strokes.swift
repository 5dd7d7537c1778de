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
            Sample(microseconds: Int64($0.ms * 1000), position: Point(x: $0.x, y: $0.y), pressure: pressure)
        }
    }

    /// What a panel of `rate` Hz reports of a movement; the last moment is always reported.
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
        ink.dry()
        return ink
    }

    /// A random walk with rests, corners, cusps and bad times: what hands do and drivers deliver, mixed.
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
