// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@Suite("Pages with a backdrop")
struct BackdropTests {
    private static let size = PixelSize(width: 140, height: 110)
    private static let paper = Color(red: 250, green: 240, blue: 220)
    private static let ink = Color(red: 0, green: 0, blue: 90)

    private static func makeCanvas(undoBytes: Int = 1 << 20) -> Canvas {
        Canvas(size: size, pen: Pen(), color: ink, background: .white, undoBytes: undoBytes)
    }

    /// A page with stripes around an area of the paper's colour.
    private static func draw(_ stripe: Color, around area: PixelRect, on surface: Surface) {
        surface.fill(surface.bounds, with: stripe)
        surface.fill(PixelRect(minX: 0, minY: 20, maxX: size.width, maxY: 30), with: .black)
        surface.fill(area, with: paper)
    }

    private static func area(_ random: inout SeededGenerator) -> PixelRect {
        let (x, y) = (Int.random(in: -5..<100, using: &random), Int.random(in: -5..<80, using: &random))
        return PixelRect(
            minX: x, minY: y, maxX: x + .random(in: 1..<120, using: &random),
            maxY: y + .random(in: 1..<100, using: &random))
    }

    @Test(
        "ink is in its area only and as on a page of its own; around it is what was drawn there",
        arguments: 0..<12 as Range<UInt64>, [0, 1 << 20])
    func sequences(seed: UInt64, undoBytes: Int) {
        var random = SeededGenerator(seed: seed)
        var canvas = Self.makeCanvas(undoBytes: undoBytes)
        var area = Self.area(&random).intersection(PixelRect(size: Self.size))
        var stripe = Color.white
        Self.draw(stripe, around: area, on: canvas.beginPage(inkArea: area))
        let screen = PixelBuffer(size: Self.size)
        var strokes: [StrokeInk] = []
        for step in 0..<40 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<5:
                for event in RandomStroke.events(&random) { canvas.apply(event) }
                // Seen while it is wet, too.
                canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
                if let stroke = canvas.apply(.end) { strokes.append(stroke) }
            case 5:
                stripe = Color(red: UInt8(step), green: 100, blue: 0)
                Self.draw(stripe, around: area, on: canvas.changeBackdrop(PixelRect(size: Self.size)))
            case 6:
                canvas.wipe()
                strokes = []
            default:
                area = Self.area(&random).intersection(PixelRect(size: Self.size))
                Self.draw(stripe, around: area, on: canvas.beginPage(inkArea: area))
                strokes = []
            }
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            let blank = PixelBuffer(size: Self.size)
            Self.draw(stripe, around: area, on: blank.surface)
            var expected = Scribble.bytes(of: blank.surface)
            let inked = Scribble.painted(strokes, color: Self.ink, background: Self.paper, size: Self.size)
            for y in area.minY..<max(area.minY, area.maxY) {
                for x in area.minX..<max(area.minX, area.maxX) {
                    expected[y * Self.size.width + x] = inked[y * Self.size.width + x]
                }
            }
            #expect(Scribble.bytes(of: screen.surface) == expected, "seed \(seed), step \(step)")
        }
    }

    @Test("ink that is hidden for a while is there again")
    func hidden() {
        var canvas = Self.makeCanvas()
        let (area, part) = (PixelRect(size: Self.size), PixelRect(minX: 0, minY: 60, maxX: 140, maxY: 110))
        Self.draw(.white, around: area, on: canvas.beginPage(inkArea: area))
        let screen = PixelBuffer(size: Self.size)
        func shown(_ canvas: inout Canvas) -> [UInt32] {
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            return Scribble.bytes(of: screen.surface)
        }
        let blank = shown(&canvas)
        for x in 0..<10 {
            let sample = Sample(microseconds: Int64(x) * 8000, position: Point(x: 10 + Double(x) * 12, y: 40))
            canvas.apply(x == 0 ? .begin(sample) : .move(sample))
        }
        canvas.apply(.end)
        let inked = shown(&canvas)
        #expect(inked != blank)
        canvas.showInk(in: part)
        let hidden = shown(&canvas)
        #expect(hidden == blank)
        canvas.showInk(in: area)
        let again = shown(&canvas)
        #expect(again == inked)
    }

    @Test("what was wiped does not come back, nor what was on the page before")
    func forgotten() {
        var canvas = Self.makeCanvas()
        func draw(_ canvas: inout Canvas) {
            for x in 0..<10 {
                let sample = Sample(microseconds: Int64(x) * 8000, position: Point(x: 10 + Double(x) * 12, y: 40))
                canvas.apply(x == 0 ? .begin(sample) : .move(sample))
            }
            canvas.apply(.end)
        }
        draw(&canvas)
        canvas.clear()
        draw(&canvas)
        canvas.wipe()
        var (canUndo, canRedo) = (canvas.canUndo, canvas.canRedo)
        #expect(!canUndo && !canRedo)
        draw(&canvas)
        _ = canvas.beginPage(inkArea: PixelRect(size: Self.size))
        (canUndo, canRedo) = (canvas.canUndo, canvas.canRedo)
        #expect(!canUndo && !canRedo)
    }
}
