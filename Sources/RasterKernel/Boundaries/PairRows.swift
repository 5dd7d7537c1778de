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
        row = parts.row[down]
        var index = down
        repeat { index &+= 1 } while index < middle && parts.row[index] == row
        gather(parts, from: down, to: index, into: boundaries, next: 1)
        down = index
        index = up
        repeat { index &-= 1 } while index >= middle && parts.row[index] == row
        gather(parts, from: index &+ 1, to: up &+ 1, into: boundaries + 1, next: -1)
        up = index
    }

    @inline(__always)
    var isAtEnd: Bool { down >= middle || up < middle }

    @inline(__always)
    private func gather(
        _ parts: EdgePartList, from start: Int, to end: Int, into boundary: UnsafeMutablePointer<Boundary>, next: Int32
    ) {
        var left = Int32.max
        var right = Int32.min
        var height: Int32 = 0
        var index = start
        while index < end {
            let block = DepositBlock(memory: blocks + (index >> 3) &* DepositBlock.size)
            let lane = index & 7
            let first = block.lefts[lane]
            let last = block.rights[lane]
            let change = block.heights[lane]
            if last &- first > 1 {
                BoundaryRows.depositLong(cells, parts, index, change)
            } else {
                let cell = cells + Int(first)
                cell[0] &+= block.first[lane]
                cell[1] &+= block.second[lane]
                cell[2] &+= block.third[lane]
            }
            left = first < left ? first : left
            right = last > right ? last : right
            height &+= change
            index &+= 1
        }
        boundary.pointee = Boundary(
            firstX: left, lastX: right, height: height, next: next, firstPart: Int32(truncatingIfNeeded: start),
            endPart: Int32(truncatingIfNeeded: end))
    }
}
