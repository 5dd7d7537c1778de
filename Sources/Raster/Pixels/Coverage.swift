// SPDX-License-Identifier: Apache-2.0

/// The units in which areas are summed, and what a fill rule makes of them.
///
/// An area is an integer: heights and twice the mean widths are in 1/256 pixel, so a whole pixel is 2 x 256 x 256.
/// With `Int32` sums, winding numbers beyond ±16 383 at one place wrap around.
enum Coverage {
    static let full: Int32 = 131_072
    static let fullBits: Int32 = 17

    /// The inked area of a pixel from the integral of the winding number over it. Exact if the winding numbers in the
    /// pixel differ by at most one, which holds wherever one boundary crosses it; ``OverlapResolver`` has the rest.
    @inline(__always)
    static func area(_ windingIntegral: Int32, _ rule: FillRule) -> Int32 {
        let size = windingIntegral < 0 ? 0 &- windingIntegral : windingIntegral
        switch rule {
        case .nonZero:
            return size < full ? size : full
        case .evenOdd:
            let folded = size & (2 &* full &- 1)
            return folded <= full ? folded : 2 &* full &- folded
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
