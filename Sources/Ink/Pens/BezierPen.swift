// SPDX-License-Identifier: Apache-2.0

/// One cubic per four samples, which are its control points; the next starts where it ended, with a corner: the second
/// attempt of "Smooth Freehand Drawing on iOS" (A. Khan, Tuts+ 2012).
///
/// The tutorial drops the samples that do not fill a cubic when the finger lifts; here they are inked as the curve of
/// lower degree that they define, so the stroke ends at the last sample and a tap is a dot.
public struct BezierPen: StrokeModel {
    /// The tutorial's line width in pixels.
    public static let defaultWidth = 2.0

    private var stroke: EvenCurveStroke<FourSampleGrouping>

    /// - Parameter width: of the line, in pixels.
    public init(width: Double = Self.defaultWidth) {
        stroke = EvenCurveStroke(FourSampleGrouping(), width: width)
    }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) { stroke.add(sample, to: &ink) }
}
