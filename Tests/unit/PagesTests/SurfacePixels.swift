// SPDX-License-Identifier: Apache-2.0
import Geometry
import Pad
import Raster

extension Surface {
    /// The box around the pixels that differ from those of another surface; empty if none does.
    func differences(from other: Surface) -> PixelRect {
        var box = PixelRect.empty
        for y in 0..<size.height {
            for x in 0..<size.width where (row(y)[x] ^ other.row(y)[x]) & 0xFF_FFFF != 0 {
                box = box.union(PixelRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1))
            }
        }
        return box
    }
}

extension Color {
    /// The colour in the form of `Surface.rows(_:)`.
    var rgb: UInt32 { xrgb8888 & 0xFF_FFFF }
}

extension Rect {
    func surrounds(_ point: Point) -> Bool { minX <= point.x && point.x < maxX && minY <= point.y && point.y < maxY }
}
