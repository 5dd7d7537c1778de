// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// The areas of eight parts of edges: what each adds to the cells of its row, from the leftmost pixel on.
///
/// All is whole numbers. Those that are multiplied have 16 bits, of which every processor has eight or four products at
/// a time, unlike of 32; those that are divided are so small that `Float` has them exactly and the quotient is rounded
/// right.
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
        let reached = SIMD8<Int32>(
            rounded: SIMD8<Float>(whole: inkpanel_multiply(height, share)) / SIMD8<Float>(whole: length))
        first = inkpanel_multiply(reached, 512 &- (fraction &+ leave))
        third = inkpanel_multiply(height &- reached, leaveSecond)
        // All three together are the whole height's.
        second = (height &<< 9) &- first &- third
    }
}
