// SPDX-License-Identifier: Apache-2.0

/// A row of a ``Band``: what a pen needs to leave a boundary in it.
struct BandRow {
    /// Its boundaries, in the order of the chains.
    let boundaries: UnsafeMutablePointer<Boundary>
    /// Of each of them, what ``BoundaryOrder`` sorts by.
    let keys: UnsafeMutablePointer<Int32>
    /// How many there are.
    var count = 0
    /// Its cells, as in ``EdgePartList``, of a contour that leads down.
    let line: Int32
    let pixels: PrefetchTarget
}
