// SPDX-License-Identifier: Apache-2.0

/// What a walk along contours leaves in the rows of a window: the sums of areas, and which boundaries made them.
///
/// The sum of the cells of a row up to x is the integral of the winding number over pixel x, in units of ``Coverage``:
/// the merged form of font-rs (R. Levien, `raster.rs`) in the integers of Blend2D's analytic rasterizer. A boundary
/// that covers `a` of its pixel adds `a` there and what is missing to its full height in the next one.
///
/// All cells are zero and all lists empty between fills: who reads a row leaves it so.
struct BoundaryRows: ~Copyable {
    /// Cells of a row beyond its width: one that takes what the last pixel carries on, and those that a block of 8
    /// reads along.
    static let slack = 9

    private(set) var cells: UnsafeMutablePointer<Int32>
    private var cellCapacity = 4096
    /// Cells from one row to the next.
    private(set) var pitch = 0
    private(set) var boundaries: UnsafeMutablePointer<Boundary>
    private(set) var capacity = 1024
    /// The first boundary of each row, -1 for none.
    private(set) var heads: UnsafeMutablePointer<Int32>
    private var headCapacity = 512
    var count = 0
    let scratch: UnsafeMutablePointer<Int32>

    init() {
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
        boundaries = .allocate(capacity: capacity)
        scratch = .allocate(capacity: DepositBlock.size)
        heads = .allocate(capacity: headCapacity)
        heads.initialize(repeating: -1, count: headCapacity)
    }

    deinit {
        cells.deallocate()
        boundaries.deallocate()
        scratch.deallocate()
        heads.deallocate()
    }

    mutating func begin(width: Int, rows: Int) {
        count = 0
        pitch = width &+ Self.slack
        if pitch * rows > cellCapacity {
            cells.deallocate()
            cellCapacity = pitch * rows
            cells = .allocate(capacity: cellCapacity)
            cells.initialize(repeating: 0, count: cellCapacity)
        }
        if rows > headCapacity {
            heads.deallocate()
            headCapacity = rows
            heads = .allocate(capacity: rows)
            heads.initialize(repeating: -1, count: rows)
        }
    }

    @inline(never)
    mutating func grow(_ more: Int) {
        while capacity < count + more { capacity *= 2 }
        let larger = UnsafeMutablePointer<Boundary>.allocate(capacity: capacity)
        larger.moveInitialize(from: boundaries, count: count)
        boundaries.deallocate()
        boundaries = larger
    }
}
