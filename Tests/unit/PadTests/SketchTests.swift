// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Raster
import Record
import Testing
import Touch

@testable import Pad

@Suite("The sketch page")
struct SketchTests {
    /// A page with shorthands for touches. The drawing area starts at (100, 0); buttons are 50 pixels high.
    private struct Driver {
        static let buttons: [PageButton] = [
            .undo, .redo, .clear, .save, .color(0), .color(1), .width(0), .width(1), .nextColor, .nextWidth,
        ]
        static func place(_ tools: SketchTools) -> PlacedPage {
            let field = PlacedElement(
                .inkField(.drawing(tools)), PixelRect(minX: 100, minY: 0, maxX: 400, maxY: 500))
            let placed = buttons.enumerated().map { index, button in
                PlacedElement(
                    .button(button, label: nil),
                    PixelRect(minX: 0, minY: index * 50, maxX: 90, maxY: index * 50 + 50))
            }
            return PlacedPage(
                Page([field.element] + placed.map(\.element)), size: PixelSize(width: 400, height: 500),
                density: PixelDensity(dotsPerInch: 254), elements: [field] + placed)
        }
        static let red = Color(red: 200, green: 0, blue: 0)

        var sketch: Sketch
        var now = Timestamp(microseconds: 1_000_000)
        var actions: [PadAction] = []

        init(clearsOnDoubleTap: Bool = false, undoReach: Int = 40_000) throws {
            let tools = try #require(SketchTools(colors: [.black, Self.red], widths: [0.5, 2]))
            sketch = Sketch(
                SketchSettings(tools: tools, clearsOnDoubleTap: clearsOnDoubleTap), Self.place(tools),
                density: PixelDensity(dotsPerInch: 254), undoReach: undoReach)
            // The first states of the buttons.
            var shown: [PadAction] = []
            sketch.show(&shown)
        }

        mutating func touch(
            _ phase: Contact.Phase, _ x: Double, _ y: Double, _ contact: Int32 = 1
        ) -> [PadAction] {
            now += .milliseconds(8)
            var done: [PadAction] = []
            let wantsSave = sketch.receive(TestPad.touch(phase, x, y, contact, at: now), reported: now, &done)
            // The pad does the same.
            if wantsSave { done.append(.store(.saveSketch)) }
            actions += done
            return done
        }

        @discardableResult
        mutating func stroke(_ places: [(Double, Double)]) -> [PadAction] {
            var done = touch(.began, places[0].0, places[0].1)
            for place in places.dropFirst() { done += touch(.moved, place.0, place.1) }
            return done + touch(.ended, 0, 0)
        }

        @discardableResult
        mutating func press(_ button: PageButton) -> [PadAction] {
            let y = Double(Self.buttons.firstIndex(of: button)! * 50 + 20)
            return touch(.began, 40, y) + touch(.ended, 40, y)
        }

        mutating func isEnabled() -> [Bool] {
            [.undo, .redo, .clear, .save].map { sketch.state(of: $0).isEnabled }
        }
    }

    private func entries(_ effects: [PadAction]) -> [SketchEntry] {
        effects.compactMap { if case .store(.sketch(let entry)) = $0 { entry } else { nil } }
    }

    @Test("a stroke is drawn and recorded with the chosen tools, at positions that the journal can represent")
    func stroke() throws {
        var driver = try Driver()
        driver.press(.color(1))
        driver.press(.width(1))
        let effects = driver.stroke([(150.001, 20.4), (160.3, 30)])
        guard case .render(.use(let pen, let color)) = effects[0],
            case .render(.ink(.begin(let first), _)) = effects[1],
            case .render(.ink(.move(let second), _)) = effects[2],
            case .store(.sketch(.stroke(let stroke))) = effects[4]
        else { return #expect(Bool(false), "\(effects)") }
        #expect(effects.ink[2].isEnd && pen == Pen(width: 2) && color == Driver.red)
        #expect(stroke.inkPen == pen && stroke.color == color && stroke.width == 2000)
        // Positions are rounded to 1/256 pixel: 20.4 and 160.3 pixels change, 150 and 30 do not.
        #expect(first.position == Point(x: 150, y: 5222 / 256.0))
        #expect(second.position == Point(x: 41_037 / 256.0, y: 30))
        let samples: [SketchStroke.Sample] = [
            .init(microseconds: 0, x: 12_800, y: 5222), .init(microseconds: 8000, x: 15_437, y: 7680),
        ]
        #expect(stroke.samples == samples)
        #expect(stroke.inkSamples(from: Point(x: 100, y: 0)).map(\.position) == [first.position, second.position])
        // The states of chosen, pressed and enabled buttons.
        #expect(effects.dropFirst(5).allSatisfy { if case .render(.button) = $0 { true } else { false } })
    }

    @Test("buttons have their effects, and are disabled if they have none")
    func buttons() throws {
        var driver = try Driver()
        #expect(driver.isEnabled() == [false, false, false, false])
        for button in [PageButton.undo, .redo, .clear, .save] {
            #expect(
                driver.press(button).allSatisfy { if case .render(.button(button, _)) = $0 { true } else { false } })
        }
        driver.stroke([(150, 20)])
        #expect(driver.isEnabled() == [true, false, true, true])
        #expect(driver.press(.save).contains(.store(.saveSketch)))
        let undone = driver.press(.undo)
        #expect(undone.contains(.render(.undo)) && undone.contains(.store(.sketch(.undo))))
        #expect(driver.isEnabled() == [false, true, false, false])
        let redone = driver.press(.redo)
        #expect(redone.contains(.render(.redo)) && redone.contains(.store(.sketch(.redo))))
        let cleared = driver.press(.clear)
        #expect(cleared.contains(.render(.clear)) && cleared.contains(.store(.sketch(.clear))))
        #expect(driver.isEnabled() == [true, false, false, false])
        driver.press(.undo)
        #expect(driver.isEnabled() == [true, true, true, true])
        #expect(driver.press(.nextColor).contains(.render(.button(.nextColor, ButtonState(tool: 1)))))
        #expect(driver.sketch.state(of: .color(1)).isChosen && !driver.sketch.state(of: .color(0)).isChosen)
        driver.press(.nextColor)
        driver.press(.nextWidth)
        #expect(driver.sketch.state(of: .color(0)).isChosen && driver.sketch.state(of: .width(1)).isChosen)
        #expect(driver.sketch.state(of: .nextWidth).tool == 1)
    }

