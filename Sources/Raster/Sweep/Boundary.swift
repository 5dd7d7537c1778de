// SPDX-License-Identifier: Apache-2.0

/// The part of one chain in one row: one line from the row's top to its bottom, or to the turn where it meets the
/// boundary that leads on.
struct Boundary {
    /// Pixels that it touches, counted from the clip's left side: -1 stands for all left of the clip, the clip's width
    /// for all right of it.
    var firstX, lastX: Int32
    /// Its first segment in the row's list, and how many.
    var segment, segmentCount: Int32
    /// The sum of its segments' winding x height in 1/256: ±256 from top to bottom.
    var height: Int32
}
