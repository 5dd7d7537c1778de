// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// All pixels, row by row. No property of ``Surface``: Swift 6.0 crashes over a property of `Canvas.dryPixels`.
public func words(of surface: Surface) -> [UInt32] {
    var words: [UInt32] = []
    for y in 0..<surface.size.height {
        words += UnsafeBufferPointer(start: surface.row(y), count: surface.size.width)
    }
    return words
}

extension Surface {
    /// The pixels of a rectangle, row by row, without the unused byte.
    public func rows(_ rect: PixelRect) -> [[UInt32]] {
        (rect.minY..<max(rect.minY, rect.maxY)).map { y in (rect.minX..<rect.maxX).map { row(y)[$0] & 0xFF_FFFF } }
    }

    public func colors(_ rect: PixelRect) -> Set<UInt32> { Set(rows(rect).joined()) }
}
