// SPDX-License-Identifier: Apache-2.0
import CLibpng
import Document
import Geometry

/// Reads PNG files for ``PicturePages``.
enum PNGFile {
    /// The number of bytes from the signature to the end of the last chunk.
    static func length(_ bytes: ArraySlice<UInt8>) throws(PictureFault) -> Int {
        var chunks = Chunks(bytes)
        while let chunk = chunks.next() {
            if chunk.name.elementsEqual("IEND".utf8) { return bytes.count - chunks.rest.count }
        }
        throw PictureFault("the PNG file has no end")
    }

    /// The chunks of a file: bytes of the length, the name, the data and a checksum (PNG, third edition, 5.3).
    private struct Chunks: Sequence, IteratorProtocol {
        private(set) var rest: ArraySlice<UInt8>

        init(_ file: ArraySlice<UInt8>) { rest = file.dropFirst(8) }

        /// - Returns: nil if no whole chunk is left.
        mutating func next() -> (name: ArraySlice<UInt8>, data: ArraySlice<UInt8>)? {
            guard rest.count >= 12 else { return nil }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard count <= rest.count - 12 else { return nil }
            defer { rest = rest.dropFirst(12 + count) }
            return (rest.dropFirst(4).prefix(4), rest.dropFirst(8).prefix(count))
        }
    }

    /// Decodes a picture of any kind, puts it on white, and writes it anew, grey or in colours.
    static func image(_ bytes: ArraySlice<UInt8>) throws(PictureFault) -> PDFImage {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        // libpng keeps pointers to the bytes and to the structure from the first call to the last.
        var page = try withUnsafeMutablePointer(to: &image) { image in
            bytes.withUnsafeBytes { decode($0, image) }
        }.get()
        let exif = Chunks(bytes).first { $0.name.elementsEqual("eXIf".utf8) }
        let directory = exif.flatMap { TIFFDirectory($0.data) }
        page.rotation = try directory?.rotation() ?? 0
        // The numbers of pixels in a unit, which may be none (11.3.5.3).
        let density = Chunks(bytes).first { $0.name.elementsEqual("pHYs".utf8) && $0.data.count == 9 }?.data
        let stated = density.flatMap { data in
            func number(_ part: ArraySlice<UInt8>) -> Double { Double(part.reduce(0) { $0 << 8 | Int($1) }) }
            return PixelAspect.of(x: number(data.prefix(4)), y: number(data.dropFirst(4).prefix(4)))
        }
        page.pixelAspect = stated ?? directory?.pixelAspect ?? 1
        return page
    }

    private static func decode(
        _ memory: UnsafeRawBufferPointer, _ image: UnsafeMutablePointer<png_image>
    ) -> Result<PDFImage, PictureFault> {
        defer { png_image_free(image) }
        func failure() -> Result<PDFImage, PictureFault> {
            let text = withUnsafeBytes(of: image.pointee.message) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            return .failure(PictureFault("the PNG file is damaged: \(text)"))
        }
        guard png_image_begin_read_from_memory(image, memory.baseAddress, memory.count) != 0 else { return failure() }
        let size = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        do throws(PictureFault) { try PDFImage.check(size) } catch { return .failure(error) }
        let isGrey = image.pointee.format & UInt32(PNG_FORMAT_FLAG_COLOR) == 0
        image.pointee.format = isGrey ? 0 : UInt32(PNG_FORMAT_FLAG_COLOR)
        let byteCount = size.width * size.height * (isGrey ? 1 : 3)
        var white = png_color(red: 255, green: 255, blue: 255)
        var isRead = false
        let pixels = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            isRead = png_image_finish_read(image, &white, buffer.baseAddress, 0, nil) != 0
            count = isRead ? byteCount : 0
        }
        // A truncated file or a wrong checksum is an error of libpng.
        guard isRead else { return failure() }
        return encode(pixels, size, isGrey: isGrey).map { data in
            let predictor = "/Predictor 15 /Colors \(isGrey ? 1 : 3) /Columns \(size.width)"
            return PDFImage(
                size: size, isGrey: isGrey, filter: "FlateDecode /DecodeParms << \(predictor) >>", data: data)
        }
    }

    /// The compressed rows of a PNG file of the pixels.
    private static func encode(_ pixels: [UInt8], _ size: PixelSize, isGrey: Bool) -> Result<[UInt8], PictureFault> {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        (image.width, image.height) = (UInt32(size.width), UInt32(size.height))
        image.format = isGrey ? 0 : UInt32(PNG_FORMAT_FLAG_COLOR)
        // Data that zlib cannot compress grow by less than a thousandth (deflateBound in zlib.h).
        var byteCount = pixels.count + size.height + pixels.count / 500 + 65_536
        var isWritten = false
        let file = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            isWritten = png_image_write_to_memory(&image, buffer.baseAddress, &byteCount, 0, pixels, 0, nil) != 0
            count = isWritten ? byteCount : 0
        }
        png_image_free(&image)
        guard isWritten else { return .failure(PictureFault("its rows cannot be compressed")) }
        return .success(Chunks(file[...]).filter { $0.name.elementsEqual("IDAT".utf8) }.flatMap(\.data))
    }
}
