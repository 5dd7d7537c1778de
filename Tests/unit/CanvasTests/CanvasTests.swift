// SPDX-License-Identifier: Apache-2.0
import Canvas
import Geometry
import Ink
import Raster
import TestSupport
import Testing

@Suite("Canvas")
struct CanvasTests {
    private static let size = PixelSize(width: 90, height: 150)
    private static let ink = Color(red: 16, green: 24, blue: 64)

    private func makeCanvas(pen: PenName = .ink, color: Color = ink, switches: Set<PenSwitch>? = nil) -> Canvas {
        Canvas(
            size: Self.size, pen: Pen(pen, width: 0.85, switches: switches), color: color, background: .white)
    }

    /// A random stroke with loops that sometimes leaves the page.
    private func strokeEvents(seed: UInt64, count: Int = 60) -> [StrokeEvent] {
        var random = SeededGenerator(seed: seed)
        var position = Point(x: .random(in: 0..<90, using: &random), y: .random(in: 0..<150, using: &random))
        var events: [StrokeEvent] = []
        for index in 0..<count {
            let sample = Sample(time: .zero + .milliseconds(8 * index), position: position)
            events.append(index == 0 ? .begin(sample) : .move(sample))
            position.x += .random(in: -14...14, using: &random)
            position.y += .random(in: -14...14, using: &random)
        }
        return events + [.end]
    }

    @Test(
        "a wet stroke has the same bytes as the dry one", arguments: PenName.allCases,
        [1, 2, 3] as [UInt64])
    func wetEqualsDry(pen: PenName, seed: UInt64) {
        // Without taper.
        var canvas = makeCanvas(pen: pen, color: Color(red: 200, green: 0, blue: 0, alpha: 128), switches: [])
        let screen = PixelBuffer(size: Self.size)
        let events = strokeEvents(seed: seed)
        for event in events.dropLast() { canvas.apply(event) }
        canvas.compose(Damage(PixelRect(size: Self.size)), onto: screen.surface, rotation: .none)
        let wet = words(of: screen.surface)
        canvas.apply(.end)
        let dry = words(of: canvas.dryPixels)
        #expect(wet == dry)
    }

    @Test("the damage of a lift covers the end that it thins out", arguments: Breadth.seeds(6, long: 20))
    func taperDamage(seed: UInt64) {
        var canvas = makeCanvas()
        let screen = PixelBuffer(size: Self.size)
        for event in strokeEvents(seed: seed) {
            canvas.apply(event)
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        }
        #expect(words(of: screen.surface) == words(of: canvas.dryPixels))
    }

    @Test("a stroke that continues the one before fills its thin end, until it is undone")
    func continued() {
        func draw(_ canvas: inout Canvas, _ places: Range<Int>) {
            for place in places {
                let sample = Sample(
                    time: Timestamp(microseconds: Int64(place) * 8000),
                    position: Point(x: 30, y: 10 + 8 * Double(place)))
                canvas.apply(place == places.lowerBound ? .begin(sample) : .move(sample))
            }
            canvas.apply(.end)
        }
        func dry(_ switches: Set<PenSwitch>, _ strokes: [Range<Int>], useBetween: Bool = false) -> [UInt32] {
            var canvas = makeCanvas(switches: switches)
            for stroke in strokes {
                draw(&canvas, stroke)
                if useBetween { canvas.use(pen: Pen(.ink, width: 0.85, switches: switches), color: Self.ink) }
            }
            return words(of: canvas.dryPixels)
        }
        let (first, second) = (0..<9, 10..<16)
        var canvas = makeCanvas()
        let screen = PixelBuffer(size: Self.size)
        func shown(_ canvas: inout Canvas) -> [UInt32] {
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            #expect(words(of: screen.surface) == words(of: canvas.dryPixels))
            return words(of: screen.surface)
        }
        draw(&canvas, first)
        let thin = shown(&canvas)
        #expect(thin == dry([.taper], [first]) && thin != dry([], [first]))
        draw(&canvas, second)
        let both = shown(&canvas)
        // Only the second stroke has a thin end. Where the first one begins to be thin, both have the same edges.
        func difference(_ other: [UInt32]) -> Int {
            zip(both, other).prefix(Self.size.width * 110).map { abs(Int($0 & 0xFF) - Int($1 & 0xFF)) }.max() ?? 0
        }
        #expect(difference(dry([], [first, second])) < 50)
        #expect(difference(dry([.taper], [first, second], useBetween: true)) > 100)
        canvas.undo()
        #expect(shown(&canvas) == thin)
        canvas.redo()
        #expect(shown(&canvas) == both)
        canvas.clear()
        draw(&canvas, second)
        #expect(shown(&canvas) == dry([.taper], [second]))
    }

