// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// The units in which areas are summed, and what a fill rule makes of them.
///
/// An area is an integer: heights and twice the mean widths are in 1/256 pixel, so a whole pixel is 2 x 256 x 256.
enum Coverage {
    static let full: Int32 = 131_072
    static let fullBits: Int32 = 17
    /// Boundaries of a row up to which no sum of areas leaves 32 bits.
    static let mostWindings = 16_383

    /// The inked area of a pixel from the integral of the winding number over it. Exact if the winding numbers in the
    /// pixel differ by at most one, which holds wherever one boundary crosses it; ``OverlapResolver`` has the rest.
    @inline(__always)
    static func area(_ windingIntegral: Int32, _ rule: FillRule) -> Int32 {
        let sign = windingIntegral >> 31
        let size = (windingIntegral ^ sign) &- sign
        switch rule {
        case .nonZero:
            let missing = full &- size
            return size &+ (missing & (missing >> 31))
        case .evenOdd:
            let folded = size & (2 &* full &- 1)
            return folded <= full ? folded : 2 &* full &- folded
        }
    }

    /// The same for eight pixels.
    @inline(__always)
    static func areas(_ windingIntegrals: SIMD8<Int32>, _ rule: FillRule) -> SIMD8<Int32> {
        let size = inkpanel_abs(windingIntegrals)
        switch rule {
        case .nonZero:
            return inkpanel_min(size, SIMD8(repeating: full))
        case .evenOdd:
            let folded = size & SIMD8(repeating: 2 &* full &- 1)
            let beyond = folded &- SIMD8(repeating: full)
            return folded &- ((beyond &+ beyond) & ~(beyond &>> 31))
        }
    }

    /// 0...255, rounded to nearest.
    @inline(__always)
    static func byte(_ area: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: (area &* 255 &+ full / 2) >> fullBits)
    }

    /// The area that ``byte(_:)`` makes `byte` of; both ends exact.
    static func area(ofByte byte: UInt8) -> Int32 { (Int32(byte) * full + 127) / 255 }
}
