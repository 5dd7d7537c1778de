// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Turns the boundaries of a row into inked areas.
///
/// Sorted from left to right the boundaries fall into groups that share pixels; between two groups the row is all the
/// same. A group of one boundary, or of a pair that does not cross, is what its cells say, or nothing where there is
/// ink on both sides; ``SmallGroup`` and ``OverlapResolver`` do the others.
struct RowSweep: ~Copyable {
    var resolver = OverlapResolver()
    var small = SmallGroup()
    var order = BoundaryOrder()

    /// Sweeps the rows of a band, from row `top` of the picture on, and leaves their cells zero.
    /// - Parameters:
    ///   - limit: pixels from the left of the window on that may be written, at least its width.
    @inline(__always)
    mutating func sweep<Sink: RowSink>(
        _ band: borrowing Band, rows: Int, top: Int, width: Int32, _ rule: FillRule, limit: Int,
        _ sink: Sink
    ) {
        let parts = band.parts
        var cells = band.cells
        var pixels = sink.row(top)
        var y = 0
        while y < rows {
            let row = SweptRow(band.rowList + y, parts: parts, width: width)
            if row.count == 2 {
                sweepPair(row, cells: cells, rule: rule, limit: limit, into: pixels)
            } else if row.count > 0 {
                sweepGroups(row, cells: cells, rule: rule, limit: limit, into: pixels)
            }
            cells += band.pitch
            pixels.advance()
            y &+= 1
        }
    }

    /// Sweeps a row of two boundaries.
    /// - Parameters:
    ///   - band: its parts and boundaries are those of this row alone.
    ///   - cells: the row's.
    @inline(never)
    mutating func sweepRow<Row: PixelRow>(
        _ band: borrowing Band, cells: UnsafeMutablePointer<Int32>, width: Int32, _ rule: FillRule, limit: Int,
        into pixels: Row
    ) {
        let row = SweptRow(band.rowList, parts: band.parts, width: width)
        sweepPair(row, cells: cells, rule: rule, limit: limit, into: pixels)
    }

    /// Sweeps a row of two boundaries, which mostly do not cross.
    @inline(__always)
    private mutating func sweepPair<Row: PixelRow>(
        _ row: SweptRow, cells: UnsafeMutablePointer<Int32>, rule: FillRule, limit: Int, into pixels: Row
    ) {
        let isOther: Int32 = row.keys[1] < row.keys[0] ? 1 : 0
        let left = row.boundary(isOther)
        let right = row.boundary(1 &- isOther)
        let leftLast = left.pointee.lastX
        let rightLast = right.pointee.lastX
        let last = rightLast > leftLast ? rightLast : leftLast
        if left.pointee.firstX < 0 || last >= row.width || left.pointee.height &+ right.pointee.height != 0
            || (leftLast >= right.pointee.firstX && !isSimple(left, right, row))
        {
            sweepGroups(row, cells: cells, rule: rule, limit: limit, into: pixels)
            return
        }
        Self.sweepApart(
            first: left.pointee.firstX, gap: (leftLast &+ 1, right.pointee.firstX), last: last, cells: cells,
            rule: rule, limit: limit, into: pixels)
    }

    /// Sweeps a row of two boundaries that do not cross.
    /// - Parameter gap: from the pixel after the left one to the first of the right one.
    @inline(__always)
    static func sweepApart<Row: PixelRow>(
        first: Int32, gap: (start: Int32, end: Int32), last: Int32, cells: UnsafeMutablePointer<Int32>, rule: FillRule,
        limit: Int, into pixels: Row
    ) {
        var run = CellRun(cells: cells, x: Int(first), limit: limit)
        if gap.end &- gap.start >= 16 {
            run.sweep(to: Int(gap.start), next: Int(gap.end), rule: rule, pixels)
            run.skip(to: Int(gap.end), rule: rule, pixels)
        }
        let end = Int(last) &+ 1
        run.sweep(to: end, next: .max, rule: rule, pixels)
        UnsafeMutableRawPointer(cells + end).storeBytes(of: .zero, as: SIMD2<Int32>.self)
    }

    /// Whether it is plain that the winding numbers in each pixel of a pair of boundaries differ by one at most, so
    /// that the sums tell the inked area. Must never say so when the ``OverlapResolver`` would find otherwise.
    ///
    /// Changes nothing but the resolver's room for samples; of a value that is not to be changed the compiler makes a
    /// copy for each call that is not inlined.
    @inline(__always)
    mutating func isSimple(
        _ first: UnsafePointer<Boundary>, _ second: UnsafePointer<Boundary>, _ row: SweptRow
    ) -> Bool {
        let height = first.pointee.height &+ second.pointee.height
        if height != 0 { return false }
        if first.pointee.height == 256 || first.pointee.height == -256 {
            let one = Chord(first, of: row)
            let other = Chord(second, of: row)
            if one.isLeft(of: other) || other.isLeft(of: one) { return true }
        }
        if meet(first, second, row.parts) { return true }
        return isOrdered(first, second, row)
    }

    /// Whether two boundaries of one part each meet at their upper or lower ends, as at the tip of a stroke: being
    /// straight they do not cross, and neither do their samples, whose rounding errs by less than two such lines are
    /// apart, at least 1/256 of a unit.
    @inline(__always)
    private func meet(
        _ first: UnsafePointer<Boundary>, _ second: UnsafePointer<Boundary>, _ parts: EdgePartList
    ) -> Bool {
        let one = first.pointee.firstPart
        let other = second.pointee.firstPart
        let isMeeting = parts.x0(one) == parts.x0(other) || parts.x1(one) == parts.x1(other)
        return isMeeting && parts.ys(one) == parts.ys(other)
            && first.pointee.endPart &- one == 1 && second.pointee.endPart &- other == 1
            && isShort(parts, one) && isShort(parts, other)
    }

    /// Whether the samples of a part are computed in `Float`, with room to spare.
    @inline(__always)
    private func isShort(_ parts: EdgePartList, _ part: Int32) -> Bool {
        let run = parts.x1(part) &- parts.x0(part)
        return run < SampleLines.longest / 2 && run > -SampleLines.longest / 2
    }

    @inline(never)
    private mutating func isOrdered(
        _ first: UnsafePointer<Boundary>, _ second: UnsafePointer<Boundary>, _ row: SweptRow
    ) -> Bool {
        let start = first.pointee.firstX < second.pointee.firstX ? first.pointee.firstX : second.pointee.firstX
        let end = first.pointee.lastX > second.pointee.lastX ? first.pointee.lastX : second.pointee.lastX
        if start >= 0 && end &- start < SampleLanes.narrow {
            return SampleLanes(first, of: row, origin: start << 8, isNarrow: true).isOrdered(
                with: SampleLanes(second, of: row, origin: start << 8, isNarrow: true))
        }
        if Int(end &- start) < SampleLanes.widest {
            let origin = start < 0 ? 0 : start << 8
            return SampleLanes(first, of: row, origin: origin, isNarrow: false).isOrdered(
                with: SampleLanes(second, of: row, origin: origin, isNarrow: false))
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
