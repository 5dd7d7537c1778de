// SPDX-License-Identifier: Apache-2.0
import Geometry

/// One cubic per four samples, the end point they share moved to the middle between the neighbouring control points so
/// that the curve has one direction there: the last version of "Smooth Freehand Drawing on iOS" (A. Khan, Tuts+ 2012).
///
/// The tutorial drops the samples that do not fill a cubic when the finger lifts; here they are inked as the curve of
/// lower degree that they define, so the stroke ends at the last sample and a tap is a dot.
public struct SmoothedBezierPen: StrokeModel {
    /// The tutorial's line width in pixels.
    public static let defaultWidth = 2.0
    /// Furthest distance of the drawn chords from the curve, in pixels.
    static let tolerance = 0.03

    private let width: Double
    private var grouping = CubicGrouping()
    private var writer = CenterlineWriter()

    public init(width: Double = Self.defaultWidth) { self.width = width }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        var dry: [CenterlinePoint] = []
        if grouping.isEmpty {
            dry.append(CenterlinePoint(microseconds: sample.microseconds, position: sample.position, width: width))
        }
        if let curve = grouping.add(sample) { append(curve, to: &dry) }
        var wet: [CenterlinePoint] = []
        if let rest = grouping.rest { append(rest, to: &wet) }
        writer.write(dry: dry, wet: wet, to: &ink)
    }

    /// Appends the nodes after the start of the curve.
    private func append(_ piece: TimedCurve, to nodes: inout [CenterlinePoint]) {
        let curve = piece.curve
        let count = curve.segmentCount(tolerance: Self.tolerance)
        for step in 1...count {
            let t = Double(step) / Double(count)
            nodes.append(CenterlinePoint(
                microseconds: piece.microseconds(at: t), position: step < count ? curve.point(at: t) : curve.end,
                width: width))
        }
    }
}