    @Test(
        "ink of several tones has the same bytes wet and dry", arguments: [255, 128] as [UInt8],
        4..<10 as Range<UInt64>)
    func wetTonesEqualDry(alpha: UInt8, seed: UInt64) {
        let switches: Set<PenSwitch> = seed % 2 == 0 ? [.varyingColor] : Set(PenSwitch.allCases)
        var canvas = Canvas(
            size: Self.size, pen: Pen(.offset, switches: switches),
            color: Color(red: 0, green: 40, blue: 90, alpha: alpha), background: .white)
        let screen = PixelBuffer(size: Self.size)
        // Only what changed is composed, so runs are often filled in part.
        for event in strokeEvents(seed: seed).dropLast() {
            canvas.apply(event)
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        }
        let ink = canvas.apply(.end)
        #expect((ink?.runs.count ?? 0) > 10)
        let dry = words(of: canvas.dryPixels)
        #expect(words(of: screen.surface) == dry)
    }

    @Test("repainting only the damage shows the same as repainting all", arguments: Breadth.seeds(4, long: 12))
    func damageSuffices(seed: UInt64) {
        var canvas = makeCanvas()
        let screen = PixelBuffer(size: Self.size)
        let whole = PixelBuffer(size: Self.size)
        for event in strokeEvents(seed: seed) + strokeEvents(seed: seed + 100) {
            canvas.apply(event)
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            canvas.compose(Damage(PixelRect(size: Self.size)), onto: whole.surface, rotation: .none)
            #expect(words(of: screen.surface) == words(of: whole.surface), "seed \(seed), \(event)")
        }
        #expect(canvas.takeDamage().isEmpty)
    }

