// SPDX-License-Identifier: Apache-2.0
import Geometry
import Raster

/// Reads the bytes of an .rpw file from front to back and believes none of them.
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

    /// The name of the file without folder and suffix.
    private static func name(of path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String(name.hasSuffix(RasterWorkload.fileSuffix) ? name.dropLast(RasterWorkload.fileSuffix.count) : name)
    }

    private func error(_ field: String, _ reason: String) -> RasterWorkloadError {
        RasterWorkloadError(path: path, field: field, reason: reason)
    }

    /// The next word; ``checkSize(_:_:_:)`` has seen that it is there.
    private mutating func word() -> Int { Int(bits()) }

    private mutating func bits() -> UInt32 {
        defer { offset += 4 }
        return bytes.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }

    /// Before anything is reserved by them, the counts must be those of the bytes that are there.
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
            // Words of 32 bits: their sum fits.
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
            // Not-a-number is above nothing and below nothing.
            guard point.x.magnitude <= limit, point.y.magnitude <= limit else {
                throw error("points[\(index)]", "is (\(point.x), \(point.y)), not within \(Int(limit)) px")
            }
            points.append(point)
        }
        return points
    }

    private func checkWork(_ workload: RasterWorkload) throws(RasterWorkloadError) {
        let limit = RasterWorkload.maximumFilledCount
        // A contour counts as one more than its points: of empty ones there can be too many, too.
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
    /// - Parameter word: 0xXXRRGGBB; X is ignored, as the display does.
    fileprivate init(xrgb8888 word: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: word >> 16), green: UInt8(truncatingIfNeeded: word >> 8),
            blue: UInt8(truncatingIfNeeded: word))
    }
}
