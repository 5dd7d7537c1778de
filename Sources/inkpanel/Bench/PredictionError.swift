// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// How far from the pen predicted ink ends at the moment it is seen, and ink without prediction.
struct PredictionError {
    /// From the predicted end to where the pen was then, in pixels; where nothing was predicted, from the last report.
    private(set) var predicted: [Double] = []
    /// From the last report to where the pen was then: the error of ink without prediction.
    private(set) var held: [Double] = []
    /// How far beyond the pen predicted ink reached on its way, in pixels; 0 where it fell short.
    private(set) var overshoots: [Double] = []
    /// Reports after which nothing was predicted.
    private(set) var silentCount = 0
    /// What is looked ahead.
    let microseconds: Int64
    private let density: PixelDensity

    /// - Parameter density: of the page that the strokes are on.
    init(microseconds: Int64, density: PixelDensity = .standard) {
        self.microseconds = microseconds
        self.density = density
    }

    /// Takes in a stroke: each of its reports in turn is the last one. Where the pen goes on to is read between the
    /// reports that follow; after the last one it stays.
    mutating func add(_ stroke: [Sample]) {
        var predictor = StrokePredictor(density: density)
        var next = 0
        for (index, sample) in stroke.enumerated() {
            predictor.add(sample)
            let (time, isOverflow) = sample.microseconds.addingReportingOverflow(microseconds)
            if isOverflow { continue }
            next = max(next, index)
            while next < stroke.count, stroke[next].microseconds <= time { next += 1 }
            let way = position(in: stroke, before: next, at: time) - sample.position
            add(predictor.path(microsecondsAhead: microseconds), way: way)
        }
    }

    private mutating func add(_ path: PredictedPath?, way: Point) {
        held.append(way.length)
        guard let foretold = path?.displacement else {
            predicted.append(way.length)
            silentCount += 1
            return
        }
        let error = foretold - way
        predicted.append(error.length)
        overshoots.append(max(0, foretold.normalized.map(error.dot) ?? 0))
    }

    private func position(in stroke: [Sample], before next: Int, at time: Int64) -> Point {
        guard next > 0, next < stroke.count else { return stroke[min(next, stroke.count - 1)].position }
        let (start, end) = (stroke[next - 1], stroke[next])
        let length = Double(end.microseconds &- start.microseconds)
        return start.position.interpolated(to: end.position, Double(time &- start.microseconds) / max(length, 1))
    }
}
