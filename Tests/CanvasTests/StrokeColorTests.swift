// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

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
        "lie over each other as they were drawn, wet, dry, baked, undone and done again",
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
                    // What is drawn next does not change what is being drawn.
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
        #expect(Scribble.bytes(of: screen) == expected, comment)
    }

    @Test("in one tile, the later one is on top")
    func order() {
        var canvas = Canvas(size: Self.size, pen: Pen(.linear, width: 3), color: .black, background: .white)
        let colors = [Color(red: 200, green: 0, blue: 0), Color(red: 0, green: 0, blue: 200)]
        func pixel() -> UInt32 { canvas.dryPixels.row(16)[16] }
        for color in colors {
            canvas.use(pen: Pen(.linear, width: 3), color: color)
            canvas.apply(.begin(Sample(microseconds: 0, position: Point(x: 4, y: 16))))
            canvas.apply(.move(Sample(microseconds: 8000, position: Point(x: 28, y: 16))))
            canvas.apply(.end)
            let shown = pixel()
            #expect(shown == color.xrgb8888)
        }
        canvas.undo()
        let shown = pixel()
        #expect(shown == colors[0].xrgb8888)
    }
}
