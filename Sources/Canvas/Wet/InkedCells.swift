// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// Which parts of a tile are wholly under ink: a bit for each square of a quarter of a pixel that is within a contour.
///
/// Told by geometry and not by filling: a fill cannot tell ink from ink with a gap of less than a grey level, and the
/// next contour could make such a gap one.
struct InkedCells {
    /// Cells along a pixel's side. With more, less is lost at the edges of thin strokes.
    private static let perPixel = 4
    private static let rowCount = TileGrid.side * perPixel

    /// Two words a row, the leftmost cell in the lowest bit of the first; none while there is no ink.
    private var words: [UInt64] = []

    /// Adds the cells that a piece covers.
    /// - Parameter tile: the tile's pixels.
    mutating func insert(_ piece: StrokeInk.Piece, of outline: Path, tile: PixelRect, _ spans: inout RowSpans) {
        if words.isEmpty { words = [UInt64](repeating: 0, count: 2 * Self.rowCount) }
        var start = piece.start
        while start != piece.end {
            let end = outline.endOfContour(at: start)
            insertContour(of: outline, from: start, to: end, tile, &spans)
            start = end
        }
    }

    private mutating func insertContour(
        of outline: Path, from start: Path.Mark, to end: Path.Mark, _ tile: PixelRect, _ spans: inout RowSpans
    ) {
        let box = outline.bounds(from: start, to: end)
        let scale = Double(Self.perPixel)
        // Rows that it reaches through: of a contour, which is closed, some edge leads up at each height between its
        // ends. Control points may lie beyond, but then the row has an edge of unknown direction.
        let rows = Self.cells(from: box.minY, to: box.maxY, origin: tile.minY)
        guard !rows.isEmpty else { return }
        spans.begin(top: Double(tile.minY) + Double(rows.lowerBound) / scale, pitch: 1 / scale, count: rows.count)
        spans.add(outline, from: start, to: end)
        for row in rows {
            let span = spans.rows[row - rows.lowerBound]
            let cells = Self.cells(from: span.innerLeft, to: span.innerRight, origin: tile.minX)
            if !cells.isEmpty { insert(cells, inRow: row) }
        }
    }

    /// The cells of a row or a column of the tile that lie between two places, with some room.
    private static func cells(from least: Double, to most: Double, origin: Int) -> Range<Int> {
        let scale = Double(perPixel)
        let first = ((least + RowSpans.margin - Double(origin)) * scale).rounded(.up)
        let end = ((most - RowSpans.margin - Double(origin)) * scale).rounded(.down)
        // Written so that not-a-number fails it.
        guard first < end, first < Double(rowCount), end > 0 else { return 0..<0 }
        return Int(max(first, 0))..<Int(min(end, Double(rowCount)))
    }

    private mutating func insert(_ cells: Range<Int>, inRow row: Int) {
        func bits(_ range: Range<Int>) -> UInt64 {
            range.isEmpty ? 0 : UInt64.max << UInt64(range.lowerBound) & UInt64.max >> UInt64(64 - range.upperBound)
        }
        words[2 * row] |= bits(min(cells.lowerBound, 64)..<min(cells.upperBound, 64))
        words[2 * row + 1] |= bits(max(cells.lowerBound - 64, 0)..<max(cells.upperBound - 64, 0))
    }

    /// The pixels whose cells are all covered.
    var pixels: TileMask {
        var mask = TileMask()
        guard !words.isEmpty else { return mask }
        for y in 0..<TileGrid.side {
            var (left, right) = (UInt64.max, UInt64.max)
            for row in y * Self.perPixel..<(y + 1) * Self.perPixel {
                left &= words[2 * row]
                right &= words[2 * row + 1]
            }
            mask.insert(Self.pixels(left) | Self.pixels(right) << 16, inRow: y)
        }
        return mask
    }

    /// One bit for each four that are all set.
    private static func pixels(_ cells: UInt64) -> UInt32 {
        let pairs = cells & cells >> 1
        let all = pairs & pairs >> 2
        var bits: UInt32 = 0
        for pixel in 0..<16 { bits |= UInt32(truncatingIfNeeded: all >> UInt64(pixel * perPixel) & 1) << UInt32(pixel) }
        return bits
    }
}
