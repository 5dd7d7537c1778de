// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A curve with two to four control points, and when it was drawn.
struct TimedCurve {
    /// Furthest distance of the drawn chords from the curve, in pixels.
    private static let tolerance = 0.03

    var controls: [Point]
    var start: Timestamp
    var end: Timestamp

    init(controls: [Point], from start: Timestamp, to end: Timestamp) {
        self.controls = controls
        self.start = start
        self.end = end
    }

    /// The curve with these samples as control points.
    init(_ samples: some BidirectionalCollection<Sample>) {
        self.init(
            controls: samples.map(\.position), from: samples.first?.time ?? .zero,
            to: samples.last?.time ?? .zero)
    }

    var curve: CubicBezier { CubicBezier(raising: controls) }

    var isPoint: Bool { controls.allSatisfy { $0 == controls[0] } }

    /// Time runs evenly with the curve's parameter.
    func time(at t: Double) -> Timestamp { start.interpolated(to: end, t) }

    func startNode(width: Double) -> CenterlinePoint {
        CenterlinePoint(time: start, position: controls[0], width: width)
    }

    /// Appends the nodes after the start of the curve. The last one is exactly at its end.
    func appendNodes(width: Double, to nodes: inout [CenterlinePoint]) {
        let curve = curve
        let count = curve.segmentCount(tolerance: Self.tolerance)
        for step in 1...count {
            let t = Double(step) / Double(count)
            nodes.append(
                CenterlinePoint(
                    time: time(at: t), position: step < count ? curve.point(at: t) : curve.end,
                    width: width))
        }
    }
}

extension CubicBezier {
    /// The curve with 1 to 4 control points, raised to a cubic.
    init(raising p: [Point]) {
        switch p.count {
        case 1: self.init(start: p[0], control1: p[0], control2: p[0], end: p[0])
        case 2:
            self.init(
                start: p[0], control1: p[0].interpolated(to: p[1], 1.0 / 3),
                control2: p[0].interpolated(to: p[1], 2.0 / 3), end: p[1])
        case 3: self.init(quadraticFrom: p[0], control: p[1], end: p[2])
        default: self.init(start: p[0], control1: p[1], control2: p[2], end: p[3])
        }
    }
}

// MARK: from samples to curves

/// How a pen groups samples into curves. A curve starts where the one before ended.
protocol CurveGrouping: Sendable {
    /// Whether there was no sample yet.
    var isEmpty: Bool { get }

    /// Adds a sample; returns the curve that it completes, which is final.
    mutating func add(_ sample: Sample) -> TimedCurve?

    /// The curve through the remaining samples if the pen lifts now, ending exactly at the last one; nil if there are
    /// none after the last complete curve.
    var rest: TimedCurve? { get }
}

/// Every four samples are the control points of a cubic; the fourth is the first of the next one.
struct FourSampleGrouping: CurveGrouping {
    /// The end of the last cubic and the samples after it.
    private var samples: [Sample] = []

    var isEmpty: Bool { samples.isEmpty }

    mutating func add(_ sample: Sample) -> TimedCurve? {
        samples.append(sample)
        guard samples.count == 4 else { return nil }
        defer { samples.removeFirst(3) }
        return TimedCurve(samples)
    }

    /// A line or a quadratic.
    var rest: TimedCurve? { samples.count > 1 ? TimedCurve(samples) : nil }
}

/// Four points and the one after them give a cubic from the first to the middle between the third and the fifth; the
/// next one starts there, so that the direction is continuous.
struct CubicGrouping: CurveGrouping {
    /// The tutorial's `pts`: the current start point and up to three samples after it.
    private var points: [Sample] = []

    var isEmpty: Bool { points.isEmpty }

    mutating func add(_ sample: Sample) -> TimedCurve? {
        points.append(sample)
        guard points.count == 5 else { return nil }
        points[3] = Sample(
            time: points[2].time.interpolated(to: points[4].time, 0.5),
            position: points[2].position.interpolated(to: points[4].position, 0.5))
        defer { points.removeFirst(3) }
        return TimedCurve(points[...3])
    }

    /// A line, a quadratic, or a cubic whose end is not moved.
    var rest: TimedCurve? { points.count > 1 ? TimedCurve(points) : nil }
}

/// Quadratics from the middle between two samples to the middle between the next two; the sample between them is the
/// control point. The first starts at the first sample; a line leads from the last middle to the last sample.
struct MidpointGrouping: CurveGrouping {
    private var last: Sample?
    /// The middle before `last`; nil before the second sample.
    private var middle: Sample?

    var isEmpty: Bool { last == nil }

    mutating func add(_ sample: Sample) -> TimedCurve? {
        defer { last = sample }
        guard let last else { return nil }
        let start = middle ?? last
        let end = Sample(
            time: last.time.interpolated(to: sample.time, 0.5),
            position: last.position.interpolated(to: sample.position, 0.5))
        middle = end
        return TimedCurve(
            controls: [start.position, last.position, end.position], from: start.time, to: end.time)
    }

    var rest: TimedCurve? {
        guard let middle, let last else { return nil }
        return TimedCurve([middle, last])
    }
}

// MARK: from curves to ink

/// A curve with a width of its own and round ends. Where the next curve is thinner or thicker the ink has a step.
struct RoundCurve {
    var curve: TimedCurve
    /// Pixels.
    var width: Double
}

extension StrokeInk {
    /// Replaces the wet tail by curves, or by a dot while there is no curve.
    /// - Parameters:
    ///   - dry: a curve that is final.
    ///   - wet: the curve after it, up to the tip.
    ///   - dot: drawn while there is no curve.
    mutating func replaceTail(dry: RoundCurve?, wet: RoundCurve?, dot: CenterlinePoint) {
        removeWet()
        if let dry { append(dry) }
        self.dry()
        if let wet { append(wet) }
        if centerline.isEmpty {
            append(dot)
            appendOutline(along: [dot])
        }
    }

    private mutating func append(_ stroke: RoundCurve) {
        // The disc of a resting pen lies within the round end of the curve before.
        let isHidden = stroke.curve.isPoint && (centerline.last.map { $0.width >= stroke.width } ?? false)
        var nodes = [stroke.curve.startNode(width: stroke.width)]
        stroke.curve.appendNodes(width: stroke.width, to: &nodes)
        for node in nodes { append(node) }
        if !isHidden { appendOutline(along: nodes) }
    }

    /// Adds a wet line with round ends along some nodes to the outline.
    mutating func appendOutline(along nodes: some Sequence<CenterlinePoint>) {
        var outliner = StrokeOutliner()
        for node in nodes { outliner.add(node, to: &self) }
        outliner.finish(&self)
    }
}
