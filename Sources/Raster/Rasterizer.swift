// SPDX-License-Identifier: Apache-2.0
public import Geometry

/// Fills paths with anti-aliased ink: exact area coverage, right also where a path overlaps itself.
///
/// A fill is `begin`, any number of `add`, and one of the `fill` calls. What is added in between is one shape, joined
/// by the fill rule. The coverage of a pixel depends on the geometry alone: neither the clip nor the pieces that a
/// shape comes in change a bit of it.
///
/// One thread at a time; keeps its memory, so that a fill like one before it allocates nothing.
public struct Rasterizer: ~Copyable {
    /// Pixels that a chord may lie from its curve: at most five levels of 255 at the edge of a round stroke, and one on
    /// average. Half of it would cost 1.4 times the edges.
    public static let flatteningTolerance = 0.02

    var rows = SegmentRows()
    private var sweep = RowSweep()

    public init() {}

    /// Starts a fill and forgets what was added before.
    /// - Parameter clip: the only pixels that will change. Of any size, though nothing is drawn further than 65 536
    ///   pixels from the origin.
    public mutating func begin(clip: PixelRect) { rows.begin(clip: clip) }

    /// Blends what was added over the pixels in the clip and on the surface; ready for `begin` afterwards.
    public mutating func fill(_ rule: FillRule, with color: Color, into surface: Surface) {
        let target = rows.clip.intersection(surface.bounds)
        if color.alpha != 0 && !target.isEmpty {
            var sink = InkSink(color: color, surface: surface, clip: rows.clip)
            sweepRows(rule, target, &sink)
        }
        rows.removeAll()
    }

    /// Stores the coverage of what was added, within the clip and the buffer; pixels without ink are not touched.
    public mutating func fill(_ rule: FillRule, into coverage: borrowing CoverageBuffer) {
        let target = rows.clip.intersection(coverage.bounds)
        if !target.isEmpty {
            var sink = coverage.sink(clip: rows.clip)
            sweepRows(rule, target, &sink)
        }
        rows.removeAll()
    }

    @inline(__always)
    private mutating func sweepRows<Sink: RowSink>(_ rule: FillRule, _ target: PixelRect, _ sink: inout Sink) {
        let clip = rows.clip
        sweep.begin(width: clip.width)
        let columns = (target.minX - clip.minX)..<(target.maxX - clip.minX)
        let first = max(target.minY - clip.minY, Int(rows.firstRow))
        let last = min(target.maxY - clip.minY - 1, Int(rows.lastRow))
        let heads = rows.heads
        let segments = rows.segments
        var row = first
        while row <= last {
            if heads[row] >= 0 {
                sink.beginRow(row)
                sweep.sweep(head: heads[row], segments: segments, rule: rule, columns: columns, into: &sink)
            }
            row += 1
        }
    }
}
