// SPDX-License-Identifier: Apache-2.0

/// A boundary in the list of its row.
struct RowEntry {
    /// Sorts by the first pixel: that, from -1 on, and below it, to make keys differ, the place in the list. Of no use
    /// in rows of more than ``BoundaryOrder/few`` boundaries, where there is no room for the place.
    let key: Int32
    private static let placeBits: Int32 = 6
    /// Index in ``Band/boundaries``.
    let boundary: Int32

    @inline(__always)
    init(firstX: Int32, place: Int, boundary: Int32) {
        key = firstX &<< Self.placeBits &+ Int32(truncatingIfNeeded: place)
        self.boundary = boundary
    }
}
