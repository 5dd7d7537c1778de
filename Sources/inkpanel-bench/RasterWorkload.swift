// SPDX-License-Identifier: Apache-2.0
import Geometry
import Glibc
import Linux
import Raster

/// Polygons to fill one after the other, for comparing rasterizers: the contents of an .rpw file.
struct RasterWorkload: Equatable {
    /// Contours that are filled together: the new ink of a report, or a stroke.
    struct Fill: Equatable {
        /// Indices into ``RasterWorkload/contours``.
        var contours: Range<Int>
        /// Opaque.
        var color: Color
    }

    var name: String
    var page: PixelSize
    var rule = FillRule.nonZero
    var fills: [Fill] = []
    /// Ranges of ``points``, each a closed polygon.
    var contours: [Range<Int>] = []
    /// Pixels of the page.
    var points: [SIMD2<Float>] = []

    init(name: String, page: PixelSize) {
        self.name = name
        self.page = page
    }

    /// Appends a fill of one contour.
    mutating func addFill(_ polygon: some Collection<SIMD2<Float>>, color: Color) {
        fills.append(Fill(contours: contours.count..<contours.count + 1, color: color))
        contours.append(points.count..<points.count + polygon.count)
        points.append(contentsOf: polygon)
    }
}

// The .rpw format: little-endian words of 32 bits. A header of "RPW1", version 1, width, height, nFills, nContours,
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

    /// Far more than a benchmark needs, far less than a machine has.
    static let maximumByteCount = 256 << 20
    /// Points of all fills together. Fills may share contours and contours may share points, so that a small file
    /// could otherwise keep a machine busy for years.
    static let maximumFilledCount = 1 << 24
    /// Pixels; the range of rasterizers with 26.6 or 24.8 bits.
    static let maximumCoordinate: Float = 32768

    /// - Throws: ``BenchError`` if the file cannot be read, ``RasterWorkloadError`` if it is malformed.
    init(reading path: String) throws {
        let bytes: [UInt8]?
        do throws(Errno) {
            bytes = try InputFile.read(path, maximumByteCount: Self.maximumByteCount)
        } catch {
            throw BenchError.cannotRead(path, error)
        }
        guard let bytes else {
            throw BenchError("\(path) is larger than \(Self.maximumByteCount >> 20) MiB", status: EX_DATAERR)
        }
        var decoder = RasterWorkloadDecoder(bytes, path: path)
        self = try decoder.decode()
    }

    /// The bytes of the file.
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

/// Why an .rpw file cannot be used.
struct RasterWorkloadError: Error, Equatable, CustomStringConvertible {
    var path: String
    /// Name in the format: `magic`, `nPoints`, `contours[3]` ...
    var field: String
    var reason: String

    var description: String { "\(path): \(field) \(reason)" }
}

/// Reads an .rpw file and checks every value.
struct RasterWorkloadDecoder {
    private let bytes: [UInt8]
    private let path: String
    private var offset = 0

    init(_ bytes: [UInt8], path: String) {
        self.bytes = bytes
        self.path = path
    }

    mutating func decode() throws(RasterWorkloadError) -> RasterWorkload {
        guard bytes.starts(with: RasterWorkload.magic) else { throw error("magic", "is not RPW1") }
        guard bytes.count >= RasterWorkload.headerByteCount else {
            throw error("header", "is cut: \(bytes.count) bytes of \(RasterWorkload.headerByteCount)")
        }
        offset = RasterWorkload.magic.count
        let version = word()
        guard version == RasterWorkload.version else { throw error("version", "is \(version), not 1") }
        let page = PixelSize(width: word(), height: word())
        guard page.isDrawable else { throw error("width, height", "are \(page): not a page that can be drawn") }
        var workload = RasterWorkload(name: Self.name(of: path), page: page)
        let (fillCount, contourCount, pointCount) = (word(), word(), word())
        let rule = word()
        guard rule <= 1 else { throw error("fillRule", "is \(rule), neither 0 (even-odd) nor 1 (non-zero)") }
        workload.rule = rule == 1 ? .nonZero : .evenOdd
        guard fillCount > 0 else { throw error("nFills", "is 0") }
        try checkSize(fillCount, contourCount, pointCount)
        workload.fills = try fills(fillCount, contourCount)
        workload.contours = try contours(contourCount, pointCount)
        workload.points = try points(pointCount)
        try checkWork(workload)
        return workload
    }

