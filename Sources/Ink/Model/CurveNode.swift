// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A point of the curve through the modelled samples, and what ``WidthModel`` finds out about it.
struct CurveNode {
    var microseconds: Int64
    /// Repaired.
    var seconds: Double
    var position: Point
    var pressure: Double?
    /// Full width of the ink in pixels.
    var width = 0.0

    // MARK: of the way from the node before

    /// In pixels.
    var way = 0.0
    /// The width that the pen aims at meanwhile.
    var aim = 0.0
    /// The part of a deviation from the aim that is left afterwards.
    var decay = 0.0

    // MARK: of the smoothing

    /// The mean of the aims so far, the latest counting most.
    var past = 0.0

    init(_ sample: InkSample) {
        microseconds = sample.microseconds
        seconds = sample.seconds
        position = sample.position
        pressure = sample.pressure
    }
}
