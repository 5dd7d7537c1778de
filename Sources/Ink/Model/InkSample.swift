// SPDX-License-Identifier: Apache-2.0
internal import Geometry

/// A sample as ``InkPen`` models it.
struct InkSample {
    var microseconds: Int64
    /// Repaired, from ``TimeAxis``; strictly growing.
    var seconds: Double
    /// As measured.
    var measured: Point
    var pressure: Double?
    /// Way over the last ``InkParameters/speedSpan``, in px/s.
    var recentSpeed: Double
    /// Where the ink lies.
    var position: Point
    /// Of the ink, in px/s.
    var velocity = Point.zero
}
