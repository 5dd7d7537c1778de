// SPDX-License-Identifier: Apache-2.0

extension BoundaryRows {
    /// Adds the areas of a contour's parts to the cells, and lists its boundaries.
    ///
    /// A contour is cut where it turns from down to up; what lies between two turns is a chain and crosses each height
    /// once at most, so its part in a row is one ``Boundary``.
    ///
    /// Eight parts at a time, all in the same way: which pixels a part touches and where a boundary ends is as good as
    /// random, and a wrongly guessed branch costs as much as all of this.
    /// - Parameter isClipped: whether a part may lie outside the window.
    @inline(__always)
    mutating func add(
        _ parts: EdgePartList, from start: Int, to stop: Int, width: Int32, isClipped: Bool
    ) {
        if start == stop { return }
        if capacity &- count <= stop &- start { grow(stop &- start &+ 1) }
        let cells = self.cells
        let pitch = SIMD8<Float>(repeating: Float(self.pitch))
        let block = DepositBlock(memory: scratch)
        let firstNumber = count
        var number = count &- 1
        var row: Int32 = -1
        var left: Int32 = 0
        var right: Int32 = 0
        var height: Int32 = 0
        var firstPart: Int32 = 0
        var lastX: Int32 = 0
        var lastY: Int32 = 0
        var index = start
        while index < stop {
            let isOdd = block.fill(parts, index, pitch: pitch, width: width, isClipped: isClipped)
            let end = index &+ 8 < stop ? index &+ 8 : stop
            var lane = 0
            while index < end {
                let cell = cells + Int(block.cells[lane])
                cell[0] &+= block.first[lane]
                cell[1] &+= block.second[lane]
                cell[2] &+= block.third[lane]

                let partRow = parts.row[index]
                let change = block.heights[lane]
                let low = block.lefts[lane]
                let high = block.rights[lane]
                // All ones in another row or after a turn; masks, because a choice would become a branch.
                var difference = (partRow ^ row) | ((height ^ change) & .min)
                if isClipped {
                    // Or where something between two parts lies outside.
                    difference |= (parts.x0[index] ^ lastX) | (parts.y0(index) ^ lastY)
                    lastX = parts.x1[index]
                    lastY = parts.y1(index)
                }
                let isNew = (difference | (0 &- difference)) >> 31
                number &-= Int(isNew)
                left = (left & ~isNew) | (isNew & .max)
                right = (right & ~isNew) | (isNew & .min)
                left = low < left ? low : left
                right = high > right ? high : right
                height = (height & ~isNew) &+ change
                firstPart = (firstPart & ~isNew) | (Int32(truncatingIfNeeded: index) & isNew)
                row = partRow
                index &+= 1
                boundaries[number] = Boundary(
                    firstX: left, lastX: right, height: height, next: row, firstPart: firstPart,
                    endPart: Int32(truncatingIfNeeded: index))
                lane &+= 1
            }
            if isOdd { depositOdd(parts, block, from: end &- lane, to: end, width: width, isClipped: isClipped) }
        }
        count = number &+ 1
        // Until here `next` was the boundary's row.
        var boundary = boundaries + firstNumber
        let last = boundaries + number
        var next = Int32(truncatingIfNeeded: firstNumber)
        while boundary <= last {
            let row = boundary.pointee.next
            let head = heads + Int(row)
            boundary.pointee.next = head.pointee
            if isClipped {
                // What lies left of the window is all in one place.
                if boundary.pointee.firstX < -1 { boundary.pointee.firstX = -1 }
                if boundary.pointee.lastX < -1 { boundary.pointee.lastX = -1 }
            }
            head.pointee = next
            boundary += 1
            next &+= 1
        }
    }

    /// Adds those of eight parts that lie in more than two pixels, or not all in the window.
    @inline(never)
    private func depositOdd(
        _ parts: EdgePartList, _ block: DepositBlock, from start: Int, to end: Int, width: Int32, isClipped: Bool
    ) {
        for index in start..<end {
            let lane = index &- start
            let line = cells + Int(parts.row[index]) &* pitch
            let x0 = parts.x0[index]
            let x1 = parts.x1[index]
            let low = x0 < x1 ? x0 : x1
            let high = x0 < x1 ? x1 : x0
            if isClipped && (low < 0 || high >= width << 8) {
                Self.depositClipped(line, low, high, block.heights[lane], width)
            } else if block.rights[lane] &- block.lefts[lane] > 1 {
                Self.depositLong(line, low, high, block.heights[lane])
            }
        }
    }

    @inline(__always)
    static func depositLong(
        _ line: UnsafeMutablePointer<Int32>, _ parts: EdgePartList, _ index: Int, _ height: Int32
    ) {
        let x0 = parts.x0[index]
        let x1 = parts.x1[index]
        depositLong(line, x0 < x1 ? x0 : x1, x0 < x1 ? x1 : x0, height)
    }

    /// A part over several pixels, from its left to its right end. The height reached at each pixel side is computed
    /// from the left end, not added up, so that it is the same wherever the window cuts the row.
    @inline(never)
    private static func depositLong(
        _ line: UnsafeMutablePointer<Int32>, _ left: Int32, _ right: Int32, _ height: Int32
    ) {
        // A whole cell has as much of its height left of its middle as right of it; `carried` goes to the next one.
        // The sign is put in afterwards, so that a tie is rounded alike up and down.
        let sign = height >> 31
        let rise = Slope.ratio((height ^ sign) &- sign, right &- left)
        var cell = line + Int(left >> 8)
        let last = line + Int(right >> 8)
        let fraction = left & 255
        let step = rise &<< 8
        var next = Slope.start(0) &+ Int64(256 &- fraction) &* rise
        var reached = (Slope.position(next) ^ sign) &- sign
        cell.pointee &+= reached &* (256 &- fraction)
        var carried = reached &* (256 &+ fraction)
        cell += 1
        while cell < last {
            next &+= step
            let now = (Slope.position(next) ^ sign) &- sign
            let amount = (now &- reached) &<< 8
            reached = now
            cell.pointee &+= carried &+ amount
            carried = amount
            cell += 1
        }
        let rest = height &- reached
        let beyond = rest &* (right & 255)
        cell[0] &+= carried &+ (rest &<< 9) &- beyond
        cell[1] &+= beyond
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
        let rise = lastCell &- firstCell > 1 ? Slope.ratio((height ^ sign) &- sign, right &- left) : 0
        func upTo(_ side: Int32) -> Int32 {
            if lastCell &- firstCell == 1 { return Slope.share(of: height, side &- left, right &- left) }
            return (Slope.position(Slope.start(0) &+ Int64(side &- left) &* rise) ^ sign) &- sign
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
