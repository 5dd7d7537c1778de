// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The curves of ``SmoothedBezierPen``, each with one width: 100 over the length in pixels of the three chords between
/// its control points: the first attempt of "iOS SDK: Advanced Freehand Drawing Techniques" (A. Khan, Tuts+ 2012).
///
/// It depends on the sample rate and has steps where the curves meet; that is how the tutorial has it, and why it goes
/// on to ``OffsetPen``. The tutorial does not say what happens to chords without length, or to long ones whose ink
/// vanishes: here the width is held within limits. What is left over when the pen lifts has one or two chords, which
/// count as if there were three like them.
public struct NaiveWidthPen: StrokeModel {
    /// The tutorial's constant: width in pixels times length in pixels.
    static let area = 100.0
    /// The thinnest ink, in pixels: a hair that still shows.
    public static let leastWidth = 0.5
    /// The widest ink, in pixels: that of a tap, and of cubics shorter than 10 pixels.
    public static let defaultWidth = 10.0

    private let mostWidth: Double
    private var grouping = CubicGrouping()

    /// - Parameter width: the widest ink, in pixels.
    public init(width: Double = Self.defaultWidth) { mostWidth = width }

    public mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        let dry = grouping.add(sample).map { RoundCurve(curve: $0, width: width(of: $0)) }
        let wet = grouping.rest.map { RoundCurve(curve: $0, width: width(of: $0)) }
        let dot = CenterlinePoint(microseconds: sample.microseconds, position: sample.position, width: mostWidth)
        ink.replaceTail(dry: dry, wet: wet, dot: dot)
    }

    func width(of curve: TimedCurve) -> Double {
        let chords = zip(curve.controls, curve.controls.dropFirst()).map { $0.distance(to: $1) }
        let length = chords.reduce(0, +) * 3 / Double(chords.count)
        guard length > 0 else { return mostWidth }
        return min(max(Self.area / length, Self.leastWidth), mostWidth)
    }
}
