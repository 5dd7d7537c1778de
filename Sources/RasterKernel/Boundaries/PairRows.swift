// SPDX-License-Identifier: Apache-2.0

/// The rows of a contour of one chain down and one chain up, from top to bottom: each has a boundary of either, so that
/// nothing need be kept from row to row.
struct PairRows: ~Copyable {
    private var blocks: UnsafeMutablePointer<Int32>
    private var blockCapacity = 64
    private(set) var cells: UnsafeMutablePointer<Int32>
    private var cellCapacity = 1024
    /// Of the row in hand: of the chain down, and of the chain up.
    let boundaries: UnsafeMutablePointer<Boundary>

    private var down = 0
    private var up = 0
    private var middle = 0
    private(set) var row: Int32 = 0

    init() {
        blocks = .allocate(capacity: blockCapacity * DepositBlock.size)
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
        boundaries = .allocate(capacity: 2)
        boundaries.initialize(
            repeating: Boundary(firstX: 0, lastX: 0, height: 0, next: -1, firstPart: 0, endPart: 0), count: 2)
    }

    deinit {
        blocks.deallocate()
        cells.deallocate()
        boundaries.deallocate()
    }

    /// - Parameters:
    ///   - parts: from the top down and up again, all inside the window.
    @inline(__always)
    mutating func begin(_ parts: EdgePartList, count: Int, width: Int) {
        let blockCount = (count &+ 7) >> 3
        if blockCount > blockCapacity {
            blocks.deallocate()
            blockCapacity = blockCount
            blocks = .allocate(capacity: blockCapacity * DepositBlock.size)
        }
        if width + BoundaryRows.slack > cellCapacity {
            cells.deallocate()
            cellCapacity = width + BoundaryRows.slack
            cells = .allocate(capacity: cellCapacity)
            cells.initialize(repeating: 0, count: cellCapacity)
        }
        var block = 0
        while block < blockCount {
            _ = DepositBlock(memory: blocks + block &* DepositBlock.size).fill(
                parts, block &* 8, pitch: .zero, width: 0, isClipped: false)
            block &+= 1
        }
        down = 0
        up = count &- 1
        middle = 0
        while middle < count && parts.y1(middle) >= parts.y0(middle) { middle &+= 1 }
        row = 0
    }

    /// Goes on to the next row: adds its areas to the cells and sets its boundaries.
    @inline(__always)
    mutating func next(_ parts: EdgePartList) {
        row = block(of: down).rows[0]
        let last = gather(parts, from: down, by: 1, before: middle, into: boundaries)
        boundaries[0].next = 1
        boundaries[0].firstPart = Int32(truncatingIfNeeded: down)
        boundaries[0].endPart = Int32(truncatingIfNeeded: last)
        down = last
        let first = gather(parts, from: up, by: -1, before: middle &- 1, into: boundaries + 1)
        boundaries[1].next = -1
        boundaries[1].firstPart = Int32(truncatingIfNeeded: first &+ 1)
        boundaries[1].endPart = Int32(truncatingIfNeeded: up &+ 1)
        up = first
    }

    @inline(__always)
    var isAtEnd: Bool { down == middle || up < middle }

    /// The block of a part, from the part's lane on.
    @inline(__always)
    private func block(of index: Int) -> DepositBlock {
        let offset: Int = (index >> 3) &* DepositBlock.size &+ (index & 7)
        return DepositBlock(memory: blocks + offset)
    }

    /// Adds the areas of the parts of the row, and notes what their boundary touches; returns the first part beyond.
    @inline(__always)
    private func gather(
        _ parts: EdgePartList, from start: Int, by step: Int, before stop: Int,
        into boundary: UnsafeMutablePointer<Boundary>
    ) -> Int {
        var left = Int32.max
        var right = Int32.min
        var height: Int32 = 0
        var index = start
        var block = self.block(of: index)
        repeat {
            let first = block.lefts[0]
            let last = block.rights[0]
            let change = block.heights[0]
            if last &- first > 1 {
                BoundaryRows.depositLong(cells, parts, index, change)
            } else {
                let cell = cells + Int(first)
                cell[0] &+= block.first[0]
                cell[1] &+= block.second[0]
                cell[2] &+= block.third[0]
            }
            left = first < left ? first : left
            right = last > right ? last : right
            height &+= change
            index &+= step
            block = self.block(of: index)
        } while index != stop && block.rows[0] == row
        boundary.pointee.firstX = left
        boundary.pointee.lastX = right
        boundary.pointee.height = height
        return index
    }
}
