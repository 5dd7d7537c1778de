// SPDX-License-Identifier: Apache-2.0
public import PNG
public import Raster

extension PNGEncoder {
    /// Writes a picture of a capture, with its description in the file.
    /// - Throws: ``ExportError/pngRefused(size:)``.
    public static func encode(
        _ surface: Surface, dotsPerInch: Double, hasAlpha: Bool, identity: PictureIdentity?
    ) throws(ExportError) -> [UInt8] {
        do throws(PNGError) {
            return try encode(
                surface, dotsPerInch: dotsPerInch, hasAlpha: hasAlpha, texts: identity?.pngTexts ?? [])
        } catch {
            throw .pngRefused(size: surface.size)
        }
    }
}
