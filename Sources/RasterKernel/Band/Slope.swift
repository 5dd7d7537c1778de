// SPDX-License-Identifier: Apache-2.0

/// How fast an edge moves, as a number of 24 binary places: its error stays under 1/256 pixel over the whole square in
/// which ``FixedPoint`` is exact, and the ratio of two such lengths, below 2^25, fits the significand of a `Double`.
enum Slope {
    private static let fractionBits: Int64 = 24
    private static let half: Int64 = 1 << 23
    /// One pixel a row.
    static let one: Int64 = 1 << 24
    /// What a unit is worth.
    static let unit = 1.0 / 16_777_216
    /// 1.5 x 2^52: added to a `Double` it leaves the nearest whole number in the low bits of the significand. Cheaper
    /// than a conversion that must trap on overflow.
    private static let rounding = 6_755_399_441_055_744.0

    /// - Parameter divisor: not zero. A ratio is the same when both change their sign.
    @inline(__always)
    static func ratio(_ dividend: Int32, _ divisor: Int32) -> Int64 {
        let quotient = Double(dividend) * 16_777_216 / Double(divisor)
        return Int64(bitPattern: (quotient + rounding).bitPattern &- rounding.bitPattern)
    }

    /// The ratio of a height and a length, by which the height is not outgrown over that length: of more than 65,536
    /// pixels the error of the slope adds up to more than half of a unit.
    @inline(__always)
    static func rise(_ height: Int32, _ length: Int32) -> Int64 {
        let rise = ratio(height, length)
        return position(start(0) &+ rise &* Int64(length)) > height ? rise &- 1 : rise
    }

    /// The ratios of four pairs of a divisor and, before it, a dividend. Where the divisor is zero it is any number.
    @inline(__always)
    static func ratios(_ pairs: SIMD8<Int32>) -> SIMD4<Int64> {
        // A number without sign below 2^32 in the low bits of 2^52 is added to it.
        let unsigned = unsafeBitCast(pairs ^ .min, to: SIMD4<UInt64>.self)
        let exponent = SIMD4<UInt64>(repeating: 0x4330_0000_0000_0000)
        let offset = SIMD4<Double>(repeating: 4_503_601_774_854_144)
        let dividends = unsafeBitCast((unsigned & 0xFFFF_FFFF) | exponent, to: SIMD4<Double>.self) - offset
        let divisors = unsafeBitCast((unsigned &>> 32) | exponent, to: SIMD4<Double>.self) - offset
        let quotients = dividends * 16_777_216 / divisors
        let rounded = unsafeBitCast(quotients + rounding, to: SIMD4<Int64>.self)
        return rounded &- SIMD4<Int64>(repeating: Int64(bitPattern: rounding.bitPattern))
    }

    /// A position that ``position(_:)`` will round to nearest.
    @inline(__always)
    static func start(_ x: Int32) -> Int64 { Int64(x) &<< fractionBits &+ half }

    @inline(__always)
    static func position(_ value: Int64) -> Int32 { Int32(truncatingIfNeeded: value >> fractionBits) }

    /// How far an edge has moved, in 1/256 pixel, at eight heights below its upper end: to the bit what
    /// ``position(_:)`` has. A slope x a height of an edge no longer than 16 384 pixels has at most 47 bits, so that
    /// products are exact; 2^-25 is half of what they are multiples of, and makes a tie go up.
    /// - Parameters:
    ///   - first, second: the heights, in 1/256 pixel.
    ///   - scale: the slope x ``unit``.
    @inline(__always)
    static func positions(_ first: SIMD4<Double>, _ second: SIMD4<Double>, _ scale: Double) -> SIMD8<Int32> {
        let (low, high) = (first * scale + 0x1p-25 + rounding, second * scale + 0x1p-25 + rounding)
        return SIMD8(
            lowHalf: unsafeBitCast(low, to: SIMD8<Int32>.self).evenHalf,
            highHalf: unsafeBitCast(high, to: SIMD8<Int32>.self).evenHalf)
    }

    /// whole x share / divisor, rounded to nearest, ties to even: products below 2^24 are exact in `Float`.
    @inline(__always)
    static func share(of whole: Int32, _ share: Int32, _ divisor: Int32) -> Int32 {
        // 1.5 x 2^23, as above.
        let rounded = Float(whole &* share) / Float(divisor) + 12_582_912
        return Int32(bitPattern: rounded.bitPattern &- 0x4B40_0000)
    }
}
