// SPDX-License-Identifier: Apache-2.0
import Geometry
import Linux
import Raster

// The format .rpw: little-endian words of 32 bits. A header of "RPW1", version 1, width, height, nFills, nContours,
// nPoints and the fill rule (0 even-odd, 1 non-zero); then the fills (firstContour, contourCount, colour 0x00RRGGBB),
// the contours (firstPoint, pointCount; each closes itself) and the points (x, y as float; pixels, y down).
extension RasterWorkload {
    static let fileSuffix = ".rpw"
    static let magic = Array("RPW1".utf8)
    static let version = 1
    static let headerByteCount = 32
    static let fillByteCount = 12
    static let contourByteCount = 8
    static let pointByteCount = 8

    /// Far more than a bench needs, far less than a machine has.
    static let maximumByteCount = 256 << 20
    /// Of all fills together. A fill may use the contours of another one and a contour the points of another one; a
    /// small file that does so all over would keep a machine busy for years.
    static let maximumFilledCount = 1 << 24
    /// In pixels: what rasterizers that count in 26.6 or 24.8 bits can take.
    static let maximumCoordinate: Float = 32768

    /// - Throws: ``CommandError`` when the file cannot be read, ``RasterWorkloadError`` when it is not of this format.
    init(reading path: String) throws {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: Self.maximumByteCount)
        } catch {
            throw CommandError.cannotRead(path, error)
        }
        guard let bytes else {
            throw CommandError.unusableInput("\(path) is larger than \(Self.maximumByteCount >> 20) MiB")
        }
        var decoder = RasterWorkloadDecoder(bytes, path: path)
        self = try decoder.decode()
    }

    /// The same as a file.
    var encoded: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(
            Self.headerByteCount + fills.count * Self.fillByteCount + contours.count * Self.contourByteCount
                + points.count * Self.pointByteCount)
        func append(_ word: UInt32) { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
        func append(_ range: Range<Int>) {
            append(UInt32(range.lowerBound))
            append(UInt32(range.count))
        }
        append(UInt32(Self.version))
        for count in [page.width, page.height, fills.count, contours.count, points.count] { append(UInt32(count)) }
        append(rule == .nonZero ? 1 : 0)
        for fill in fills {
            append(fill.contours)
            append(fill.color.xrgb8888 & 0xFF_FFFF)
        }
        for contour in contours { append(contour) }
        for point in points {
            append(point.x.bitPattern)
            append(point.y.bitPattern)
        }
        return bytes
    }
}
