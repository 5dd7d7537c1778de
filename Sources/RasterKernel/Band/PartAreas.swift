// SPDX-License-Identifier: Apache-2.0

/// The areas of eight parts of edges: what each adds to the cells of its row, from the leftmost pixel on.
///
/// All is whole numbers; those that are multiplied or divided are so small that `Float` is exact, which every
/// processor has eight or four of at a time, unlike products of 32-bit integers.
struct PartAreas {
    /// The ends in 1/256 pixel, the pixel of the left one, and how many more there are to that of the right one.
    let low, high, left, columns: SIMD8<Int32>
    /// For three cells. Of parts in more than two pixels they mean nothing.
    let first, second, third: SIMD8<Int32>

    /// - Parameters:
    ///   - x0, x1: the upper and the lower end, in 1/256 pixel.
    ///   - height: 0...256, below zero for what leads up.
    @inline(__always)
    init(from x0: SIMD8<Int32>, to x1: SIMD8<Int32>, height: SIMD8<Int32>) {
        let run = x1 &- x0
        let back = run & (run &>> 31)
        low = x0 &+ back
        high = x1 &- back
        left = low &>> 8
        columns = (high &>> 8) &- left
        let fraction = low & 255
        // All ones where there is a second pixel.
        let isSecond = (0 &- columns) &>> 31
        // Where the part leaves its first pixel, and its second one.
        let leave = ((high & 255) & ~isSecond) | (isSecond & 256)
        let leaveSecond = high & isSecond & 255
        // The height reached in the first pixel; all of it where the part has no width.
        let length = high &- low
        let isUpright = (length &- 1) &>> 31
        let share = (leave &- fraction) &- isUpright
        let heightF = SIMD8<Float>(whole: height)
        let reached = (heightF * SIMD8<Float>(whole: share) / SIMD8<Float>(whole: length &- isUpright)).rounded
        let rest = heightF - reached
        let inFirst = SIMD8<Float>(whole: fraction &+ leave)
        let inSecond = SIMD8<Float>(whole: leaveSecond)
        first = SIMD8<Int32>(rounded: reached * (512 - inFirst))
        let thirdF = rest * inSecond
        third = SIMD8<Int32>(rounded: thirdF)
        second = SIMD8<Int32>(rounded: reached * inFirst + (rest * 512 - thirdF))
    }
}
