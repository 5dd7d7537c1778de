// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The part of the plane that is swept at a time.
struct Window {
    /// The upper left corner in 1/256 pixel.
    var originX, originY: Int32
    /// Pixels.
    var width, height: Int32

    /// - Parameter rect: within the square in which ``FixedPoint`` is exact.
    @inline(__always)
    init(_ rect: PixelRect) {
        originX = Int32(truncatingIfNeeded: rect.minX) &<< FixedPoint.fractionBits
        originY = Int32(truncatingIfNeeded: rect.minY) &<< FixedPoint.fractionBits
        width = Int32(truncatingIfNeeded: rect.width)
        height = Int32(truncatingIfNeeded: rect.height)
    }
}
