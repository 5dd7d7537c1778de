// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The edges of a fill, cut into rows: a list of ``RowSegment`` for each row of the clip.
///
/// Edges come in as contours. A contour is cut where it turns from down to up; what lies between two turns is a chain
/// and crosses each line at most once. Keeps its memory from fill to fill.
struct SegmentRows: ~Copyable {
    private(set) var clip = PixelRect.empty
    private(set) var segments: UnsafeMutablePointer<RowSegment>
    private var capacity = 1024
    private(set) var count: Int32 = 0
    /// First segment of each row, -1 for none.
    private(set) var heads: UnsafeMutablePointer<Int32>
    private var headCapacity = 512
    /// The rows that have segments, counted from the clip's top; empty when first > last.
    private(set) var firstRow: Int32 = .max
    private(set) var lastRow: Int32 = -1

    private var originX: Int32 = 0
    private var originY: Int32 = 0
    /// 1/256 pixel.
    private var clipWidth: Int32 = 0
    private var clipHeight: Int32 = 0
    private var chain: Int32 = 0
    private var chainWinding: Int32 = 0

    init() {
        segments = .allocate(capacity: capacity)
        heads = .allocate(capacity: headCapacity)
        heads.initialize(repeating: -1, count: headCapacity)
    }

    deinit {
        segments.deallocate()
        heads.deallocate()
    }

    /// Forgets all edges. `clip` is cut to the square in which ``FixedPoint`` is exact.
    mutating func begin(clip: PixelRect) {
        removeAll()
        let limit = FixedPoint.limitPixels
        self.clip = clip.intersection(PixelRect(minX: -limit, minY: -limit, maxX: limit, maxY: limit))
        originX = Int32(self.clip.minX) * FixedPoint.one
        originY = Int32(self.clip.minY) * FixedPoint.one
        clipWidth = Int32(self.clip.width) * FixedPoint.one
        clipHeight = Int32(self.clip.height) * FixedPoint.one
        if self.clip.height > headCapacity {
            heads.deallocate()
            headCapacity = self.clip.height
            heads = .allocate(capacity: headCapacity)
            heads.initialize(repeating: -1, count: headCapacity)
        }
    }

    mutating func removeAll() {
        if firstRow <= lastRow {
            (heads + Int(firstRow)).update(repeating: -1, count: Int(lastRow - firstRow) + 1)
        }
        firstRow = .max
        lastRow = -1
        count = 0
        chain = 0
    }

    mutating func beginContour() {
        chain &+= 1
        chainWinding = 0
    }

    /// Adds the edge between two vertices of the current contour.
    @inline(__always)
    mutating func addEdge(from start: FixedPoint2, to end: FixedPoint2) {
        if start.y < end.y {
            turn(to: 1)
            cut(upper: start, lower: end, winding: 1)
        } else if start.y > end.y {
            turn(to: -1)
            cut(upper: end, lower: start, winding: -1)
        } else {
            addHorizontal(from: start.x &- originX, to: end.x &- originX, y: start.y &- originY)
        }
    }

    @inline(__always)
    private mutating func turn(to winding: Int32) {
        if chainWinding != winding {
            if chainWinding != 0 { chain &+= 1 }
            chainWinding = winding
        }
    }

    /// A horizontal piece on the line between two rows bounds nothing in either.
    private mutating func addHorizontal(from start: Int32, to end: Int32, y: Int32) {
        let inRow = y & (FixedPoint.one - 1)
        if inRow == 0 || y < 0 || y >= clipHeight || start == end { return }
        append(row: y >> FixedPoint.fractionBits, upperX: start, upperY: inRow, lowerX: end, lowerY: inRow, winding: 0)
    }

    /// Cuts an edge at the rows' sides. Walked from the upper to the lower end whichever way the contour runs, and each
    /// x is computed from the edge's own end, so neighbours that share an edge get the very same segments.
    private mutating func cut(upper: FixedPoint2, lower: FixedPoint2, winding: Int32) {
        let x0 = upper.x &- originX
        let y0 = upper.y &- originY
        let x1 = lower.x &- originX
        let y1 = lower.y &- originY
        if y1 <= 0 || y0 >= clipHeight || (x0 >= clipWidth && x1 >= clipWidth) { return }
        let bits = FixedPoint.fractionBits
        let one = FixedPoint.one
        let firstRow = y0 >> bits
        let lastRow = (y1 &- 1) >> bits
        if firstRow == lastRow {
            let top = firstRow << bits
            append(row: firstRow, upperX: x0, upperY: y0 &- top, lowerX: x1, lowerY: y1 &- top, winding: winding)
            return
        }
        let row0 = firstRow < 0 ? 0 : firstRow
        let row1 = lastRow < clipHeight >> bits ? lastRow : (clipHeight >> bits) &- 1
        while capacity &- Int(count) <= Int(row1 &- row0) { grow() }
        // x in 2^-40 pixel. The error of the slope, 2^-40 pixel a 1/256 row, stays under 1/256 pixel over the whole
        // height that there can be. Left of the clip only the winding counts, not the place.
        let isLeft = x0 < 0 && x1 < 0
        let slope = isLeft ? 0 : Int64(Double(x1 &- x0) * 4_294_967_296 / Double(y1 &- y0))
        let base = (Int64(isLeft ? -one : x0) << 32) &+ (1 << 31)
        var next = base &+ slope &* Int64((row0 << bits) &- y0)
        var x = row0 == firstRow ? (isLeft ? -one : x0) : Int32(truncatingIfNeeded: next >> 32)
        var y = row0 == firstRow ? y0 &- (row0 << bits) : 0
        let step = slope &<< 8
        let lastX = isLeft ? -one : x1
        let end = clipWidth
        let heads = self.heads
        var segment = segments + Int(count)
        var index = count
        var row = row0
        while row <= row1 {
            next &+= step
            let isLast = row == lastRow
            let lowerX = isLast ? lastX : Int32(truncatingIfNeeded: next >> 32)
            // Right of the clip nothing can change a pixel.
            if x < end || lowerX < end {
                segment.initialize(
                    to: RowSegment(
                        upperX: x, lowerX: lowerX, next: heads[Int(row)], chain: chain,
                        upperY: Int16(truncatingIfNeeded: y),
                        lowerY: Int16(truncatingIfNeeded: isLast ? y1 &- (row << bits) : one), winding: winding))
                heads[Int(row)] = index
                segment += 1
                index &+= 1
            }
            x = lowerX
            y = 0
            row &+= 1
        }
        count = index
        if row0 < self.firstRow { self.firstRow = row0 }
        if row1 > self.lastRow { self.lastRow = row1 }
    }

    @inline(__always)
    private mutating func append(
        row: Int32, upperX: Int32, upperY: Int32, lowerX: Int32, lowerY: Int32, winding: Int32
    ) {
        if upperX >= clipWidth && lowerX >= clipWidth { return }
        if Int(count) == capacity { grow() }
        (segments + Int(count)).initialize(
            to: RowSegment(
                upperX: upperX, lowerX: lowerX, next: heads[Int(row)], chain: chain,
                upperY: Int16(truncatingIfNeeded: upperY), lowerY: Int16(truncatingIfNeeded: lowerY), winding: winding))
        heads[Int(row)] = count
        count &+= 1
        if row < firstRow { firstRow = row }
        if row > lastRow { lastRow = row }
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<RowSegment>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: segments, count: capacity)
        segments.deallocate()
        segments = larger
        capacity *= 2
    }
}
