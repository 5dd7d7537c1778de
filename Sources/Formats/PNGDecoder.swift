// SPDX-License-Identifier: Apache-2.0
import CLibpng
public import Geometry
public import Raster

/// Why a file is no picture that can be shown.
public enum PNGError: Error, Equatable, Sendable {
    /// libpng's words.
    case malformed(String)
    case tooLarge(PixelSize)
}

extension PNGError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let reason): "this is not a PNG that can be read: \(reason)"
        case .tooLarge(let size):
            "a picture of \(size) pixels is too large: \(PNGDecoder.maximumSide) a side and "
                + "\(PNGDecoder.maximumArea) in all are the most"
        }
    }
}

/// PNG files as pixels, by libpng: of any depth and kind, with or without transparency, interlaced or not.
public enum PNGDecoder {
    /// A file with more bytes is not worth reading: the largest picture, not compressed at all.
    public static let maximumByteCount = maximumArea * 4
    static let maximumSide = 16_384
    /// An 8K screen's pixels, which take 128 MiB while they are read.
    static let maximumArea = 1 << 25

    /// - Throws: ``PNGError``. A file that ends too early or whose checksums are wrong is malformed.
    public static func decode(_ bytes: [UInt8]) throws(PNGError) -> Picture {
        // libpng keeps the pointer from the first call to the last.
        try bytes.withUnsafeBytes(decode).get()
    }

    private static func decode(_ memory: UnsafeRawBufferPointer) -> Result<Picture, PNGError> {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        // What libpng makes at the beginning points back to the structure, which therefore stays where it is.
        return withUnsafeMutablePointer(to: &image) { decode(memory, $0) }
    }

    private static func decode(
        _ memory: UnsafeRawBufferPointer, _ image: UnsafeMutablePointer<png_image>
    ) -> Result<Picture, PNGError> {
        defer { png_image_free(image) }
        guard let start = memory.baseAddress, !memory.isEmpty else { return .failure(.malformed("it is empty")) }
        guard png_image_begin_read_from_memory(image, start, memory.count) != 0 else {
            return .failure(.malformed(image.pointee.reason))
        }
        let size = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        guard size.width <= maximumSide, size.height <= maximumSide, size.width * size.height <= maximumArea else {
            return .failure(.tooLarge(size))
        }
        // In memory blue, green, red, alpha, which are words 0xAARRGGBB; the other way round where bytes are.
        let order = 1.littleEndian == 1 ? PNG_FORMAT_FLAG_BGR : PNG_FORMAT_FLAG_AFIRST
        image.pointee.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA | order)
        var isRead = false
        let pixels = [UInt32](unsafeUninitializedCapacity: size.width * size.height) { buffer, count in
            isRead = png_image_finish_read(image, nil, buffer.baseAddress, 0, nil) != 0
            count = isRead ? buffer.count : 0
        }
        return isRead ? .success(Picture(size: size, pixels: pixels)) : .failure(.malformed(image.pointee.reason))
    }
}

extension png_image {
    fileprivate var reason: String {
        withUnsafeBytes(of: message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
