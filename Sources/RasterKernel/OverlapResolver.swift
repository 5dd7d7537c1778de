// SPDX-License-Identifier: Apache-2.0
import Geometry

/// Computes the inked area of pixels that several boundaries cross, where the mean winding number is not the area: a
/// stroke that overlaps itself has winding number 2 in part of a pixel, which would darken the rest of the pixel.
///
/// On each of the ``SampleLines`` the boundaries are sorted and the winding number is summed from left to right. From
/// the sampled ink and the sampled winding number ``SampledAreas`` computes the area.
struct OverlapResolver: ~Copyable {
    /// The sampled integrals over a pixel of the winding number and of the ink (1 inside, 0 outside), in units of
    /// ``Coverage``, packed as winding x 2^32 + ink, so that one addition adds both. Either may be negative.
    struct Sums {
        fileprivate var packed: Int64

        @inline(__always)
        init(winding: Int32, ink: Int32) { packed = Int64(winding) << 32 &+ Int64(ink) }

        @inline(__always)
        var ink: Int32 { Int32(truncatingIfNeeded: packed) }
        @inline(__always)
        private var winding: Int32 { Int32(truncatingIfNeeded: (packed &- Int64(ink)) >> 32) }

        /// The inked area, given the exact integral of the winding number.
        func area(_ integral: Int32, _ rule: FillRule) -> Int32 {
            let sampled = SampledAreas(winding: SIMD4(repeating: winding), ink: SIMD4(repeating: ink))
            return sampled.areas(SIMD4(repeating: integral), rule)[0]
        }
    }

    /// Differences of ``Sums`` from pixel to pixel: two cells more than a row has pixels, all zero between groups.
    private var cells: UnsafeMutablePointer<Int64>
    private var cellCapacity = 1024
    private var samples: UnsafeMutablePointer<Int32>
    private var crossings: UnsafeMutablePointer<Int32>
    private var capacity = 64

    init() {
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
        samples = .allocate(capacity: capacity * SampleLines.count)
        samples.initialize(repeating: SampleLines.none, count: capacity * SampleLines.count)
        crossings = .allocate(capacity: capacity)
        crossings.initialize(repeating: 0, count: capacity)
    }

    deinit {
        cells.deallocate()
        samples.deallocate()
        crossings.deallocate()
    }

    /// Scratch memory for the samples of two boundaries.
    var pair: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) { (samples, samples + SampleLines.count) }

    /// Samples a group of boundaries on all lines of a row.
    /// - Parameters:
    ///   - group: from left to right.
    ///   - base: the winding number left of the group.
    /// - Returns: the sums left of the group, for ``advance(_:to:)``.
    mutating func sample(
        _ group: SortedBoundaries, count: Int, in row: SweptRow, base: Int32, rule: FillRule
    ) -> Sums {
        let lines = SampleLines.count
        if count > capacity { grow(count) }
        if Int(row.width) + 2 > cellCapacity { growCells(Int(row.width) + 2) }
        // 1/256 pixel.
        let clipWidth = row.width << 8
        for index in 0..<count {
            let boundary = group[index].pointee
            let keys = samples + index &* lines
            SampleLines.sample(boundary, of: row, into: keys)
            // x and direction in one number that sorts by x. A crossing left of the clip only changes the winding
            // number, and a crossing right of it changes nothing.
            let direction: Int32 = boundary.height > 0 ? 1 : 0
            for line in 0..<lines {
                let x = keys[line] < 0 ? 0 : keys[line]
                keys[line] = x < clipWidth ? x &<< 1 | direction : SampleLines.none
            }
        }
        // The bits of a winding number that decide between inside and outside.
        let mask: Int32 = rule == .nonZero ? -1 : 1
        let baseInk: Int64 = base & mask != 0 ? 1 : 0
        let unit = Int64(Coverage.full / 256 / Int32(lines))
        let crossings = self.crossings
        let cells = self.cells
        for line in 0..<lines {
            sort(samples + line, count: count)
            var current = base
            var ink = baseInk
            var index = 0
            while index < count && crossings[index] != SampleLines.none {
                let key = crossings[index]
                let change = (key & 1) &* 2 &- 1
                current &+= change
                let nowInk: Int64 = current & mask != 0 ? 1 : 0
                let step = (Int64(change) << 32 &+ nowInk &- ink) &* unit
                ink = nowInk
                let cell = Int(key >> 9)
                let right = step &* Int64((key >> 1) & 255)
                cells[cell] &+= step << 8 &- right
                cells[cell &+ 1] &+= right
                index &+= 1
            }
        }
        return Sums(winding: base &* Coverage.full, ink: Int32(truncatingIfNeeded: baseInk) &* Coverage.full)
    }

    private mutating func grow(_ count: Int) {
        while capacity < count { capacity *= 2 }
        samples.deallocate()
        samples = .allocate(capacity: capacity * SampleLines.count)
        samples.initialize(repeating: SampleLines.none, count: capacity * SampleLines.count)
        crossings.deallocate()
        crossings = .allocate(capacity: capacity)
        crossings.initialize(repeating: 0, count: capacity)
    }

    private mutating func growCells(_ count: Int) {
        cellCapacity = count
        cells.deallocate()
        cells = .allocate(capacity: count)
        cells.initialize(repeating: 0, count: count)
    }

    /// Sorts the crossings of one line into `crossings`: by insertion, because the boundaries come nearly sorted, and
    /// large groups by ``shellSort(_:count:)``.
    @inline(__always)
    private func sort(_ keys: UnsafeMutablePointer<Int32>, count: Int) {
        let crossings = self.crossings
        if count > 64 {
            for index in 0..<count { crossings[index] = keys[index &* SampleLines.count] }
            shellSort(crossings, count: count)
            return
        }
        crossings[0] = keys[0]
        var index = 1
        while index < count {
            let key = keys[index &* SampleLines.count]
            var hole = index
            while hole > 0 && crossings[hole &- 1] > key {
                crossings[hole] = crossings[hole &- 1]
                hole &-= 1
            }
            crossings[hole] = key
            index &+= 1
        }
    }

    /// Moves `sums` on to pixel `x`, and clears its cell.
    @inline(__always)
    func advance(_ sums: inout Sums, to x: Int) {
        sums.packed &+= cells[x]
        cells[x] = 0
    }

    @inline(__always)
    func clear(_ x: Int) { cells[x] = 0 }
}
