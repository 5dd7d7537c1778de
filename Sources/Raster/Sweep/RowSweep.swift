// SPDX-License-Identifier: Apache-2.0

/// Turns the segments of a row into inked areas.
///
/// The segments are summed in an ``AreaRow`` and, chain by chain, gathered to boundaries. Sorted from left to right
/// these fall into groups that share pixels; between two groups the row is all the same. A group of one boundary, or
/// of a pair that does not cross, is what its sums say; the ``OverlapResolver`` does the others.
struct RowSweep: ~Copyable {
    private var area = AreaRow()
    private var resolver = OverlapResolver()
    private var boundaries: UnsafeMutablePointer<Boundary>
    /// `firstX` in the upper half, index of the boundary in the lower.
    private var order: UnsafeMutablePointer<Int64>
    private var capacity = 64

    init() {
        boundaries = .allocate(capacity: capacity)
        order = .allocate(capacity: capacity)
    }

    deinit {
        boundaries.deallocate()
        order.deallocate()
    }

    mutating func begin(width: Int) {
        area.resize(width: width)
        resolver.resize(width: width)
    }

    /// Sweeps one row.
    /// - Parameters:
    ///   - head: the first of the row's `segments`.
    ///   - columns: the pixels to hand on, within the row.
    mutating func sweep<Sink: RowSink>(
        head: Int32, segments: UnsafeMutablePointer<RowSegment>, rule: FillRule, columns: Range<Int>,
        into sink: inout Sink
    ) {
        let count = gather(head: head, segments: segments)
        let order = self.order
        let boundaries = self.boundaries
        let cells = area.cells
        let width = Int(area.width)
        var sum: Int32 = 0
        // Winding number x 256 right of the groups so far.
        var base: Int32 = 0
        var x = 0
        var index = 0
        while index < count {
            let groupStart = index
            let first = Int(order[index] >> 32)
            var last = -1
            var height: Int32 = 0
            repeat {
                let boundary = boundaries[Int(truncatingIfNeeded: order[index] & 0xFFFF_FFFF)]
                if Int(boundary.lastX) > last { last = Int(boundary.lastX) }
                height &+= boundary.height
                index &+= 1
            } while index < count && Int(order[index] >> 32) <= last

            if first > x {
                sum &+= cells[x]
                cells[x] = 0
                Self.run(Coverage.area(sum, rule), from: x, to: first, columns, &sink)
                x = first
            }
            let end = last < width ? last &+ 1 : width
            if index &- groupStart == 1 || end <= 0
                || isSimple(order + groupStart, count: index &- groupStart, segments, isWhole: last < width, height)
            {
                let shown = end < columns.upperBound ? end : columns.upperBound
                while x < end {
                    sum &+= cells[x]
                    cells[x] = 0
                    if columns.lowerBound <= x && x < shown { sink.put(Coverage.area(sum, rule), x: x) }
                    x &+= 1
                }
            } else {
                let winding = base >> 8
                resolver.reserve(index &- groupStart)
                var sums = resolver.follow(
                    order + groupStart, count: index &- groupStart, of: boundaries, segments: segments, base: winding,
                    rule: rule)
                while x < end {
                    sum &+= cells[x]
                    cells[x] = 0
                    resolver.advance(&sums, to: x)
                    if columns.lowerBound <= x && x < columns.upperBound {
                        sink.put(OverlapResolver.area(sum, sums, rule), x: x)
                    }
                    x &+= 1
                }
                resolver.clear(x)
            }
            base &+= height
        }
        if x < width {
            sum &+= cells[x]
            Self.run(Coverage.area(sum, rule), from: x, to: width, columns, &sink)
        }
        cells[x] = 0
        cells[width] = 0
        cells[width &+ 1] = 0
    }

    @inline(__always)
    private static func run<Sink: RowSink>(
        _ area: Int32, from start: Int, to end: Int, _ columns: Range<Int>, _ sink: inout Sink
    ) {
        if area == 0 { return }
        let start = start < columns.lowerBound ? columns.lowerBound : start
        let end = end < columns.upperBound ? end : columns.upperBound
        if start < end { sink.putRun(area, x: start, count: end &- start) }
    }

