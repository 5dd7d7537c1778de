// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing

/// Properties of every pen for any input.
@Suite("Properties of all pens")
struct PenPropertyTests {
    private static let strokes = Stroke.hostile + (0..<5).map { Stroke.random(seed: 500 + $0) }
    /// Strokes on a page, where coordinates are exact.
    private static let nearStrokes = strokes.filter { stroke in
        stroke.samples.allSatisfy { abs($0.position.x) < 3000 && abs($0.position.y) < 3000 }
    }

    /// The widths in pixels that a pen may draw for a stroke without pressure.
    private func widths(_ pen: Pen, _ stroke: Stroke) -> ClosedRange<Double> {
        switch pen.name {
        case .linear, .bezier, .smoothedBezier: 2...2
        case .quadratic: 5...5
        case .speedQuadratic: 1...5
        case .naiveWidth: 0.5...10
        case .offset: 1 - 1e-9...(1 + longestLine(stroke)) * (1 + 1e-9)
        case .ink: (pen.switches.contains(.taper) ? 0.07 : 0.18) * nominalInk...1.73 * nominalInk
        }
    }

    /// The 0.5 mm of the pen ink.
    private let nominalInk = 0.5 * PixelDensity.standard.pixelsPerMillimetre

    /// The longest line of `offset`: a fifth of the longest step, but steps of 0.1 to 1 px have lines of 2 to 0.2 px,
    /// and shorter ones 20 times their length.
    private func longestLine(_ stroke: Stroke) -> Double {
        let way = zip(stroke.samples, stroke.samples.dropFirst()).map { $0.position.distance(to: $1.position) }.max()
        guard let way else { return 0 }
        return max(0.2 * way, min(20 * way, 2))
    }

    @Test("ink is finite and its contours turn clockwise", arguments: Pen.tested)
    func orientation(pen: Pen) {
        for stroke in Self.strokes + (pen.switches.isEmpty ? [Stroke.long] : []) {
            let ink = stroke.drawn(with: pen)
            #expect(ink.isFinite, "\(stroke)")
            #expect(OutlineChecks(ink).leastArea >= 0, "\(stroke)")
        }
    }

