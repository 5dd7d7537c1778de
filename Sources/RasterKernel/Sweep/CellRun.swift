// SPDX-License-Identifier: Apache-2.0
import Geometry

/// A walk along the cells of a row that sums and clears them.
struct CellRun {
    private let cells: UnsafeMutablePointer<Int32>
    /// The pixel before which a block must end to be written: the clip's right side.
    let limit: Int
    /// The next pixel.
    private(set) var x: Int
    /// The integral of the winding number over the last pixel.
    private var sum: Int32 = 0

    @inline(__always)
    init(cells: UnsafeMutablePointer<Int32>, x: Int, limit: Int) {
        self.cells = cells
        self.x = x
        self.limit = limit
    }

    /// Takes one pixel's cell.
    @inline(__always)
    mutating func advance() -> Int32 {
        sum &+= cells[x]
        cells[x] = 0
        x &+= 1
        return sum
    }

    /// Hands on the pixels up to `end`, and after them as many as make a block if they are before `next`.
    /// - Parameter next: where cells may hold something again; at least `end`.
    @inline(__always)
    mutating func sweep<Row: PixelRow>(to end: Int, next: Int, rule: FillRule, _ pixels: Row) {
        while x < end {
            if x &+ 8 > limit {
                pixels.put(Coverage.area(advance(), rule), x: x &- 1)
            } else if x &+ 8 <= next {
                pixels.put(Coverage.areas(advanceBlock(), rule), x: x)
                x &+= 8
            } else {
                let count = next &- x
                let areas = Coverage.areas(advancePart(count), rule)
                pixels.put(areas, count: count, x: x)
                x = next
            }
        }
    }

    /// Hands on pixels without boundaries up to `end`.
    @inline(__always)
    mutating func skip<Row: PixelRow>(to end: Int, rule: FillRule, _ pixels: Row) {
        if x >= end { return }
        sum &+= cells[x]
        cells[x] = 0
        if sum != 0 { pixels.putRun(Coverage.area(sum, rule), x: x, count: end &- x) }
        x = end
    }

    /// The sums of the next eight cells.
    @inline(__always)
    private mutating func advanceBlock() -> SIMD8<Int32> {
        let block = UnsafeMutableRawPointer(cells + x)
        let values = block.loadUnaligned(as: SIMD8<Int32>.self)
        block.storeBytes(of: .zero, as: SIMD8<Int32>.self)
        return add(values)
    }

    /// The sums of the next `count` cells, fewer than eight, and of nothing after them.
    @inline(__always)
    private mutating func advancePart(_ count: Int) -> SIMD8<Int32> {
        let block = UnsafeMutableRawPointer(cells + x)
        let values = block.loadUnaligned(as: SIMD8<Int32>.self)
        let isPart = SIMD8<Int32>.first(count)
        block.storeBytes(of: values & ~isPart, as: SIMD8<Int32>.self)
        return add(values & isPart)
    }

    /// Twice shifted and added in each half (as in font-rs), and what came before.
    @inline(__always)
    private mutating func add(_ values: SIMD8<Int32>) -> SIMD8<Int32> {
        let shifted = unsafeBitCast(values, to: SIMD4<UInt64>.self) &<< 32
        let pairs = values &+ unsafeBitCast(shifted, to: SIMD8<Int32>.self)
        let halves = pairs &+ SIMD8(0, 0, pairs[1], pairs[1], 0, 0, pairs[5], pairs[5])
        let low = halves.lowHalf &+ SIMD4(repeating: sum)
        let high = halves.highHalf &+ SIMD4(repeating: low[3])
        sum = high[3]
        return SIMD8(lowHalf: low, highHalf: high)
    }
}

extension SIMD8<Int32> {
    /// All ones in the first `count` lanes, zero in the others.
    @inline(__always)
    static func first(_ count: Int) -> SIMD8<Int32> {
        (SIMD8(0, 1, 2, 3, 4, 5, 6, 7) &- SIMD8(repeating: Int32(truncatingIfNeeded: count))) &>> 31
    }
}
