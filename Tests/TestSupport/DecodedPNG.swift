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
        // libpng reads on from where it was told at the beginning.
        let pixels: [UInt8]? = bytes.withUnsafeBufferPointer { memory in
            guard png_image_begin_read_from_memory(&image, memory.baseAddress, memory.count) != 0 else { return nil }
            image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)  // 8-bit RGBA, not premultiplied
            var rgba = [UInt8](repeating: 0, count: Int(image.width) * Int(image.height) * 4)
            let isRead = png_image_finish_read(&image, nil, &rgba, Int32(image.width) * 4, nil) != 0
            return isRead ? rgba : nil
        }
        guard let pixels else { return nil }
        size = PixelSize(width: Int(image.width), height: Int(image.height))
        rgba = pixels
    }

    /// Opaque where the file has no alpha.
    public subscript(x: Int, y: Int) -> Color {
        let index = (y * size.width + x) * 4
        return Color(red: rgba[index], green: rgba[index + 1], blue: rgba[index + 2], alpha: rgba[index + 3])
    }
}
