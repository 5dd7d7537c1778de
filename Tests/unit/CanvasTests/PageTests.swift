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
        "ink is visible in its area only, as on a page of its own, with the backdrop around it",
        arguments: Breadth.seeds(4, long: 12), [0, 1 << 20])
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
                // Also while it is wet.
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
            var expected = words(of: blank.surface)
            let inked = Scribble.painted(strokes, color: Self.ink, background: Self.paper, size: Self.size)
            for y in area.minY..<max(area.minY, area.maxY) {
                for x in area.minX..<max(area.minX, area.maxX) {
                    expected[y * Self.size.width + x] = inked[y * Self.size.width + x]
                }
            }
            #expect(words(of: screen.surface) == expected, "seed \(seed), step \(step)")
        }
    }

    @Test("a hole in the area shows no ink, wet or dry, and what is drawn in it on the backdrop")
    func hole() {
        let (area, hole) = (
            PixelRect(minX: 10, minY: 10, maxX: 130, maxY: 100), PixelRect(minX: 60, minY: 10, maxX: 130, maxY: 50)
        )
        var canvas = Self.makeCanvas()
        let screen = PixelBuffer(size: Self.size)
        func draw(_ icon: Color, on surface: Surface) {
            Self.draw(.white, around: area, on: surface)
            surface.fill(hole, with: icon)
        }
        func expectInk(_ icon: Color, _ moment: Comment) {
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            let blank = PixelBuffer(size: Self.size)
            draw(icon, on: blank.surface)
            let (shown, plain) = (words(of: screen.surface), words(of: blank.surface))
            var inked = 0
            for index in shown.indices where shown[index] != plain[index] {
                let (x, y) = (index % Self.size.width, index / Self.size.width)
                #expect(!hole.contains(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)), moment)
                inked += 1
            }
            #expect(inked > 40, moment)
        }
        draw(.black, on: canvas.beginPage(inkArea: area, except: hole))
        Self.line(30, on: &canvas)
        expectInk(.black, "wet")
        canvas.apply(.end)
        expectInk(.black, "dry")
        // A pressed icon.
        let pressed = Color(red: 200, green: 0, blue: 0)
        draw(pressed, on: canvas.changeBackdrop(hole))
        expectInk(pressed, "changed")
        // Wet ink that is written to the picture on the screen.
        Self.line(40, on: &canvas)
        canvas.writeWetInk(of: canvas.takeDamage(), onto: screen.surface, rotation: .none)
        expectInk(pressed, "written")
        draw(.white, on: canvas.beginPage(inkArea: area))
        Self.line(30, on: &canvas)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        #expect(words(of: screen.surface)[30 * Self.size.width + 100] != Color.white.xrgb8888)
    }

    private static func line(_ y: Double, on canvas: inout Canvas) {
        for x in 0..<10 {
            let sample = Sample(
                time: Timestamp(microseconds: Int64(x) * 8000), position: Point(x: 10 + Double(x) * 12, y: y))
            canvas.apply(x == 0 ? .begin(sample) : .move(sample))
        }
        canvas.apply(.end)
    }

    private static func shown(_ canvas: inout Canvas, _ damage: Damage) -> [UInt32] {
        let screen = PixelBuffer(size: size)
        canvas.compose(damage, onto: screen.surface, rotation: .none)
        return words(of: screen.surface)
    }

    @Test("ink stays above a backdrop that changes below it, and undo shows the new backdrop")
    func belowInk() {
        let area = PixelRect(minX: 0, minY: 0, maxX: 140, maxY: 70)
        let part = PixelRect(minX: 20, minY: 30, maxX: 90, maxY: 60)
        let whole = Damage(PixelRect(size: Self.size))
        var canvas = Self.makeCanvas()
        var other = Self.makeCanvas()
        Self.draw(.white, around: area, on: canvas.beginPage(inkArea: area))
        let changed = other.beginPage(inkArea: area)
        Self.draw(.white, around: area, on: changed)
        changed.fill(part, with: .white)
        let blank = Self.shown(&other, whole)
        Self.line(40, on: &canvas)
        Self.line(50, on: &canvas)
        Self.line(40, on: &other)
        Self.line(50, on: &other)
        // The screen has the page before the change, so this also checks the damage.
        let screen = PixelBuffer(size: Self.size)
        canvas.compose(whole, onto: screen.surface, rotation: .none)
        _ = canvas.takeDamage()
        let before = words(of: screen.surface)
        canvas.changeBackdrop(part).fill(part, with: .white)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let after = words(of: screen.surface)
        let expected = Self.shown(&other, whole)
        #expect(after == expected && after != before)
        canvas.undo()
        canvas.undo()
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        #expect(words(of: screen.surface) == blank)
    }

    @Test("the canvas damages the whole page when it is shown again, and keeps ink and undo history")
    func again() {
        var canvas = Self.makeCanvas()
        Self.draw(.white, around: .empty, on: canvas.beginPage(inkArea: PixelRect(size: Self.size)))
        Self.line(40, on: &canvas)
        let first = canvas.takeDamage()
        let inked = Self.shown(&canvas, first)
        let none = canvas.takeDamage().rects
        #expect(none.isEmpty)
        canvas.showAgain()
        let damage = canvas.takeDamage()
        let (again, canUndo) = (Self.shown(&canvas, damage), canvas.canUndo)
        #expect(again == inked && canUndo)
    }

    @Test("wiped ink and ink of an earlier page do not come back")
    func forgotten() {
        var canvas = Self.makeCanvas()
        Self.line(40, on: &canvas)
        canvas.clear()
        Self.line(40, on: &canvas)
        canvas.wipe()
        var (canUndo, canRedo) = (canvas.canUndo, canvas.canRedo)
        #expect(!canUndo && !canRedo)
        Self.line(40, on: &canvas)
        _ = canvas.beginPage(inkArea: PixelRect(size: Self.size))
        (canUndo, canRedo) = (canvas.canUndo, canvas.canRedo)
        #expect(!canUndo && !canRedo)
    }
}

