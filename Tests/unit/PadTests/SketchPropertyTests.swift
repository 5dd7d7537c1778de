// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import HostAPI
import Ink
import Raster
import Record
import TestSupport
import Testing
import Touch

@testable import Pad

@Suite("Random runs of the sketch page")
struct SketchPropertyTests {
    private static let size = PixelSize(width: 320, height: 240)
    /// Small enough that random strokes exceed it. ``Sketch`` derives its limit from 64 MiB.
    private static let undoReach = 60
    private static let undoBytes = (64 << 20) / Sketch.undoReach * undoReach

    /// A page that carries out actions and lists invalid ones.
    private struct Page: ~Copyable {
        // Swift 6.0 calls no mutating method in an initialiser after a constant has been set.
        var placed: PlacedPage
        var canvas: Canvas
        var sketch: Sketch
        var faults: [String] = []
        var entries: [SketchEntry] = []
        var buttons: [PageButton: ButtonState] = [:]
        var isDrawing = false
        var strokeCount = 0
        var kinds: Set<String> = []

        init(_ placed: PlacedPage, _ tools: SketchTools, undoBytes: Int, undoReach: Int) {
            self.placed = placed
            canvas = Canvas(
                size: placed.size, pen: Pen(), color: .black, background: .white, density: placed.density,
                undoBytes: undoBytes)
            sketch = Sketch(
                SketchSettings(tools: tools, clearsOnDoubleTap: true), placed, density: placed.density,
                undoReach: undoReach)
            var actions: [PadAction] = []
            sketch.show(&actions)
            for action in actions { see(action) }
        }

        mutating func expect(_ holds: Bool, _ fault: String) { if !holds { faults.append(fault) } }

        mutating func see(_ action: PadAction) {
            switch action {
            case .render(.show(let page)):
                expect(page == placed.page, "another page")
                for case let button? in placed.buttons.map(\.button) { buttons[button] = ButtonState() }
            case .render(.button(let button, let state)):
                expect(buttons[button] != nil && buttons[button] != state, "\(button) was shown twice")
                buttons[button] = state
            case .render(.use(let pen, let color)): canvas.use(pen: pen, color: color)
            case .render(.ink(let event, _)): draw(event)
            case .render(.undo):
                kinds.insert("undo")
                let did = canvas.undo()
                expect(did && !isDrawing, "undo of nothing")
            case .render(.redo):
                kinds.insert("redo")
                let did = canvas.redo()
                expect(did && !isDrawing, "redo of nothing")
            case .render(.clear):
                kinds.insert("clear")
                let did = canvas.clear()
                expect(did && !isDrawing, "clear of nothing")
            case .store(.sketch(let entry)): entries.append(entry)
            default: expect(false, "\(action)")
            }
        }

        private mutating func draw(_ event: StrokeEvent) {
            switch event {
            case .begin(let sample):
                expect(!isDrawing, "a stroke within a stroke")
                isDrawing = true
                check(sample)
            case .move(let sample):
                expect(isDrawing, "ink without a stroke")
                check(sample)
            case .end:
                expect(isDrawing, "an end without a stroke")
                isDrawing = false
                strokeCount += 1
            case .cancel:
                expect(isDrawing, "a cancel without a stroke")
                isDrawing = false
            }
            canvas.apply(event)
        }

        private mutating func check(_ sample: Sample) {
            let (area, place) = (placed.inkField.rect, sample.position)
            expect(
                area.minX <= place.x && place.x <= area.maxX && area.minY <= place.y && place.y <= area.maxY,
                "ink outside at \(place)")
        }

        /// Handles the event of a hand.
        mutating func handle(_ event: Event) {
            var actions: [PadAction] = []
            switch event {
            case .touch(let touch, let reported):
                if sketch.receive(touch, reported: reported, &actions) { kinds.insert("save") }
            case .release: sketch.release(&actions)
            }
            for action in actions { see(action) }
        }

        mutating func check() {
            for (button, state) in buttons {
                expect(state == sketch.state(of: button), "\(button) looks otherwise")
            }
            expect(!sketch.canUndo || canvas.canUndo, "undo is out of the canvas's reach")
            let isBlank = !sketch.state(of: .clear).isEnabled
            expect(isDrawing || !isBlank || !sketch.canRedo || canvas.canRedo, "redo is out of reach")
        }

        mutating func pixels() -> [UInt32] { words(of: canvas.dryPixels) }
    }

    private enum Event {
        case touch(TouchEvent, reported: Timestamp)
        /// Another page is shown.
        case release
    }

