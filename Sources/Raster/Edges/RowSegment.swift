// SPDX-License-Identifier: Apache-2.0

/// The part of one edge within one row of pixels. All that follows (areas, crossings, order) is computed from these
/// rounded parts alone, which is why it cannot matter how the clip lies or in which pieces a path was handed in.
struct RowSegment {
    /// 1/256 pixel from the left side of the clip, at the upper and at the lower end.
    var upperX, lowerX: Int32
    /// The next segment of the row; -1 ends the list.
    var next: Int32
    /// Segments of one chain lie behind each other in the list of a row. See ``SegmentRows``.
    var chain: Int32
    /// 0...256 from the top of the row, `upperY <= lowerY`; equal for a horizontal piece, which has no area but still
    /// is a boundary.
    var upperY, lowerY: Int16
    /// What the winding number gains from left to right: +1 for an edge walked down, -1 for one walked up.
    var winding: Int32
}
