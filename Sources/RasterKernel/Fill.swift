// SPDX-License-Identifier: Apache-2.0
import Geometry

/// One fill after another: contours in, rows out.
///
/// A window is what is swept at a time. Contours are cut into parts of a row, these add their areas to the row's cells
/// and become boundaries, and the rows are swept from top to bottom. See docs/raster.md.
struct Fill: ~Copyable {
    /// Cells of a window, 1 MiB: the whole of nearly every stroke. More rows at a time cost cache, fewer walk long
    /// contours more often.
    private static let windowCells = 262_144

    private var clip = PixelRect.empty
    var contours = Contours()
    private var parts = EdgeParts()
    private var rows = BoundaryRows()
    private var pairs = PairRows()
    private var sweep = RowSweep()

    /// - Parameter clip: of any size, though nothing is drawn outside the square in which ``FixedPoint`` is exact.
    mutating func begin(clip: PixelRect) {
        contours.removeAll()
        let limit = FixedPoint.limitPixels
        self.clip = clip.intersection(PixelRect(minX: -limit, minY: -limit, maxX: limit, maxY: limit))
    }

    /// Sweeps what was added, within the clip and `bounds`, and forgets it.
    /// - Parameter makeSink: from the column of the picture where x is 0.
    @inline(__always)
    mutating func sweep<Sink: RowSink>(_ rule: FillRule, bounds: PixelRect, _ makeSink: (Int) -> Sink) {
        defer { contours.removeAll() }
        if contours.startCount == 0 { return }
        let target = clip.intersection(bounds)
        let box = contours.box
        let area = box.intersection(target)
        if area.isEmpty { return }
        let sink = makeSink(area.minX)
        let limit = target.maxX &- area.minX
        sweep.begin(width: area.width)
        let isClipped = box != area
        if contours.hasTwoChains && !isClipped {
            sweepPair(Window(area), top: area.minY, rule, limit: limit, sink)
            return
        }
        let most = max(Self.windowCells / (area.width &+ BoundaryRows.slack), 1)
        let isCut = isClipped || most < area.height
        var top = area.minY
        while top < area.maxY {
            let bottom = min(top &+ most, area.maxY)
            let window = Window(PixelRect(minX: area.minX, minY: top, maxX: area.maxX, maxY: bottom))
            add(window, isClipped: isCut)
            sweep.sweep(rows, parts.list, window, top: top, rule, limit: limit, sink)
            top = bottom
        }
    }

    /// Cuts all contours and adds them to the rows of a window.
    private mutating func add(_ window: Window, isClipped: Bool) {
        rows.begin(width: Int(window.width), rows: Int(window.height))
        parts.removeAll()
        for index in 0..<contours.startCount {
            let start = contours.vertices + contours.starts[index]
            let end = index + 1 < contours.startCount ? contours.starts[index + 1] : contours.count
            let first = parts.count
            parts.cut(from: start, to: contours.vertices + (end - 1), window, isClipped: isClipped)
            rows.add(parts.list, from: first, to: parts.count, width: window.width, isClipped: isClipped)
        }
    }

    /// The one contour, all inside the window, whose rows have two boundaries each.
    @inline(__always)
    private mutating func sweepPair<Sink: RowSink>(
        _ window: Window, top: Int, _ rule: FillRule, limit: Int, _ sink: Sink
    ) {
        parts.removeAll()
        let start = contours.vertices
        let topVertex = start + contours.topVertex
        parts.cut(from: topVertex, to: start + (contours.count - 1), window, isClipped: false)
        parts.cut(from: start, to: topVertex, window, isClipped: false)
        let list = parts.list
        pairs.begin(list, count: parts.count, width: Int(window.width))
        let row = SweptRow(parts: list, width: window.width)
        while !pairs.isAtEnd {
            pairs.next(list)
            sweep.sweep(
                row, RowSweep.alone, head: 0, pairs.boundaries, cells: pairs.cells, rule: rule, limit: limit,
                into: sink.row(top &+ Int(pairs.row)))
        }
    }
}
