// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Some of a tile's pixels: a word a row, the left pixel in its lowest bit. Without any it has no memory.
struct TileMask {
    /// What one with pixels takes: its words and what an array begins with.
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

    /// The bits of some neighbouring pixels.
    static func bits(_ columns: ClosedRange<Int>) -> UInt32 {
        UInt32.max << UInt32(columns.lowerBound) & UInt32.max >> UInt32(TileGrid.side - 1 - columns.upperBound)
    }

    /// Adds the pixels to `path` as rectangles with whole coordinates, which fill them and nothing else. They turn as
    /// all ink does.
    /// - Parameter tile: where the tile lies on the page.
    func addContours(to path: inout Path, tile: PixelRect) {
        if words.isEmpty { return }
        var row = 0
        while row < TileGrid.side {
            // Rows that are alike make one rectangle.
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
