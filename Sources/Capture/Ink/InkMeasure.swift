// SPDX-License-Identifier: Apache-2.0
import Geometry

/// How much ink there is, in pixels; that of several strokes is the sum of theirs.
struct InkMeasure: Equatable {
    private(set) var strokes = 0
    /// Reports, without the places where strokes cross the edge.
    private(set) var samples = 0
    private(set) var length = 0.0
    private(set) var bounds = Rect.empty
    /// Of the earliest and of the latest sample.
    private var earliest = Int64.max
    private var latest = Int64.min
    /// Sums over the length of the ink: of x, y, their squares and their product.
    private var x = 0.0
    private var y = 0.0
    private var xx = 0.0
    private var xy = 0.0
    private var yy = 0.0
    private var last: Point?

    /// Of nothing.
    init() {}

    /// Of a stroke that begins.
    init(first point: InkPoint) {
        strokes = 1
        add(point)
    }

    mutating func add(_ point: InkPoint) {
        if point.device != nil { samples += 1 }
        let b = point.position
        bounds.include(b)
        earliest = min(earliest, point.microseconds)
        latest = max(latest, point.microseconds)
        defer { last = b }
        guard let a = last else { return }
        // The integrals along the line from a to b.
        let length = a.distance(to: b)
        self.length += length
        x += length * (a.x + b.x) / 2
        y += length * (a.y + b.y) / 2
        xx += length * (a.x * a.x + a.x * b.x + b.x * b.x) / 3
        yy += length * (a.y * a.y + a.y * b.y + b.y * b.y) / 3
        let straight = a.x * b.y + b.x * a.y
        xy += length * (2 * a.x * a.y + 2 * b.x * b.y + straight) / 6
    }

    mutating func add(_ other: InkMeasure) {
        strokes += other.strokes
        samples += other.samples
        length += other.length
        bounds = bounds.union(other.bounds)
        earliest = min(earliest, other.earliest)
        latest = max(latest, other.latest)
        x += other.x
        y += other.y
        xx += other.xx
        xy += other.xy
        yy += other.yy
    }

    /// From the first sample to the last, pauses included.
    var microseconds: Int64 { earliest > latest ? 0 : latest &- earliest }

    /// The diagonal of the box around it.
    var extent: Double { strokes == 0 ? 0 : Point(x: bounds.maxX - bounds.minX, y: bounds.maxY - bounds.minY).length }

    /// How far it reaches across the direction in which it runs: the width of an evenly inked band that is spread as
    /// much. 0 for a straight line in any direction.
    var breadth: Double {
        guard length > 0 else { return 0 }
        let (meanX, meanY) = (x / length, y / length)
        let (a, c) = (xx / length - meanX * meanX, yy / length - meanY * meanY)
        let b = xy / length - meanX * meanY
        // The smaller eigenvalue of the covariance; a band of width w has w²/12.
        let halfDifference = (a - c) / 2
        let smaller = (a + c) / 2 - (halfDifference * halfDifference + b * b).squareRoot()
        return (max(0, smaller) * 12).squareRoot()
    }
}