    /// Contacts that touch and lift anywhere.
    private struct Hands {
        var random: SeededGenerator
        var now = Timestamp(microseconds: 1_000_000)
        private var contacts: [Int32: Point] = [:]

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        private mutating func place(_ page: PlacedPage) -> Point {
            func inside(_ rect: PixelRect) -> Point {
                Point(
                    x: Double.random(in: Double(rect.minX)...Double(rect.maxX), using: &random),
                    y: Double.random(in: Double(rect.minY)...Double(rect.maxY), using: &random))
            }
            switch number(0..<20) {
            case 0..<9: return inside(page.inkField)
            case 9..<16: return inside(page.buttons[number(0..<page.buttons.count)].rect)
            case 16: return number(0..<3) == 0 ? Point(x: .nan, y: 100) : inside(page.inkField)
            default: return inside(PixelRect(minX: -40, minY: -40, maxX: 400, maxY: 300))
            }
        }

        mutating func next(_ page: PlacedPage) -> Event {
            now += .microseconds(number(0..<20) == 0 ? number(0..<500_000) : number(0..<20_000))
            if number(0..<200) == 0 { return .release }
            let contact = number(0..<8) == 0 ? Int32(number(1..<4)) : contacts.keys.min() ?? 1
            let time = now - .microseconds(number(0..<3000))
            func touch(_ phase: Contact.Phase, _ place: Point) -> Event {
                .touch(TestPad.touch(phase, place.x, place.y, contact, at: time), reported: time)
            }
            guard let last = contacts[contact], number(0..<60) > 0 else {
                let place = place(page)
                contacts[contact] = place
                return touch(number(0..<80) == 0 ? .moved : .began, place)
            }
            switch number(0..<12) {
            case 0..<4:
                contacts[contact] = nil
                return touch(.ended, last)
            case 4 where number(0..<4) == 0:
                contacts[contact] = nil
                return touch(.cancelled, last)
            case 5:
                let place = place(page)
                contacts[contact] = place
                return touch(.moved, place)
            default:
                let place = last + Point(x: Double(number(-12..<13)), y: Double(number(-12..<13)))
                contacts[contact] = place
                return touch(.moved, place)
            }
        }
    }

    private static func page(_ seed: UInt64) throws -> Page {
        let tools = try ToolBarTests.tools()
        let placed = try ToolBarTests.place(
            tools, seed % 2 == 0 ? size : size.transposed, nil, seed % 3 == 0 ? .rightToLeft : .leftToRight)
        return Page(placed, tools, undoBytes: undoBytes, undoReach: undoReach)
    }

    @Test(
        "what it does never breaks a rule, and what it records is drawn again as it was, to the pixel",
        arguments: Breadth.seeds(8, long: 24))
    func rules(seed: UInt64) throws {
        var page = try Self.page(seed)
        var hands = Hands(seed: seed)
        for step in 0..<1500 {
            let input = hands.next(page.placed)
            page.handle(input)
            page.check()
            let faults = page.faults
            #expect(faults.isEmpty, "seed \(seed), step \(step), \(input)")
            if !faults.isEmpty { return }
        }
        page.handle(.release)

        var again = try Self.page(seed)
        let corner = Point(x: Double(page.placed.inkField.minX), y: Double(page.placed.inkField.minY))
        let entries = try SketchDecoder.decode(SketchEncoder.encode(page.sketch.page, page.entries)).entries
        for entry in entries {
            switch entry {
            case .stroke(let stroke):
                again.canvas.use(pen: stroke.inkPen, color: stroke.color)
                for (index, sample) in stroke.inkSamples(from: corner).enumerated() {
                    again.canvas.apply(index == 0 ? .begin(sample) : .move(sample))
                }
                again.canvas.apply(.end)
            case .undo: again.canvas.undo()
            case .redo: again.canvas.redo()
            case .clear: again.canvas.clear()
            }
        }
        let (seen, restored) = (page.pixels(), again.pixels())
        #expect(seen == restored, "seed \(seed)")
        var actions: [PadAction] = []
        again.sketch.restore(entries, &actions)
        let (canUndo, canUndoAgain) = (page.sketch.canUndo, again.sketch.canUndo)
        #expect(canUndo == canUndoAgain, "seed \(seed)")
    }

    @Test("the runs reach all states")
    func reach() throws {
        var kinds: Set<String> = []
        var strokes = 0
        for seed in 1000..<1006 as Range<UInt64> {
            var page = try Self.page(seed)
            var hands = Hands(seed: seed)
            for _ in 0..<1500 { page.handle(hands.next(page.placed)) }
            kinds.formUnion(page.kinds)
            strokes += page.strokeCount
        }
        #expect(kinds == ["undo", "redo", "clear", "save"])
        #expect(strokes > 300)
    }
}
