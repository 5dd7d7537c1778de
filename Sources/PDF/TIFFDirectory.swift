// SPDX-License-Identifier: Apache-2.0

/// The first directory of TIFF data (TIFF 6.0, section 2), as Exif and MPF have it.
struct TIFFDirectory {
    private let bytes: [UInt8]
    private let isLittle: Bool
    private var start = 0

    init?(_ segment: ArraySlice<UInt8>) {
        bytes = Array(segment)
        guard bytes.count >= 8 else { return nil }
        isLittle = bytes[0] == UInt8(ascii: "I")
        guard let start = number(at: 4, 4) else { return nil }
        self.start = start
    }

    /// - Returns: nil beyond the end.
    func number(at place: Int, _ count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        let part = bytes[place..<(place + count)]
        return isLittle ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
    }

    /// The value of an entry: two bytes if its type is SHORT, else four, which may be the place of a longer value.
    func number(of tag: Int) -> Int? {
        guard let count = number(at: start, 2) else { return nil }
        for index in 0..<count {
            let entry = start + 2 + 12 * index
            guard let found = number(at: entry, 2) else { return nil }
            if found == tag { return number(at: entry + 8, number(at: entry + 2, 2) == 3 ? 2 : 4) }
        }
        return nil
    }

    /// The height of a pixel divided by its width; nil if nothing says it.
    var pixelAspect: Double? {
        guard let x = rational(of: 0x011A), let y = rational(of: 0x011B) else { return nil }
        return PixelAspect.of(x: x, y: y)
    }

    /// Two numbers of four bytes, the second one the denominator.
    private func rational(of tag: Int) -> Double? {
        guard let place = number(of: tag), let above = number(at: place, 4), let below = number(at: place + 4, 4),
            below > 0
        else { return nil }
        return Double(above) / Double(below)
    }

    /// How cameras and scanners say that a picture lies on its side (CIPA DC-008, Exif, 4.6.2).
    /// - Returns: the clockwise rotation that sets the picture upright, in degrees; nil if the file does not state it.
    func rotation() throws(PictureFault) -> Int? {
        switch number(of: 0x0112) {
        case nil: return nil
        case 3: return 180
        case 6: return 90
        case 8: return 270
        case 2, 4, 5, 7: throw PictureFault("the file is mirrored by its Exif data: save it as it is to look")
        default: return 0
        }
    }
}
