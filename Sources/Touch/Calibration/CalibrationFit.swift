// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// The calibration matrix that brings touches to the targets they were meant for: the affine map with the least sum of
/// squared distances.
public struct CalibrationFit: Equatable, Sendable {
    /// A target and where the digitizer said that it was touched, both in 0...1 of the panel.
    public struct Pair: Equatable, Sendable {
        public var target: Point
        public var reading: Point

        public init(target: Point, reading: Point) {
            self.target = target
            self.reading = reading
        }
    }

    /// What the pairs say together.
    public enum Verdict: Equatable, Sendable {
        case fits(CalibrationFit)
        /// One touch does not go with the others; its number.
        case outlier(Int)
        /// No map brings them all to their targets, and it cannot be told which is wrong.
        case contradiction
    }

    public let matrix: Transform
    /// How far the worst touch is from its target with this matrix, in millimetres.
    public let worst: Double

    /// Millimetres. Of five touches of a finger, each a millimetre or two from its target, the map is as far from none;
    /// a touch that missed by 8 mm shows, because the map gives way to it.
    public static let tolerance = 2.0
    /// Of the panel's area, that the digitizer's may be as large as: one that covers a border, or a corner.
    private static let areaRange = 0.2...5.0
    /// Touches on one line have no map; below this, in 0...1 of the panel squared, they are.
    private static let smallestSpread = 1e-4

    /// - Parameters:
    ///   - pairs: three at least, not on one line.
    ///   - millimetres: the panel's size.
    /// - Returns: nil when there is no such map, or none that a digitizer on a panel has.
    public init?(_ pairs: [Pair], millimetres: Point) {
        guard pairs.count >= 3 else { return nil }
        let share = 1 / Double(pairs.count)
        let from = pairs.reduce(Point.zero) { $0 + $1.reading } * share
        let to = pairs.reduce(Point.zero) { $0 + $1.target } * share
        // The normal equations about the means: a matrix of two rows, the same for x and y.
        var xx = 0.0
        var xy = 0.0
        var yy = 0.0
        var right = Point.zero
        var down = Point.zero
        for pair in pairs {
            let reading = pair.reading - from
            let target = pair.target - to
            xx += reading.x * reading.x
            xy += reading.x * reading.y
            yy += reading.y * reading.y
            right = right + target * reading.x
            down = down + target * reading.y
        }
        let spread = xx * yy - xy * xy
        guard spread.isFinite, spread > Self.smallestSpread else { return nil }
        let x = (right * yy - down * xy) * (1 / spread)
        let y = (down * xx - right * xy) * (1 / spread)
        let matrix = Transform(
            a: x.x, b: y.x, tx: to.x - x.x * from.x - y.x * from.y, c: x.y, d: y.y,
            ty: to.y - x.y * from.x - y.y * from.y)
        guard Self.areaRange.contains(abs(matrix.a * matrix.d - matrix.b * matrix.c)) else { return nil }
        self.matrix = matrix
        worst = pairs.reduce(0) { max($0, Self.distance($1, matrix, millimetres)) }
    }

    /// Whether the touches agree, and if not, which one does not: the one without which the others agree best, and far
    /// better than without any other.
    public static func judge(_ pairs: [Pair], millimetres: Point) -> Verdict {
        if let all = CalibrationFit(pairs, millimetres: millimetres), all.worst <= tolerance { return .fits(all) }
        var best: (number: Int, worst: Double)?
        var second = Double.infinity
        for number in pairs.indices where pairs.count > 4 {
            var others = pairs
            others.remove(at: number)
            guard let fit = CalibrationFit(others, millimetres: millimetres) else { continue }
            if best.map({ fit.worst < $0.worst }) ?? true {
                second = best?.worst ?? .infinity
                best = (number, fit.worst)
            } else {
                second = min(second, fit.worst)
            }
        }
        guard let best, best.worst <= tolerance, best.worst * 2 < second else { return .contradiction }
        return .outlier(best.number)
    }

    private static func distance(_ pair: Pair, _ matrix: Transform, _ millimetres: Point) -> Double {
        let miss = matrix.apply(pair.reading) - pair.target
        return Point(x: miss.x * millimetres.x, y: miss.y * millimetres.y).length
    }
}
