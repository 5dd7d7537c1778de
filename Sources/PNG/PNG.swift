// SPDX-License-Identifier: Apache-2.0
import CLibpng
public import Geometry
import Glibc
public import Raster

/// Writes pixels as a PNG file with libpng. The same pixels give the same bytes with the same libpng and zlib.
///
/// ```swift
/// let page = PixelBuffer(size: PixelSize(width: 640, height: 240))
/// page.surface.fill(page.surface.bounds, with: .white)
/// let file = try PNGEncoder.encode(page.surface, dotsPerInch: 150)
/// ```
public enum PNGEncoder {
    /// - Parameters:
    ///   - surface: at least one pixel.
    ///   - dotsPerInch: written into the file for printing; nil leaves it out.
    ///   - hasAlpha: the top byte of a pixel is its opacity, and its colour is not premultiplied.
    ///   - texts: keywords of 1 to 79 ASCII characters, and texts without control characters.
    /// - Throws: ``PNGError/refused(_:)`` for an empty picture, for a side above libpng's limit of 1 million pixels, or
    ///   if memory runs out.
    public static func encode(
        _ surface: Surface, dotsPerInch: Double? = nil, hasAlpha: Bool = false,
        texts: [(keyword: String, text: String)] = []
    ) throws(PNGError) -> [UInt8] {
        // The chunk has whole pixels per metre.
        let pixelsPerMetre = dotsPerInch.map { UInt32(clamping: Int(($0 / 0.0254).rounded())) } ?? 0
        let texts = texts.flatMap { Array($0.keyword.utf8CString) + Array($0.text.utf8CString) }
        var bytes = clibpng_bytes()
        let isEncoded = texts.withUnsafeBufferPointer { texts in
            clibpng_encode(
                surface.base.assumingMemoryBound(to: UInt8.self), UInt32(clamping: surface.size.width),
                UInt32(clamping: surface.size.height), surface.strideBytes, pixelsPerMetre, hasAlpha ? 1 : 0,
                clibpng_texts(bytes: texts.baseAddress, count: texts.count), &bytes)
        }
        guard isEncoded == 1, let start = bytes.start else { throw .refused(surface.size) }
        defer { free(start) }
        return Array(UnsafeBufferPointer(start: start, count: bytes.count))
    }
}

/// Why there is no file of a picture, or no picture of a file.
public enum PNGError: Error, Equatable, Sendable {
    /// libpng cannot write a picture of this size, or there is no memory for the file.
    case refused(PixelSize)
    /// The text is libpng's.
    case malformed(String)
    case tooLarge(PixelSize)
}

extension PNGError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let size): "a PNG of \(size) pixels is not possible: choose another size"
        case .malformed(let reason): "this PNG cannot be read: \(reason)"
        case .tooLarge(let size):
            "a picture of \(size) pixels is too large: \(PNGDecoder.maximumSide) a side and "
                + "\(PNGDecoder.maximumArea) in all are the maximum"
        }
    }
}

/// Reads PNG files of any kind with libpng.
public enum PNGDecoder {
    /// The size of the largest picture without compression; larger files need not be read.
    public static let maximumByteCount = maximumArea * 4
    static let maximumSide = 16_384
    /// The pixels of an 8K screen, 128 MiB.
    static let maximumArea = 1 << 25

    /// - Throws: ``PNGError``; a truncated file or a wrong checksum is ``PNGError/malformed(_:)``.
    public static func decode(_ bytes: [UInt8]) throws(PNGError) -> Picture {
        // libpng keeps the pointer from the first call to the last.
        try bytes.withUnsafeBytes(decode).get()
    }

    private static func decode(_ memory: UnsafeRawBufferPointer) -> Result<Picture, PNGError> {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        // libpng keeps a pointer to the structure, so it must not move.
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
        // Native words 0xAARRGGBB.
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
