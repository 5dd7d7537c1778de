// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The rasterizer's number: 1/256 pixel in an `Int32`, as in FreeType's ftgrays.c and Blend2D. Sums of such numbers are
/// exact, so an edge walked down and the same edge walked up cancel to nothing on every machine.
enum FixedPoint {
    static let fractionBits: Int32 = 8
    static let one: Int32 = 256

    /// Pixels from the origin to each side of the square in which geometry is exact. Products of two differences of
    /// such coordinates stay below 2^53, and a clip is cut to it.
    static let limit = 65536.0
    static let limitPixels = 65536

    /// The nearest multiple of 1/256, ties to even: the added 1.5 x 2^52 leaves the integer in the low bits of the
    /// significand. Cheaper than a conversion that must trap on overflow. `value` is within ±``limit``.
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
struct FixedPoint2: Equatable {
    var x, y: Int32

    @inline(__always)
    init(x: Int32, y: Int32) {
        self.x = x
        self.y = y
    }

    @inline(__always)
    init(_ point: Point) {
        self.init(x: FixedPoint.fixed(point.x), y: FixedPoint.fixed(point.y))
    }
}
