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
    /// Pixels that are wholly inked by pieces of the first run, whether they are still in ``pieces`` or not.
    private(set) var inked = TileMask()
    private var cells = InkedCells()
    /// The first so many of ``pieces`` were looked at before.
    private var seenCount = 0
    /// The run of its first piece.
    private let firstRun: Int
    /// The run of its last piece, and where that run begins in ``pieces``.
    private var (lastRun, lastRunStart) = (0, 0)
    /// The first so many of ``pieces``, and ``inked``, are on the tile's settled pixels; nil while it has none.
    private(set) var settledCount: Int?

    init(firstRun: Int) { (self.firstRun, lastRun) = (firstRun, firstRun) }

    mutating func append(_ number: Int, run: Int) {
        if run != lastRun { (lastRun, lastRunStart) = (run, pieces.count) }
        pieces.append(UInt32(number))
    }

    /// Whether so much has come since the tile was settled that it is to be settled again; a tile that was settled once
    /// always is.
    var isToBeSettled: Bool { settledCount != nil || pieces.count >= Self.leastUnsettled }

    /// Those of ``pieces`` that can be settled, because they are of runs before the one that pieces are still added to,
    /// and are not yet; nil when that leaves the tile as it is.
    func unsettled(before run: Int) -> Range<Int>? {
        let end = lastRun < run ? pieces.count : lastRunStart
        guard let settledCount else { return firstRun < run ? 0..<end : nil }
        return settledCount < end ? settledCount..<end : nil
    }

    mutating func settle(_ range: Range<Int>) { settledCount = range.upperBound }

    /// Whether half as many pieces have come as were left the last time, which makes looking at all of them again cost
    /// a fixed number of looks for each.
    ///
    /// Ink of the first run only: what is wholly inked by a later one was inked by others before.
    var isToBeThinned: Bool {
        lastRun == 0 && settledCount == nil && pieces.count - seenCount >= max(seenCount / 2, Self.leastBatch)
    }

    /// Drops the pieces that touch only pixels which are wholly inked.
    /// - Parameters:
    ///   - tile: its pixels.
    ///   - spans: memory to work in.
    mutating func thin(_ ink: StrokeInk, tile: PixelRect, _ spans: inout RowSpans) {
        for number in pieces[seenCount...] {
            cells.insert(ink.pieces[Int(number)], of: ink.outline, tile: tile, &spans)
        }
        let inked = cells.pixels
        if !inked.isEmpty {
            pieces.removeAll { !Self.touches(ink.pieces[Int($0)], of: ink.outline, pixelsNotIn: inked, tile, &spans) }
        }
        self.inked = inked
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
