// SPDX-License-Identifier: Apache-2.0

/// The vertices of a contour between two turns, where it leads down or up all the way, level pieces included: it
/// crosses each height once at most.
struct Chain {
    /// Indices of its ends in ``Contours/vertices``; the upper one comes first when the contour leads down.
    var upper, lower: Int32
    /// The next one that begins in the same band; -1 ends the list.
    var next: Int32 = -1
}
