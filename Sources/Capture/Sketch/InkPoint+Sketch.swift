// SPDX-License-Identifier: Apache-2.0
import Geometry
import Record

extension InkPoint {
    /// The nearest that a sketch's journal can hold.
    var roundedForSketch: InkPoint {
        func rounded(_ value: Double, _ scale: Double) -> Double { (value * scale).rounded() / scale }
        var point = self
        point.position.x = rounded(position.x, SketchStroke.placeScale)
        point.position.y = rounded(position.y, SketchStroke.placeScale)
        point.pressure = pressure.map { rounded(max(0, min($0, 1)), SketchStroke.pressureScale) }
        return point
    }

    /// - Parameters:
    ///   - corner: of the page.
    ///   - start: when the stroke began.
    func sketchSample(from corner: Point, since start: Int64) -> SketchStroke.Sample {
        let place = (position - corner) * SketchStroke.placeScale
        // Within an area of the page: far below 2^31.
        return SketchStroke.Sample(
            microseconds: microseconds &- start, x: Int32(place.x), y: Int32(place.y),
            pressure: pressure.map { Int32($0 * SketchStroke.pressureScale) })
    }
}
