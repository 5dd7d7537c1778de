// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// A walk along the cells of a row that sums and clears them.
struct CellRun {
    private let cells: UnsafeMutablePointer<Int32>
    /// The pixel before which a block must end to be written: the clip's right side.
    private let limit: Int
    /// The next pixel.
    private(set) var x: Int
    /// ``sum`` in all lanes: from block to block it need not leave the vector, which would take longer than to add up
    /// the block.
    private var sums = SIMD8<Int32>.zero
    /// The integral of the winding number over the last pixel, or what ``SmallGroup`` made of it.
    @inline(__always)
    private(set) var sum: Int32 {
        get { sums[0] }
        set { sums = SIMD8(repeating: newValue) }
    }

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

    /// The same where the winding number is known. Nothing then waits for the sum; and boundaries in between may have
    /// been cleared away.
    /// - Parameter height: winding number x 256 from the last of them to `end`. Not zero where any of them was cleared.
    @inline(__always)
    mutating func skip<Row: PixelRow>(to end: Int, height: Int32, rule: FillRule, _ pixels: Row) {
        if x >= end { return }
        cells[x] = 0
        sum = height &<< 9
        if height != 0 { pixels.putRun(Coverage.area(sum, rule), x: x, count: end &- x) }
        x = end
    }

    /// Clears away a boundary that touches the pixels from `start` to before `end`, all of it within the window, and
    /// shares none. What it carries on to the next cell, whose pixel may be another's, is what is missing to its
    /// height.
    @inline(never)
    static func clear(_ cells: UnsafeMutablePointer<Int32>, from start: Int, to end: Int, height: Int32) {
        var sums = SIMD8<Int32>.zero
        var x = start
        while x &+ 8 <= end {
            sums = sums &+ take(cells + x)
            x &+= 8
        }
        sums = sums &+ takePart(cells + x, end &- x)
        cells[end] &-= height &<< 9 &- sums.total
    }

    /// The sums of the next eight cells.
    @inline(__always)
    private mutating func advanceBlock() -> SIMD8<Int32> { add(Self.take(cells + x)) }

    /// The sums of the next `count` cells, fewer than eight, and of nothing after them.
    @inline(__always)
    private mutating func advancePart(_ count: Int) -> SIMD8<Int32> {
        add(Self.takePart(cells + x, count))
    }

    @inline(__always)
    private mutating func add(_ values: SIMD8<Int32>) -> SIMD8<Int32> {
        let block = inkpanel_sums(values) &+ sums
        sums = SIMD8(repeating: block[7])
        return block
    }

    /// The pixel after the blocks in which ``sweepBlocks(_:from:count:_:_:)`` hands on `count` pixels.
    @inline(__always)
    static func endOfBlocks(_ start: Int, _ count: Int32) -> Int { start &+ Int((count &- 1) | 7) &+ 1 }

    /// Hands on a whole row in blocks of eight pixels, and clears the cell after them.
    /// - Parameter count: of pixels, at least one. ``endOfBlocks(_:_:)`` must not be beyond the clip's right side.
    @inline(__always)
    static func sweepBlocks<Row: PixelRow>(
        _ cells: UnsafeMutablePointer<Int32>, from start: Int, count: Int32, _ rule: FillRule, _ pixels: Row
    ) {
        var x = start
        let end = start &+ Int(count)
        var before = SIMD8<Int32>.zero
        repeat {
            let sums = inkpanel_sums(take(cells + x)) &+ before
            before = SIMD8(repeating: sums[7])
            pixels.put(Coverage.areas(sums, rule), x: x)
            x &+= 8
        } while x < end
        cells[x] = 0
    }

    /// Eight cells, which then are zero.
    @inline(__always)
    private static func take(_ cells: UnsafeMutablePointer<Int32>) -> SIMD8<Int32> {
        let block = UnsafeMutableRawPointer(cells)
        let values = block.loadUnaligned(as: SIMD8<Int32>.self)
        block.storeBytes(of: .zero, as: SIMD8<Int32>.self)
        return values
    }

    /// The first `count` of eight cells, fewer than eight, which then are zero; the others are left alone.
    @inline(__always)
    private static func takePart(_ cells: UnsafeMutablePointer<Int32>, _ count: Int) -> SIMD8<Int32> {
        let block = UnsafeMutableRawPointer(cells)
        let values = block.loadUnaligned(as: SIMD8<Int32>.self)
        let isPart = SIMD8<Int32>.first(count)
        block.storeBytes(of: values & ~isPart, as: SIMD8<Int32>.self)
        return values & isPart
    }
}
