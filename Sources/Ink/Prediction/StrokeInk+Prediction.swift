// SPDX-License-Identifier: Apache-2.0
import Geometry

extension StrokeInk {
    /// Microseconds from one node of predicted ink to the next.
    private static let predictionStep: Int64 = 2000

    /// Replaces the predicted ink: a line from the tip along `path`, as wide as the tip; nil shows none.
    ///
    /// It is no part of the stroke: whatever the pen does next, and drying, takes it back.
    public mutating func show(_ path: PredictedPath?) {
        removePrediction()
        guard let path, let tip = centerline.last else { return }
        beginPrediction()
        // Moved out and back, so that it is the only one to write to its memory.
        var outliner = predictionOutliner
        predictionOutliner = StrokeOutliner()
        defer { predictionOutliner = outliner }
        outliner.copy(StrokeOutliner())
        outliner.add(tip, to: &self)
        let count = (path.microseconds + Self.predictionStep - 1) / Self.predictionStep
        for index in 1...count {
            let node = CenterlinePoint(
                // Wraps at the ends of time, where devices have been seen.
                microseconds: tip.microseconds &+ path.microseconds * index / count,
                position: tip.position + path.displacement(at: Double(index) / Double(count)), width: tip.width)
            append(node)
            outliner.add(node, to: &self)
        }
        outliner.finish(&self)
    }
}
