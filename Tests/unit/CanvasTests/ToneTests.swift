// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@testable import Canvas

/// Settling of final runs and thinning of long runs must not change a pixel.
@Suite("Tones over strokes")
struct ToneTests {
    private static let pen = Pen(.offset, switches: [.varyingColor])
    private static let background = Color(red: 250, green: 240, blue: 220)

    /// Wild movements of many tones over the page, and after each a slow one of a single tone, row by row over the tile
    /// in the lower right corner.
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
                        time: Timestamp(microseconds: Int64(samples.count) * 8000),
                        position: Point(x: 62 + Double(column), y: 61 + Double(row))))
            }
        }
        return samples
    }

    @Test(
        "strokes of many tones look like their runs filled one by one",
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
            #expect(words(of: screen.surface) == expected, "seed \(seed), \(what)")
        }
        for number in 0..<3 {
            for (report, sample) in Self.samples(seed: seed * 10 + UInt64(number)).enumerated() {
                canvas.apply(report == 0 ? .begin(sample) : .move(sample))
                if report % 5 == 0 { canvas.predict(until: sample.time + .milliseconds(9)) }
                if report % 11 == 0 {
                    let (x, y) = (Int.random(in: 0..<70, using: &random), Int.random(in: 0..<60, using: &random))
                    canvas.redraw(PixelRect(minX: x, minY: y, maxX: x + 20, maxY: y + 9))
                }
                // Not after each event, so that some runs come and go between.
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

@Suite("Runs that ink a whole tile")
struct InkedRunTests {
    private static let tile = PixelRect(minX: 0, minY: 0, maxX: 32, maxY: 32)

    /// Enough pieces of each tone for thinning, each larger than the tile.
    private static func ink(_ tones: [Tone]) -> StrokeInk {
        var ink = StrokeInk()
        let outline = [Point(x: -9, y: -9), Point(x: 50, y: -9), Point(x: 50, y: 50), Point(x: -9, y: 50)]
        for tone in tones {
            ink.tone = tone
            for _ in 0..<32 { ink.appendPiece { $0.addPolygon(outline) } }
            ink.dry()
        }
        return ink
    }

    @Test("become pixels in place of pieces, and settle when a later run begins")
    func settling() {
        let ink = Self.ink([Tone(lightness: 0.2), Tone(lightness: 0.9)])
        var spans = RowSpans()
        var tile = WetTile(firstRun: 0)
        for run in 0..<2 {
            for number in run * 32..<(run + 1) * 32 { tile.append(number, run: run) }
            tile.thin(ink, tile: Self.tile, &spans)
            #expect(tile.pieces.isEmpty && tile.inked.map(\.run) == Array(0...run))
            let open = tile.unsettled(before: run)
            #expect(open == nil)
            guard let part = tile.unsettled(before: run + 1) else {
                Issue.record("run \(run) cannot be settled")
                return
            }
            #expect(part.pieces.isEmpty && part.inked == run..<run + 1)
            tile.settle(part)
            let rest = tile.unsettled(before: run + 1)
            #expect(rest == nil)
        }
    }

    @Test("are painted when they are dry")
    func dry() {
        let ink = Self.ink([Tone(lightness: 0.9)])
        let grid = TileGrid(size: PixelSize(width: 32, height: 32))
        var tiles = WetTiles(grid: grid)
        tiles.update(with: ink)
        tiles.thin(ink, in: Self.tile)
        let stroke = DryStroke(ink, tiles, colors: InkColors(ink: .black, paper: .white), trail: nil)
        #expect(stroke.pieceCount(place: 0) == 0)
        let pixels = PixelBuffer(size: grid.size)
        var rasterizer = Rasterizer()
        stroke.fill(place: 0, Self.tile, of: pixels.surface, with: &rasterizer)
        let color = Color.black.mixed(with: .white, Tone(lightness: 0.9).paperShare)
        #expect(words(of: pixels.surface).allSatisfy { $0 == color.xrgb8888 })
    }
}

@Suite("Strokes of several pens and colours")
struct StrokeColorTests {
    private static let size = PixelSize(width: 140, height: 110)
    private static let background = Color(red: 250, green: 240, blue: 220)
    private static let pens = [
        Pen(.ink), Pen(.ink, width: 4), Pen(.offset, switches: [.varyingColor]), Pen(.linear, width: 2),
    ]

    private typealias Stroke = (ink: StrokeInk, color: Color)

    private static func color(_ random: inout SeededGenerator) -> Color {
        func channel() -> UInt8 { .random(in: 0...255, using: &random) }
        let alpha = Bool.random(using: &random) ? 255 : UInt8.random(in: 60...200, using: &random)
        return Color(red: channel(), green: channel(), blue: channel(), alpha: alpha)
    }

    @Test(
        "lie over each other in the order drawn: wet, dry, baked, undone and redone",
        arguments: [0, 6000, 64 << 20], 0..<8 as Range<UInt64>)
    func sequences(limit: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var color = Color.black
        var canvas = Canvas(
            size: Self.size, pen: Pen(), color: color, background: Self.background, undoBytes: limit)
        let screen = PixelBuffer(size: Self.size)
        var model = PageModel<Stroke>()
        for step in 0..<80 {
            var wet: [Stroke] = []
            switch Int.random(in: 0..<16, using: &random) {
            case 0..<9:
                if Bool.random(using: &random) {
                    color = Self.color(&random)
                    canvas.use(pen: Self.pens.randomElement(using: &random)!, color: color)
                }
                for event in RandomStroke.events(&random) { canvas.apply(event) }
                let own = color
                if step % 3 == 0 {
                    // A new pen does not change the stroke being drawn.
                    color = Self.color(&random)
                    canvas.use(pen: Self.pens.randomElement(using: &random)!, color: color)
                    canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
                    wet = [canvas.wetInk].compactMap { $0 }.map { ($0, own) }
                    expect(screen.surface, shows: model.strokes + wet, "seed \(seed), step \(step), wet")
                }
                if let stroke = canvas.apply(.end) { model.add((stroke, own)) }
            case 9..<12:
                if canvas.undo() { _ = model.undo() }
            case 12..<14:
                let did = canvas.redo()
                #expect(did == model.redo())
            case 14:
                let did = canvas.clear()
                #expect(did == model.clear())
            default: canvas.redraw(PixelRect(size: Self.size))
            }
            if step % 2 == 0 { continue }
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            expect(screen.surface, shows: model.strokes, "seed \(seed), step \(step)")
        }
    }

    private func expect(_ screen: Surface, shows strokes: [Stroke], _ comment: Comment) {
        let expected = Scribble.painted(strokes, background: Self.background, size: Self.size)
        #expect(words(of: screen) == expected, comment)
    }

    @Test("the later one is on top in a tile")
    func order() {
        var canvas = Canvas(size: Self.size, pen: Pen(.linear, width: 3), color: .black, background: .white)
        let colors = [Color(red: 200, green: 0, blue: 0), Color(red: 0, green: 0, blue: 200)]
        func pixel() -> UInt32 { canvas.dryPixels.row(16)[16] }
        for color in colors {
            canvas.use(pen: Pen(.linear, width: 3), color: color)
            canvas.apply(.begin(Sample(time: .zero, position: Point(x: 4, y: 16))))
            canvas.apply(.move(Sample(time: Timestamp(microseconds: 8000), position: Point(x: 28, y: 16))))
            canvas.apply(.end)
            let shown = pixel()
            #expect(shown == color.xrgb8888)
        }
        canvas.undo()
        let shown = pixel()
        #expect(shown == colors[0].xrgb8888)
    }
}
