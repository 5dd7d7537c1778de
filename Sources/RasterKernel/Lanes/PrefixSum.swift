// SPDX-License-Identifier: Apache-2.0

/// Running sums of eight numbers, three times shifted and added (as in font-rs): by one lane, by two, by four.
///
/// The masks are in memory, because the compiler takes vectors apart of which it knows that lanes are zero.
struct PrefixSum {
    private let masks: UnsafeRawPointer
    static let byteCount = 64

    init(_ memory: UnsafeMutableRawPointer) {
        memory.storeBytes(of: SIMD8(0, 0, -1, -1, 0, 0, -1, -1), as: SIMD8<Int32>.self)
        memory.storeBytes(of: SIMD8(0, 0, 0, 0, -1, -1, -1, -1), toByteOffset: 32, as: SIMD8<Int32>.self)
        masks = UnsafeRawPointer(memory)
    }

    @inline(__always)
    func sums(of values: SIMD8<Int32>) -> SIMD8<Int32> {
        let pairs = values &+ unsafeBitCast(unsafeBitCast(values, to: SIMD4<UInt64>.self) &<< 32, to: SIMD8<Int32>.self)
        let second = SIMD8(
            pairs[1], pairs[1], pairs[1], pairs[1], pairs[5], pairs[5], pairs[5], pairs[5])
        let halves = pairs &+ (second & masks.loadUnaligned(as: SIMD8<Int32>.self))
        return halves &+ (SIMD8(repeating: halves[3]) & masks.loadUnaligned(fromByteOffset: 32, as: SIMD8<Int32>.self))
    }
}
