// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// The target of a fill: pixels or coverage. Used only as a generic constraint, so that the sweep is specialized for
/// each target.
protocol RowSink {
    associatedtype Row: PixelRow

    /// Row `y` of the picture.
    func row(_ y: Int) -> Row
    /// The memory of row `y` of the picture and the rows below it.
    func prefetchTarget(_ y: Int) -> PrefetchTarget
}

/// A row of a target, small enough to be passed in registers. x counts from the left of the window; an area is
/// 0...``Coverage/full``.
protocol PixelRow {
    func put(_ area: Int32, x: Int)
    /// Eight pixels.
    func put(_ areas: SIMD8<Int32>, x: Int)
    /// The first `count` of eight pixels. All eight may be written, the others with their old value.
    func put(_ areas: SIMD8<Int32>, count: Int, x: Int)
    /// `count` pixels of the same area.
    func putRun(_ area: Int32, x: Int, count: Int)
    /// Moves to the row below.
    mutating func advance()
}

/// The memory of the target's pixels, for prefetching them while a band is walked. Otherwise the blending waits for
/// them.
struct PrefetchTarget {
    /// The first pixel of the current row.
    private var base: UnsafeRawPointer
    private let strideBytes: Int
    private let bytesPerPixel: Int
    /// Distance in bytes from the first to the last pixel of a block, of at most four bytes each.
    private static let blockReach = 7 * 4

    init(base: UnsafeRawPointer, strideBytes: Int, bytesPerPixel: Int) {
        self.base = base
        self.strideBytes = strideBytes
        self.bytesPerPixel = bytesPerPixel
    }

    /// Moves to the next row.
    @inline(__always)
    mutating func advance() { base += strideBytes }

    /// Prefetches the block of eight pixels from x on, half of which lie in two cache lines.
    @inline(__always)
    func prefetchBlock(_ x: Int) {
        let first = base + x &* bytesPerPixel
        inkpanel_prefetch(first)
        inkpanel_prefetch(first + Self.blockReach)
    }
}

/// Coverage, one byte a pixel.
struct CoverageSink: RowSink {
    let memory: PixelMemory
    /// The column of the picture at x = 0.
    let left: Int

    @inline(__always)
    func row(_ y: Int) -> CoverageRow {
        CoverageRow(memory.address(x: left, y: y, bytesPerPixel: 1), strideBytes: memory.strideBytes)
    }

    func prefetchTarget(_ y: Int) -> PrefetchTarget {
        PrefetchTarget(
            base: memory.address(x: left, y: y, bytesPerPixel: 1), strideBytes: memory.strideBytes, bytesPerPixel: 1)
    }
}

/// Stores coverage. Pixels without ink keep their value.
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
        let pixels = UnsafeMutableRawPointer(row + x)
        let isBlank = SIMD8<UInt8>(truncatingIfNeeded: (areas &- 1) &>> 31)
        let old = pixels.loadUnaligned(as: SIMD8<UInt8>.self)
        pixels.storeBytes(of: Self.bytes(areas) | (old & isBlank), as: SIMD8<UInt8>.self)
    }

    /// The same as ``Coverage/byte(_:)``.
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