    /// Sums a row's segments and lists its boundaries from left to right; returns how many there are.
    private mutating func gather(head: Int32, segments: UnsafeMutablePointer<RowSegment>) -> Int {
        let width = area.width
        var count = 0
        var index = head
        while index >= 0 {
            let start = index
            let chain = segments[Int(index)].chain
            var left = Int32.max
            var right = Int32.min
            var height: Int32 = 0
            var segmentCount: Int32 = 0
            repeat {
                let segment = segments + Int(index)
                area.deposit(segment)
                let isRising = segment.pointee.upperX > segment.pointee.lowerX
                let segmentLeft = isRising ? segment.pointee.lowerX : segment.pointee.upperX
                let segmentRight = isRising ? segment.pointee.upperX : segment.pointee.lowerX
                left = segmentLeft < left ? segmentLeft : left
                right = segmentRight > right ? segmentRight : right
                height &+= segment.pointee.winding &* Int32(segment.pointee.lowerY &- segment.pointee.upperY)
                segmentCount &+= 1
                index = segment.pointee.next
            } while index >= 0 && segments[Int(index)].chain == chain
            if count == capacity { grow() }
            let first = left >> 8 < -1 ? -1 : left >> 8
            let last = right >> 8 < -1 ? -1 : right >> 8 > width ? width : right >> 8
            (boundaries + count).initialize(
                to: Boundary(firstX: first, lastX: last, segment: start, segmentCount: segmentCount, height: height))
            order[count] = Int64(first) << 32 | Int64(count)
            count &+= 1
        }
        if count == 2 {
            if order[1] < order[0] { swap(&order[0], &order[1]) }
        } else {
            shellSort(order, count: count)
        }
        return count
    }

    /// Whether it is plain that the winding numbers in each pixel of a group differ by one at most, so that the sums
    /// tell the inked area. Must never say so when the ``OverlapResolver`` would find otherwise.
    /// - Parameters:
    ///   - isWhole: nothing of the group was left out for lying right of the clip.
    ///   - height: the sum of the group's heights.
    private func isSimple(
        _ group: UnsafeMutablePointer<Int64>, count: Int, _ segments: UnsafeMutablePointer<RowSegment>, isWhole: Bool,
        _ height: Int32
    ) -> Bool {
        if count != 2 { return false }
        let first = boundaries[Int(truncatingIfNeeded: group[0] & 0xFFFF_FFFF)]
        let second = boundaries[Int(truncatingIfNeeded: group[1] & 0xFFFF_FFFF)]
        if (first.height > 0) == (second.height > 0) {
            // One boundary in two parts, one below the other: each line is crossed once.
            return isWhole && (height == 256 || height == -256)
        }
        if height != 0 { return false }
        if first.segmentCount == 1 && second.segmentCount == 1 {
            let a = segments[Int(first.segment)]
            let b = segments[Int(second.segment)]
            if a.upperY == b.upperY && a.lowerY == b.lowerY {
                return (a.upperX <= b.upperX && a.lowerX <= b.lowerX) || (a.upperX >= b.upperX && a.lowerX >= b.lowerX)
            }
        }
        let (left, right) = resolver.pair
        SampleLines.sample(first, of: segments, into: left)
        SampleLines.sample(second, of: segments, into: right)
        return SampleLines.isOrdered(left, right)
    }

    private mutating func grow() {
        let largerBoundaries = UnsafeMutablePointer<Boundary>.allocate(capacity: capacity * 2)
        largerBoundaries.moveInitialize(from: boundaries, count: capacity)
        boundaries.deallocate()
        boundaries = largerBoundaries
        let largerOrder = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * 2)
        largerOrder.moveInitialize(from: order, count: capacity)
        order.deallocate()
        order = largerOrder
        capacity *= 2
    }
}
