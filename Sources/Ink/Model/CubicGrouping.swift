// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The tutorials' way from samples to cubics: four points and the one after them give a curve from the first to the
/// middle between the third and the fifth, which is where the next one starts.
struct CubicGrouping {
    /// The tutorial's `pts`: the current start point and up to three samples after it.
    private var points: [Sample] = []

    var isEmpty: Bool { points.isEmpty }

    /// Takes a sample; the fifth point of a group completes its curve.
    mutating func add(_ sample: Sample) -> TimedCurve? {
        points.append(sample)
        guard points.count == 5 else { return nil }
        points[3] = Sample(
            microseconds: .interpolated(from: points[2].microseconds, to: points[4].microseconds, 0.5),
            position: points[2].position.interpolated(to: points[4].position, 0.5))
        defer { points.removeFirst(3) }
        return TimedCurve(points[...3])
    }

    /// The curve of what is left when the pen lifts now, ending exactly at the last sample: a line, a quadratic or a
    /// cubic whose joint is not moved. Nil before the second sample.
    var rest: TimedCurve? { points.count > 1 ? TimedCurve(points[...]) : nil }
}

/// Two to four control points and when the curve was drawn.
struct TimedCurve {
    var controls: [Point]
    var startMicroseconds: Int64
    var endMicroseconds: Int64

    fileprivate init(_ samples: ArraySlice<Sample>) {
        controls = samples.map(\.position)
        startMicroseconds = samples.first?.microseconds ?? 0
        endMicroseconds = samples.last?.microseconds ?? 0
    }

    var curve: CubicBezier { CubicBezier(raising: controls) }

    /// Runs evenly with the curve's parameter.
    func microseconds(at t: Double) -> Int64 { .interpolated(from: startMicroseconds, to: endMicroseconds, t) }
}

extension CubicBezier {
    /// The curve with these control points, 1 to 4, raised to a cubic.
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
