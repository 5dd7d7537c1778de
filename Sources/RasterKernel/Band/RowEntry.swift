// SPDX-License-Identifier: Apache-2.0

/// A boundary in the list of its row.
struct RowEntry {
    /// Sorts by the first pixel: that, from -1 on, and to make keys differ below it the place in the list, modulo what
    /// ``placeBits`` can tell.
    let key: Int32
    /// Enough for ``BoundaryOrder/few``.
    static let placeBits: Int32 = 6
    /// Index in ``Band/boundaries``.
    let boundary: Int32

    @inline(__always)
    init(firstX: Int32, place: Int, boundary: Int32) {
        let mask = (1 &<< Int(Self.placeBits)) &- 1
        key = (firstX &+ 1) &<< Self.placeBits | Int32(truncatingIfNeeded: place & mask)
        self.boundary = boundary
    }
}
