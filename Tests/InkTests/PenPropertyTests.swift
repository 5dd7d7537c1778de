// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import TestSupport
import Testing

/// What must hold for every pen, whatever comes in.
@Suite("Properties of all pens")
struct PenPropertyTests {
    private static let strokes = Stroke.hostile + (0..<12).map { Stroke.random(seed: 500 + $0) }
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

    @Test("5000 samples are ink, finite and right way round", arguments: PenName.allCases)
    func long(name: PenName) {
        let ink = Stroke.long.drawn(with: Pen(name))
        #expect(ink.isFinite)
        #expect(OutlineChecks(ink).leastArea > 0)
    }

    @Test("widths are within the pen's bounds", arguments: PenName.allCases)
    func widthBounds(name: PenName) {
        let range = widths(name)
        for stroke in Self.strokes {
            let ink = stroke.drawn(with: Pen(name))
            for point in ink.centerline {
                #expect(range.contains(point.width), "\(stroke): \(point.width)")
                if !range.contains(point.width) { return }
            }
        }
    }

    @Test("the first and the last sample are inked", arguments: PenName.allCases)
    func endsAreInked(name: PenName) {
        for stroke in Self.nearStrokes {
            let checks = OutlineChecks(stroke.drawn(with: Pen(name)))
            for sample in [stroke.samples[0], stroke.samples[stroke.samples.count - 1]] {
                // Beside the sample by less than any ink is wide, not to hit a vertex.
                let point = sample.position + Point(x: 0.013, y: 0.021)
                #expect(checks.winding(at: point) > 0, "\(stroke): \(sample.position)")
            }
        }
    }

    @Test("winding is nowhere negative", arguments: PenName.allCases)
    func winding(name: PenName) {
        var random = SeededGenerator(seed: 11)
        for stroke in Self.nearStrokes {
            let checks = OutlineChecks(stroke.drawn(with: Pen(name)))
            for _ in 0..<60 {
                guard let sample = stroke.samples.randomElement(using: &random) else { continue }
                let point = sample.position + Point(
                    x: .random(in: -9...9, using: &random), y: .random(in: -9...9, using: &random))
                #expect(checks.winding(at: point) >= 0, "\(stroke): \(point)")
            }
        }
    }

    @Test("how samples are batched does not matter: a copy goes on as the original", arguments: PenName.allCases)
    func batches(name: PenName) {
        for stroke in Self.strokes {
            let whole = stroke.drawn(with: Pen(name))
            var ink = StrokeInk()
            var model = Pen(name).makeStroke()
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

    @Test("a moved or turned stroke is the same ink, moved or turned", arguments: PenName.allCases)
    func covariance(name: PenName) {
        for stroke in Self.nearStrokes {
            let ink = stroke.drawn(with: Pen(name))
            let moves: [(Point) -> Point] = [{ $0 + Point(x: 1024, y: -512) }, { $0.perpendicular }]
            for move in moves {
                var moved = stroke
                for index in moved.samples.indices {
                    moved.samples[index].position = move(moved.samples[index].position)
                }
                let movedInk = moved.drawn(with: Pen(name))
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

    @Test("a stroke at another time is the same ink", arguments: PenName.allCases)
    func timeShift(name: PenName) {
        for stroke in Self.strokes {
            let ink = stroke.drawn(with: Pen(name))
            var later = stroke
            for index in later.samples.indices { later.samples[index].microseconds &+= 86_400_000_000 }
            let laterInk = later.drawn(with: Pen(name))
            #expect(laterInk.outline == ink.outline, "\(stroke)")
            #expect(laterInk.centerline.map { $0.microseconds &- 86_400_000_000 } == ink.centerline.map(\.microseconds))
        }
    }
}
