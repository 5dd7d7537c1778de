// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// The distance from the end of the ink to the pen at the moment a frame is seen, with and without prediction.
struct PredictionError {
    /// Distance from the predicted end to the pen, in pixels; from the last report if nothing was predicted.
    private(set) var predicted: [Double] = []
    /// Distance from the last report to the pen, in pixels: the error without prediction.
    private(set) var held: [Double] = []
    /// Distance by which predicted ink went beyond the pen, in pixels; 0 if it fell short.
    private(set) var overshoots: [Double] = []
    /// Number of reports without a prediction.
    private(set) var silentCount = 0
    /// Time from a report to the frame.
    let ahead: Duration
    private let density: PixelDensity

    /// - Parameter density: of the page that the strokes are on.
    init(ahead: Duration, density: PixelDensity = .standard) {
        self.ahead = ahead
        self.density = density
    }

    /// Predicts after each report of a stroke. The true position of the pen is interpolated between the reports that
    /// follow; after the last one the pen rests.
    mutating func add(_ stroke: [Sample]) {
        var predictor = StrokePredictor(density: density)
        var next = 0
        for (index, sample) in stroke.enumerated() {
            predictor.add(sample)
            let time = sample.time + ahead
            next = max(next, index)
            while next < stroke.count, stroke[next].time <= time { next += 1 }
            let distance = position(in: stroke, before: next, at: time) - sample.position
            add(predictor.path(after: ahead), distance: distance)
        }
    }

    private mutating func add(_ path: PredictedPath?, distance: Point) {
        held.append(distance.length)
        guard let predictedEnd = path?.displacement else {
            predicted.append(distance.length)
            silentCount += 1
            return
        }
        let error = predictedEnd - distance
        predicted.append(error.length)
        overshoots.append(max(0, predictedEnd.normalized.map(error.dot) ?? 0))
    }

    private func position(in stroke: [Sample], before next: Int, at time: Timestamp) -> Point {
        guard next > 0, next < stroke.count else { return stroke[min(next, stroke.count - 1)].position }
        let (start, end) = (stroke[next - 1], stroke[next])
        let seconds = max(end.time.seconds(since: start.time), 1e-6)
        return start.position.interpolated(to: end.position, time.seconds(since: start.time) / seconds)
    }
}
