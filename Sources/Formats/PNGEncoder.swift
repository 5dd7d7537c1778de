// SPDX-License-Identifier: Apache-2.0
import CLibpng
import Geometry
import Glibc
public import Raster

/// Pixels as a PNG file, by libpng. The same pixels give the same bytes with the same libpng and zlib.
public enum PNGEncoder {
    /// - Parameters:
    ///   - surface: at least one pixel.
    ///   - dotsPerInch: written into the file for printing; nil leaves it out.
    ///   - hasAlpha: the pixels' top byte is their opacity, and their colour is not premultiplied.
    ///   - identity: what the file says of the capture in it.
    /// - Throws: ``ExportError/pngRefused(size:)`` for an empty picture, one beyond libpng's limit of 1 million pixels
    ///   a side, or when memory runs out.
    public static func encode(
        _ surface: Surface, dotsPerInch: Double? = nil, hasAlpha: Bool = false, identity: PictureIdentity? = nil
    ) throws(ExportError) -> [UInt8] {
        // 0.0254 m is an inch by definition; the chunk holds whole pixels per metre.
        let pixelsPerMetre = dotsPerInch.map { UInt32(clamping: Int(($0 / 0.0254).rounded())) } ?? 0
        let texts = (identity?.pngTexts ?? []).flatMap { Array($0.keyword.utf8CString) + Array($0.text.utf8CString) }
        var bytes = clibpng_bytes()
        let isEncoded = texts.withUnsafeBufferPointer { texts in
            clibpng_encode(
                surface.base.assumingMemoryBound(to: UInt8.self), UInt32(clamping: surface.size.width),
                UInt32(clamping: surface.size.height), surface.strideBytes, pixelsPerMetre, hasAlpha ? 1 : 0,
                clibpng_texts(bytes: texts.baseAddress, count: texts.count), &bytes)
        }
        guard isEncoded == 1, let start = bytes.start else { throw .pngRefused(size: surface.size) }
        defer { free(start) }
        return Array(UnsafeBufferPointer(start: start, count: bytes.count))
    }
}
