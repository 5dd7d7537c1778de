// SPDX-License-Identifier: Apache-2.0
import Geometry

/// One fill after another: contours in, rows out.
///
/// Bands of a few rows from top to bottom: the chains that pass a band are walked and leave parts of edges and
/// boundaries in its rows, the parts are added to the rows' cells, and the rows are swept. ``MonotoneFill`` does the
/// small pieces of which a live stroke consists. See docs/raster.md.
struct Fill: ~Copyable {
    /// Rows of an edge up to which the error of its slope, 2^-25 a unit of height, cannot lead beyond its ends.
    private static let mostRows = 32_768

    private var clip = PixelRect.empty
    var contours = Contours()
    private var active = ActiveChains()
    private var band = Band()
    private var monotone = MonotoneFill()
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
        if contours.isEmpty { return }
        let target = clip.intersection(bounds)
        let box = contours.box
        let area = box.intersection(target)
        if area.isEmpty { return }
        let sink = makeSink(area.minX)
        let limit = target.maxX &- area.minX
        let window = Window(area)
        band.begin(width: area.width, chains: contours.chainCount)
        let isClipped = box != area || box.height > Self.mostRows
        if !isClipped && contours.chainCount == 2 && contours.count <= MonotoneFill.mostCorners
            && area.height <= band.rows && monotone.takesNext()
        {
            monotone.sweep(contours, window, top: area.minY, rule, limit: limit, sink, &band, &sweep)
            return
        }
        active.begin(contours, window, bandBits: band.rowBits)
        var top = 0
        while top < area.height {
            let rows = min(area.height &- top, band.rows)
            let pixels = sink.prefetchTarget(area.minY &+ top)
            if isClipped {
                walkClipped(window, top: top, rows: rows, pixels)
            } else {
                walkInside(window, top: top, rows: rows, pixels)
            }
            sweep.sweep(band, rows: rows, top: area.minY &+ top, width: window.width, rule, limit: limit, sink)
            top &+= rows
        }
    }

    @inline(never)
    private mutating func walkInside(_ window: Window, top: Int, rows: Int, _ pixels: PrefetchTarget) {
        walk(window, top: top, rows: rows, isClipped: false, pixels)
    }

    @inline(never)
    private mutating func walkClipped(_ window: Window, top: Int, rows: Int, _ pixels: PrefetchTarget) {
        walk(window, top: top, rows: rows, isClipped: true, pixels)
    }

    /// Walks the chains through the next rows and adds what they leave there to the cells.
    @inline(__always)
    private mutating func walk(_ window: Window, top: Int, rows: Int, isClipped: Bool, _ pixels: PrefetchTarget) {
        active.begin(band: top >> band.rowBits, contours, window, isClipped: isClipped)
        band.clear(active.count, rows: rows, pixels)
        active.walk(&band, contours, window, top: top, rows: rows, isClipped: isClipped)
        band.deposit(width: window.width, isClipped: isClipped)
    }
}
