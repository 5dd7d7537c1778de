// SPDX-License-Identifier: Apache-2.0

/// A boundary in the list of its row.
struct RowEntry {
    /// Sorts by the first pixel: that, from -1 on, x 32, and to make keys differ the place in the list modulo 32.
    let key: Int32
    /// Index in ``Band/boundaries``.
    let boundary: Int32

    @inline(__always)
    init(firstX: Int32, place: Int, boundary: Int32) {
        key = (firstX &+ 1) &<< 5 | Int32(truncatingIfNeeded: place & 31)
        self.boundary = boundary
    }
}
