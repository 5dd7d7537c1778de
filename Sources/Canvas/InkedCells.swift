// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// The parts of a tile that are wholly under ink: a bit for each cell, a square of a quarter of a pixel within a
/// contour.
///
/// Computed from geometry and not by filling: a fill cannot detect a gap of less than a grey level, which the next
/// contour could widen.
struct InkedCells {
    /// Cells along a pixel's side. More cells would cover more of the edges of thin strokes.
    private static let perPixel = 4
    private static let rowCount = TileGrid.side * perPixel

    /// Two words a row, the leftmost cell in the lowest bit of the first; empty without ink.
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
        // The rows that the contour crosses whole: it is closed, so some edge leads up at each height. Control points
        // may lie beyond the curve, but then the row has an edge of unknown direction.
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

    /// The cells of a row or a column of the tile between two coordinates, with a margin.
    private static func cells(from least: Double, to most: Double, origin: Int) -> Range<Int> {
        let scale = Double(perPixel)
        let first = ((least + RowSpans.margin - Double(origin)) * scale).rounded(.up)
        let end = ((most - RowSpans.margin - Double(origin)) * scale).rounded(.down)
        // False for NaN.
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

    /// Sets a bit for each four cells that are all set.
    private static func pixels(_ cells: UInt64) -> UInt32 {
        let pairs = cells & cells >> 1
        let all = pairs & pairs >> 2
        var bits: UInt32 = 0
        for pixel in 0..<16 { bits |= UInt32(truncatingIfNeeded: all >> UInt64(pixel * perPixel) & 1) << UInt32(pixel) }
        return bits
    }
}

/// A set of a tile's pixels: a word a row, the left pixel in its lowest bit. An empty set takes no memory.
struct TileMask {
    /// The memory of a set that is not empty: its words and the start of an array.
    static let byteCount = 32 + TileGrid.side * MemoryLayout<UInt32>.size

    private var words: [UInt32] = []

    var isEmpty: Bool { words.isEmpty }

    /// - Parameter row: counted from the tile's top.
    subscript(row: Int) -> UInt32 { words.isEmpty ? 0 : words[row] }

    mutating func insert(_ bits: UInt32, inRow row: Int) {
        if bits == 0 { return }
        if words.isEmpty { words = [UInt32](repeating: 0, count: TileGrid.side) }
        words[row] |= bits
    }

    /// The bits of a row's columns.
    static func bits(_ columns: ClosedRange<Int>) -> UInt32 {
        UInt32.max << UInt32(columns.lowerBound) & UInt32.max >> UInt32(TileGrid.side - 1 - columns.upperBound)
    }

    /// Adds the pixels to `path` as rectangles with whole coordinates, clockwise as all ink.
    /// - Parameter tile: the tile's pixels.
    func addContours(to path: inout Path, tile: PixelRect) {
        if words.isEmpty { return }
        var row = 0
        while row < TileGrid.side {
            // Equal rows share their rectangles.
            var end = row + 1
            while end < TileGrid.side, words[end] == words[row] { end += 1 }
            var bits = words[row]
            var x = tile.minX
            while bits != 0 {
                let gap = bits.trailingZeroBitCount
                let length = (~(bits >> UInt32(gap))).trailingZeroBitCount
                let run = min(length, TileGrid.side - gap)
                x += gap
                Self.addRectangle(
                    PixelRect(minX: x, minY: tile.minY + row, maxX: x + run, maxY: tile.minY + end).rect, to: &path)
                x += run
                bits = gap + run < TileGrid.side ? bits >> UInt32(gap + run) : 0
            }
            row = end
        }
    }

    private static func addRectangle(_ rect: Rect, to path: inout Path) {
        path.move(to: Point(x: rect.minX, y: rect.minY))
        path.addLine(to: Point(x: rect.maxX, y: rect.minY))
        path.addLine(to: Point(x: rect.maxX, y: rect.maxY))
        path.addLine(to: Point(x: rect.minX, y: rect.maxY))
    }
}

/// The pixels of a tile that one run of a stroke inks wholly, in place of the pieces that touch no other pixels.
struct InkedRun {
    let run: Int
    let tone: Tone?
    var pixels: TileMask
}
