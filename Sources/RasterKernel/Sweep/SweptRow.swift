// SPDX-License-Identifier: Apache-2.0

/// Where the boundaries of a row and their parts are to be found.
struct SweptRow {
    let parts: EdgePartList
    let boundaries: UnsafePointer<Boundary>
    /// Pixels.
    let width: Int32

    @inline(__always)
    func boundary(_ index: Int32) -> UnsafePointer<Boundary> { boundaries + Int(index) }
}
