// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@Suite("Prediction on the canvas")
struct PredictionTests {
    private static let size = PixelSize(width: 120, height: 150)

    private func makeCanvas(pen: PenName = .ink) -> Canvas {
        Canvas(
            size: Self.size, pen: Pen(pen, width: 5), color: Color(red: 0, green: 0, blue: 90, alpha: 160),
            background: .white)
    }

    /// Predictable swings with a kick now and then.
    private func strokeEvents(seed: UInt64, count: Int = 70) -> [StrokeEvent] {
        var random = SeededGenerator(seed: seed)
        var position = Point(x: .random(in: 30..<90, using: &random), y: .random(in: 30..<120, using: &random))
        var velocity = Point(x: .random(in: -6...6, using: &random), y: .random(in: -6...6, using: &random))
        return (0..<count).map { index in
            let sample = Sample(time: .zero + .milliseconds(8 * index), position: position)
            position = position + velocity
            // A spring to the middle of the page, and a kick.
            velocity = velocity + (Point(x: 60, y: 75) - position) * 0.02
            if Int.random(in: 0..<15, using: &random) == 0 { velocity = velocity * -0.7 }
            return index == 0 ? .begin(sample) : .move(sample)
        }
    }

    private func time(of event: StrokeEvent) -> Timestamp {
        switch event {
        case .begin(let sample), .move(let sample): sample.time
        case .end, .cancel: 0
        }
    }

    /// Draws a stroke with prediction, showing only the damage, and hands each step's screen to `check`.
    /// - Returns: how often there was predicted ink.
    private func play(
        _ events: [StrokeEvent], on canvas: inout Canvas, _ screen: Surface,
        check: (inout Canvas, Surface) -> Void = { _, _ in }
    ) -> Int {
        var shown = 0
        for event in events {
            canvas.apply(event)
            canvas.predict(until: time(of: event) + .milliseconds(14))
            if canvas.predictionExpiry != nil { shown += 1 }
            canvas.compose(canvas.takeDamage(), onto: screen, rotation: .none)
            check(&canvas, screen)
        }
        return shown
    }

    @Test("prediction does not change a lifted stroke", arguments: PenName.allCases, 0..<4 as Range<UInt64>)
    func lifted(pen: PenName, seed: UInt64) {
        let events = strokeEvents(seed: seed)
        var canvas = makeCanvas(pen: pen)
        let screen = PixelBuffer(size: Self.size)
        let shown = play(events, on: &canvas, screen.surface)
        #expect(shown > 10)
        let stroke = canvas.apply(.end)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)

        var plain = makeCanvas(pen: pen)
        for event in events { plain.apply(event) }
        let plainStroke = plain.apply(.end)
        let (dry, expected) = (words(of: canvas.dryPixels), words(of: plain.dryPixels))
        #expect(words(of: screen.surface) == expected)
        #expect(dry == expected)
        #expect(stroke?.centerline == plainStroke?.centerline && stroke?.outline == plainStroke?.outline)
    }

    @Test("repainting only the damage shows the same as repainting all", arguments: 0..<6 as Range<UInt64>)
    func damageSuffices(seed: UInt64) {
        var canvas = makeCanvas()
        let screen = PixelBuffer(size: Self.size)
        let whole = PixelBuffer(size: Self.size)
        _ = play(strokeEvents(seed: seed), on: &canvas, screen.surface) { canvas, screen in
            canvas.compose(Damage(PixelRect(size: Self.size)), onto: whole.surface, rotation: .none)
            #expect(words(of: screen) == words(of: whole.surface), "seed \(seed)")
        }
    }

    @Test("a cancelled or interrupted stroke leaves no prediction")
    func cancelled() {
        let screen = PixelBuffer(size: Self.size)
        var canvas = makeCanvas()
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let blank = words(of: screen.surface)
        let events = strokeEvents(seed: 9)
        let shown = play(events, on: &canvas, screen.surface)
        #expect(shown > 10)
        canvas.apply(.cancel)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        #expect(words(of: screen.surface) == blank)

        _ = play(events, on: &canvas, screen.surface)
        canvas.apply(events[0])
        canvas.apply(.cancel)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let dry = words(of: canvas.dryPixels)
        #expect(words(of: screen.surface) == dry)
    }

    @Test("predicting nothing removes the prediction and damages nothing the second time")
    func takenBack() {
        let screen = PixelBuffer(size: Self.size)
        var canvas = makeCanvas()
        let line = (0..<30).map { index in
            Sample(time: .zero + .milliseconds(8 * index), position: Point(x: 10 + Double(index) * 3, y: 60))
        }
        let events = line.enumerated().map { $0.offset == 0 ? StrokeEvent.begin($0.element) : .move($0.element) }
        _ = play(events, on: &canvas, screen.surface)
        // The pen is at 97 and moves right.
        let expiry = canvas.predictionExpiry
        let predicted = canvas.wetInk
        #expect(expiry == line[29].time + .milliseconds(16))
        #expect((predicted?.centerline.last?.position.x ?? 0) > 100)
        canvas.predict(until: nil)
        let damage = canvas.takeDamage()
        let expiryAfter = canvas.predictionExpiry
        let ink = canvas.wetInk
        #expect(!damage.isEmpty && expiryAfter == nil)
        #expect(ink?.centerline.last?.position == Point(x: 97, y: 60))
        canvas.predict(until: nil)
        let nothing = canvas.takeDamage()
        #expect(nothing.isEmpty)
    }

    @Test("nothing is predicted for impossible times and without a stroke")
    func stray() {
        var canvas = makeCanvas()
        _ = canvas.takeDamage()
        canvas.predict(until: 5)
        let damage = canvas.takeDamage()
        let ink = canvas.wetInk
        #expect(damage.isEmpty && ink == nil)
        for time in [.distantPast, .distantFuture] as [Timestamp] {
            canvas.apply(.begin(Sample(time: time, position: Point(x: 5, y: 5))))
            for until in [.distantPast, 0, .distantFuture] as [Timestamp] { canvas.predict(until: until) }
            let expiry = canvas.predictionExpiry
            #expect(expiry == nil)
        }
    }
}
