// SPDX-License-Identifier: Apache-2.0
import CLibpng
public import Geometry
public import Raster

/// A PNG read back by libpng, for comparing.
public struct DecodedPNG {
    public let size: PixelSize
    private let rgba: [UInt8]

    /// nil when the bytes are no PNG.
    public init?(_ bytes: [UInt8]) {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        guard png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else { return nil }
        image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)  // 8-bit RGBA, not premultiplied
        var rgba = [UInt8](repeating: 0, count: Int(image.width) * Int(image.height) * 4)
        guard png_image_finish_read(&image, nil, &rgba, Int32(image.width) * 4, nil) != 0 else { return nil }
        size = PixelSize(width: Int(image.width), height: Int(image.height))
        self.rgba = rgba
    }

    /// Opaque where the file has no alpha.
    public subscript(x: Int, y: Int) -> Color {
        let index = (y * size.width + x) * 4
        return Color(red: rgba[index], green: rgba[index + 1], blue: rgba[index + 2], alpha: rgba[index + 3])
    }
}
