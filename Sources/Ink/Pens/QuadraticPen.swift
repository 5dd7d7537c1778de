// SPDX-License-Identifier: Apache-2.0

/// Quadratics from the middle between two samples to the middle between the next two, with the sample between them as
/// control point and round ends: "Smooth Freehand Drawing", part 3.
///
/// The published code leaves out the half of a segment before the last sample; here a line leads there, so the stroke
/// ends at the last sample and a tap is a dot.
public struct QuadraticPen: StrokeModel {
    /// Line width in pixels.
    public static let defaultWidth = 5.0

    private var stroke: EvenCurveStroke<MidpointGrouping>

    /// - Parameter width: of the line, in pixels.
    public init(width: Double = Self.defaultWidth) {
        stroke = EvenCurveStroke(MidpointGrouping(), width: width)
    }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) { stroke.add(sample, to: &ink) }
}
