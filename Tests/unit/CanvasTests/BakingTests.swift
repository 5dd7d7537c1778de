// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@testable import Canvas

@Suite("Baking")
struct BakingTests {
    private static let size = PixelSize(width: 140, height: 110)
    private static let background = Color(red: 250, green: 240, blue: 220)
    private static let color = Color(red: 90, green: 0, blue: 30, alpha: 140)

    static let pens = [Pen(.ink), Pen(.offset, switches: [.varyingColor]), Pen(.linear)]
    /// Memory for no stroke, one or two, and about ten.
    static let limits = [0, 4000, 40_000]

    @Test("a page shows its strokes whatever is baked", arguments: pens, limits)
    func sequences(pen: Pen, limit: Int) {
        for seed in 0..<6 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var canvas = Canvas(
                size: Self.size, pen: pen, color: Self.color, background: Self.background, undoBytes: limit)
            let screen = PixelBuffer(size: Self.size)
            var model = PageModel<StrokeInk>()
            for step in 0..<60 {
                switch Int.random(in: 0..<16, using: &random) {
                case 0..<9:
                    for event in RandomStroke.events(&random) { canvas.apply(event) }
                    if Bool.random(using: &random) {
                        expect(&canvas, screen.surface, shows: model.strokes, "seed \(seed), step \(step), wet")
                    }
                    if let stroke = canvas.apply(.end) { model.add(stroke) }
                case 9..<12:
                    // The model can undo more: it does not bake.
                    let canUndo = canvas.canUndo
                    let did = canvas.undo()
                    #expect(did == canUndo)
                    let couldModel = did && model.undo()
                    #expect(did == couldModel)
                case 12..<14:
                    let did = canvas.redo()
                    #expect(did == model.redo())
                case 14:
                    let did = canvas.clear()
                    #expect(did == model.clear())
                default:
                    let x = Int.random(in: -20..<140, using: &random)
                    canvas.redraw(PixelRect(minX: x, minY: 10, maxX: x + 30, maxY: 200))
                }
                if Int.random(in: 0..<3, using: &random) > 0 { continue }
                expect(&canvas, screen.surface, shows: model.strokes, "seed \(seed), step \(step)")
            }
            canvas.redraw(PixelRect(size: Self.size))
            expect(&canvas, screen.surface, shows: model.strokes, "seed \(seed), all drawn again")
        }
    }

    private func expect(
        _ canvas: inout Canvas, _ screen: Surface, shows strokes: [StrokeInk], _ comment: Comment
    ) {
        canvas.compose(canvas.takeDamage(), onto: screen, rotation: .none)
        let expected = Scribble.painted(
            strokes + [canvas.wetInk].compactMap { $0 }, color: Self.color, background: Self.background,
            size: Self.size)
        #expect(words(of: screen) == expected, comment)
    }

    private func makeCanvas(undoBytes: Int) -> Canvas {
        Canvas(size: Self.size, pen: Pen(), color: .black, background: .white, undoBytes: undoBytes)
    }

    private func draw(_ y: Double, reports: Int = 40, on canvas: inout Canvas) {
        for report in 0..<reports {
            let x = 10 + Double(report * 3 % 120)
            let sample = Sample(time: .zero + .milliseconds(8 * report), position: Point(x: x, y: y))
            canvas.apply(report == 0 ? .begin(sample) : .move(sample))
        }
        canvas.apply(.end)
    }

    private func undoCount(_ canvas: inout Canvas) -> Int {
        var count = 0
        while canvas.undo() { count += 1 }
        return count
    }

    @Test("without memory only the last stroke can be undone")
    func last() {
        var canvas = makeCanvas(undoBytes: 0)
        for y in [20.0, 40, 60] { draw(y, on: &canvas) }
        let canUndo = canvas.canUndo
        let count = undoCount(&canvas)
        let canUndoThen = canvas.canUndo
        #expect(canUndo && count == 1 && !canUndoThen)
        let didRedo = canvas.redo()
        #expect(didRedo)

        var plain = makeCanvas(undoBytes: 1 << 20)
        for y in [20.0, 40, 60] { draw(y, on: &plain) }
        let (dry, expected) = (words(of: canvas.dryPixels), words(of: plain.dryPixels))
        #expect(dry == expected)
        let plainCount = undoCount(&plain)
        #expect(plainCount == 3)
    }

    @Test("undo reaches further back with more memory")
    func reach() {
        let counts = [0, 40_000, 100_000, 1 << 20].map { limit in
            var canvas = makeCanvas(undoBytes: limit)
            for number in 0..<40 { draw(20 + Double(number), on: &canvas) }
            return undoCount(&canvas)
        }
        #expect(counts[0] == 1 && counts[0] < counts[1] && counts[1] < counts[2] && counts[2] < 40 && counts[3] == 40)
    }

    @Test("a clear of baked strokes can be undone until a stroke after it is baked")
    func cleared() {
        var canvas = makeCanvas(undoBytes: 0)
        for y in [20.0, 40] { draw(y, on: &canvas) }
        let page = words(of: canvas.dryPixels)
        canvas.clear()
        draw(60, on: &canvas)
        let count = undoCount(&canvas)
        let again = words(of: canvas.dryPixels)
        // The stroke and the clear, but no stroke before it.
        #expect(count == 2 && again == page)
        let couldClear = canvas.clear()
        #expect(couldClear)
        for y in [60.0, 80] { draw(y, on: &canvas) }
        let countThen = undoCount(&canvas)
        #expect(countThen == 1)
    }

    @Test("a stroke larger than the memory can be undone")
    func long() {
        var canvas = makeCanvas(undoBytes: 10_000)
        draw(20, on: &canvas)
        draw(60, reports: 2000, on: &canvas)
        let count = undoCount(&canvas)
        #expect(count == 1)
    }

    @Test("memory and tile lists stay bounded on a page that is never cleared")
    func bounded() {
        let grid = TileGrid(size: Self.size)
        var history = PageHistory(grid, byteLimit: 60_000)
        let colors = InkColors(ink: .black, paper: .white)
        var paper = Paper(grid, colors: colors)
        var rasterizer = Rasterizer()
        var random = SeededGenerator(seed: 5)
        var most = 0
        for number in 0..<2000 {
            var stroke = WetStroke(
                model: Pen().makeStroke(), colors: colors, grid: grid, density: .standard)
            for event in RandomStroke.events(&random) {
                switch event {
                case .begin(let sample), .move(let sample): _ = stroke.add(sample)
                case .end, .cancel: break
                }
                history.bake(onto: &paper, with: &rasterizer)
            }
            _ = stroke.finish()
            history.append(stroke.dried().1)
            history.bake(onto: &paper, with: &rasterizer)
            if number >= 100 { most = max(most, history.byteCount) }
        }
        let strokes = history.strokeNumbers
        // The limit may be exceeded by the last few strokes.
        #expect(30_000..<100_000 ~= most)
        #expect(strokes.upperBound == 2000 && 3..<60 ~= strokes.count)
        #expect(history.tiles.allSatisfy { $0.numbers.count <= strokes.count })
    }
}
