// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The way that a pen will probably take from its last report.
public struct PredictedPath: Sendable {
    /// From the report to the end, in microseconds; above 0.
    public let microseconds: Int64
    let motion: PenMotion
    /// The part of the motion that is believed, 0...1.
    let share: Double

    /// Where the pen will be, from where it was at its last report, in pixels.
    /// - Parameter fraction: of the time, 0...1.
    public func displacement(at fraction: Double) -> Point {
        motion.displacement(after: Double(microseconds) * 1e-6 * fraction) * share
    }

    /// At the end of the time.
    public var displacement: Point { displacement(at: 1) }
}
