// SPDX-License-Identifier: Apache-2.0
public import Evidence
public import Geometry
public import Raster

/// The simplest picture format that many programs write (netpbm, ppm(5)). Records name pages by the digest of this
/// form.
public enum PPM {
    /// The SHA-256 of a picture as a binary PPM file of 8 bits a colour, without comments. The same pixels have the
    /// same one on every machine. `pngtopnm PAGE.png | sha256sum` finds it, too.
    public static func digest(of surface: Surface) -> SHA256Digest {
        var hash = SHA256Hash()
        let (width, height) = (surface.size.width, surface.size.height)
        hash.update(Array("P6\n\(width) \(height)\n255\n".utf8))
        var row = [UInt8](repeating: 0, count: width * 3)
        for y in 0..<height {
            let pixels = (surface.base + y * surface.strideBytes).assumingMemoryBound(to: UInt32.self)
            row.withUnsafeMutableBufferPointer { row in
                for x in 0..<width {
                    let pixel = pixels[x]
                    row[3 * x] = UInt8(truncatingIfNeeded: pixel >> 16)
                    row[3 * x + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
                    row[3 * x + 2] = UInt8(truncatingIfNeeded: pixel)
                }
            }
            hash.update(row)
        }
        return hash.finish()
    }

    /// The picture of the pixels of such a file.
    /// - Parameter rgb: rows from the top, three bytes a pixel; as many as `size` needs.
    public static func pixels(_ rgb: ArraySlice<UInt8>, size: PixelSize) -> PixelBuffer {
        precondition(rgb.count == 3 * size.width * size.height, "the pixels of a picture")
        let buffer = PixelBuffer(unwritten: size)
        let surface = buffer.surface
        rgb.withUnsafeBufferPointer { rgb in
            var place = 0
            for y in 0..<size.height {
                let row = surface.row(y)
                for x in 0..<size.width {
                    let (red, green, blue) = (UInt32(rgb[place]), UInt32(rgb[place + 1]), UInt32(rgb[place + 2]))
                    row[x] = 0xFF00_0000 | red << 16 | green << 8 | blue
                    place += 3
                }
            }
        }
        return buffer
    }
}
