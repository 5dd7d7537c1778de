// SPDX-License-Identifier: Apache-2.0
import Geometry
import Ink

/// A page cut into square tiles, numbered row by row: how ink is found by its place.
struct TileGrid {
    /// In pixels: few enough that a tile's rows are bits of a word (``TileMask``), and that ink elsewhere is seldom
    /// drawn in vain.
    static let side = 32

    let size: PixelSize
    let columnCount: Int
    let rowCount: Int
    var count: Int { columnCount * rowCount }

    init(size: PixelSize) {
        self.size = size
        columnCount = (size.width + Self.side - 1) / Self.side
        rowCount = (size.height + Self.side - 1) / Self.side
    }

    /// The pixels of a tile; at the page's far sides fewer than elsewhere.
    func rect(of tile: Int) -> PixelRect {
        let (row, column) = tile.quotientAndRemainder(dividingBy: columnCount)
        let (x, y) = (column * Self.side, row * Self.side)
        return PixelRect(
            minX: x, minY: y, maxX: min(x + Self.side, size.width), maxY: min(y + Self.side, size.height))
    }

    /// Calls `body` with each tile that has a pixel of `rect`, which may reach beyond the page.
    @inline(__always)
    func forEachTile(in rect: PixelRect, _ body: (Int) -> Void) {
        let rect = rect.intersection(PixelRect(size: size))
        if rect.isEmpty { return }
        for row in rect.minY / Self.side...(rect.maxY - 1) / Self.side {
            for column in rect.minX / Self.side...(rect.maxX - 1) / Self.side { body(row * columnCount + column) }
        }
    }

    /// Calls `body` with each tile that a piece of ink can touch, and hardly another: not with all of the box of a long
    /// piece that lies slanting.
    /// - Parameter spans: memory to work in.
    func forEachTile(
        touchedBy piece: StrokeInk.Piece, of outline: Path, _ spans: inout RowSpans, _ body: (Int) -> Void
    ) {
        let box = PixelRect(covering: RowSpans.widened(piece.bounds), within: PixelRect(size: size))
        if box.isEmpty { return }
        let rows = box.minY / Self.side...(box.maxY - 1) / Self.side
        let columns = box.minX / Self.side...(box.maxX - 1) / Self.side
        if rows.count == 1 || columns.count == 1 {
            forEachTile(in: box, body)
            return
        }
        spans.begin(top: Double(rows.lowerBound * Self.side), pitch: Double(Self.side), count: rows.count)
        spans.add(outline, from: piece.start, to: piece.end)
        for row in rows {
            guard let span = spans.columns(
                inRow: row - rows.lowerBound, from: columns.lowerBound * Self.side, pitch: Self.side,
                count: columns.count)
            else { continue }
            for column in span { body(row * columnCount + columns.lowerBound + column) }
        }
    }
}