@Suite("Covers")
struct CoverTests {
    private static let size = PixelSize(width: 150, height: 130)
    private static let notice = Color(red: 9, green: 200, blue: 30)

    private static func makeCanvas() -> Canvas {
        var canvas = Canvas(size: size, pen: Pen(), color: .black, background: .white, undoBytes: 1 << 20)
        canvas.beginPage(inkArea: PixelRect(size: size)).fill(PixelRect(size: size), with: .white)
        return canvas
    }

    @Test(
        "a cover hides ink and page, which go on below it",
        arguments: Breadth.seeds(6, long: 20))
    func sequences(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rotation = Rotation.allCases[Int(seed) % Rotation.allCases.count]
        // Both get the same events; one is covered.
        var canvas = Self.makeCanvas()
        var plain = Self.makeCanvas()
        let panel = rotation.pictureSize(onPanel: Self.size)
        let screen = PixelBuffer(size: panel)
        let other = PixelBuffer(size: panel)
        let expected = PixelBuffer(size: panel)
        var region = PixelRect.empty
        for step in 0..<40 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                for event in RandomStroke.events(&random) + [.end] {
                    canvas.apply(event)
                    plain.apply(event)
                }
            case 4:
                canvas.undo()
                plain.undo()
            case 5:
                canvas.redo()
                plain.redo()
            case 6:
                canvas.clear()
                plain.clear()
            case 7:
                canvas.uncover()
                region = .empty
            default:
                let (x, y) = (Int.random(in: -20..<140, using: &random), Int.random(in: -20..<120, using: &random))
                region = PixelRect(
                    minX: x, minY: y, maxX: x + .random(in: 0..<90, using: &random),
                    maxY: y + .random(in: 0..<90, using: &random)
                ).intersection(PixelRect(size: Self.size))
                if let surface = canvas.cover(region) {
                    surface.fill(surface.bounds, with: Self.notice)
                    #expect(surface.size == PixelSize(width: region.width, height: region.height))
                } else {
                    #expect(region.isEmpty)
                }
            }
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: rotation)
            plain.compose(plain.takeDamage(), onto: other.surface, rotation: rotation)
            expected.surface.copy(expected.surface.bounds, from: other.surface, rotation: .none)
            expected.surface.fill(rotation.panelRect(of: region, picture: Self.size), with: Self.notice)
            let isSame = words(of: screen.surface) == words(of: expected.surface)
            #expect(isSame, "seed \(seed), step \(step)")
        }
    }

    @Test("a new page has no cover")
    func nextPage() {
        var canvas = Self.makeCanvas()
        canvas.cover(PixelRect(minX: 0, minY: 0, maxX: 50, maxY: 50))?.fill(
            PixelRect(size: Self.size), with: Self.notice)
        canvas.beginPage(inkArea: .empty).fill(PixelRect(size: Self.size), with: .white)
        let screen = PixelBuffer(size: Self.size)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let isBlank = screen.surface.row(10)[10] == Color.white.xrgb8888
        #expect(isBlank)
    }
}
