// SPDX-License-Identifier: Apache-2.0
import Document
import Geometry

/// Reads the markers of a JPEG file (ITU-T T.81, annex B) for ``PicturePages``. poppler decodes the rest.
struct JPEGFile {
    /// The number of bytes to the end of the picture.
    let length: Int
    /// The number of bytes to the end of further pictures that cameras append, such as previews; ``length`` for none.
    let wholeLength: Int
    private let frame: Frame
    private let rotation: Int
    private let pixelAspect: Double
    /// Whether the colours are red, green and blue, and only the names of the components say so.
    private let hasNamedColours: Bool

    private struct Frame {
        var size: PixelSize
        /// The identifiers of the components.
        var components: [UInt8]
    }

    /// - Parameters:
    ///   - bytes: begin with a JPEG file.
    ///   - isAppended: whether it is one of the further pictures, which are passed over.
    init(_ bytes: ArraySlice<UInt8>, isAppended: Bool = false) throws(PictureFault) {
        var frame: Frame?
        var rotation: Int?
        var (jfif, exif): (Density?, TIFFDirectory?)
        var transform: UInt8?
        var appended: [Range<Int>] = []
        var hasScan = false
        var place = bytes.startIndex + 2
        func number(at index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        while true {
            // A marker may have any number of bytes 0xFF before it.
            guard place < bytes.endIndex, bytes[place] == 0xFF else { throw Self.isDamaged }
            while place < bytes.endIndex, bytes[place] == 0xFF { place += 1 }
            guard place < bytes.endIndex else { throw Self.hasNoEnd }
            let marker = bytes[place]
            place += 1
            if marker == 0xD9 { break }
            // Markers without a length stand between entropy-coded data only, which are passed over below.
            guard 0xC0...0xFE ~= marker, !(0xD0...0xD8 ~= marker) else { throw Self.isDamaged }
            guard bytes.endIndex - place >= 2 else { throw Self.hasNoEnd }
            let count = number(at: place)
            guard count >= 2, count <= bytes.endIndex - place else { throw Self.hasNoEnd }
            let segment = bytes[(place + 2)..<(place + count)]
            place += count
            switch marker {
            case 0xC0, 0xC1, 0xC2:
                guard frame == nil, segment.count >= 6 else { throw Self.isDamaged }
                frame = try Self.frame(segment)
            case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                throw PictureFault("this kind of JPEG file has no place in a PDF: save it as baseline or progressive")
            case 0xE0: jfif = Density(segment) ?? jfif
            case 0xE1 where !isAppended:
                guard segment.starts(with: "Exif\0\0".utf8), let directory = TIFFDirectory(segment.dropFirst(6)) else {
                    break
                }
                rotation = try directory.rotation() ?? rotation
                exif = exif ?? directory
            case 0xEE where segment.count >= 12 && segment.starts(with: "Adobe".utf8):
                transform = segment[segment.startIndex + 11]
            case 0xE2 where !isAppended: appended += Self.appended(segment)
            case 0xDA:
                guard frame != nil else { throw Self.isDamaged }
                hasScan = true
                // The data of a scan has 0 or a restart marker after each 0xFF (B.1.1.5).
                while bytes.endIndex - place >= 2 {
                    if bytes[place] == 0xFF, bytes[place + 1] != 0, !(0xD0...0xD7 ~= bytes[place + 1]) { break }
                    place += 1
                }
                guard bytes.endIndex - place >= 2 else { throw Self.hasNoEnd }
            default: break
            }
        }
        guard let frame, hasScan else { throw Self.isDamaged }
        hasNamedColours = try Self.hasNamedColours(frame, isJFIF: jfif != nil, transform)
        (self.frame, self.rotation) = (frame, rotation ?? 0)
        // Programs that know no density write equal ones into the first.
        pixelAspect = [jfif?.pixelAspect, exif?.pixelAspect].compactMap { $0 }.first { $0 != 1 } ?? 1
        length = place - bytes.startIndex
        // Programs that cut them off leave the list, and then something else may be there.
        let ends = appended.prefix(16).filter { range in
            guard range.lowerBound >= place, range.upperBound <= bytes.endIndex,
                bytes[range].starts(with: DocumentPicture.jpeg)
            else { return false }
            return (try? JPEGFile(bytes[range], isAppended: true))?.length == range.count
        }.map(\.upperBound)
        wholeLength = (ends.max() ?? place) - bytes.startIndex
    }

    private static let isDamaged = PictureFault("the JPEG file is damaged")
    private static let hasNoEnd = PictureFault("the JPEG file has no end")

    func image(_ bytes: ArraySlice<UInt8>) -> PDFImage {
        // Without the entry, some readers take the components for luminance and chrominance.
        let filter = "DCTDecode" + (hasNamedColours ? " /DecodeParms << /ColorTransform 0 >>" : "")
        return PDFImage(
            size: frame.size, isGrey: frame.components.count == 1, rotation: rotation, pixelAspect: pixelAspect,
            filter: filter, data: Array(bytes))
    }

    /// The density in a segment of JFIF (ITU-T T.871, 10.1).
    private struct Density {
        let pixelAspect: Double?

        init?(_ segment: ArraySlice<UInt8>) {
            guard segment.count >= 14, segment.starts(with: "JFIF\0".utf8) else { return nil }
            let bytes = segment.prefix(12).map { Double($0) }
            pixelAspect = PixelAspect.of(x: bytes[8] * 256 + bytes[9], y: bytes[10] * 256 + bytes[11])
        }
    }

    /// Finds out the colours of a picture as libjpeg does, and so every program that shows pictures: JFIF demands
    /// luminance and chrominance; without it, Adobe's marker says what they are; without both, the components have
    /// names. Readers of PDF ask the marker first (ISO 32000-1, table 13), and libjpeg there, too, or not.
    /// - Parameter transform: of Adobe's marker.
    /// - Throws: if readers of PDF would draw other colours than programs that show pictures.
    private static func hasNamedColours(
        _ frame: Frame, isJFIF: Bool, _ transform: UInt8?
    ) throws(PictureFault) -> Bool {
        if frame.components.count != 3 { return false }
        if isJFIF, transform == 0 {
            throw PictureFault("two markers of the JPEG file disagree about its colours: save it anew")
        }
        return !isJFIF && transform == nil && frame.components.elementsEqual("RGB".utf8)
    }

    /// - Parameter segment: of a frame header, at least 6 bytes (B.2.2).
    private static func frame(_ segment: ArraySlice<UInt8>) throws(PictureFault) -> Frame {
        let bytes = segment.prefix(6).map { Int($0) }
        let size = PixelSize(width: bytes[3] << 8 | bytes[4], height: bytes[1] << 8 | bytes[2])
        try PDFImage.check(size)
        guard bytes[0] == 8, bytes[5] == 1 || bytes[5] == 3 else {
            throw PictureFault(
                "the JPEG file has \(bytes[5]) colours of \(bytes[0]) bits: save it in grey or RGB with 8 bits")
        }
        guard segment.count >= 6 + 3 * bytes[5] else { throw isDamaged }
        let components = (0..<bytes[5]).map { segment[segment.startIndex + 6 + 3 * $0] }
        return Frame(size: size, components: components)
    }

    /// The places of pictures that follow the first one in the same file (CIPA DC-007, Multi-Picture Format, 5.2.3): a
    /// person who takes a photograph sees one.
    private static func appended(_ segment: ArraySlice<UInt8>) -> [Range<Int>] {
        guard segment.starts(with: "MPF\0".utf8), let directory = TIFFDirectory(segment.dropFirst(4)),
            let list = directory.number(of: 0xB002), let count = directory.number(of: 0xB001)
        else { return [] }
        // A segment has no room for more entries.
        return (0..<min(count, 4096)).compactMap { index in
            guard let size = directory.number(at: list + 16 * index + 4, 4),
                let offset = directory.number(at: list + 16 * index + 8, 4), offset > 0
            else { return nil }
            let start = segment.startIndex + 4 + offset
            return start..<(start + size)
        }
    }
}
