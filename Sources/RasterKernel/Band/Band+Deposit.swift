// SPDX-License-Identifier: Apache-2.0
import CProcessor

extension Band {
    /// Adds the areas of all parts to the cells.
    ///
    /// Eight parts at a time, all in the same way: which pixels a part touches is as good as random, and a wrongly
    /// guessed branch costs as much as all of this.
    /// - Parameter isClipped: whether a part may lie outside the window.
    @inline(__always)
    func deposit(width: Int32, isClipped: Bool) {
        if isClipped { depositClipped(width: width) } else { depositInside(width: width) }
    }

    @inline(never)
    private func depositInside(width: Int32) { depositParts(width: width, isClipped: false) }

    @inline(never)
    private func depositClipped(width: Int32) { depositParts(width: width, isClipped: true) }

    @inline(__always)
    private func depositParts(width: Int32, isClipped: Bool) {
        let cells = self.cells
        let odd = self.odd
        let places = self.places
        fillUp()
        var oddCount = 0
        var part: Int32 = 0
        while part < partCount {
            let block = DepositBlock(parts.place(part), width: width, isClipped: isClipped)
            block.add(to: cells, places: places)
            odd[oddCount] = OddParts(first: part, lanes: block.oddLanes)
            oddCount &+= block.oddLanes != 0 ? 1 : 0
            part &+= 8
        }
        var index = 0
        while index < oddCount {
            let first = odd[index].first
            var lanes = odd[index].lanes
            while lanes != 0 {
                let lane = Int32(truncatingIfNeeded: lanes.trailingZeroBitCount)
                depositOdd(first &+ DepositBlock.part(ofLane: lane), width: width, isClipped: isClipped)
                lanes &= lanes &- 1
            }
            index &+= 1
        }
    }

    /// Makes parts that add nothing of those that lack to the last eight.
    @inline(__always)
    private func fillUp() {
        var part = partCount
        while part & 7 != 0 {
            EdgePartList.set(parts.place(part), 0, 0, 0, 0, 0)
            part &+= 1
        }
    }

    /// Adds a part that lies in more than two pixels, or not all in the window.
    @inline(__always)
    private func depositOdd(_ part: Int32, width: Int32, isClipped: Bool) {
        let (x0, x1) = (parts.x0(part), parts.x1(part))
        let low = x0 < x1 ? x0 : x1
        let high = x0 < x1 ? x1 : x0
        let place = parts.line(part)
        let up = 0 &- (place & 1)
        let height = ((parts.y1(part) &- parts.y0(part)) ^ up) &- up
        let line = cells + Int(place >> 1)
        if isClipped && (low < 0 || high >= width << 8) {
            Self.depositClipped(line, low, high, height, width)
        } else {
            Self.depositLong(line, low, high, height, steps)
        }
    }

    /// Adds one part, within the window. What ``PartAreas`` does for eight: must round alike.
    /// - Parameters:
    ///   - line: the cells of its row.
    ///   - low, high: its ends, in 1/256 pixel.
    ///   - height: in 1/256 pixel, below zero for what leads up.
    ///   - steps: the band's.
    @inline(__always)
    static func depositPart(
        _ line: UnsafeMutablePointer<Int32>, _ low: Int32, _ high: Int32, _ height: Int32, _ steps: RowSteps
    ) {
        let columns = (high >> 8) &- (low >> 8)
        if columns > 1 {
            depositLong(line, low, high, height, steps)
            return
        }
        let cell = line + Int(low >> 8)
        let fraction = low & 255
        // All ones where there is a second pixel.
        let isSecond = 0 &- columns
        let leave = ((high & 255) & ~isSecond) | (isSecond & 256)
        let length = high &- low
        let least = length | Int32(bitPattern: UInt32(bitPattern: length &- 1) >> 31)
        let share = (leave &- fraction) | (least &- length)
        let reached = Slope.share(of: height, share, least)
        let first = reached &* (512 &- fraction &- leave)
        let third = (height &- reached) &* (high & isSecond & 255)
        cell[0] &+= first
        // All three together are the whole height's.
        cell[1] &+= height &<< 9 &- first &- third
        cell[2] &+= third
    }

