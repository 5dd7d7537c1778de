// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A sample as ``InkPen`` models it.
struct InkSample {
    var microseconds: Int64
    /// Repaired, from ``TimeAxis``; strictly growing.
    var seconds: Double
    /// As measured.
    var measured: Point
    /// 0...1; nil where the device measures none.
    var pressure: Double?
    /// Greatest mean speed in px/s over any ``InkParameters/speedSpan`` that has this sample in it, so far.
    var speed: Double
    /// What the smoothing lets pass here, in Hz.
    var cutoff = 0.0
    /// Distance from where a first smoothing would put it, squared, in px.
    var squaredResidual = 0.0
    /// Where the ink lies.
    var position: Point
    /// Of the ink, in px/s.
    var velocity = Point.zero
}
