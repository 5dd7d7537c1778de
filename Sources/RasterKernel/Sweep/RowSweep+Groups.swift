// SPDX-License-Identifier: Apache-2.0
import Geometry

extension RowSweep {
    /// Sweeps a row of any boundaries, group by group.
    @inline(never)
    mutating func sweepGroups<Row: PixelRow>(
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
        // Winding number x 256 right of the groups so far.
        var base: Int32 = 0
        var run = CellRun(cells: cells, x: 0, limit: limit)
        // Groups close to each other are swept together: up to here. Beyond the width only after the last one, as no
        // boundary begins there.
        var knownEnd = 0
        while true {
            // Nearly all groups are of one boundary, whose cells are right as they are, and close to those before.
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
                    // Ink within ink: nothing of it is to be seen. What is swept later of the groups before it
                    // ends in a block of eight at most seven pixels beyond them, and so before this one.
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
                let isPlain = (count == 2 && isSimple(group[0], group[1], row))
                    || (rule == .nonZero && (base > 256 || base < -256 || (base != 0 && height != 0))
                        && isInked(group, count, base: base >> 8))
                if !isPlain {
                    if count > SmallGroup.most || end &- start > SampleLanes.widest {
                        run.sweep(to: knownEnd, next: start, rule: rule, pixels)
                        run.skip(to: start, height: base, rule: rule, pixels)
                        // A copy, so that the run is in registers where there is no such group, that is nearly always.
                        var large = run
                        sweepLarge(row, group, count, to: end, base: base >> 8, rule: rule, &large, into: pixels)
                        run = large
                        knownEnd = end
                        base &+= height
                        continue
                    }
                    // `base` has what the group before carries on to the pixel after it already. Where that is the
                    // first of this one, the sum before is what the run has there.
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

    /// Makes a simple group of one whose boundaries overlap: changes its cells so that their sums are inked areas.
    /// - Parameters:
    ///   - start, end: its pixels.
    ///   - base: the winding number left of it.
    ///   - sum: what the run has before `start`, or will have.
    ///   - isNarrow: whether all of it lies in the ``SampleLanes/narrow`` pixels from its first one on.
    @inline(never)
    private mutating func resolve(
        _ row: SweptRow, _ group: SortedBoundaries, _ count: Int, from start: Int, to end: Int, base: Int32,
        sum: Int32, cells: UnsafeMutablePointer<Int32>, rule: FillRule, isNarrow: Bool
    ) {
        small.begin(base: base)
        let lastShared = isNarrow
            ? sample(row, group, count, from: start, isNarrow: true)
            : sampleWide(row, group, count, from: start)
        // Pixels that several boundaries touch lie from where the second one begins to the second greatest of their
        // ends. The others have one boundary, so their sums tell the inked area.
        let firstShared = Int(group[1].pointee.firstX) &- start
        let endShared = Int(lastShared) &- start &+ 1
        let width = end &- start
        small.resolve(
            cells + start, after: sum, from: firstShared < 0 ? 0 : firstShared,
            to: endShared < width ? endShared : width, rule: rule)
    }

    // By itself, because it may call, and what must outlive calls is not in registers.
    @inline(never)
    private mutating func sampleWide(
        _ row: SweptRow, _ group: SortedBoundaries, _ count: Int, from start: Int
    ) -> Int32 {
        sample(row, group, count, from: start, isNarrow: false)
    }

    /// Hands the boundaries of a group to ``small``.
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

    /// Sweeps the pixels of a group of many boundaries that overlap, or over many pixels.
    /// - Parameter base: the winding number left of it.
    @inline(never)
    private mutating func sweepLarge<Row: PixelRow>(
        _ row: SweptRow, _ group: SortedBoundaries, _ count: Int, to end: Int, base: Int32, rule: FillRule,
        _ run: inout CellRun, into pixels: Row
    ) {
        var sums = resolver.follow(group, count: count, in: row, base: base, rule: rule)
        while run.x < end {
            let integral = run.advance()
            resolver.advance(&sums, to: run.x &- 1)
            pixels.put(sums.area(integral, rule), x: run.x &- 1)
        }
        resolver.clear(run.x)
    }

    /// Sweeps a row of which the winding number can outgrow the cells: by samples alone, which only ask whether it is
    /// zero.
    @inline(never)
    private mutating func sweepDeep<Row: PixelRow>(
        _ row: SweptRow, _ boundaries: SortedBoundaries, cells: UnsafeMutablePointer<Int32>, rule: FillRule,
        into pixels: Row
    ) {
        let count = row.count
        let width = Int(row.width)
        var sums = resolver.follow(boundaries, count: count, in: row, base: 0, rule: rule)
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

    /// Whether no boundary of a group can bring the winding number to zero.
    @inline(__always)
    private func isInked(_ group: SortedBoundaries, _ count: Int, base: Int32) -> Bool {
        // What there is of boundaries the other way.
        var against: Int32 = 0
        var index = 0
        while index < count {
            against &+= (group[index].pointee.height ^ base) >> 31
            index &+= 1
        }
        return (base < 0 ? 0 &- base : base) &+ against > 0
    }
}
