// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// The final pieces of the stroke being drawn that touch one tile, less those that can no longer change a pixel.
///
/// Contours of ink all turn one way and none turns back (``StrokeInk``), so a pixel that is wholly inked stays so
/// whatever is added, and a piece that touches only such pixels need not be filled again.
struct WetTile {
    /// Pieces that make it worth to look.
    private static let leastBatch = 32
    /// Pieces that make it worth to settle what can be. Fewer are filled again as fast as pixels are copied.
    private static let leastUnsettled = 16

    /// Their numbers, in the order they were drawn.
    private(set) var pieces: [UInt32] = []
    /// Pixels that are wholly inked by pieces of one run, whether these are still in ``pieces`` or not; in the order of
    /// runs.
    private(set) var inked: [InkedRun] = []
    /// The first so many of ``pieces`` and of ``inked`` are on the tile's settled pixels; nil while it has none.
    private(set) var settled: (pieces: Int, inked: Int)?
    /// The run of its first piece.
    private let firstRun: Int
    /// The run of its last piece, where that run begins in ``pieces``, and what is inked by it.
    private var lastRun: Int
    private var lastRunStart = 0
    private var cells = InkedCells()
    /// The first so many of ``pieces`` were looked at before.
    private var seenCount = 0

    init(firstRun: Int) { (self.firstRun, lastRun) = (firstRun, firstRun) }

    mutating func append(_ number: Int, run: Int) {
        if run != lastRun {
            lastRun = run
            lastRunStart = pieces.count
            seenCount = pieces.count
            cells = InkedCells()
        }
        pieces.append(UInt32(number))
    }

    // MARK: settled pixels

    /// Whether there is so much that what can be settled is to be; a tile that was settled once always is.
    var isToBeSettled: Bool { settled != nil || !inked.isEmpty || pieces.count >= Self.leastUnsettled }

    /// What can be settled, because it is of runs before the one that pieces are still added to, and is not yet; nil
    /// when that is nothing.
    func unsettled(before run: Int) -> (pieces: Range<Int>, inked: Range<Int>)? {
        guard firstRun < run else { return nil }
        let start = settled ?? (0, 0)
        let pieceEnd = lastRun < run ? pieces.count : lastRunStart
        let inkedEnd = inked.count - (inked.last?.run == run ? 1 : 0)
        if settled != nil, start == (pieceEnd, inkedEnd) { return nil }
        return (start.pieces..<pieceEnd, start.inked..<inkedEnd)
    }

    /// Says that what ``unsettled(before:)`` gave is on the settled pixels.
    mutating func settle(_ part: (pieces: Range<Int>, inked: Range<Int>)) {
        settled = (part.pieces.upperBound, part.inked.upperBound)
    }

    // MARK: thinning out

    /// Whether half as many pieces of the last run have come as were left the last time, which makes looking at all of
    /// them again cost a fixed number of looks for each.
    var isToBeThinned: Bool {
        // Once settled the run is over.
        (settled?.pieces ?? 0) <= lastRunStart
            && pieces.count - seenCount >= max((seenCount - lastRunStart) / 2, Self.leastBatch)
    }

    /// Drops the pieces of the last run that touch only pixels which it inks wholly.
    /// - Parameters:
    ///   - tile: its pixels.
    ///   - spans: memory to work in.
    mutating func thin(_ ink: StrokeInk, tile: PixelRect, _ spans: inout RowSpans) {
        guard let last = pieces.last else { return }
        for number in pieces[seenCount...] {
            cells.insert(ink.pieces[Int(number)], of: ink.outline, tile: tile, &spans)
        }
        let mask = cells.pixels
        if !mask.isEmpty {
            if inked.last?.run == lastRun { inked.removeLast() }
            inked.append(InkedRun(run: lastRun, tone: ink.pieces[Int(last)].tone, pixels: mask))
            var end = lastRunStart
            for index in lastRunStart..<pieces.count
            where Self.touches(ink.pieces[Int(pieces[index])], of: ink.outline, pixelsNotIn: mask, tile, &spans) {
                pieces[end] = pieces[index]
                end += 1
            }
            pieces.removeLast(pieces.count - end)
        }
        seenCount = pieces.count
    }

    private static func touches(
        _ piece: StrokeInk.Piece, of outline: Path, pixelsNotIn mask: TileMask, _ tile: PixelRect,
        _ spans: inout RowSpans
    ) -> Bool {
        spans.begin(top: Double(tile.minY), pitch: 1, count: tile.height)
        spans.add(outline, from: piece.start, to: piece.end)
        for row in 0..<tile.height {
            guard let columns = spans.columns(inRow: row, from: tile.minX, pitch: 1, count: tile.width) else {
                continue
            }
            if TileMask.bits(columns) & ~mask[row] != 0 { return true }
        }
        return false
    }
}
