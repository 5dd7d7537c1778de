// SPDX-License-Identifier: Apache-2.0
import Geometry

// The pens of tutorials, with the formulas and constants of their authors, whose points are pixels here; docs/pens.md
// shows them. Where the published code drops the samples that do not fill a curve when the finger lifts, they are drawn
// here as the curve of lower degree that they define, so that a stroke ends at its last sample and a tap is a dot.

/// Straight lines between the samples: the first attempt of "Smooth Freehand Drawing on iOS" (A. Khan, Tuts+ 2012).
struct LinearPen: StrokeModel {
    private let width: Double
    private var writer = CenterlineWriter()

    /// - Parameter width: of the line in pixels, above 0.
    init(width: Double) { self.width = width }

    mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        let node = CenterlinePoint(time: sample.time, position: sample.position, width: width)
        writer.write(dry: CollectionOfOne(node), wet: EmptyCollection<CenterlinePoint>(), to: &ink)
    }
}

/// A line of one width along the curves of a grouping, with round ends: with ``FourSampleGrouping`` and
/// ``CubicGrouping`` the other two attempts of that tutorial, with ``MidpointGrouping`` "Smooth Freehand Drawing", part
/// 3. Complete curves are dry at once; the rest is wet and made again with each sample.
struct EvenPen<Grouping: CurveGrouping>: StrokeModel {
    private let width: Double
    private var grouping: Grouping
    private var writer = CenterlineWriter()

    /// - Parameter width: in pixels.
    init(_ grouping: Grouping, width: Double) {
        self.grouping = grouping
        self.width = width
    }

    mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        var dry: [CenterlinePoint] = []
        if grouping.isEmpty {
            dry.append(CenterlinePoint(time: sample.time, position: sample.position, width: width))
        }
        grouping.add(sample)?.appendNodes(width: width, to: &dry)
        var wet: [CenterlinePoint] = []
        grouping.rest?.appendNodes(width: width, to: &wet)
        writer.write(dry: dry, wet: wet, to: &ink)
    }
}

/// The curves of ``MidpointGrouping``, thinner where the hand is faster: "Smooth Freehand Drawing", part 3.
///
/// Each curve has one width, so there are steps between them. The line to the last sample keeps the width of the curve
/// before it; a tap is a dot of the full width.
struct SpeedQuadraticPen: StrokeModel {
    private var grouping = MidpointGrouping()
    private var law: WidthLaw
    private var last: Sample?

    /// - Parameter width: of slow ink, in pixels; the fastest has a fifth of it.
    init(width: Double) { law = WidthLaw(fullWidth: width) }

    mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        if let last { law.advance(from: last, to: sample) }
        last = sample
        let dry = grouping.add(sample).map { RoundCurve(curve: $0, width: law.width) }
        let wet = grouping.rest.map { RoundCurve(curve: $0, width: law.width) }
        let dot = CenterlinePoint(time: sample.time, position: sample.position, width: law.width)
        ink.replaceTail(dry: dry, wet: wet, dot: dot)
    }

    /// The full width over 0.6 of the speed plus 0.4 of the speed before; between 0.75 and 1.25 of the width before,
    /// and between 0.2 of the full width and all of it. Speeds are in pixels a second over 600.
    struct WidthLaw {
        private static let unitSpeed = 600.0
        private static let (share, previousShare) = (0.6, 0.4)
        private static let change = 0.75...1.25
        private static let least = 0.2

        private let fullWidth: Double
        private var speed = 0.0
        /// The width of the newest curve, in pixels.
        private(set) var width: Double

        init(fullWidth: Double) {
            self.fullWidth = fullWidth
            width = fullWidth
        }

        mutating func advance(from last: Sample, to sample: Sample) {
            // Wraps for stamps further apart than the type can represent; any result is then clamped.
            let seconds = sample.time.seconds(since: last.time)
            // Equal and backward stamps say nothing about the speed.
            let newSpeed =
                seconds > 0 ? last.position.distance(to: sample.position) / seconds / Self.unitSpeed : speed
            let mean = Self.share * newSpeed + Self.previousShare * speed
            let wanted = mean > 0 ? fullWidth / mean : fullWidth
            let near = min(max(wanted, Self.change.lowerBound * width), Self.change.upperBound * width)
            width = min(max(near, Self.least * fullWidth), fullWidth)
            speed = newSpeed
        }
    }
}

/// The curves of ``CubicGrouping``, each with one width: 100 over the length in pixels of the three chords between
/// its control points. The first attempt of "iOS SDK: Advanced Freehand Drawing Techniques" (A. Khan, Tuts+ 2012).
///
/// The width depends on the sample rate and has steps where curves meet, as the tutorial shows before it goes on to
/// ``OffsetPen``. The tutorial does not handle chords without length, nor long ones whose ink vanishes: here the width
/// is clamped. The one or two chords left when the pen lifts count as three of their mean.
struct NaiveWidthPen: StrokeModel {
    /// The tutorial's constant: width in pixels times length in pixels.
    private static let area = 100.0
    /// The thinnest ink in pixels: a hair that still shows.
    private static let leastWidth = 0.5

    private let mostWidth: Double
    private var grouping = CubicGrouping()

    /// - Parameter width: the widest ink in pixels, of taps and short curves.
    init(width: Double) { mostWidth = width }

    mutating func add(_ sample: Sample, to ink: inout StrokeInk) {
        let dry = grouping.add(sample).map { RoundCurve(curve: $0, width: width(of: $0)) }
        let wet = grouping.rest.map { RoundCurve(curve: $0, width: width(of: $0)) }
        let dot = CenterlinePoint(time: sample.time, position: sample.position, width: mostWidth)
        ink.replaceTail(dry: dry, wet: wet, dot: dot)
    }

    private func width(of curve: TimedCurve) -> Double {
        let chords = zip(curve.controls, curve.controls.dropFirst()).map { $0.distance(to: $1) }
        let length = chords.reduce(0, +) * 3 / Double(chords.count)
        guard length > 0 else { return mostWidth }
        return min(max(Self.area / length, Self.leastWidth), mostWidth)
    }
}
