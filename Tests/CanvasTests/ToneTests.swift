// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

/// Runs that are final are kept as pixels where there are many, and long runs are thinned out; nobody may see either.
@Suite("Tones over strokes")
struct ToneTests {
    private static let pen = Pen(.offset, switches: [.varyingColor])
    private static let background = Color(red: 250, green: 240, blue: 220)

    /// Wild ways over all of the page, of many tones, and after each a slow one, of a single tone, row by row over all
    /// of the tile in the page's lower right corner.
    private static func samples(seed: UInt64) -> [Sample] {
        var scribble = Scribble(seed: seed)
        var samples: [Sample] = []
        for _ in 0..<2 {
            for _ in 0..<60 { samples.append(scribble.next()) }
            for index in 0..<14 * 13 {
                let (row, step) = index.quotientAndRemainder(dividingBy: 14)
                let column = row % 2 == 0 ? step : 13 - step
                samples.append(
                    Sample(
                        microseconds: Int64(samples.count) * 8000,
                        position: Point(x: 62 + Double(column), y: 61 + Double(row))))
            }
        }
        return samples
    }

    @Test(
        "strokes of many tones, slow and fast, show what their runs show when each is filled in one",
        arguments: 0..<6 as Range<UInt64>)
    func strokes(seed: UInt64) {
        let color = Color(red: 0, green: 40, blue: 120, alpha: seed % 2 == 0 ? 255 : 150)
        var canvas = Canvas(
            size: Scribble.page, pen: Self.pen, color: color, background: Self.background,
            undoBytes: seed % 3 == 0 ? 0 : 64 << 20)
        let screen = PixelBuffer(size: Scribble.page)
        var random = SeededGenerator(seed: seed)
        var strokes: [StrokeInk] = []
        func expectPage(_ canvas: inout Canvas, _ what: String) {
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            let shown = strokes + [canvas.wetInk].compactMap { $0 }
            let expected = Scribble.painted(shown, color: color, background: Self.background)
            #expect(Scribble.bytes(of: screen.surface) == expected, "seed \(seed), \(what)")
        }
        for number in 0..<3 {
            for (report, sample) in Self.samples(seed: seed * 10 + UInt64(number)).enumerated() {
                canvas.apply(report == 0 ? .begin(sample) : .move(sample))
                if report % 5 == 0 { canvas.predict(until: sample.microseconds + 9000) }
                if report % 11 == 0 {
                    let (x, y) = (Int.random(in: 0..<70, using: &random), Int.random(in: 0..<60, using: &random))
                    canvas.redraw(PixelRect(minX: x, minY: y, maxX: x + 20, maxY: y + 9))
                }
                // Not after each, so that some runs come and go between.
                if report % 3 == 0 { canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none) }
                if report % 120 == 119 { expectPage(&canvas, "stroke \(number), report \(report)") }
            }
            if number == 1 {
                canvas.apply(.cancel)
            } else if let stroke = canvas.apply(.end) {
                #expect(stroke.runs.count > 25)
                strokes.append(stroke)
            }
            expectPage(&canvas, "stroke \(number)")
            canvas.redraw(PixelRect(size: Scribble.page))
            expectPage(&canvas, "stroke \(number), painted again")
        }
    }
}
