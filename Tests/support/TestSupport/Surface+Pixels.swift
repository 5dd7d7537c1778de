// SPDX-License-Identifier: Apache-2.0
public import Geometry
public import Raster

/// The pixels of a surface, copied. Its memory must be there until then.
extension Surface {
    /// All of them, row by row.
    public var words: [UInt32] {
        var words: [UInt32] = []
        for y in 0..<size.height { words += UnsafeBufferPointer(start: row(y), count: size.width) }
        return words
    }

    /// Those of a rectangle, without the unused byte.
    public func rows(_ rect: PixelRect) -> [[UInt32]] {
        (rect.minY..<max(rect.minY, rect.maxY)).map { y in (rect.minX..<rect.maxX).map { row(y)[$0] & 0xFF_FFFF } }
    }

    public func colors(_ rect: PixelRect) -> Set<UInt32> { Set(rows(rect).joined()) }
}
