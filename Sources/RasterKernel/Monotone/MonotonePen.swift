// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Adds the edges of one chain to the cells of their rows, and keeps which pixels they touch there.
struct MonotonePen {
    private let firsts, lasts: UnsafeMutablePointer<Int32>
    private let cells: UnsafeMutablePointer<Int32>
    /// Cells from one row to the next.
    private let pitch: Int32
    /// All ones when the contour leads up, else zero.
    private let up: Int32
    private let block: DepositBlock
    private let steps: RowSteps

    /// The last row that has been touched; beyond all of them when none has.
    private var reached = Int.max

    /// More than any pixel.
    private static let none: Int32 = 0x3FFF_FFFF

    /// - Parameters:
    ///   - firsts, lasts: of the rows, and of seven more; what they hold does not matter.
    ///   - isUp: whether the contour leads up.
    @inline(__always)
    init(
        firsts: UnsafeMutablePointer<Int32>, lasts: UnsafeMutablePointer<Int32>, isUp: Bool,
        to band: borrowing Band
    ) {
        self.firsts = firsts
        self.lasts = lasts
        up = isUp ? -1 : 0
        cells = band.cells
        pitch = Int32(truncatingIfNeeded: band.pitch)
        block = band.block
        steps = band.steps
    }

    /// An edge that moves one pixel at most from row to row, eight rows at a time. All of their parts then lie in two
    /// pixels at most.
    @inline(__always)
    mutating func steep(_ upperX: Int32, _ upperY: Int32, _ lowerX: Int32, _ lowerY: Int32, _ slope: Int64) {
        let scale = Double(slope) * Slope.unit
        let lines = steps.lines
        let lowerYs = SIMD8(repeating: lowerY)
        let (upperXs, upperYs) = (SIMD8(repeating: upperX), SIMD8(repeating: upperY))
        let lowerXs = SIMD8(repeating: lowerX)
        let sign = SIMD8(repeating: up)
        var row = upperY >> 8
        var x = upperX
        while true {
            let top = row << 8
            let bottom = top &+ 256
            let tops = steps.tops &+ SIMD8(repeating: top)
            let bottoms = tops &+ 256
            // Below zero in the rows where the edge ends or has ended; all ones where it has ended.
            let isLast = lowerYs &- 1 &- bottoms
            let isBelow = (lowerYs &- 1 &- tops) &>> 31
            let height = Double(bottom &- upperY)
            let heights = steps.doubleTops
            let passed = upperXs &+ Slope.positions(heights.lowHalf + height, heights.highHalf + height, scale)
            // A row begins where the one above it has ended.
            let from = SIMD8(x, passed[0], passed[1], passed[2], passed[3], passed[4], passed[5], passed[6])
            let to = inkpanel_choose(isLast, lowerXs, passed)
            x = passed[7]
            let upper = inkpanel_max(tops, upperYs)
            let lower = inkpanel_min(bottoms, lowerYs)
            let rise = (lower &- upper) & ~isBelow
            let areas = PartAreas(from: from, to: to, height: (rise ^ sign) &- sign)
            block.fill(areas, cells: (lines &+ SIMD8(repeating: row &* pitch) &+ areas.left) & ~isBelow)
            touch(Int(row), first: areas.left, last: areas.left &+ areas.columns)
            add(lanes: 0)
            if lowerY <= top &+ 1024 { break }
            add(lanes: 4)
            if lowerY <= top &+ 2048 { break }
            row &+= 8
        }
        reached = Int((lowerY &- 1) >> 8)
    }

    /// Four at a time: how many rows an edge passes is as good as random, and lanes below it add nothing.
    @inline(__always)
    private func add(lanes first: Int) {
        block.add(first, to: cells)
        block.add(first &+ 1, to: cells)
        block.add(first &+ 2, to: cells)
        block.add(first &+ 3, to: cells)
    }

    /// Notes which pixels are touched in eight rows; those below the edge will be noted again.
    ///
    /// Only the first of the rows can have been touched before, by the edge above. What was just written in one piece
    /// must not be loaded in another: that would wait until it is out of the store queue.
    @inline(__always)
    private func touch(_ row: Int, first: SIMD8<Int32>, last: SIMD8<Int32>) {
        let (firsts, lasts) = (self.firsts + row, self.lasts + row)
        let (oldFirst, oldLast) = touched(row)
        UnsafeMutableRawPointer(firsts).storeBytes(of: first, as: SIMD8<Int32>.self)
        UnsafeMutableRawPointer(lasts).storeBytes(of: last, as: SIMD8<Int32>.self)
        let (newFirst, newLast) = (firsts.pointee, lasts.pointee)
        firsts.pointee = oldFirst < newFirst ? oldFirst : newFirst
        lasts.pointee = oldLast > newLast ? oldLast : newLast
    }

    /// Which pixels have been touched in a row: ``none`` and -1 but for the last one.
    @inline(__always)
    private func touched(_ row: Int) -> (first: Int32, last: Int32) {
        // Masks, because this is as good as random.
        let isOther = Int32(truncatingIfNeeded: (0 &- (row ^ reached)) >> 63)
        return ((firsts[row] & ~isOther) | (Self.none & isOther), lasts[row] | isOther)
    }

    /// Any other edge, row by row.
    @inline(__always)
    mutating func flat(_ upperX: Int32, _ upperY: Int32, _ lowerX: Int32, _ lowerY: Int32, _ slope: Int64) {
        var row = Int(upperY >> 8)
        var bottom = (upperY | 255) &+ 1
        var (x, y) = (upperX, upperY)
        var next = Slope.start(upperX) &+ slope &* Int64(bottom &- upperY)
        while bottom < lowerY {
            let newX = Slope.position(next)
            part(row, x, newX, bottom &- y)
            (x, y) = (newX, bottom)
            next &+= slope &<< 8
            bottom &+= 256
            row &+= 1
        }
        part(row, x, lowerX, lowerY &- y)
    }

    @inline(__always)
    private mutating func part(_ row: Int, _ x0: Int32, _ x1: Int32, _ height: Int32) {
        let low = x0 < x1 ? x0 : x1
        let high = x0 < x1 ? x1 : x0
        let left = low >> 8
        let right = high >> 8
        let (oldFirst, oldLast) = touched(row)
        firsts[row] = left < oldFirst ? left : oldFirst
        lasts[row] = right > oldLast ? right : oldLast
        reached = row
        Band.depositPart(cells + row &* Int(pitch), low, high, (height ^ up) &- up)
    }
}
