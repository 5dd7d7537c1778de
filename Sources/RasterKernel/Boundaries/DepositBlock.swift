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
    /// Positive on the way down, negative on the way up.
    @inline(__always)
    var heights: UnsafeMutablePointer<Int32> { memory + 32 }
    /// The pixels at both ends.
    @inline(__always)
    var lefts: UnsafeMutablePointer<Int32> { memory + 40 }
    @inline(__always)
    var rights: UnsafeMutablePointer<Int32> { memory + 48 }
    @inline(__always)
    var rows: UnsafeMutablePointer<Int32> { memory + 56 }
    static let size = 64

    /// Fills it from the parts at `index`. Those in more than two pixels or, if clipped, outside the window add
    /// nothing.
    /// - Parameter pitch: cells from one row to the next.
    /// - Returns: whether there are such.
    @inline(__always)
    func fill(
        _ parts: EdgePartList, _ index: Int, pitch: SIMD8<Float>, width: Int32, isClipped: Bool
    ) -> Bool {
        let x0 = Self.load(parts.x0 + index)
        let x1 = Self.load(parts.x1 + index)
        let ys = Self.load(parts.ys + index)
        let height = (ys &>> 16) &- ((ys &<< 16) &>> 16)
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
        let row = Self.load(parts.row + index)
        let cell = Self.float(row) * pitch + Self.float(left)

        // All ones where a part is left to who does the odd ones.
        var odd = (1 &- columns) &>> 31
        if isClipped {
            odd |= (low &>> 31) | ((SIMD8(repeating: width &<< 8 &- 1) &- high) &>> 31)
        }
        let isEven = ~odd
        Self.store(Self.integer(cell) & isEven, cells)
        Self.store(Self.integer(first) & isEven, self.first)
        Self.store(Self.integer(second) & isEven, self.second)
        Self.store(Self.integer(third) & isEven, self.third)
        Self.store(height, heights)
        Self.store(left, lefts)
        Self.store(right, rights)
        Self.store(row, rows)
        let words = unsafeBitCast(odd, to: SIMD4<UInt64>.self)
        return words[0] | words[1] | words[2] | words[3] != 0
    }

    @inline(__always)
    private static func load(_ numbers: UnsafeMutablePointer<Int32>) -> SIMD8<Int32> {
        UnsafeRawPointer(numbers).loadUnaligned(as: SIMD8<Int32>.self)
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
