// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink
import Testing

@Suite("Predicted ink")
struct PredictedInkTests {
    private let stroke = Stroke("slope", rate: 100, milliseconds: 300) { Point(x: 30 + 400 * $0, y: 30 + 100 * $0) }

    /// The ink of the stroke with the pen still down, and what it is thought to do next.
    private func predicted(_ name: PenName) throws -> (ink: StrokeInk, bare: StrokeInk, path: PredictedPath) {
        var ink = StrokeInk()
        var model = Pen(name).makeStroke()
        var predictor = StrokePredictor()
        for sample in stroke.samples {
            model.add(sample, to: &ink)
            predictor.add(sample)
        }
        let bare = ink
        _ = predictor.path(microsecondsAhead: 12_000)
        let found = predictor.path(microsecondsAhead: 12_000)
        let path = try #require(found)
        _ = ink.takeChangedBounds()
        ink.show(path)
        return (ink, bare, path)
    }

    private func isSame(_ one: StrokeInk, _ other: StrokeInk) -> Bool {
        one.outline == other.outline && one.centerline == other.centerline && one.pieces.count == other.pieces.count
            && one.dryPieceCount == other.dryPieceCount && one.dryPointCount == other.dryPointCount
    }

    @Test("it goes on from the tip with its width to where the pen is expected", arguments: PenName.allCases)
    func joins(name: PenName) throws {
        let (ink, bare, path) = try predicted(name)
        let tip = try #require(bare.centerline.last)
        let end = try #require(ink.centerline.last)
        #expect(end.position.distance(to: tip.position + path.displacement) < 1e-9)
        #expect(end.width == tip.width && end.microseconds == tip.microseconds + 12_000)
        #expect(Array(ink.centerline.prefix(bare.centerline.count)) == bare.centerline)
        let checks = OutlineChecks(ink)
        #expect(checks.leastArea > 0)
        for fraction in [0.0, 0.3, 0.7, 1] {
            let point = tip.position + path.displacement(at: fraction)
            #expect(checks.winding(at: point + Point(x: 0, y: tip.width * 0.4)) > 0)
        }
    }

    @Test("lifting takes it back", arguments: PenName.allCases)
    func dries(name: PenName) throws {
        var (ink, bare, _) = try predicted(name)
        ink.dry()
        bare.dry()
        #expect(isSame(ink, bare))
    }

    @Test("the next report takes it back", arguments: PenName.allCases)
    func nextReport(name: PenName) throws {
        // Once with prediction after every report and once without.
        var (ink, bare) = (StrokeInk(), StrokeInk())
        var (model, bareModel) = (Pen(name).makeStroke(), Pen(name).makeStroke())
        var predictor = StrokePredictor()
        for sample in stroke.samples {
            model.add(sample, to: &ink)
            bareModel.add(sample, to: &bare)
            #expect(isSame(ink, bare))
            predictor.add(sample)
            ink.show(predictor.path(microsecondsAhead: 16_000))
        }
    }

    @Test("what changed covers it when it comes, and when it goes", arguments: PenName.allCases)
    func changedBounds(name: PenName) throws {
        var (ink, bare, _) = try predicted(name)
        let added = ink.pieces[bare.pieces.count...].reduce(Rect.empty) { $0.union($1.bounds) }
        let coming = ink.takeChangedBounds()
        #expect(!added.isEmpty && coming == added)
        ink.removePrediction()
        let going = ink.takeChangedBounds()
        #expect(going == added && isSame(ink, bare))
        ink.removePrediction()
        let nothing = ink.takeChangedBounds()
        #expect(nothing.isEmpty)
    }
}
