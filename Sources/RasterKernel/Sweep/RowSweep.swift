// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Turns the boundaries of a row into inked areas.
///
/// Sorted from left to right the boundaries fall into groups that share pixels; between two groups the row is all the
/// same. A group of one boundary, or of a pair that does not cross, is what its cells say; the ``OverlapResolver`` does
/// the others.
struct RowSweep: ~Copyable {
    /// The number of a row whose boundaries have not been gathered.
    static let alone = -1
    /// How many rows ahead boundaries are gathered.
    private static let lookahead = 4

    var resolver = OverlapResolver()
    var small = SmallGroup()
    var order = BoundaryOrder()
    let areas: UnsafeMutablePointer<Int32>

    init() {
        areas = .allocate(capacity: SampleLanes.widest + 16)
        areas.initialize(repeating: 0, count: SampleLanes.widest + 16)
    }

    deinit { areas.deallocate() }

    mutating func begin(width: Int) { resolver.resize(width: width) }

    /// Sweeps the rows of a window, from `top` of the picture on, and leaves them empty.
    @inline(__always)
    mutating func sweep<Sink: RowSink>(
        _ rows: borrowing BoundaryRows, _ parts: EdgePartList, _ window: Window, top: Int, _ rule: FillRule, limit: Int,
        _ sink: Sink
    ) {
        let row = SweptRow(parts: parts, width: window.width)
        let pitch = rows.pitch
        let heads = rows.heads
        let boundaries = rows.boundaries
        let cells = rows.cells
        let height = Int(window.height)
        let target = sink.prefetchTarget(top)
        var gathered = 0
        var y = 0
        while y < height {
            while gathered < height && gathered <= y &+ Self.lookahead {
                order.gather(gathered, head: heads[gathered], boundaries, target)
                gathered &+= 1
            }
            let head = heads[y]
            if head >= 0 {
                heads[y] = -1
                sweep(
                    row, y, head: head, boundaries, cells: cells + y &* pitch, rule: rule, limit: limit,
                    into: sink.row(top &+ y))
            }
            y &+= 1
        }
    }

    /// Sweeps one row and leaves its cells zero.
    /// - Parameters:
    ///   - y: its number, by which its boundaries have been gathered, or ``alone``.
    ///   - head: the first of the row's `boundaries`.
    ///   - limit: pixels from the left of the window on that may be written, at least its width.
    @inline(__always)
    mutating func sweep<Row: PixelRow>(
        _ row: SweptRow, _ y: Int, head: Int32, _ boundaries: UnsafePointer<Boundary>,
        cells: UnsafeMutablePointer<Int32>, rule: FillRule, limit: Int, into pixels: Row
    ) {
        let first = boundaries + Int(head)
        let second = first.pointee.next
        if second >= 0 && boundaries[Int(second)].next < 0 {
            let other = boundaries + Int(second)
            let isOther = other.pointee.firstX < first.pointee.firstX
            let left = isOther ? other : first
            let right = isOther ? first : other
            if left.pointee.firstX >= 0 && right.pointee.lastX < row.width && left.pointee.lastX < row.width
                && left.pointee.height &+ right.pointee.height == 0
                && (left.pointee.lastX < right.pointee.firstX || isSimple(left, right, row)) {
                var run = CellRun(cells: cells, x: Int(left.pointee.firstX), limit: limit)
                let rightFirst = Int(right.pointee.firstX)
                let leftEnd = Int(left.pointee.lastX) &+ 1
                if rightFirst &- leftEnd >= 16 {
                    run.sweep(to: leftEnd, next: rightFirst, rule: rule, pixels)
                    run.skip(to: rightFirst, rule: rule, pixels)
                }
                let rightEnd = Int(right.pointee.lastX) &+ 1
                let end = rightEnd > leftEnd ? rightEnd : leftEnd
                run.sweep(to: end, next: .max, rule: rule, pixels)
                let cleared = UnsafeMutableRawPointer(cells + end)
                cleared.storeBytes(of: .zero, as: SIMD2<Int32>.self)
                return
            }
        }
        if y == Self.alone {
            order.gather(y, head: head, boundaries, PrefetchTarget(base: cells, strideBytes: 0, bytesPerPixel: 0))
        }
        sweepGroups(row, y, head: head, boundaries, cells: cells, rule: rule, limit: limit, into: pixels)
    }

    /// Whether it is plain that the winding numbers in each pixel of a pair of boundaries differ by one at most, so
    /// that the sums tell the inked area. Must never say so when the ``OverlapResolver`` would find otherwise.
    @inline(__always)
    func isSimple(
        _ first: UnsafePointer<Boundary>, _ second: UnsafePointer<Boundary>, _ row: SweptRow
    ) -> Bool {
        let height = first.pointee.height &+ second.pointee.height
        if (first.pointee.height > 0) == (second.pointee.height > 0) {
            // One boundary in two parts, one below the other: each line is crossed once, if nothing was left out for
            // lying right of the window.
            return (height == 256 || height == -256) && first.pointee.lastX < row.width
                && second.pointee.lastX < row.width
        }
        if height != 0 { return false }
        if first.pointee.height == 256 || first.pointee.height == -256 {
            let one = Chord(first, of: row)
            let other = Chord(second, of: row)
            if one.isLeft(of: other) || other.isLeft(of: one) { return true }
        }
        return isOrdered(first, second, row)
    }

    @inline(never)
    private func isOrdered(
        _ first: UnsafePointer<Boundary>, _ second: UnsafePointer<Boundary>, _ row: SweptRow
    ) -> Bool {
        let start = first.pointee.firstX < second.pointee.firstX ? first.pointee.firstX : second.pointee.firstX
        let end = first.pointee.lastX > second.pointee.lastX ? first.pointee.lastX : second.pointee.lastX
        if Int(end &- start) < SampleLanes.widest {
            let origin = start < 0 ? 0 : start << 8
            return SampleLanes(first, of: row, origin: origin).isOrdered(
                with: SampleLanes(second, of: row, origin: origin))
        }
        let (left, right) = resolver.pair
        SampleLines.sample(first.pointee, of: row, into: left)
        SampleLines.sample(second.pointee, of: row, into: right)
        var isLeft = true
        var isRight = true
        for line in 0..<SampleLines.count {
            isLeft = isLeft && left[line] <= right[line]
            isRight = isRight && left[line] >= right[line]
        }
        return isLeft || isRight
    }
}
