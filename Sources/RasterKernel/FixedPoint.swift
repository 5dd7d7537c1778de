// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// The rasterizer's coordinates: 1/256 pixel in an `Int32` (24.8), as in FreeType's ftgrays.c and Blend2D. Sums of them
/// are exact, so an edge walked down and the same edge walked up cancel to zero on every machine.
enum FixedPoint {
    static let fractionBits: Int32 = 8
    static let one: Int32 = 256

    /// Distance in pixels from the origin to each side of the square in which geometry is exact. The product of two
    /// differences of such coordinates is below 2^53. A clip is cut to this square.
    static let limit = 65536.0
    static let limitPixels = 65536

    /// The nearest multiple of 1/256, ties to even. Adding 1.5 x 2^52 leaves the integer in the low bits of the
    /// significand, which is cheaper than a conversion that must trap on overflow. `value` is within ±``limit``.
    @inline(__always)
    static func fixed(_ value: Double) -> Int32 {
        Int32(truncatingIfNeeded: (value * 256 + 6_755_399_441_055_744).bitPattern)
    }

    @inline(__always)
    static func isNear(_ point: Point) -> Bool {
        point.x > -limit && point.x < limit && point.y > -limit && point.y < limit
    }
}

/// A vertex in 1/256 pixel.
struct FixedPoint2 {
    var x, y: Int32

    @inline(__always)
    init(_ point: Point) {
        x = FixedPoint.fixed(point.x)
        y = FixedPoint.fixed(point.y)
    }
}

/// The rectangle that a fill draws: the box of its contours within the clip and the target.
struct Window {
    /// The upper left corner in 1/256 pixel.
    let originX, originY: Int32
    /// Pixels.
    let width, height: Int32

    /// - Parameter rect: within the square in which ``FixedPoint`` is exact.
    @inline(__always)
    init(_ rect: PixelRect) {
        originX = Int32(truncatingIfNeeded: rect.minX) &<< FixedPoint.fractionBits
        originY = Int32(truncatingIfNeeded: rect.minY) &<< FixedPoint.fractionBits
        width = Int32(truncatingIfNeeded: rect.width)
        height = Int32(truncatingIfNeeded: rect.height)
    }
}

/// The horizontal movement of an edge per unit of height, with 24 binary places. Its error stays under 1/256 pixel over
/// the whole square in which ``FixedPoint`` is exact, and the ratio of two such lengths, below 2^25, fits the
/// significand of a `Double`.
enum Slope {
    private static let fractionBits: Int64 = 24
    private static let half: Int64 = 1 << 23
    private static let unit = 1.0 / 16_777_216
    /// 1.5 x 2^52. Added to a `Double`, it leaves the nearest whole number in the low bits of the significand.
    private static let rounding = 6_755_399_441_055_744.0

    /// The ratio of a height to a length with 24 binary places, for ``position(_:_:)``.
    /// - Parameter length: not zero.
    @inline(__always)
    static func scale(_ height: Int32, _ length: Int32) -> Double {
        (Double(height) * 16_777_216 / Double(length) + rounding - rounding) * unit
    }

    /// The slopes of four pairs (dividend, divisor). The slope is any number where the divisor is zero.
    @inline(__always)
    static func ratios(_ pairs: SIMD8<Int32>) -> SIMD4<Int64> {
        // An unsigned number below 2^32 in the low bits of 2^52 is added to it.
        let unsigned = unsafeBitCast(pairs ^ .min, to: SIMD4<UInt64>.self)
        let exponent = SIMD4<UInt64>(repeating: 0x4330_0000_0000_0000)
        let offset = SIMD4<Double>(repeating: 4_503_601_774_854_144)
        let dividends = unsafeBitCast((unsigned & 0xFFFF_FFFF) | exponent, to: SIMD4<Double>.self) - offset
        let divisors = unsafeBitCast((unsigned &>> 32) | exponent, to: SIMD4<Double>.self) - offset
        let quotients = dividends * 16_777_216 / divisors
        let rounded = unsafeBitCast(quotients + rounding, to: SIMD4<Int64>.self)
        return rounded &- SIMD4<Int64>(repeating: Int64(bitPattern: rounding.bitPattern))
    }

    /// `x` with 24 binary places, plus one half, so that ``position(_:)`` rounds to nearest.
    @inline(__always)
    static func start(_ x: Int32) -> Int64 { Int64(x) &<< fractionBits &+ half }

    @inline(__always)
    static func position(_ value: Int64) -> Int32 { Int32(truncatingIfNeeded: value >> fractionBits) }

    /// `length` x `scale`, rounded to nearest, ties up: the same bits as ``position(_:)`` makes of ``start(_:)`` and an
    /// integer product. The product is exact, because a part of an edge gives it at most 36 bits. 2^-25 is half of its
    /// last place.
    ///
    /// If `length` is more than 65,536 pixels, the error of the scale can exceed half a unit. The caller must then
    /// limit the result to the whole height.
    @inline(__always)
    static func position(_ length: Double, _ scale: Double) -> Int32 {
        Int32(truncatingIfNeeded: Int64(bitPattern: (length * scale + 0x1p-25 + rounding).bitPattern))
    }

    /// The same for eight lengths.
    @inline(__always)
    static func positions(_ first: SIMD4<Double>, _ second: SIMD4<Double>, _ scale: Double) -> SIMD8<Int32> {
        let (low, high) = (first * scale + 0x1p-25 + rounding, second * scale + 0x1p-25 + rounding)
        return SIMD8(
            lowHalf: unsafeBitCast(low, to: SIMD8<Int32>.self).evenHalf,
            highHalf: unsafeBitCast(high, to: SIMD8<Int32>.self).evenHalf)
    }

    /// `whole` x `share` / `divisor`, rounded to nearest, ties to even. Products below 2^24 are exact in `Float`.
    @inline(__always)
    static func share(of whole: Int32, _ share: Int32, _ divisor: Int32) -> Int32 {
        // 1.5 x 2^23, as above.
        let rounded = Float(whole &* share) / Float(divisor) + 12_582_912
        return Int32(bitPattern: rounded.bitPattern &- 0x4B40_0000)
    }
}

extension SIMD8<Int32> {
    /// The nearest whole numbers, ties to even: adding 1.5 x 2^23 rounds, and leaves the integer in the low bits.
    /// Swift's own conversion must trap on overflow, lane by lane.
    /// - Parameter numbers: within ±2^22. Lanes beyond that get any value; the caller masks them.
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
    /// The same numbers, always in one instruction; the library's conversion is sometimes a call.
    /// - Parameter numbers: within ±2^24, where `Float` is exact.
    @inline(__always)
    init(whole numbers: SIMD8<Int32>) {
        self = inkpanel_floats(numbers)
    }

    @inline(__always)
    fileprivate static var rounding: Float { 12_582_912 }
}