    @Test("a press that leaves its button has no effect; strokes end at the area's edge; a palm removes its strokes")
    func edges() throws {
        var driver = try Driver()
        driver.stroke([(150, 20)])
        var slid = driver.touch(.began, 40, 20)
        slid += driver.touch(.moved, 95, 20)
        slid += driver.touch(.moved, 200, 20)
        slid += driver.touch(.ended, 0, 0)
        #expect(
            slid == [
                .render(.button(.undo, ButtonState(isPressed: true))), .render(.button(.undo, ButtonState())),
            ])
        let cut = driver.stroke([(120, 100), (60, 100), (120, 140), (130, 140)])
        let strokes = entries(cut)
        #expect(strokes.count == 2)
        guard case .stroke(let first) = strokes[0] else { return }
        #expect(first.samples.map(\.x) == [5120, 0])
        var palm = driver.touch(.began, 120, 200)
        palm += driver.touch(.moved, 60, 200)
        palm += driver.touch(.moved, 120, 240)
        palm += driver.touch(.cancelled, 0, 0)
        #expect(entries(palm).last == .undo && entries(palm).count == 2 && palm.ink.contains(where: \.isCancel))
        // A second finger draws no ink; the palm was ignored, too.
        _ = driver.touch(.began, 200, 200, 5)
        let second = driver.touch(.began, 220, 200, 6)
        #expect(second.isEmpty)
        let secondMove = driver.touch(.moved, 230, 200, 6)
        #expect(secondMove.isEmpty)
        var released: [PadAction] = []
        driver.sketch.release(&released)
        #expect(released.ink.count == 1 && released.ink[0].isEnd)
        let after = driver.touch(.moved, 210, 200, 5)
        #expect(after.isEmpty)
    }

    @Test("two quick taps in one place clear the page and leave no dots; undo restores it")
    func doubleTap() throws {
        var driver = try Driver(clearsOnDoubleTap: true)
        driver.stroke([(150, 20), (300, 200)])
        driver.stroke([(200, 100)])
        let second = driver.stroke([(210, 110)])
        #expect(second.ink.dropFirst().first?.isCancel == true)
        #expect(second.ink.suffix(2) == [.undo, .clear] && entries(second) == [.undo, .clear])
        #expect(driver.isEnabled() == [true, false, false, false])
        driver.press(.undo)
        #expect(driver.isEnabled() == [true, true, true, true])
    }

    @Test(
        "other taps do not clear the page",
        arguments: [
            "off", "far", "late", "long", "moved", "between", "stroke",
        ])
    func noDoubleTap(kind: String) throws {
        var driver = try Driver(clearsOnDoubleTap: kind != "off")
        driver.stroke([(200, 100)])
        switch kind {
        case "far": driver.stroke([(200, 145)])
        case "late":
            driver.now += .milliseconds(320)
            driver.stroke([(200, 100)])
        case "long":
            _ = driver.touch(.began, 200, 100)
            driver.now += .milliseconds(300)
            _ = driver.touch(.ended, 200, 100)
        case "moved": driver.stroke([(200, 100), (214, 100), (200, 100)])
        case "between":
            driver.press(.color(1))
            driver.stroke([(200, 100)])
        case "stroke":
            driver.stroke([(200, 100), (230, 100)])
            driver.stroke([(200, 100)])
        default: driver.stroke([(200, 100)])
        }
        #expect(entries(driver.actions).allSatisfy { if case .stroke = $0 { true } else { false } })
        #expect(entries(driver.actions).count == (kind == "stroke" ? 3 : 2))
    }

    @Test("the stored sketch can be undone as far as there is memory for it")
    func restored() throws {
        var driver = try Driver()
        driver.stroke([(150, 20), (160, 30)])
        let stroke = entries(driver.actions)[0]
        var next = try Driver(undoReach: 10)
        var shown: [PadAction] = []
        next.sketch.restore([stroke, stroke, .clear, stroke, stroke, .undo], &shown)
        #expect(shown.contains(.render(.button(.undo, ButtonState()))) && next.sketch.isOpen)
        #expect(next.isEnabled() == [true, true, true, true])
        // About four reports a stroke; ten are in reach.
        for _ in 0..<5 { next.stroke([(150, 20), (160, 30)]) }
        var count = 0
        while next.press(.undo).contains(.render(.undo)) { count += 1 }
        #expect(count == 2 && !next.sketch.canUndo)
        // The last stroke can be undone, however long it is.
        next.stroke((0..<50).map { (150 + Double($0), 20) })
        #expect(next.press(.undo).contains(.render(.undo)))
    }
}
