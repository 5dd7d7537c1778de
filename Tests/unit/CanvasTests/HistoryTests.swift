// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@Suite("Undo, redo, clear and redraw")
struct HistoryTests {
    private static let size = PixelSize(width: 140, height: 110)

    static let pens = [Pen(.ink), Pen(.offset, switches: [.varyingColor]), Pen(.naiveWidth)]

    @Test(
        "after any changes the page equals its strokes on a new one, and damage covers the changes",
        arguments: pens, 0..<8 as Range<UInt64>)
    func sequences(pen: Pen, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let color = Color(red: 90, green: 0, blue: 30, alpha: seed % 2 == 0 ? 140 : 255)
        let background = Color(red: 250, green: 240, blue: 220)
        var canvas = Canvas(size: Self.size, pen: pen, color: color, background: background)
        let screen = PixelBuffer(size: Self.size)
        var model = PageModel<StrokeInk>()
        for step in 0..<60 {
            switch Int.random(in: 0..<16, using: &random) {
            case 0..<6:
                for event in RandomStroke.events(&random) { canvas.apply(event) }
                if let stroke = canvas.apply(.end) { model.add(stroke) }
            case 6..<10:
                let did = canvas.undo()
                #expect(did == model.undo())
            case 10..<13:
                let did = canvas.redo()
                #expect(did == model.redo())
            case 13:
                let did = canvas.clear()
                #expect(did == model.clear())
            case 14:
                let x = Int.random(in: -20..<140, using: &random)
                canvas.redraw(PixelRect(minX: x, minY: 10, maxX: x + 30, maxY: 200))
            default:
                // Undone during the stroke, also where it was shown.
                for event in RandomStroke.events(&random) { canvas.apply(event) }
                canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
                let did = canvas.undo()
                #expect(did)
            }
            // Not after each change, so that some tiles change several times between paints.
            guard step % 3 == 2 else { continue }
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            let expected = Scribble.painted(
                model.strokes, color: color, background: background, size: Self.size)
            #expect(words(of: screen.surface) == expected, "seed \(seed), step \(step)")
            guard step % 9 == 8 else { continue }
            let dry = words(of: canvas.dryPixels)
            #expect(dry == expected, "seed \(seed), step \(step)")
        }
    }

    private func draw(_ y: Double, on canvas: inout Canvas) {
        for x in 0..<10 {
            let sample = Sample(
                time: Timestamp(microseconds: Int64(x) * 8000), position: Point(x: 10 + Double(x) * 12, y: y))
            canvas.apply(x == 0 ? .begin(sample) : .move(sample))
        }
        canvas.apply(.end)
    }

    private func makeCanvas() -> Canvas { Canvas(size: Self.size, pen: Pen(), color: .black, background: .white) }

    @Test("canUndo and canRedo are right")
    func possible() {
        var canvas = makeCanvas()
        func expect(undo: Bool, redo: Bool) {
            let (canUndo, canRedo) = (canvas.canUndo, canvas.canRedo)
            #expect(canUndo == undo && canRedo == redo)
        }
        expect(undo: false, redo: false)
        draw(20, on: &canvas)
        expect(undo: true, redo: false)
        canvas.undo()
        expect(undo: false, redo: true)
        canvas.redo()
        canvas.clear()
        expect(undo: true, redo: false)
        canvas.undo()
        expect(undo: true, redo: true)
        draw(40, on: &canvas)
        expect(undo: true, redo: false)
    }

    @Test("during a stroke undo cancels it and redo does nothing, and earlier strokes stay undone")
    func wet() {
        var canvas = makeCanvas()
        draw(20, on: &canvas)
        draw(60, on: &canvas)
        canvas.undo()
        canvas.apply(.begin(Sample(time: .zero, position: Point(x: 70, y: 90))))
        let couldRedo = canvas.redo()
        #expect(!couldRedo)
        let couldUndo = canvas.undo()
        #expect(couldUndo)
        let ended = canvas.apply(.end)
        #expect(ended == nil)
        let couldRedoThen = canvas.redo()
        #expect(couldRedoThen)
        var plain = makeCanvas()
        draw(20, on: &plain)
        draw(60, on: &plain)
        let (dry, expected) = (words(of: canvas.dryPixels), words(of: plain.dryPixels))
        #expect(dry == expected)
    }

    @Test("a clear cancels the stroke being drawn, and only the last clear can be undone")
    func clears() {
        var canvas = makeCanvas()
        let blank = words(of: canvas.dryPixels)
        canvas.apply(.begin(Sample(time: .zero, position: Point(x: 70, y: 90))))
        let cleared = canvas.clear()
        let wet = canvas.wetInk
        let canUndo = canvas.canUndo
        #expect(cleared && wet == nil && !canUndo)
        draw(20, on: &canvas)
        canvas.clear()
        let dry = words(of: canvas.dryPixels)
        #expect(dry == blank)
        draw(60, on: &canvas)
        let second = words(of: canvas.dryPixels)
        canvas.clear()
        canvas.undo()
        let again = words(of: canvas.dryPixels)
        #expect(again == second)
        canvas.undo()
        let couldUndo = canvas.undo()
        let last = words(of: canvas.dryPixels)
        #expect(!couldUndo && last == blank)
    }

    @Test("undo of a long diagonal damages less than half of its bounds")
    func diagonal() {
        var canvas = Canvas(
            size: PixelSize(width: 1000, height: 1000), pen: Pen(.linear), color: .black, background: .white)
        for (index, place) in [5.0, 995].enumerated() {
            let sample = Sample(time: .zero + .milliseconds(8 * index), position: Point(x: place, y: place))
            canvas.apply(index == 0 ? .begin(sample) : .move(sample))
        }
        canvas.apply(.end)
        _ = canvas.takeDamage()
        canvas.undo()
        let area = canvas.takeDamage().rects.reduce(0) { $0 + $1.area }
        #expect(10_000..<500_000 ~= area)
    }
}
