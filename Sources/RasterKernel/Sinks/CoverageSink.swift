// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Stores coverage; what is not touched stays as it was.
struct CoverageSink: RowSink {
    private let target: PixelMemory
    private let left: Int
    private var row: UnsafeMutablePointer<UInt8>

    /// - Parameter left: the column of the picture where x is 0.
    init(into target: PixelMemory, left: Int) {
        self.target = target
        self.left = left
        row = target.base.assumingMemoryBound(to: UInt8.self)
    }

    func prefetchTarget(_ y: Int) -> PrefetchTarget {
        PrefetchTarget(
            base: target.address(x: left, y: y, bytesPerPixel: 1), strideBytes: target.strideBytes, bytesPerPixel: 1)
    }

    @inline(__always)
    mutating func beginRow(_ y: Int) {
        row = target.address(x: left, y: y, bytesPerPixel: 1).assumingMemoryBound(to: UInt8.self)
    }

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
        (row + x).update(repeating: Coverage.byte(area), count: count)
    }
}