    /// A part over several pixels, from its left to its right end, eight of them at a time. The height reached at each
    /// pixel side is computed from the left end, not added up, so that it is the same wherever the window cuts the row.
    @inline(never)
    private static func depositLong(
        _ line: UnsafeMutablePointer<Int32>, _ left: Int32, _ right: Int32, _ height: Int32, _ steps: RowSteps
    ) {
        // The sign is put in afterwards, so that a tie is rounded alike up and down.
        let sign = SIMD8(repeating: height >> 31)
        let size = (SIMD8(repeating: height) ^ sign) &- sign
        let scale = Slope.scale(size[0], right &- left)
        let last = right >> 8
        var cell = left >> 8
        // From the left end to the right side of the first of the eight pixels in hand.
        var length = Double(256 &- left & 255)
        // What the first pixel lacks on its left.
        var lack = SIMD8<Int32>(left & 255, 0, 0, 0, 0, 0, 0, 0)
        var (before, carried) = (SIMD8<Int32>.zero, SIMD8<Int32>.zero)
        repeat {
            let lengths = steps.doubleTops
            let positions = Slope.positions(lengths.lowHalf + length, lengths.highHalf + length, scale)
            // Below zero from the last pixel on, in which all is reached.
            let isLast = SIMD8(repeating: (last &- cell &- 1) &<< 8) &- steps.tops
            let reached = inkpanel_choose(isLast, size, inkpanel_min(positions, size))
            let heights = ((reached &- inkpanel_after_last(before, reached)) ^ sign) &- sign
            // Where the part comes into a pixel and where it leaves it, added up: a whole pixel has as much of its
            // height left of its middle as right of it.
            let sides = inkpanel_choose(isLast, SIMD8(repeating: right & 255), SIMD8(repeating: 256)) &+ lack
            let next = inkpanel_multiply(heights, sides)
            let place = UnsafeMutableRawPointer(line + Int(cell))
            let sums = place.loadUnaligned(as: SIMD8<Int32>.self) &+ heights &<< 9 &- next
            place.storeBytes(of: sums &+ inkpanel_after_last(carried, next), as: SIMD8<Int32>.self)
            (before, carried, lack) = (reached, next, .zero)
            length += 2048
            cell &+= 8
        } while cell <= last
        line[Int(cell)] &+= carried[7]
    }

    /// A part that leaves the window. What lies left of it counts as if at its left side.
    @inline(never)
    private static func depositClipped(
        _ line: UnsafeMutablePointer<Int32>, _ left: Int32, _ right: Int32, _ height: Int32, _ width: Int32
    ) {
        if right <= 0 {
            line[0] &+= height &* 512
            return
        }
        let firstCell = left >> 8
        let lastCell = right >> 8
        if firstCell >= width { return }
        let sign = height >> 31
        let size = (height ^ sign) &- sign
        let scale = lastCell &- firstCell > 1 ? Slope.scale(size, right &- left) : 0
        func upTo(_ side: Int32) -> Int32 {
            if lastCell &- firstCell == 1 { return Slope.share(of: height, side &- left, right &- left) }
            let position = Slope.position(Double(side &- left), scale)
            return ((position < size ? position : size) ^ sign) &- sign
        }
        var x = left
        var reached: Int32 = 0
        if left < 0 {
            reached = upTo(0)
            line[0] &+= reached &* 512
            x = 0
        }
        var cell = x >> 8
        var fraction = x & 255
        var carried: Int32 = 0
        let stop = lastCell < width ? lastCell : width
        while cell < stop {
            let next = upTo((cell &+ 1) << 8)
            let amount = next &- reached
            line[Int(cell)] &+= carried &+ amount &* (256 &- fraction)
            carried = amount &* (256 &+ fraction)
            fraction = 0
            reached = next
            cell &+= 1
        }
        if lastCell < width {
            let fractions = fraction &+ (right & 255)
            let amount = height &- reached
            line[Int(cell)] &+= carried &+ amount &* (512 &- fractions)
            line[Int(cell) &+ 1] &+= amount &* fractions
        } else {
            line[Int(cell)] &+= carried
        }
    }
}
