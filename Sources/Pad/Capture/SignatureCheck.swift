// SPDX-License-Identifier: Apache-2.0
import Geometry
public import HostAPI

extension Refusal {
    /// The message on the page.
    public var message: Message {
        switch self {
        case .noInk: .refusedNoInk
        case .fewStrokes: .refusedFewStrokes
        case .fewSamples, .quick: .refusedQuick
        case .short, .small: .refusedSmall
        case .straight: .refusedStraight
        }
    }
}

extension CapturePolicy.Minima {
    /// Why the ink does not suffice; nil if it does. No ink is always refused.
    func refusal(of ink: InkMeasure, pixelsPerMillimetre: Double) -> Refusal? {
        if ink.strokes == 0 { return .noInk }
        if let strokes, ink.strokes < strokes { return .fewStrokes(ink.strokes, minimum: strokes) }
        let extent = ink.extent / pixelsPerMillimetre
        if let minimum = self.extent, extent < minimum { return .small(extent, minimum: minimum) }
        let length = ink.length / pixelsPerMillimetre
        if let minimum = self.length, length < minimum { return .short(length, minimum: minimum) }
        let breadth = ink.breadth / pixelsPerMillimetre
        if let minimum = self.breadth, breadth < minimum { return .straight(breadth, minimum: minimum) }
        if let duration, ink.duration < duration { return .quick(ink.duration, minimum: duration) }
        if let samples, ink.samples < samples { return .fewSamples(ink.samples, minimum: samples) }
        return nil
    }
}

/// How much ink a stroke or several strokes have, in pixels.
struct InkMeasure: Equatable {
    private(set) var strokes = 0
    /// Reports of the device.
    private(set) var samples = 0
    private(set) var length = 0.0
    private(set) var bounds = Rect.empty
    /// Times of the first and the last sample.
    private var earliest = Timestamp.distantFuture
    private var latest = Timestamp.distantPast
    /// Integrals along the ink of x, y, their squares and their product.
    private var x = 0.0
    private var y = 0.0
    private var xx = 0.0
    private var xy = 0.0
    private var yy = 0.0
    private var last: Point?

    mutating func begin(_ sample: Sample, isReport: Bool) {
        strokes += 1
        add(sample, isReport: isReport)
    }

    /// - Parameter isReport: a device has measured it; it is no point between two reports.
    mutating func add(_ sample: Sample, isReport: Bool) {
        if isReport { samples += 1 }
        let b = sample.position
        bounds.include(b)
        earliest = min(earliest, sample.time)
        latest = max(latest, sample.time)
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

    /// The time from the first sample to the last, with pauses.
    var duration: Duration { earliest > latest ? .zero : latest - earliest }

    /// The diagonal of the bounding box.
    var extent: Double { strokes == 0 ? 0 : Point(x: bounds.maxX - bounds.minX, y: bounds.maxY - bounds.minY).length }

    /// The extent across the main direction: the width of an evenly inked band with the same variance. 0 for a straight
    /// line in any direction.
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
