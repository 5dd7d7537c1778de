// SPDX-License-Identifier: Apache-2.0
import CProcessor

extension SIMD8<Int32> {
    /// The nearest whole numbers, ties to even: the bits of 1.5 x 2^23 plus a whole number are the sum of the bits and
    /// the number, and the sum with a broken one is rounded. Swift's own conversion must trap on overflow, lane by
    /// lane.
    /// - Parameter numbers: within ±2^22. Larger ones become anything: who passes them masks what comes of them.
    @inline(__always)
    init(rounded numbers: SIMD8<Float>) {
        self = unsafeBitCast(numbers + SIMD8<Float>.rounding, to: SIMD8<Int32>.self) &- 0x4B40_0000
    }

    /// The sum of the lanes.
    @inline(__always)
    var total: Int32 {
        let four = lowHalf &+ highHalf
        let two = four.lowHalf &+ four.highHalf
        return two[0] &+ two[1]
    }

    /// All ones in the first `count` lanes, zero in the others.
    @inline(__always)
    static func first(_ count: Int) -> SIMD8<Int32> {
        inkpanel_less(SIMD8(0, 1, 2, 3, 4, 5, 6, 7), SIMD8(repeating: Int32(truncatingIfNeeded: count)))
    }
}

extension SIMD8<Float> {
    /// The same numbers. The library's conversion is one instruction, but at times a call.
    /// - Parameter numbers: within ±2^24, where `Float` has them all.
    @inline(__always)
    init(whole numbers: SIMD8<Int32>) {
        self = inkpanel_floats(numbers)
    }

    @inline(__always)
    fileprivate static var rounding: Float { 12_582_912 }
}
