// SPDX-License-Identifier: Apache-2.0

/// The part of one chain in one row: a line from the row's top to its bottom, or to the turn where it meets the
/// boundary that leads on. It crosses each height once at most.
struct Boundary {
    /// Pixels that it touches, counted from the left of the window: -1 stands for all left of it.
    var firstX, lastX: Int32
    /// The sum of its parts' heights in 1/256: 256 from top to bottom, -256 from bottom to top.
    var height: Int32
    /// Its parts in ``EdgePartList``, from the top down: from this one to before `endPart`.
    var firstPart, endPart: Int32
}
