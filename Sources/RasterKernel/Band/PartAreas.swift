// SPDX-License-Identifier: Apache-2.0
import CProcessor

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
        low = inkpanel_min(x0, x1)
        high = inkpanel_max(x0, x1)
        left = low &>> 8
        columns = (high &>> 8) &- left
        let fraction = low & 255
        // Below zero where there is a second pixel.
        let isSecond = 0 &- columns
        // Where the part leaves its first pixel, and its second one.
        let reach = high & 255
        let leave = inkpanel_choose(isSecond, SIMD8(repeating: 256), reach)
        let leaveSecond = inkpanel_choose(isSecond, reach, .zero)
        // The height reached in the first pixel; all of it where the part has no width.
        let one = SIMD8<Int32>(repeating: 1)
        let share = inkpanel_max(leave &- fraction, one)
        let length = inkpanel_max(high &- low, one)
        let heightF = SIMD8<Float>(whole: height)
        let reached = (heightF * SIMD8<Float>(whole: share) / SIMD8<Float>(whole: length)).rounded
        let rest = heightF - reached
        let inFirst = SIMD8<Float>(whole: fraction &+ leave)
        let inSecond = SIMD8<Float>(whole: leaveSecond)
        first = SIMD8<Int32>(rounded: reached * (512 - inFirst))
        let thirdF = rest * inSecond
        third = SIMD8<Int32>(rounded: thirdF)
        second = SIMD8<Int32>(rounded: reached * inFirst + (rest * 512 - thirdF))
    }
}
