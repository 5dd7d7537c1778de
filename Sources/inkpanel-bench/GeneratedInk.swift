// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Ink

/// Handwriting of any length: loops, line below line, that hardly cross earlier ones. Five strokes up and down a
/// second, of varying height and speed.
struct GeneratedWriting {
    static let page = PixelSize(width: 2048, height: 2048)
    private static let lineLength = 1960.0
    private static let linePitch = 40.0
    /// Pixels a second along the line.
    private static let advance = 60.0

    /// Reports a second.
    var hertz: Double

    func sample(_ index: Int) -> Sample {
        let seconds = Double(index) / hertz
        return Sample(time: Timestamp(microseconds: Int64(seconds * 1e6)), position: Self.position(at: seconds))
    }

    func samples(_ count: Int) -> [Sample] { (0..<count).map(sample) }

    private static func position(at seconds: Double) -> Point {
        let distance = seconds * advance
        let line = (distance / lineLength).rounded(.down)
        let along = distance - line * lineLength
        // Lines run to and fro and slant, so that each ends where the next one begins and the pen never jumps.
        let x = Int(line) % 2 == 0 ? along : lineLength - along
        let y = (distance / lineLength).truncatingRemainder(dividingBy: 49) * linePitch
        let phase = 2 * Double.pi * 5 * seconds + 0.8 * sin(2 * Double.pi * 1.3 * seconds)
        let height = 9 + 4 * sin(2 * Double.pi * 0.7 * seconds)
        return Point(x: 44 + x + 0.7 * height * sin(phase), y: 30 + y + height * cos(phase))
    }
}

/// One stroke that hatches a small square over and over, so that each report lies on ink that is there already.
struct GeneratedScribble {
    static let page = PixelSize(width: 2048, height: 2048)
    /// Side and top left corner of the square, in pixels.
    private static let side = 200.0
    private static let corner = Point(x: 700, y: 900)
    /// Reports from one side to the other, across and down. Neither divides the other, so the lines wander.
    private static let periods = (x: 13.7, y: 311.3)

    /// Reports a second.
    var hertz: Double
    /// Slow down before each turn, as real hands do. Otherwise the speed is constant.
    var slowsAtTurns = false

    func samples(_ count: Int) -> [Sample] {
        (0..<count).map { index in
            let place = Point(
                x: eased(Self.swing(Double(index) / Self.periods.x)), y: Self.swing(Double(index) / Self.periods.y))
            return Sample(
                time: Timestamp(microseconds: Int64(Double(index) / hertz * 1e6)),
                position: Self.corner + place * Self.side)
        }
    }

    /// The cubic from 0 to 1 that is at rest at both ends.
    private func eased(_ share: Double) -> Double { slowsAtTurns ? share * share * (3 - 2 * share) : share }

    /// A triangle wave between 0 and 1.
    private static func swing(_ phase: Double) -> Double {
        let part = phase.truncatingRemainder(dividingBy: 2)
        return part < 1 ? part : 2 - part
    }
}

/// A page full of short strokes, spread evenly.
enum GeneratedPage {
    static let size = PixelSize(width: 2048, height: 2048)
    private static let sampleCount = 6
    /// The fractional parts of multiples of these cover the square evenly (M. Roberts 2018, "R2 sequence").
    private static let spread = (x: 0.7548776662466927, y: 0.5698402909980532)

    static func stroke(_ number: Int) -> [Sample] {
        func place(_ factor: Double, _ side: Int) -> Double {
            (Double(number + 1) * factor).truncatingRemainder(dividingBy: 1) * Double(side)
        }
        let start = Point(x: place(spread.x, size.width), y: place(spread.y, size.height))
        // Each stroke has a slant of its own.
        let step = Point(x: 9, y: place(spread.y, 16) - 8)
        return (0..<sampleCount).map { index in
            let bend = Point(x: 0, y: Double(index * (sampleCount - index)))
            return Sample(time: .zero + .milliseconds(8 * index), position: start + step * Double(index) + bend)
        }
    }
}
