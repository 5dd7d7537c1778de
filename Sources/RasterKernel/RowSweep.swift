// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Turns the boundaries and cells of a row into inked areas.
///
/// Sorted from left to right, boundaries that share pixels form a group; between two groups the row is uniform. The
/// sums of the cells are the inked areas for a group of one boundary and for a pair that does not cross. A single
/// boundary with ink on both sides is invisible. All other groups are resolved by ``SmallGroup`` or
/// ``OverlapResolver``.
struct RowSweep: ~Copyable {
    private var resolver = OverlapResolver()
    private var small = SmallGroup()
    private var order = BoundaryOrder()

    /// Draws the rows of a band and clears their cells.
    /// - Parameters:
    ///   - top: the row of the picture that is the band's first.
    ///   - limit: the number of pixels, from the left of the window, that may be written: at least its width.
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

    /// Sweeps a row of two boundaries, which mostly do not cross. Nearly all rows of ink are such.
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
        let gapEnd = right.pointee.firstX
        var run = CellRun(cells: cells, x: Int(left.pointee.firstX), limit: limit)
        if gapEnd &- leftLast &- 1 >= 16 {
            run.sweep(to: Int(leftLast) &+ 1, next: Int(gapEnd), rule: rule, pixels)
            run.skip(to: Int(gapEnd), rule: rule, pixels)
        }
        let end = Int(last) &+ 1
        run.sweep(to: end, next: .max, rule: rule, pixels)
        UnsafeMutableRawPointer(cells + end).storeBytes(of: .zero, as: SIMD2<Int32>.self)
    }

    /// Whether the winding numbers in each pixel of a pair of boundaries certainly differ by at most one, so that the
    /// sums are the inked areas. Must be false whenever ``OverlapResolver`` would find an overlap.
    ///
    /// Mutates only scratch memory of the resolver. It is mutating because the compiler would copy `self` for each call
    /// of a function that is not inlined.
    @inline(__always)
    private mutating func isSimple(
        _ first: UnsafePointer<Boundary>, _ second: UnsafePointer<Boundary>, _ row: SweptRow
    ) -> Bool {
        let height = first.pointee.height &+ second.pointee.height
        if height != 0 { return false }
        if first.pointee.height == 256 || first.pointee.height == -256 {
            let one = Chord(first, of: row)
            let other = Chord(second, of: row)
            if one.isLeft(of: other) || other.isLeft(of: one) { return true }
        }
        if isTip(first, second, row.parts) { return true }
        return isOrdered(first, second, row)
    }

    /// Whether two boundaries of one part each meet at their upper or lower ends, as at the tip of a stroke. Being
    /// straight, they do not cross. Their samples do not cross either, because the rounding error is less than the
    /// distance of two such lines, at least 1/256 unit.
    @inline(__always)
    private func isTip(
        _ first: UnsafePointer<Boundary>, _ second: UnsafePointer<Boundary>, _ parts: EdgePartList
    ) -> Bool {
        let one = first.pointee.firstPart
        let other = second.pointee.firstPart
        let isMeeting = parts.x0(one) == parts.x0(other) || parts.x1(one) == parts.x1(other)
        return isMeeting && parts.ys(one) == parts.ys(other)
            && first.pointee.endPart &- one == 1 && second.pointee.endPart &- other == 1
            && isShort(parts, one) && isShort(parts, other)
    }

    /// Whether the samples of a part are certainly computed in `Float`.
    @inline(__always)
    private func isShort(_ parts: EdgePartList, _ part: Int32) -> Bool {
        let run = parts.x1(part) &- parts.x0(part)
        return run < SampleLines.longest / 2 && run > -SampleLines.longest / 2
    }

    /// Whether the samples of one boundary lie all left or all right of the other's.
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

    /// Sweeps a row with any number of boundaries, group by group.
    @inline(never)
    private mutating func sweepGroups<Row: PixelRow>(
        _ row: SweptRow, cells: UnsafeMutablePointer<Int32>, rule: FillRule, limit: Int, into pixels: Row
    ) {
        // The next boundary.
        var place = order.sort(row)
        let rowEnd = place + row.count
        if row.count > Coverage.mostWindings {
            sweepDeep(row, place, cells: cells, rule: rule, into: pixels)
            return
        }
        let width = Int(row.width)
        // Winding number x 256 right of the groups that are done.
        var base: Int32 = 0
        var run = CellRun(cells: cells, x: 0, limit: limit)
        // The end of the groups that will be swept next; groups close to each other are swept together. It exceeds the
        // width only after the last group, because no boundary begins there.
        var knownEnd = 0
        while true {
            // Nearly all groups are a single boundary, close to the group before. Their cells need no change.
            while place[1].pointee.firstX > place[0].pointee.lastX && Int(place[0].pointee.firstX) &- knownEnd < 8 {
                knownEnd = Int(place[0].pointee.lastX) &+ 1
                base &+= place[0].pointee.height
                place += 1
            }
            if place == rowEnd { break }
            let group = place
            let first = group[0].pointee.firstX
            var last = group[0].pointee.lastX
            var height = group[0].pointee.height
            place += 1
            if place[0].pointee.firstX > last {
                if base != 0 && base &+ height != 0 && rule == .nonZero && last < row.width {
                    // Ink within ink is invisible. The blocks of eight in which the groups before it are swept later
                    // end at most seven pixels beyond them, and so before this boundary.
                    CellRun.clear(cells, from: Int(first), to: Int(last) &+ 1, height: height)
                    base &+= height
                    continue
                }
            } else {
                repeat {
                    last = place[0].pointee.lastX > last ? place[0].pointee.lastX : last
                    height &+= place[0].pointee.height
                    place += 1
                } while place[0].pointee.firstX <= last
                let count = place - group
                let start = first < 0 ? 0 : Int(first)
                let end = last < width ? Int(last) &+ 1 : width
                if end <= 0 {
                    base &+= height
                    continue
                }
                let isPlain =
                    (count == 2 && isSimple(group[0], group[1], row))
                    || (rule == .nonZero && (base > 256 || base < -256 || (base != 0 && height != 0))
                        && isInked(group, count, base: base >> 8))
                if !isPlain {
                    if count > SmallGroup.most || end &- start > SampleLanes.widest {
                        run.sweep(to: knownEnd, next: start, rule: rule, pixels)
                        run.skip(to: start, height: base, rule: rule, pixels)
                        // A copy, so that the run stays in registers in the common case without such a group.
                        var large = run
                        sweepLarge(row, group, count, to: end, base: base >> 8, rule: rule, &large, into: pixels)
                        run = large
                        knownEnd = end
                        base &+= height
                        continue
                    }
                    // `base` includes what the previous group carries into the pixel after it. If that is the first
                    // pixel of this group, the sum before is the run's.
                    let isAdjacent = knownEnd == start
                    if isAdjacent { run.sweep(to: start, next: start, rule: rule, pixels) }
                    resolve(
                        row, group, count, from: start, to: end, base: base >> 8,
                        sum: isAdjacent ? run.sum : base &<< 9, cells: cells, rule: rule,
                        isNarrow: first >= 0 && last &- first < SampleLanes.narrow)
                }
                if start &- knownEnd < 8 {
                    knownEnd = end
                    base &+= height
                    continue
                }
            }
            run.sweep(to: knownEnd, next: Int(first), rule: rule, pixels)
            run.skip(to: Int(first), height: base, rule: rule, pixels)
            knownEnd = Int(last) &+ 1
            base &+= height
        }
        run.sweep(to: knownEnd < width ? knownEnd : width, next: width, rule: rule, pixels)
        run.skip(to: width, height: base, rule: rule, pixels)
        cells[width] = 0
        cells[width &+ 1] = 0
    }

    /// Resolves a group whose boundaries overlap: changes its cells so that their sums are inked areas.
    /// - Parameters:
    ///   - start, end: the pixels of the group.
    ///   - base: the winding number left of the group.
    ///   - sum: the run's sum before `start`.
    ///   - isNarrow: whether the group lies within ``SampleLanes/narrow`` pixels.
    @inline(never)
    private mutating func resolve(
        _ row: SweptRow, _ group: SortedBoundaries, _ count: Int, from start: Int, to end: Int, base: Int32,
        sum: Int32, cells: UnsafeMutablePointer<Int32>, rule: FillRule, isNarrow: Bool
    ) {
        small.begin(base: base)
        let lastShared =
            isNarrow
            ? sample(row, group, count, from: start, isNarrow: true)
            : sampleWide(row, group, count, from: start)
        // The pixels that several boundaries touch lie between the second first pixel and the second greatest last
        // pixel. The sums of the other pixels are inked areas already.
        let firstShared = Int(group[1].pointee.firstX) &- start
        let endShared = Int(lastShared) &- start &+ 1
        let width = end &- start
        small.resolve(
            cells + start, after: sum, from: firstShared < 0 ? 0 : firstShared,
            to: endShared < width ? endShared : width, rule: rule)
    }

    // Not inlined: it may call, and values that outlive a call cannot stay in registers.
    @inline(never)
    private mutating func sampleWide(
        _ row: SweptRow, _ group: SortedBoundaries, _ count: Int, from start: Int
    ) -> Int32 {
        sample(row, group, count, from: start, isNarrow: false)
    }

    /// Adds the boundaries of a group to ``small``.
    /// - Returns: the second greatest of their last pixels.
    @inline(__always)
    private mutating func sample(
        _ row: SweptRow, _ group: SortedBoundaries, _ count: Int, from start: Int, isNarrow: Bool
    ) -> Int32 {
        let origin = Int32(truncatingIfNeeded: start) &<< 8
        var (last, lastShared): (Int32, Int32) = (-1, -1)
        var member = 0
        while member < count {
            let boundary = group[member]
            let lower = boundary.pointee.lastX < last ? boundary.pointee.lastX : last
            lastShared = lower > lastShared ? lower : lastShared
            last = boundary.pointee.lastX > last ? boundary.pointee.lastX : last
            small.add(
                SampleLanes(boundary, of: row, origin: origin, isNarrow: isNarrow),
                isDown: boundary.pointee.height > 0)
            member &+= 1
        }
        return lastShared
    }

    /// Sweeps an overlapping group of many boundaries or many pixels.
    /// - Parameter base: the winding number left of the group.
    @inline(never)
    private mutating func sweepLarge<Row: PixelRow>(
        _ row: SweptRow, _ group: SortedBoundaries, _ count: Int, to end: Int, base: Int32, rule: FillRule,
        _ run: inout CellRun, into pixels: Row
    ) {
        var sums = resolver.sample(group, count: count, in: row, base: base, rule: rule)
        while run.x < end {
            let integral = run.advance()
            resolver.advance(&sums, to: run.x &- 1)
            pixels.put(sums.area(integral, rule), x: run.x &- 1)
        }
        resolver.clear(run.x)
    }

    /// Sweeps a row whose winding number may overflow the cells, from samples alone.
    @inline(never)
    private mutating func sweepDeep<Row: PixelRow>(
        _ row: SweptRow, _ boundaries: SortedBoundaries, cells: UnsafeMutablePointer<Int32>, rule: FillRule,
        into pixels: Row
    ) {
        let count = row.count
        let width = Int(row.width)
        var sums = resolver.sample(boundaries, count: count, in: row, base: 0, rule: rule)
        for x in 0..<width {
            cells[x] = 0
            resolver.advance(&sums, to: x)
            if sums.ink != 0 { pixels.put(sums.ink, x: x) }
        }
        resolver.clear(width)
        resolver.clear(width + 1)
        cells[width] = 0
        cells[width + 1] = 0
    }

    /// Whether the winding number stays non-zero throughout a group.
    @inline(__always)
    private func isInked(_ group: SortedBoundaries, _ count: Int, base: Int32) -> Bool {
        // Minus the number of boundaries against the direction of `base`.
        var against: Int32 = 0
        var index = 0
        while index < count {
            against &+= (group[index].pointee.height ^ base) >> 31
            index &+= 1
        }
        return (base < 0 ? 0 &- base : base) &+ against > 0
    }
}