    @Test("a rotated picture has the same pixels, rotated", arguments: Rotation.allCases)
    func rotations(rotation: Rotation) {
        var canvas = makeCanvas()
        let upright = PixelBuffer(size: Self.size)
        let panelSize = rotation.isTransposed ? Self.size.transposed : Self.size
        let panel = PixelBuffer(size: panelSize)
        for event in strokeEvents(seed: 7).dropLast() {
            canvas.apply(event)
            let damage = canvas.takeDamage()
            canvas.compose(damage, onto: upright.surface, rotation: .none)
            canvas.compose(damage, onto: panel.surface, rotation: rotation)
        }
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let place = rotation.panelRect(
                    of: PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1), picture: Self.size)
                #expect(panel.surface.row(place.minY)[place.minX] == upright.surface.row(y)[x])
            }
        }
    }

    @Test("a cancelled stroke leaves nothing, and a begin during a stroke ends it")
    func cancelAndBegin() {
        var canvas = makeCanvas()
        let screen = PixelBuffer(size: Self.size)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let blank = words(of: screen.surface)
        for event in strokeEvents(seed: 3).dropLast() { canvas.apply(event) }
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        #expect(words(of: screen.surface) != blank)
        canvas.apply(.cancel)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        #expect(words(of: screen.surface) == blank)

        canvas.apply(.begin(Sample(time: .zero, position: Point(x: 20, y: 20))))
        let first = canvas.apply(.begin(Sample(time: Timestamp(microseconds: 1), position: Point(x: 60, y: 60))))
        #expect(first?.centerline.last?.position == Point(x: 20, y: 20))
    }

    @Test("a move, end or cancel without a begin does nothing")
    func strayEvents() {
        var canvas = makeCanvas()
        _ = canvas.takeDamage()
        for event in [.move(Sample(time: .zero, position: Point(x: 5, y: 5))), .end, .cancel] as [StrokeEvent] {
            #expect(canvas.apply(event) == nil)
        }
        #expect(canvas.takeDamage().isEmpty)
    }

    @Test(
        "samples that cannot be drawn are ignored and counted",
        arguments: PenName.allCases)
    func leftOut(pen: PenName) {
        let good = strokeEvents(seed: 11)
        var events: [StrokeEvent] = []
        for value in [Double.nan, .infinity, -.infinity, 1e300, -1.1e7] {
            let x = Sample(time: Timestamp(microseconds: 40_000), position: Point(x: value, y: 1))
            let y = Sample(time: Timestamp(microseconds: 40_000), position: Point(x: 1, y: value))
            events += events.isEmpty ? [.begin(x), .move(y)] : [.move(x), .move(y)]
        }
        let bad = events.count
        for (index, event) in good.enumerated() {
            // The stroke has begun already, without a sample.
            if case .begin(let sample) = event { events.append(.move(sample)) } else { events.append(event) }
            if index == 20 { events += events[1..<bad] }
        }
        var canvas = makeCanvas(pen: pen)
        var plain = makeCanvas(pen: pen)
        let ink = events.compactMap { canvas.apply($0) }
        let expected = good.compactMap { plain.apply($0) }
        #expect(canvas.leftOutCount == 2 * bad - 1 && plain.leftOutCount == 0)
        #expect(ink.map(\.outline) == expected.map(\.outline))
        let (drawn, plainly) = (words(of: canvas.dryPixels), words(of: plain.dryPixels))
        #expect(drawn == plainly)
    }

    @Test("ink is in a region while a visible stroke's box meets it")
    func regions() {
        var canvas = makeCanvas()
        let near = PixelRect(minX: 0, minY: 0, maxX: 40, maxY: 40)
        let far = PixelRect(minX: 60, minY: 60, maxX: 64, maxY: 64)
        var found = [canvas.hasInk(in: near)]
        canvas.apply(.begin(Sample(time: .zero, position: Point(x: 10, y: 10))))
        canvas.apply(.move(Sample(time: Timestamp(microseconds: 10_000), position: Point(x: 20, y: 20))))
        found += [canvas.hasInk(in: near), canvas.hasInk(in: far)]
        canvas.apply(.end)
        found += [canvas.hasInk(in: near), canvas.hasInk(in: far)]
        canvas.undo()
        found.append(canvas.hasInk(in: near))
        canvas.redo()
        found.append(canvas.hasInk(in: near))
        canvas.clear()
        found.append(canvas.hasInk(in: near))
        #expect(found == [false, true, false, true, false, false, true, false])
    }

    @Test("a stroke without a drawable sample does not exist")
    func blankStroke() {
        var canvas = makeCanvas()
        _ = canvas.takeDamage()
        canvas.apply(.begin(Sample(time: .zero, position: Point(x: .nan, y: 5))))
        canvas.predict(until: 8000)
        let wet = canvas.wetInk
        #expect(wet == nil)
        let stroke = canvas.apply(.end)
        #expect(stroke == nil)
        #expect(canvas.takeDamage().isEmpty)
    }
}

/// Frames leave out pieces that can no longer change a pixel; this must not be visible.
@Suite("Frames of a wet stroke")
struct WetFrameTests {
    static let pens =
        PenName.allCases.map { Pen($0) } + [
            Pen(.ink, width: 0.3), Pen(.linear, width: 0.2), Pen(.offset, switches: [.noPinch]),
            Pen(.offset, switches: [.varyingColor]),
        ]

    @Test(
        "frames of a scribble and the paper look like one fill of all its ink", arguments: pens,
        Breadth.seeds(1, long: 2))
    func scribbles(pen: Pen, seed: UInt64) {
        let color = Color(red: 0, green: 40, blue: 120, alpha: seed % 2 == 0 ? 255 : 150)
        var canvas = Canvas(size: Scribble.page, pen: pen, color: color, background: .white)
        let screen = PixelBuffer(size: Scribble.page)
        var scribble = Scribble(seed: seed)
        for report in 0..<400 {
            let sample = scribble.next()
            canvas.apply(report == 0 ? .begin(sample) : .move(sample))
            if report % 3 == 0 { canvas.predict(until: sample.time + .milliseconds(9)) }
            canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
            guard report % 40 == 39, let ink = canvas.wetInk else { continue }
            let expected = Scribble.painted([ink], color: color, background: .white)
            #expect(words(of: screen.surface) == expected, "\(pen), seed \(seed), report \(report)")
        }
        let stroke = canvas.apply(.end)
        canvas.compose(canvas.takeDamage(), onto: screen.surface, rotation: .none)
        let expected = Scribble.painted([stroke].compactMap { $0 }, color: color, background: .white)
        #expect(words(of: screen.surface) == expected, "\(pen), seed \(seed)")
        let dry = words(of: canvas.dryPixels)
        #expect(dry == expected, "\(pen), seed \(seed)")
    }
}
