// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Ink
import Raster
public import Record
public import TestSupport

/// Random sketches from a seed.
public struct RandomSketch {
    public var random: SeededGenerator
    private let page: PixelSize

    public init(seed: UInt64, page: PixelSize = PixelSize(width: 300, height: 200)) {
        random = SeededGenerator(seed: seed)
        self.page = page
    }

    /// - Parameter longest: the maximum number of samples.
    public mutating func stroke(longest: Int = 30) -> SketchStroke {
        func channel() -> UInt8 { .random(in: 0...255, using: &random) }
        let color = Color(
            red: channel(), green: channel(), blue: channel(), alpha: Bool.random(using: &random) ? 255 : channel())
        let pen = Pen(
            PenName.allCases.randomElement(using: &random)!,
            width: Bool.random(using: &random) ? Double(Int.random(in: 100...4000, using: &random)) / 1000 : nil,
            pressureCurve: PressureCurve.allCases.randomElement(using: &random)!,
            switches: Set(PenSwitch.allCases.filter { _ in Bool.random(using: &random) }))
        let hasPressure = Bool.random(using: &random)
        var place = Point(
            x: .random(in: 0...Double(page.width), using: &random),
            y: .random(in: 0...Double(page.height), using: &random))
        var time: Int64 = 0
        let samples = (0..<Int.random(in: 1...longest, using: &random)).map { _ in
            let sample = SketchStroke.Sample(
                microseconds: time, x: Int32(place.x * 256), y: Int32(place.y * 256),
                pressure: hasPressure ? Int32.random(in: 0...65_536, using: &random) : nil)
            // Sometimes the clock runs backwards.
            time += Int64.random(in: -500...9000, using: &random)
            place.x = min(max(place.x + .random(in: -12...12, using: &random), 0), Double(page.width))
            place.y = min(max(place.y + .random(in: -12...12, using: &random), 0), Double(page.height))
            return sample
        }
        return SketchStroke(pen: pen, color: color, samples: samples)
    }

    public mutating func entry(longest: Int = 30) -> SketchEntry {
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<9: .stroke(stroke(longest: longest))
        case 9..<12: .undo
        case 12..<15: .redo
        default: .clear
        }
    }

    public mutating func entries(_ count: Int, longest: Int = 30) -> [SketchEntry] {
        (0..<count).map { _ in entry(longest: longest) }
    }
}
