// SPDX-License-Identifier: Apache-2.0
import CLibpng
public import Geometry
import Raster

/// A PNG decoded by libpng, for comparison.
public struct DecodedPNG {
    public let size: PixelSize
    private let rgba: [UInt8]

    /// nil if the bytes are not a PNG.
    public init?(_ bytes: [UInt8]) {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        // libpng keeps both pointers from its first call to its last.
        let pixels = withUnsafeMutablePointer(to: &image) { image in
            bytes.withUnsafeBufferPointer { Self.rgba(of: $0, image) }
        }
        guard let pixels else { return nil }
        size = PixelSize(width: Int(image.width), height: Int(image.height))
        rgba = pixels
    }

    private static func rgba(
        of memory: UnsafeBufferPointer<UInt8>, _ image: UnsafeMutablePointer<png_image>
    ) -> [UInt8]? {
        guard png_image_begin_read_from_memory(image, memory.baseAddress, memory.count) != 0 else { return nil }
        image.pointee.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)  // 8-bit RGBA, not premultiplied
        let width = Int(image.pointee.width)
        var rgba = [UInt8](repeating: 0, count: width * Int(image.pointee.height) * 4)
        guard png_image_finish_read(image, nil, &rgba, Int32(width) * 4, nil) != 0 else { return nil }
        return rgba
    }

    /// The colour of a pixel; opaque if the file has no alpha.
    public subscript(x: Int, y: Int) -> Color {
        let index = (y * size.width + x) * 4
        return Color(red: rgba[index], green: rgba[index + 1], blue: rgba[index + 2], alpha: rgba[index + 3])
    }
}