    @Test("neighbouring runs differ in tone and make up the outline; without tones there is one run")
    func runs() {
        for pen in Pen.tested {
            for stroke in Self.strokes {
                let ink = stroke.drawn(with: pen)
                let runs = ink.runs
                #expect(runs.first?.start == .start && runs.last?.end == ink.outline.end)
                for (a, b) in zip(runs, runs.dropFirst()) { #expect(a.end == b.start && a.tone != b.tone) }
                let isVarying = pen.switches.contains(.varyingColor)
                #expect(isVarying || runs.count == 1)
                #expect(runs.allSatisfy { ($0.tone != nil) == isVarying })
            }
        }
    }

    @Test("widths are within the pen's bounds", arguments: Pen.tested)
    func widthBounds(pen: Pen) {
        for stroke in Self.strokes {
            let range = widths(pen, stroke)
            let ink = stroke.drawn(with: pen)
            for point in ink.centerline {
                #expect(range.contains(point.width), "\(stroke): \(point.width)")
                if !range.contains(point.width) { return }
            }
        }
    }

    @Test("the first and the last sample are inked", arguments: Pen.tested)
    func endsAreInked(pen: Pen) {
        for stroke in Self.nearStrokes {
            let checks = OutlineChecks(stroke.drawn(with: pen))
            for sample in [stroke.samples[0], stroke.samples[stroke.samples.count - 1]] {
                // Beside the sample by less than the width of any ink, to avoid a vertex.
                let point = sample.position + Point(x: 0.013, y: 0.021)
                #expect(checks.winding(at: point) > 0, "\(stroke): \(sample.position)")
            }
        }
    }

    @Test("no winding number is negative", arguments: Pen.tested)
    func winding(pen: Pen) {
        var random = SeededGenerator(seed: 11)
        for stroke in Self.nearStrokes {
            let checks = OutlineChecks(stroke.drawn(with: pen))
            for _ in 0..<60 {
                guard let sample = stroke.samples.randomElement(using: &random) else { continue }
                let point =
                    sample.position
                    + Point(
                        x: .random(in: -9...9, using: &random), y: .random(in: -9...9, using: &random))
                #expect(checks.winding(at: point) >= 0, "\(stroke): \(point)")
            }
        }
    }

    @Test("a copy of a stroke continues as the original, and batches do not matter", arguments: Pen.tested)
    func batches(pen: Pen) {
        for stroke in Self.strokes.suffix(12) {
            let whole = stroke.drawn(with: pen)
            var ink = StrokeInk()
            var model = pen.makeStroke()
            for (index, sample) in stroke.samples.enumerated() {
                if index % 7 == 3 {
                    // The ink after a batch is read, and a copy is continued and thrown away.
                    _ = ink.takeChangedBounds()
                    var (copy, other) = (ink, model)
                    other.add(Sample(time: .zero, position: Point(x: 1, y: 1)), to: &copy)
                }
                model.add(sample, to: &ink)
            }
            model.finish(&ink)
            #expect(ink.outline == whole.outline && ink.centerline == whole.centerline, "\(stroke)")
        }
    }

    @Test("a translated or rotated stroke has the same ink, translated or rotated", arguments: Pen.tested)
    func covariance(pen: Pen) {
        for stroke in Self.nearStrokes {
            let ink = stroke.drawn(with: pen)
            var moves: [(Point) -> Point] = [{ $0 + Point(x: 1024, y: -512) }, { $0.perpendicular }]
            if pen.name != .ink { moves.append(Self.turned) }
            for move in moves {
                var moved = stroke
                for index in moved.samples.indices {
                    moved.samples[index].position = move(moved.samples[index].position)
                }
                let movedInk = moved.drawn(with: pen)
                #expect(movedInk.centerline.count == ink.centerline.count, "\(stroke)")
                for (a, b) in zip(ink.centerline, movedInk.centerline) {
                    let distance = move(a.position).distance(to: b.position)
                    guard distance > 1e-6 || abs(a.width - b.width) > 1e-6 || a.time != b.time
                    else { continue }
                    Issue.record("\(stroke): \(distance) px off, width \(a.width) and \(b.width)")
                    return
                }
            }
        }
    }

    /// Rotates by an angle that moves samples off their grid.
    private static func turned(_ point: Point) -> Point {
        Point(x: 0.8 * point.x - 0.6 * point.y, y: 0.6 * point.x + 0.8 * point.y)
    }

    /// The distance in pixels between the ink of a stroke and of the same stroke on a rotated page.
    private func distanceWhenTurned(_ stroke: Stroke) -> Double {
        let way = stroke.drawn().centerline.map {
            CenterlinePoint(time: .zero, position: Self.turned($0.position), width: 0)
        }
        var moved = stroke
        for index in moved.samples.indices {
            moved.samples[index].position = Self.turned(moved.samples[index].position)
        }
        return moved.drawn().centerline.reduce(0) {
            max($0, OutlineChecks.distance(from: $1.position, toInkAlong: way))
        }
    }

    /// No less, because `ink` estimates a panel's noise from the grid of its samples, and such a
    /// rotation hides the grid. Hostile strokes with equal steps are left out: their grid is as coarse as the steps.
    @Test("a stroke rotated off the touch grid has the same ink, rotated, within 0.6 pixels")
    func turnedOffGrid() {
        for stroke in (500..<515).map({ Stroke.random(seed: $0) }) {
            #expect(distanceWhenTurned(stroke) < 0.6, "\(stroke)")
        }
    }

    @Test("ink of samples without a grid rotates with them")
    func turnedWithoutGrid() {
        var random = SeededGenerator(seed: 3)
        // A few samples do not determine the panel's step.
        for var stroke in Self.nearStrokes where stroke.samples.count > 10 {
            for index in stroke.samples.indices {
                let shift = Point(
                    x: .random(in: -0.1...0.1, using: &random), y: .random(in: -0.1...0.1, using: &random))
                stroke.samples[index].position = stroke.samples[index].position + shift
            }
            #expect(distanceWhenTurned(stroke) < 0.1, "\(stroke)")
        }
    }

    @Test("a stroke at another time has the same ink", arguments: Pen.tested)
    func timeShift(pen: Pen) {
        for stroke in Self.strokes {
            let ink = stroke.drawn(with: pen)
            var later = stroke
            for index in later.samples.indices { later.samples[index].time += .seconds(86_400) }
            let laterInk = later.drawn(with: pen)
            #expect(laterInk.outline == ink.outline, "\(stroke)")
            #expect(laterInk.centerline.map { $0.time - .seconds(86_400) } == ink.centerline.map(\.time))
        }
    }
}
