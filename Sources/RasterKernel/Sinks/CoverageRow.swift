// SPDX-License-Identifier: Apache-2.0

/// Stores coverage; what is not inked stays as it was.
struct CoverageRow: PixelRow {
    private var row: UnsafeMutablePointer<UInt8>
    private let strideBytes: Int

    init(_ row: UnsafeMutableRawPointer, strideBytes: Int) {
        self.row = row.assumingMemoryBound(to: UInt8.self)
        self.strideBytes = strideBytes
    }

    @inline(__always)
    mutating func advance() { row += strideBytes }

    @inline(__always)
    func put(_ area: Int32, x: Int) {
        if area != 0 { row[x] = Coverage.byte(area) }
    }

    @inline(__always)
    func put(_ areas: SIMD8<Int32>, x: Int) {
        // What is not inked keeps its byte.
        let pixels = UnsafeMutableRawPointer(row + x)
        let isBlank = SIMD8<UInt8>(truncatingIfNeeded: (areas &- 1) &>> 31)
        let old = pixels.loadUnaligned(as: SIMD8<UInt8>.self)
        pixels.storeBytes(of: Self.bytes(areas) | (old & isBlank), as: SIMD8<UInt8>.self)
    }

    /// As ``Coverage/byte(_:)``.
    @inline(__always)
    private static func bytes(_ areas: SIMD8<Int32>) -> SIMD8<UInt8> {
        let scaled = (areas &<< 8) &- areas
        let rounded = (scaled &+ Coverage.full / 2) &>> Coverage.fullBits
        return SIMD8<UInt8>(truncatingIfNeeded: rounded)
    }

    @inline(__always)
    func put(_ areas: SIMD8<Int32>, count: Int, x: Int) { put(areas & .first(count), x: x) }

    @inline(__always)
    func putRun(_ area: Int32, x: Int, count: Int) {
        if area != 0 { (row + x).update(repeating: Coverage.byte(area), count: count) }
    }
}
