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

    /// The ratio of a height and a length, of as many places, for ``position(_:_:)``.
    /// - Parameter length: not zero.
    @inline(__always)
    static func scale(_ height: Int32, _ length: Int32) -> Double {
        (Double(height) * 16_777_216 / Double(length) + rounding - rounding) * unit
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

    /// A length x a scale, rounded to nearest, a tie up: to the bit what ``position(_:)`` makes of ``start(_:)`` and a
    /// product of integers. Here products are exact, too: of a slope and an edge no longer than 16,384 pixels they have
    /// at most 47 bits, of a part's at most 36. 2^-25 is half of what they are multiples of.
    ///
    /// Of a length of more than 65,536 pixels the error of the scale adds up to more than half of a unit: who passes
    /// one must not let it outgrow what it is a part of.
    @inline(__always)
    static func position(_ length: Double, _ scale: Double) -> Int32 {
        Int32(truncatingIfNeeded: Int64(bitPattern: (length * scale + 0x1p-25 + rounding).bitPattern))
    }

    /// The same of eight: how far an edge has moved, in 1/256 pixel, at heights below its upper end, or how much of a
    /// part's height has been reached at lengths from its left end.
    /// - Parameters:
    ///   - first, second: heights or lengths, in 1/256 pixel.
    ///   - scale: the slope x ``unit``, or ``scale(_:_:)``.
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
