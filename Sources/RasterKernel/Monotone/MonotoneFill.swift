// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Fills one contour of two chains, one down and one up (a y-monotone polygon), as are most pieces of a live stroke.
///
/// In most rows its two sides share no pixel. What the cells say is right there, and parts and boundaries need not be
/// listed: of each row only the pixels are kept that each side touches. The bytes are those of the long way, which the
/// other rows go.
struct MonotoneFill: ~Copyable {
    /// Corners of a contour up to which it is worthwhile: rows that are walked after all begin at the chain's top.
    static let mostCorners = 256

    /// Pieces that go the long way after one of which most rows did, such as hairs: the pieces of a stroke are alike.
    private static let pause = 15

    private let rows = MonotoneRows()
    private let tip = MonotoneTip()
    private var pauseLeft = 0

    /// Whether the next contour of two chains is to be filled here.
    @inline(__always)
    mutating func takesNext() -> Bool {
        if pauseLeft == 0 { return true }
        pauseLeft &-= 1
        return false
    }

    /// - Parameters:
    ///   - contours: two chains, all within the window.
    ///   - top: the row of the picture where the window begins.
    ///   - limit: pixels from the left of the window on that may be written.
    ///   - band: has room for all rows of the window.
    @inline(__always)
    mutating func sweep<Sink: RowSink>(
        _ contours: borrowing Contours, _ window: Window, top: Int, _ rule: FillRule, limit: Int, _ sink: Sink,
        _ band: inout Band, _ rowSweep: inout RowSweep
    ) {
        let count = Int(window.height)
        rows.add(contours.chains[0], side: 0, of: contours, window, to: band)
        rows.prefetch(count, sink.prefetchTarget(top))
        rows.add(contours.chains[1], side: 1, of: contours, window, to: band)
        let pitch = band.pitch
        let prefix = rowSweep.prefix
        var cells = band.cells
        var pixels = sink.row(top)
        var walkedCount = 0
        var row = 0
        while row < count {
            let extent = rows.extent(row)
            let start = Int(extent.first)
            if !extent.isShared && extent.last &- extent.first < 8 && start &+ 8 <= limit {
                CellRun.sweepBlock(cells + start, prefix, x: start, rule, pixels)
            } else {
                let isWalked = sweep(
                    row, extent, contours, window, cells: cells, rule, limit: limit, into: pixels,
                    sink.prefetchTarget(top &+ row), &band, &rowSweep)
                walkedCount &+= isWalked ? 1 : 0
            }
            cells += pitch
            pixels.advance()
            row &+= 1
        }
        if walkedCount &* 2 > count { pauseLeft = Self.pause }
    }

    /// Sweeps a row that is wide, or whose sides share pixels.
    /// - Returns: whether its boundaries had to be listed.
    @inline(never)
    private func sweep<Row: PixelRow>(
        _ row: Int, _ extent: MonotoneRows.Extent, _ contours: borrowing Contours, _ window: Window,
        cells: UnsafeMutablePointer<Int32>, _ rule: FillRule, limit: Int, into pixels: Row, _ target: PrefetchTarget,
        _ band: inout Band, _ rowSweep: inout RowSweep
    ) -> Bool {
        if extent.isShared && !isOpenTip(row, extent, contours, window) {
            walk(row, contours, window, target, &band)
            rowSweep.sweepRow(band, cells: cells, width: window.width, rule, limit: limit, into: pixels)
            return true
        }
        rowSweep.sweepApart(
            first: extent.first, gap: (extent.gapStart, extent.gapEnd), last: extent.last, cells: cells, rule: rule,
            limit: limit, into: pixels)
        return false
    }

    /// Whether a row is the first or the last one, where both sides leave the same vertex, and they do not cross in it.
    @inline(__always)
    private func isOpenTip(
        _ row: Int, _ extent: MonotoneRows.Extent, _ contours: borrowing Contours, _ window: Window
    ) -> Bool {
        if extent.last &- extent.first > MonotoneTip.widest { return false }
        if row == 0 { return tip.isOpen(contours, window, isUpper: true) }
        return row == window.height &- 1 && tip.isOpen(contours, window, isUpper: false)
    }

    /// Lists the parts and boundaries of one row, whose areas are in its cells already.
    @inline(never)
    private func walk(
        _ row: Int, _ contours: borrowing Contours, _ window: Window, _ pixels: PrefetchTarget, _ band: inout Band
    ) {
        var window = window
        window.originY &+= Int32(truncatingIfNeeded: row) << 8
        band.clear(2, rows: 1, pixels)
        var index = 0
        while index < 2 {
            var chain = ActiveChain(contours.chains[index], of: contours.vertices, window, isClipped: true)
            chain.walk(&band, contours, window, top: 0, bottom: 256, isClipped: false)
            index &+= 1
        }
    }
}
