// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Fills one contour of two chains, one down and one up (a y-monotone polygon), as are most pieces of a live stroke.
///
/// In most rows its two sides share no pixel. What the cells say is right there, and parts and boundaries need not be
/// listed: of each row only how far each side reaches is kept. The bytes are those of the long way, which the
/// other rows go.
struct MonotoneFill: ~Copyable {
    /// Corners of a contour up to which it is worthwhile: rows that are walked after all begin at the chain's top.
    static let mostCorners = 256

    /// Pieces that go the long way after one of which most rows did, such as hairs: the pieces of a stroke are alike.
    private static let pause = 15

    /// Pixels that are blended at once.
    private static let block: Int32 = 8
    /// Pixels of a row up to which it is swept in blocks of eight, also if there is a run between its sides.
    private static let mostInBlocks: Int32 = 24

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
        let contour = MonotoneContour(contours, window)
        let count = Int(window.height)
        rows.clear(count)
        rows.pen(0, contour.one, to: band).add(contour.one, of: contour)
        rows.prefetch(count, sink.prefetchTarget(top))
        rows.pen(1, contour.other, to: band).add(contour.other, of: contour)
        let pitch = band.pitch
        var cells = band.cells
        var pixels = sink.row(top)
        var walkedCount = 0
        // A piece that is no wider than a block is one block in each row, wherever its sides are there.
        let isOneBlock = window.width <= Self.block && limit >= Int(Self.block)
        var row = 0
        while row < count {
            let extent = rows.extent(row)
            let start = Int(extent.first)
            // Most rows are so far from the clip's right side that there is no need to ask where their blocks end.
            if extent.isShared && !isOpenTip(row, extent, contour) {
                walk(row, contours, window, sink.prefetchTarget(top &+ row), &band)
                rowSweep.sweepRow(band, cells: cells, width: window.width, rule, limit: limit, into: pixels)
                walkedCount &+= 1
            } else if isOneBlock {
                CellRun.sweepBlocks(cells, from: 0, count: Self.block, rule, pixels)
            } else if extent.count <= Self.mostInBlocks
                && (start &+ Int(Self.mostInBlocks) <= limit || CellRun.endOfBlocks(start, extent.count) <= limit)
            {
                CellRun.sweepBlocks(cells, from: start, count: extent.count, rule, pixels)
            } else {
                Self.sweepWide(extent, cells, rule, limit: limit, pixels)
            }
            cells += pitch
            pixels.advance()
            row &+= 1
        }
        if walkedCount &* 2 > count { pauseLeft = Self.pause }
    }

    // By itself, because it is long.
    @inline(never)
    private static func sweepWide<Row: PixelRow>(
        _ extent: MonotoneRows.Extent, _ cells: UnsafeMutablePointer<Int32>, _ rule: FillRule, limit: Int,
        _ pixels: Row
    ) {
        RowSweep.sweepApart(
            first: extent.first, gap: extent.gap, last: extent.last, cells: cells, rule: rule, limit: limit,
            into: pixels)
    }

    /// Whether a row is the first or the last one, where both sides leave the same vertex, and they do not cross in it.
    @inline(__always)
    private func isOpenTip(_ row: Int, _ extent: MonotoneRows.Extent, _ contour: MonotoneContour) -> Bool {
        if extent.count > MonotoneTip.widest &+ 1 { return false }
        if row == 0 { return tip.isOpen(contour, isUpper: true) }
        return row == contour.window.height &- 1 && tip.isOpen(contour, isUpper: false)
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
