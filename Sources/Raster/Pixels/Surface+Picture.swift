// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Surface {
    /// Blends a picture over the pixels; what lies outside the surface is left out.
    /// - Parameters:
    ///   - x: where its left column goes.
    ///   - y: where its upper row goes.
    public func blend(_ picture: Picture, x: Int, y: Int) {
        let target = PixelRect(
            minX: x, minY: y, maxX: x + picture.size.width, maxY: y + picture.size.height
        ).intersection(bounds)
        for line in target.minY..<max(target.minY, target.maxY) {
            let output = row(line)
            let start = (line - y) * picture.size.width - x
            for column in target.minX..<target.maxX {
                output[column] = Self.blended(picture.pixels[start + column], over: output[column])
            }
        }
    }

    private static func blended(_ word: UInt32, over below: UInt32) -> UInt32 {
        let alpha = word >> 24
        if alpha == 255 { return word }
        func channel(_ shift: UInt32) -> UInt32 {
            (((word >> shift & 0xFF) * alpha + (below >> shift & 0xFF) * (255 - alpha) + 127) / 255) << shift
        }
        return 0xFF00_0000 | channel(16) | channel(8) | channel(0)
    }
}