/// The boundaries of a row and their parts.
struct SweptRow {
    let parts: EdgePartList
    private let boundaries: UnsafePointer<Boundary>
    /// Their sort keys; see ``BoundaryOrder``.
    let keys: UnsafePointer<Int32>
    let count: Int
    /// Pixels.
    let width: Int32

    @inline(__always)
    init(_ row: UnsafePointer<BandRow>, parts: EdgePartList, width: Int32) {
        self.parts = parts
        boundaries = UnsafePointer(row.pointee.boundaries)
        keys = UnsafePointer(row.pointee.keys)
        count = row.pointee.count
        self.width = width
    }

    /// - Parameter index: in the order of the chains.
    @inline(__always)
    func boundary(_ index: Int32) -> UnsafePointer<Boundary> { boundaries + Int(index) }
}

/// The straight line between the ends of a boundary that leads from the top of a row to its bottom, and how far the
/// boundary deviates from it. A quick test that often shows that two boundaries do not cross.
private struct Chord {
    /// 1/256 pixel.
    private let top, bottom: Int32
    /// How far the boundary deviates to the left (negative) and to the right.
    private var left: Int32 = 0
    private var right: Int32 = 0

    /// - Parameter boundary: from the row's top to its bottom.
    @inline(__always)
    init(_ boundary: UnsafePointer<Boundary>, of row: SweptRow) {
        let parts = row.parts
        var part = boundary.pointee.firstPart
        let last = boundary.pointee.endPart &- 1
        top = parts.x0(part)
        bottom = parts.x1(last)
        let run = bottom &- top
        while part < last {
            let passed = parts.y1(part)
            let stray = parts.x1(part) &- top &- Int32(truncatingIfNeeded: (Int64(run) &* Int64(passed)) >> 8)
            left = stray < left ? stray : left
            right = stray > right ? stray : right
            part &+= 1
        }
    }

    /// Whether the boundary lies left of another at every height, with a margin for the rounding of samples.
    @inline(__always)
    func isLeft(of other: Chord) -> Bool {
        let least = other.left &- right &- 3
        return top &- other.top < least && bottom &- other.bottom < least
    }
}
