// SPDX-License-Identifier: Apache-2.0
public import Geometry
import Ink
import Touch

/// The part of a page that takes ink: a rectangle without the icons in one of its corners. Its edges belong to it.
public struct InkArea: Equatable, Sendable {
    public let bounds: PixelRect
    /// The part of ``bounds`` without ink: the icons and the room between them; empty without icons.
    public let icons: PixelRect

    public init(_ bounds: PixelRect, except icons: PixelRect = .empty) {
        self.bounds = bounds
        self.icons = icons.intersection(bounds)
    }

    public func contains(_ point: Point) -> Bool {
        let (area, hole) = (bounds.rect, icons.rect)
        guard area.minX <= point.x, point.x <= area.maxX, area.minY <= point.y, point.y <= area.maxY else {
            return false
        }
        return icons.isEmpty || !hole.surrounds(point)
    }

    /// The fraction, 0 to 1, of the way from `inside`, a point within, at which it first leaves the area, or 1.
    func exit(from inside: Point, to end: Point) -> Double {
        min(bounds.rect.exit(from: inside, to: end), passage(from: inside, to: end)?.lowerBound ?? 1)
    }

    /// The part of the way that is over the icons, in fractions of the way; nil if none is.
    func passage(from start: Point, to end: Point) -> Range<Double>? {
        if icons.isEmpty { return nil }
        let hole = icons.rect
        var (first, last) = (0.0, 1.0)
        for (from, to, low, high) in [
            (start.x, end.x, hole.minX, hole.maxX), (start.y, end.y, hole.minY, hole.maxY),
        ] {
            if from == to {
                // Along an edge is beside the icons.
                if from <= low || from >= high { return nil }
                continue
            }
            let (one, other) = ((low - from) / (to - from), (high - from) / (to - from))
            (first, last) = (max(first, min(one, other)), min(last, max(one, other)))
        }
        return first < last ? first..<last : nil
    }

    /// The nearest point of the area, for a point that rounding has put slightly outside.
    func clamped(_ point: Point) -> Point {
        let (area, hole) = (bounds.rect, icons.rect)
        let point = Point(
            x: max(area.minX, min(point.x, area.maxX)), y: max(area.minY, min(point.y, area.maxY)))
        guard !icons.isEmpty, hole.surrounds(point) else { return point }
        let edges = [
            (point.x - hole.minX, Point(x: hole.minX, y: point.y)),
            (hole.maxX - point.x, Point(x: hole.maxX, y: point.y)),
            (point.y - hole.minY, Point(x: point.x, y: hole.minY)),
            (hole.maxY - point.y, Point(x: point.x, y: hole.maxY)),
        ]
        return edges.min { $0.0 < $1.0 }?.1 ?? point
    }
}

/// Cuts the way of one contact into strokes within the ink area. A stroke ends where the way leaves the area, and
/// another begins where it comes back, so that no line joins the two places.
///
/// Each stroke contains a report: a way that crosses a corner between two reports leaves no ink.
struct StrokeCutter {
    private let area: InkArea
    private var last: Sample?
    private(set) var isDrawing = false

    init(area: InkArea) { self.area = area }

    /// - Returns: ink that begins, moves and ends.
    mutating func move(to event: TouchEvent) -> [PageContacts.Effect] {
        let (sample, reading) = (event.sample, event.reading)
        // An overflow would make the crossing NaN.
        guard sample.position.isFinite, abs(sample.position.x) < 1e6, abs(sample.position.y) < 1e6 else { return [] }
        let wasDrawing = isDrawing
        isDrawing = area.contains(sample.position)
        defer { last = sample }
        switch (wasDrawing, isDrawing, last) {
        case (true, true, let last?):
            // A fast way from one side of the icons to another has no report on them.
            guard area.passage(from: last.position, to: sample.position) != nil else {
                return [.ink(.move(sample), reading)]
            }
            return leave(from: last, to: sample) + enter(from: last, to: sample, reading)
        case (true, true, nil): return [.ink(.move(sample), reading)]
        case (true, false, let last?): return leave(from: last, to: sample)
        case (false, true, let last?): return enter(from: last, to: sample, reading)
        case (false, true, nil): return [.ink(.begin(sample), reading)]
        case (_, false, _): return []
        }
    }

    private func leave(from inside: Sample, to outside: Sample) -> [PageContacts.Effect] {
        let edge = crossing(from: inside, to: outside)
        return edge.position == inside.position ? [.ink(.end, nil)] : [.ink(.move(edge), nil), .ink(.end, nil)]
    }

    private func enter(from outside: Sample, to inside: Sample, _ reading: DeviceReading?) -> [PageContacts.Effect] {
        let edge = crossing(from: inside, to: outside)
        return edge.position == inside.position
            ? [.ink(.begin(inside), reading)] : [.ink(.begin(edge), nil), .ink(.move(inside), reading)]
    }

    /// The first point on the edge on the way from a report inside. Its time and pressure are interpolated.
    private func crossing(from inside: Sample, to other: Sample) -> Sample {
        let fraction = area.exit(from: inside.position, to: other.position)
        let place = area.clamped(inside.position.interpolated(to: other.position, fraction))
        let passed = Duration.microseconds(Int64(Double((other.time - inside.time).microseconds) * fraction))
        var pressure: Double?
        if let first = inside.pressure, let second = other.pressure { pressure = first + (second - first) * fraction }
        return Sample(time: inside.time + passed, position: place, pressure: pressure)
    }
}

extension Rect {
    /// Whether the point is within the edges.
    fileprivate func surrounds(_ point: Point) -> Bool {
        minX < point.x && point.x < maxX && minY < point.y && point.y < maxY
    }

    /// The fraction, 0 to 1, of the way from `inside`, a point within, to `end` at which it crosses the edge.
    fileprivate func exit(from inside: Point, to end: Point) -> Double {
        var fraction = 1.0
        func cut(_ from: Double, _ to: Double, _ low: Double, _ high: Double) {
            let edge = to < low ? low : high
            if to < low || to > high { fraction = min(fraction, (edge - from) / (to - from)) }
        }
        cut(inside.x, end.x, minX, maxX)
        cut(inside.y, end.y, minY, maxY)
        return max(0, fraction)
    }
}
