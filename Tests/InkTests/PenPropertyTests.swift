// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing

/// What must hold for every pen, whatever comes in.
@Suite("Properties of all pens")
struct PenPropertyTests {
    private static let strokes = Stroke.hostile + (0..<5).map { Stroke.random(seed: 500 + $0) }
    /// Those on a page, where numbers are as exact as on one.
    private static let nearStrokes = strokes.filter { stroke in
        stroke.samples.allSatisfy { abs($0.position.x) < 3000 && abs($0.position.y) < 3000 }
    }

    /// The widths in pixels that a pen may draw.
    private func widths(_ pen: PenName) -> ClosedRange<Double> {
        switch pen {
        case .linear, .bezier, .smoothedBezier: 2...2
        case .quadratic: 5...5
        case .speedQuadratic: 1...5
        case .naiveWidth: 0.5...10
        // Depends on the way from sample to sample, without a limit.
        case .offset: 1 - 1e-9 ... 1e12
        case .ink: 0.1...20
        }
    }

    @Test("ink is finite and its contours turn clockwise", arguments: Pen.tested)
    func orientation(pen: Pen) {
        for stroke in Self.strokes + (pen.switches.isEmpty ? [Stroke.long] : []) {
            let ink = stroke.drawn(with: pen)
            #expect(ink.isFinite, "\(stroke)")
            #expect(OutlineChecks(ink).leastArea > 0, "\(stroke)")
        }
    }

    @Test("neighbouring runs differ in tone and are all of the outline; without tones there is one")
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
        let range = widths(pen.name)
        for stroke in Self.strokes {
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
                // Beside the sample by less than any ink is wide, not to hit a vertex.
                let point = sample.position + Point(x: 0.013, y: 0.021)
                #expect(checks.winding(at: point) > 0, "\(stroke): \(sample.position)")
            }
        }
    }

    @Test("winding is nowhere negative", arguments: Pen.tested)
    func winding(pen: Pen) {
        var random = SeededGenerator(seed: 11)
        for stroke in Self.nearStrokes {
            let checks = OutlineChecks(stroke.drawn(with: pen))
            for _ in 0..<60 {
                guard let sample = stroke.samples.randomElement(using: &random) else { continue }
                let point = sample.position + Point(
                    x: .random(in: -9...9, using: &random), y: .random(in: -9...9, using: &random))
                #expect(checks.winding(at: point) >= 0, "\(stroke): \(point)")
            }
        }
    }

    @Test("how samples are batched does not matter: a copy goes on as the original", arguments: Pen.tested)
    func batches(pen: Pen) {
        for stroke in Self.strokes.suffix(12) {
            let whole = stroke.drawn(with: pen)
            var ink = StrokeInk()
            var model = pen.makeStroke()
            for (index, sample) in stroke.samples.enumerated() {
                if index % 7 == 3 {
                    // What a batch drew so far is looked at, and a copy is drawn on and thrown away.
                    _ = ink.takeChangedBounds()
                    var (copy, other) = (ink, model)
                    other.add(Sample(microseconds: 0, position: Point(x: 1, y: 1)), to: &copy)
                }
                model.add(sample, to: &ink)
            }
            ink.dry()
            #expect(ink.outline == whole.outline && ink.centerline == whole.centerline, "\(stroke)")
        }
    }

    @Test("a moved or turned stroke is the same ink, moved or turned", arguments: Pen.tested)
    func covariance(pen: Pen) {
        for stroke in Self.nearStrokes {
            let ink = stroke.drawn(with: pen)
            let moves: [(Point) -> Point] = [{ $0 + Point(x: 1024, y: -512) }, { $0.perpendicular }]
            for move in moves {
                var moved = stroke
                for index in moved.samples.indices {
                    moved.samples[index].position = move(moved.samples[index].position)
                }
                let movedInk = moved.drawn(with: pen)
                #expect(movedInk.centerline.count == ink.centerline.count, "\(stroke)")
                for (a, b) in zip(ink.centerline, movedInk.centerline) {
                    let distance = move(a.position).distance(to: b.position)
                    guard distance > 1e-6 || abs(a.width - b.width) > 1e-6 || a.microseconds != b.microseconds
                    else { continue }
                    Issue.record("\(stroke): \(distance) px off, width \(a.width) and \(b.width)")
                    return
                }
            }
        }
    }

    @Test("a stroke at another time is the same ink", arguments: Pen.tested)
    func timeShift(pen: Pen) {
        for stroke in Self.strokes {
            let ink = stroke.drawn(with: pen)
            var later = stroke
            for index in later.samples.indices { later.samples[index].microseconds &+= 86_400_000_000 }
            let laterInk = later.drawn(with: pen)
            #expect(laterInk.outline == ink.outline, "\(stroke)")
            #expect(laterInk.centerline.map { $0.microseconds &- 86_400_000_000 } == ink.centerline.map(\.microseconds))
        }
    }
}
