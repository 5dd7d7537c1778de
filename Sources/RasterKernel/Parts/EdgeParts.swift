// SPDX-License-Identifier: Apache-2.0

/// The edges of contours cut at the rows' sides, in the order of the contours. Keeps its memory from fill to fill.
struct EdgeParts: ~Copyable {
    /// How many more there is room for than there are, for who reads eight at a time.
    static let slack = 8
    /// Rows of an edge up to which the error of its slope, 2^-25 a unit of height, cannot lead beyond its ends.
    private static let mostRows = 32_768

    private var memory: UnsafeMutablePointer<Int32>
    private var capacity = 1024
    private(set) var count = 0

    init() { memory = .allocate(capacity: 4 * capacity) }

    deinit { memory.deallocate() }

    /// Where they are, until one more is added.
    var list: EdgePartList { EdgePartList(memory: memory, capacity: capacity) }

    mutating func removeAll() { count = 0 }

    /// Cuts the edges from one vertex of a contour to a later one.
    /// - Parameter isClipped: whether a vertex may lie outside the window.
    @inline(__always)
    mutating func cut(
        from start: UnsafePointer<FixedPoint2>, to stop: UnsafePointer<FixedPoint2>, _ window: Window, isClipped: Bool
    ) {
        let originX = window.originX
        let originY = window.originY
        let end = window.width << 8
        let bottom = window.height << 8
        var vertex = start
        var x = vertex.pointee.x &- originX
        var y = vertex.pointee.y &- originY
        var list = self.list
        var part = count
        var limit = capacity &- Self.slack
        while vertex != stop {
            vertex += 1
            let x0 = x
            let y0 = y
            x = vertex.pointee.x &- originX
            y = vertex.pointee.y &- originY
            let dy = y &- y0
            let up = dy >> 31
            let most = Int((dy ^ up) &- up) >> 8 &+ 2
            if limit &- part < most {
                count = part
                grow(most)
                list = self.list
                limit = capacity &- Self.slack
            }
            if most > Self.mostRows
                || (isClipped
                && (y0 < 0 || y < 0 || y0 > bottom || y > bottom || x0 < 0 || x < 0 || x0 >= end || x >= end)) {
                count = part
                cutClipped(x0, y0, x, y, window)
                part = count
                continue
            }
            let firstRow = (y0 &+ up) >> 8
            let lastRow = (y &- 1 &- up) >> 8
            let rowCount = (lastRow ^ up) &- up &- ((firstRow ^ up) &- up)
            if dy == 0 {
                // A horizontal piece; on the line between two rows it bounds nothing in either.
                if y & 255 != 0 {
                    list.set(part, x0, x, y >> 8, y & 255, y & 255)
                    part &+= 1
                }
                continue
            }
            let slope = Slope.ratio(x &- x0, dy)
            // 256 where the contour leaves a row on the way down, 0 on the way up.
            let leave = 256 &+ (up &<< 8)
            let side = firstRow &<< 8 &+ leave
            var next = Slope.start(up == 0 ? x0 : x) &+ slope &* Int64(side &- (up == 0 ? y0 : y))
            let sign = up | 1
            if rowCount < 2 {
                // One part or two, which is as good as random: the second is written over by the next one if there is
                // none.
                let isCut = 0 &- rowCount
                let top = firstRow &<< 8
                let sideX = Slope.position(next)
                let x1 = (sideX & isCut) | (x & ~isCut)
                let y1 = (leave & isCut) | ((y &- top) & ~isCut)
                list.set(part, x0, x1, firstRow, y0 &- top, y1)
                list.set(part &+ 1, sideX, x, lastRow, 256 &- leave, y &- lastRow &<< 8)
                part &+= 1 &+ Int(rowCount)
                continue
            }
            let step = slope &* Int64(sign &<< 8)
            var row = firstRow
            var partX = x0
            var partY = y0 &- firstRow &<< 8
            repeat {
                let nextX = Slope.position(next)
                list.set(part, partX, nextX, row, partY, leave)
                part &+= 1
                next &+= step
                partX = nextX
                partY = 256 &- leave
                row &+= sign
            } while row != lastRow
            list.set(part, partX, x, row, partY, y &- row &<< 8)
            part &+= 1
        }
        count = part
    }

    /// Cuts an edge that may leave the window, or is very tall; what lies above, below and right of the window changes
    /// nothing there.
    @inline(never)
    private mutating func cutClipped(_ x0: Int32, _ y0: Int32, _ x1: Int32, _ y1: Int32, _ window: Window) {
        let end = window.width << 8
        let bottom = window.height << 8
        if (x0 >= end && x1 >= end) || (y0 <= 0 && y1 <= 0) || (y0 >= bottom && y1 >= bottom) { return }
        if y0 == y1 {
            if y0 & 255 != 0 {
                append(x0, x1, y0 >> 8, y0 & 255, y0 & 255)
            }
            return
        }
        let isDown = y0 < y1
        let (upperX, upperY) = isDown ? (x0, y0) : (x1, y1)
        let (lowerX, lowerY) = isDown ? (x1, y1) : (x0, y0)
        let slope = Slope.ratio(x1 &- x0, y1 &- y0)
        let top = upperY < 0 ? 0 : upperY >> 8
        let last = lowerY > bottom ? window.height &- 1 : (lowerY &- 1) >> 8
        func x(atTopOf row: Int32) -> Int32 {
            let x = Slope.position(Slope.start(upperX) &+ slope &* Int64(row << 8 &- upperY))
            return min(max(x, min(x0, x1)), max(x0, x1))
        }
        var row = isDown ? top : last
        for _ in top...last {
            let side = row << 8
            let isFirst = upperY >= side
            let isLast = lowerY <= side &+ 256
            let above = isFirst ? upperX : x(atTopOf: row)
            let below = isLast ? lowerX : x(atTopOf: row &+ 1)
            let from = isFirst ? upperY &- side : 0
            let to = isLast ? lowerY &- side : 256
            if above < end || below < end {
                if isDown { append(above, below, row, from, to) } else { append(below, above, row, to, from) }
            }
            row &+= isDown ? 1 : -1
        }
    }

    private mutating func append(_ x0: Int32, _ x1: Int32, _ row: Int32, _ y0: Int32, _ y1: Int32) {
        list.set(count, x0, x1, row, y0, y1)
        count &+= 1
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let old = list
        while capacity < count + more + Self.slack { capacity *= 2 }
        memory = .allocate(capacity: 4 * capacity)
        for index in 0..<4 {
            (memory + index * capacity).update(from: old.memory + index * old.capacity, count: count)
        }
        old.memory.deallocate()
    }
}
