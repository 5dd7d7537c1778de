// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport

/// Strokes that cross themselves many times, and their reference pictures.
struct Scribble {
    static let page = PixelSize(width: 75, height: 70)

    private var random: SeededGenerator
    private var position: Point
    private var microseconds: Int64 = 0
    /// The largest step in pixels.
    private let speed: Double

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        speed = [3.0, 9, 30, 90][Int.random(in: 0..<4, using: &random)]
        position = Point(x: .random(in: 0..<75, using: &random), y: .random(in: 0..<70, using: &random))
    }

    /// The next report. Some repeat the position or are off the page.
    mutating func next() -> Sample {
        let step = Point(x: .random(in: -1...1, using: &random), y: .random(in: -1...1, using: &random)) * speed
        let next = position + step
        // Most positions are whole numbers, as from devices.
        if Int.random(in: 0..<4, using: &random) > 0 {
            position = Point(
                x: min(max(next.x.rounded(), -6), 80), y: min(max(next.y.rounded(), -6), 76))
        } else {
            position = Point(x: min(max(next.x, -6), 80), y: min(max(next.y, -6), 76))
        }
        microseconds += .random(in: 2000...12_000, using: &random)
        return Sample(time: Timestamp(microseconds: microseconds), position: position)
    }

    /// Strokes on a fresh page, each run of each in one fill.
    static func painted(_ strokes: [StrokeInk], color: Color, background: Color, size: PixelSize = page) -> [UInt32] {
        painted(strokes.map { ($0, color) }, background: background, size: size)
    }

    /// The same for strokes with their own colours.
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
        return words(of: pixels.surface)
    }
}

/// Strokes of one to 24 reports, slow and fast ones, on and beside a page of 140 x 110 pixels.
enum RandomStroke {
    /// All events but the end.
    static func events(_ random: inout SeededGenerator) -> [StrokeEvent] {
        let speed = [2.0, 12, 70][Int.random(in: 0..<3, using: &random)]
        var position = Point(x: .random(in: -10..<150, using: &random), y: .random(in: -10..<120, using: &random))
        return (0..<Int.random(in: 1..<25, using: &random)).map { index in
            let sample = Sample(time: .zero + .milliseconds(8 * index), position: position)
            position =
                position
                + Point(
                    x: .random(in: -speed...speed, using: &random), y: .random(in: -speed...speed, using: &random))
            return index == 0 ? .begin(sample) : .move(sample)
        }
    }
}

/// A simple model of a page: a list of sheets, each with its strokes and its undone strokes.
struct PageModel<Stroke> {
    private var sheets: [(done: [Stroke], undone: [Stroke])] = [([], [])]
    private var current = 0

    /// The visible strokes.
    var strokes: [Stroke] { sheets[current].done }

    mutating func add(_ stroke: Stroke) {
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].done.append(stroke)
        sheets[current].undone = []
    }

    mutating func undo() -> Bool {
        if let stroke = sheets[current].done.popLast() {
            sheets[current].undone.append(stroke)
            return true
        }
        guard current > 0 else { return false }
        current -= 1
        return true
    }

    mutating func redo() -> Bool {
        if let stroke = sheets[current].undone.popLast() {
            sheets[current].done.append(stroke)
            return true
        }
        guard current + 1 < sheets.count else { return false }
        current += 1
        return true
    }

    mutating func clear() -> Bool {
        guard !sheets[current].done.isEmpty else { return false }
        sheets.removeLast(sheets.count - current - 1)
        sheets[current].undone = []
        sheets.append(([], []))
        // One clear can be undone.
        if sheets.count > 2 { sheets.removeFirst() }
        current = sheets.count - 1
        return true
    }
}
