// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Contours {
    /// Adds a closed polygon of points that are all near; otherwise adds nothing and returns false.
    /// - Parameter polygon: two points at least.
    mutating func addNearPolygon(_ polygon: UnsafeBufferPointer<Point>) -> Bool {
        guard let first = polygon.baseAddress else { return true }
        begin()
        reserve(polygon.count + 1)
        // As ``FixedPoint/fixed(_:)``, two points at a time. The bits of the sum are those of 1.5 x 2^52 and the number
        // that is wanted; of one from -65 536 px to below 65 536, and of no other, nor of what is no number, 25 bits
        // are left when those of the least one are taken away.
        let least = SIMD4<UInt64>(repeating: 0x4338_0000_0000_0000 - 0x100_0000)
        var excess = SIMD4<UInt64>.zero
        let target = UnsafeMutableRawPointer(vertices + count)
        let points = UnsafeRawPointer(first)
        // The last two points may be taken twice.
        var index = 0
        while index < polygon.count {
            index = index &+ 2 <= polygon.count ? index : polygon.count &- 2
            let pair = points.loadUnaligned(fromByteOffset: index &* 16, as: SIMD4<Double>.self)
            let moved = pair * 256 + 6_755_399_441_055_744
            let fixed = unsafeBitCast(moved, to: SIMD8<Int32>.self).evenHalf
            target.storeBytes(of: fixed, toByteOffset: index &* 8, as: SIMD4<Int32>.self)
            excess |= (unsafeBitCast(moved, to: SIMD4<UInt64>.self) &- least) & ~0x1FF_FFFF
            index &+= 2
        }
        if excess[0] | excess[1] | excess[2] | excess[3] != 0 { return false }
        close(adding: polygon.count)
        return true
    }
}