    private static func name(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.hasSuffix(RasterWorkload.fileSuffix) ? name.dropLast(RasterWorkload.fileSuffix.count) : name)
    }

    private func error(_ field: String, _ reason: String) -> RasterWorkloadError {
        RasterWorkloadError(path: path, field: field, reason: reason)
    }

    /// The next word. ``checkSize(_:_:_:)`` makes sure that it exists.
    private mutating func word() -> Int { Int(bits()) }

    private mutating func bits() -> UInt32 {
        defer { offset += 4 }
        return bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    /// The counts must match the size of the file before memory is reserved for them.
    private func checkSize(_ fills: Int, _ contours: Int, _ points: Int) throws(RasterWorkloadError) {
        var needed = RasterWorkload.headerByteCount
        for (field, count, byteCount) in [
            ("nFills", fills, RasterWorkload.fillByteCount), ("nContours", contours, RasterWorkload.contourByteCount),
            ("nPoints", points, RasterWorkload.pointByteCount),
        ] {
            needed += count * byteCount
            if needed > bytes.count {
                throw error(field, "is \(count), which needs \(needed) bytes; the file has \(bytes.count)")
            }
        }
        if needed < bytes.count {
            throw error("nPoints", "is \(points): that ends at byte \(needed) of \(bytes.count)")
        }
    }

    private mutating func fills(
        _ count: Int, _ contourCount: Int
    ) throws(RasterWorkloadError) -> [RasterWorkload.Fill] {
        var fills: [RasterWorkload.Fill] = []
        fills.reserveCapacity(count)
        for index in 0..<count {
            let (first, count, color) = (word(), word(), bits())
            // The sum of two 32-bit words cannot overflow.
            guard first + count <= contourCount else {
                throw error("fills[\(index)]", "has contours \(first)..<\(first + count) of \(contourCount)")
            }
            fills.append(.init(contours: first..<first + count, color: Color(xrgb8888: color)))
        }
        return fills
    }

    private mutating func contours(_ count: Int, _ pointCount: Int) throws(RasterWorkloadError) -> [Range<Int>] {
        var contours: [Range<Int>] = []
        contours.reserveCapacity(count)
        for index in 0..<count {
            let (first, count) = (word(), word())
            guard first + count <= pointCount else {
                throw error("contours[\(index)]", "has points \(first)..<\(first + count) of \(pointCount)")
            }
            contours.append(first..<first + count)
        }
        return contours
    }

    private mutating func points(_ count: Int) throws(RasterWorkloadError) -> [SIMD2<Float>] {
        var points: [SIMD2<Float>] = []
        points.reserveCapacity(count)
        for index in 0..<count {
            let point = SIMD2(Float(bitPattern: bits()), Float(bitPattern: bits()))
            let limit = RasterWorkload.maximumCoordinate
            // NaN fails this test, too.
            guard point.x.magnitude <= limit, point.y.magnitude <= limit else {
                throw error("points[\(index)]", "is (\(point.x), \(point.y)), not within \(Int(limit)) px")
            }
            points.append(point)
        }
        return points
    }

    private func checkWork(_ workload: RasterWorkload) throws(RasterWorkloadError) {
        let limit = RasterWorkload.maximumFilledCount
        // A contour costs one more than its points: empty ones take time, too.
        var costs = [0]
        costs.reserveCapacity(workload.contours.count + 1)
        for contour in workload.contours { costs.append(costs[costs.count - 1] + contour.count + 1) }
        if costs[costs.count - 1] > limit {
            throw error("contours", "have more than \(limit) points, counted as often as they are used")
        }
        var sum = 0
        for fill in workload.fills {
            sum += costs[fill.contours.upperBound] - costs[fill.contours.lowerBound]
            if sum > limit { throw error("fills", "have more than \(limit) points, counted as often as they are used") }
        }
    }
}

extension Color {
    /// - Parameter word: 0xXXRRGGBB; X is ignored.
    fileprivate init(xrgb8888 word: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: word >> 16), green: UInt8(truncatingIfNeeded: word >> 8),
            blue: UInt8(truncatingIfNeeded: word))
    }
}
