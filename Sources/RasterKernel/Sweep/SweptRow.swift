// SPDX-License-Identifier: Apache-2.0

/// The boundaries of a row, and where their parts are to be found.
struct SweptRow {
    let parts: EdgePartList
    private let boundaries: UnsafePointer<Boundary>
    /// What ``BoundaryOrder`` sorts them by.
    let keys: UnsafePointer<Int32>
    let count: Int
    /// Pixels.
    let width: Int32

    @inline(__always)
    init(_ row: UnsafePointer<BandRow>, parts: EdgePartList, width: Int32) {
        self.parts = parts
        boundaries = UnsafePointer(row.pointee.boundaries)
        keys = UnsafePointer(row.pointee.keys)
        count = row.pointee.count
        self.width = width
    }

    /// - Parameter index: in the order in which the chains left them.
    @inline(__always)
    func boundary(_ index: Int32) -> UnsafePointer<Boundary> { boundaries + Int(index) }
}
