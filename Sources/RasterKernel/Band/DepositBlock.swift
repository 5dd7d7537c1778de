// SPDX-License-Identifier: Apache-2.0

/// What eight parts of edges add to the cells of their rows: three numbers each, from the leftmost pixel on.
///
/// All is whole numbers; those that are multiplied or divided are so small that `Float` is exact, which every
/// processor has eight or four of at a time, unlike products of 32-bit integers.
struct DepositBlock {
    let memory: UnsafeMutablePointer<Int32>

    /// Index of the leftmost pixel's cell.
    @inline(__always)
    var cells: UnsafeMutablePointer<Int32> { memory }
    @inline(__always)
    var first: UnsafeMutablePointer<Int32> { memory + 8 }
    @inline(__always)
    var second: UnsafeMutablePointer<Int32> { memory + 16 }
    @inline(__always)
    var third: UnsafeMutablePointer<Int32> { memory + 24 }
    /// -1 for a part that adds nothing, being in more than two pixels or, if clipped, outside the window; its cell is
    /// the row's first.
    @inline(__always)
    var odd: UnsafeMutablePointer<Int32> { memory + 32 }
    static let size = 40

    /// Fills it from eight parts.
    @inline(__always)
    func fill(_ parts: UnsafeMutablePointer<Int32>, width: Int32, isClipped: Bool) {
        let low4 = UnsafeRawPointer(parts).loadUnaligned(as: SIMD16<Int32>.self)
        let high4 = UnsafeRawPointer(parts + 16).loadUnaligned(as: SIMD16<Int32>.self)
        let even = SIMD16(lowHalf: low4.evenHalf, highHalf: high4.evenHalf)
        let uneven = SIMD16(lowHalf: low4.oddHalf, highHalf: high4.oddHalf)
        let x0 = even.evenHalf
        let ys = even.oddHalf
        let x1 = uneven.evenHalf
        let line = uneven.oddHalf
        let up = 0 &- (line & 1)
        let height = (((ys &>> 16) &- (ys & 0xFFFF)) ^ up) &- up
        let run = x1 &- x0
        let back = run & (run &>> 31)
        let low = x0 &+ back
        let high = x1 &- back
        let left = low &>> 8
        let right = high &>> 8
        let fraction = low & 255
        let columns = right &- left
        // All ones where there is a second pixel.
        let hasSecond = 0 &- columns
        let isSecond = hasSecond &>> 31
        // Where the part leaves its first pixel, and its second one.
        let leave = ((high & 255) & ~isSecond) | (isSecond & 256)
        let leaveSecond = high & isSecond & 255
        // The height reached in the first pixel; all of it where the part has no width.
        let length = high &- low
        let isUpright = (length &- 1) &>> 31
        let share = (leave &- fraction) &- isUpright
        let heightF = Self.float(height)
        let reached = Self.rounded(heightF * Self.float(share) / Self.float(length &- isUpright))
        let rest = heightF - reached
        let inFirst = Self.float(fraction &+ leave)
        let inSecond = Self.float(leaveSecond)
        let first = reached * (512 - inFirst)
        let third = rest * inSecond
        let second = reached * inFirst + (rest * 512 - third)

        // All ones where a part is left to who does the odd ones.
        var odd = (1 &- columns) &>> 31
        if isClipped {
            odd |= (low &>> 31) | ((SIMD8(repeating: width &<< 8 &- 1) &- high) &>> 31)
        }
        let isEven = ~odd
        Self.store((line &>> 1) &+ (left & isEven), cells)
        Self.store(Self.integer(first) & isEven, self.first)
        Self.store(Self.integer(second) & isEven, self.second)
        Self.store(Self.integer(third) & isEven, self.third)
        Self.store(odd, self.odd)
    }

    @inline(__always)
    private static func store(_ numbers: SIMD8<Int32>, _ target: UnsafeMutablePointer<Int32>) {
        UnsafeMutableRawPointer(target).storeBytes(of: numbers, as: SIMD8<Int32>.self)
    }

    /// 1.5 x 2^23: the bits of this plus a whole number are the sum of the bits and the number, and the sum with a
    /// broken one is rounded to nearest.
    private static var rounding: Float { 12_582_912 }

    @inline(__always)
    private static func float(_ numbers: SIMD8<Int32>) -> SIMD8<Float> {
        unsafeBitCast(numbers &+ 0x4B40_0000, to: SIMD8<Float>.self) - rounding
    }

    @inline(__always)
    private static func rounded(_ numbers: SIMD8<Float>) -> SIMD8<Float> { (numbers + rounding) - rounding }

    @inline(__always)
    private static func integer(_ numbers: SIMD8<Float>) -> SIMD8<Int32> {
        unsafeBitCast(numbers + rounding, to: SIMD8<Int32>.self) &- 0x4B40_0000
    }
}
