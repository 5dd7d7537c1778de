// SPDX-License-Identifier: Apache-2.0
import Geometry

extension Contours {
    /// Adds a closed polygon of points that are all near; otherwise adds nothing and returns false.
    mutating func addNearPolygon(_ polygon: UnsafeBufferPointer<Point>) -> Bool {
        guard let first = polygon.baseAddress else { return true }
        begin()
        reserve(polygon.count + 1)
        // As ``FixedPoint/fixed(_:)``, two coordinates at a time. The upper half of such a number says whether the
        // lower one is all of it: 0x4338_0000, or one less below zero. It is something else for what is no number.
        // And the lower one must be within 65 536 px.
        var excess = SIMD2<UInt32>.zero
        var index = 0
        let target = UnsafeMutableRawPointer(vertices + count)
        while index < polygon.count {
            let point = SIMD2(first[index].x, first[index].y)
            let halves = unsafeBitCast(point * 256 + 6_755_399_441_055_744, to: SIMD4<UInt32>.self)
            target.storeBytes(of: halves.evenHalf, toByteOffset: index &* 8, as: SIMD2<UInt32>.self)
            excess |= ((halves.oddHalf &- 0x4337_FFFF) & ~1) | ((halves.evenHalf &+ 0x0100_0000) & 0xFE00_0000)
            index &+= 1
        }
        if excess[0] | excess[1] != 0 { return false }
        close(adding: polygon.count)
        return true
    }
}
