// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport

/// Strokes that cross themselves over and over, and what they should look like.
struct Scribble {
    static let page = PixelSize(width: 75, height: 70)

    private var random: SeededGenerator
    private var position: Point
    private var microseconds: Int64 = 0
    /// In pixels a report, at most.
    private let speed: Double

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        speed = [3.0, 9, 30, 90][Int.random(in: 0..<4, using: &random)]
        position = Point(x: .random(in: 0..<75, using: &random), y: .random(in: 0..<70, using: &random))
    }

    /// The next report. Now and then it is where it was, or off the page.
    mutating func next() -> Sample {
        let step = Point(x: .random(in: -1...1, using: &random), y: .random(in: -1...1, using: &random)) * speed
        let next = position + step
        // Most positions are whole, as devices have them.
        if Int.random(in: 0..<4, using: &random) > 0 {
            position = Point(
                x: min(max(next.x.rounded(), -6), 80), y: min(max(next.y.rounded(), -6), 76))
        } else {
            position = Point(x: min(max(next.x, -6), 80), y: min(max(next.y, -6), 76))
        }
        microseconds += .random(in: 2000...12_000, using: &random)
        return Sample(microseconds: microseconds, position: position)
    }

    /// Strokes on a fresh page, each run of each in one fill.
    static func painted(_ strokes: [StrokeInk], color: Color, background: Color, size: PixelSize = page) -> [UInt32] {
        painted(strokes.map { ($0, color) }, background: background, size: size)
    }

    /// The same of strokes that have their own colours.
    static func painted(
        _ strokes: [(ink: StrokeInk, color: Color)], background: Color, size: PixelSize = page
    ) -> [UInt32] {
        let pixels = PixelBuffer(size: size)
        pixels.surface.fill(pixels.surface.bounds, with: background)
        var rasterizer = Rasterizer()
        for (stroke, color) in strokes {
            for run in stroke.runs {
                rasterizer.begin(clip: PixelRect(size: size))
                rasterizer.add(stroke.outline, from: run.start, to: run.end)
                rasterizer.fill(
                    .nonZero, with: run.tone.map { color.mixed(with: background, $0.paperShare) } ?? color,
                    into: pixels.surface)
            }
        }
        return bytes(of: pixels.surface)
    }

    static func bytes(of surface: Surface) -> [UInt32] {
        (0..<surface.size.height).flatMap { y in
            UnsafeBufferPointer(start: surface.row(y), count: surface.size.width)
        }
    }
}
