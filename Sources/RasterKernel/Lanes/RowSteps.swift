// SPDX-License-Identifier: Apache-2.0

/// Where eight rows begin, from the first of them on; as pixels are squares, eight pixels of a row, too. In memory,
/// because the compiler takes vectors apart whose numbers it knows.
struct RowSteps {
    private let memory: UnsafeMutableRawPointer
    static let byteCount = 128

    init(_ memory: UnsafeMutableRawPointer) {
        self.memory = memory
        memory.storeBytes(of: SIMD8(0, 256, 512, 768, 1024, 1280, 1536, 1792), as: SIMD8<Int32>.self)
        memory.storeBytes(
            of: SIMD8(0, 256, 512, 768, 1024, 1280, 1536, 1792), toByteOffset: 64, as: SIMD8<Double>.self)
    }

    /// Their upper sides, in 1/256 pixel.
    @inline(__always)
    var tops: SIMD8<Int32> { memory.loadUnaligned(as: SIMD8<Int32>.self) }
    @inline(__always)
    var doubleTops: SIMD8<Double> { memory.loadUnaligned(fromByteOffset: 64, as: SIMD8<Double>.self) }
    /// Index of their first cells.
    @inline(__always)
    var lines: SIMD8<Int32> { memory.loadUnaligned(fromByteOffset: 32, as: SIMD8<Int32>.self) }

    /// - Parameter pitch: cells from one row to the next.
    @inline(__always)
    func setPitch(_ pitch: Int) {
        let lines = SIMD8(repeating: Int32(truncatingIfNeeded: pitch)) &* (tops &>> 8)
        memory.storeBytes(of: lines, toByteOffset: 32, as: SIMD8<Int32>.self)
    }
}
