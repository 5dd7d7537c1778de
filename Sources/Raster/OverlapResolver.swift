// SPDX-License-Identifier: Apache-2.0

/// Finds the inked area of pixels that several boundaries cross, where the mean winding number does not tell it: a
/// stroke that overlaps itself has winding 2 in part of a pixel, which would darken the rest of it.
///
/// On each of the ``SampleLines`` the boundaries are put in order and the winding number followed from left to right;
/// that gives a sampled inked area and a sampled mean winding. The answer is the sampled inked area corrected by how
/// far the sampled mean winding is from the exact one (a control variate): the noise of sampling is left only in the
/// doubly covered part. Where the sampled windings show no overlap the answer is the unresolved one to the bit, so it
/// cannot matter whether a pixel was resolved.
struct OverlapResolver: ~Copyable {
    /// Area differences as in ``AreaRow``, of the sampled winding number and of the sampled ink.
    private var winding = AreaRow()
    private var ink = AreaRow()
    private var samples: UnsafeMutablePointer<Int32>
    private var crossings: UnsafeMutablePointer<Int32>
    private var capacity = 64

    init() {
        samples = .allocate(capacity: capacity * SampleLines.count)
        samples.initialize(repeating: SampleLines.none, count: capacity * SampleLines.count)
        crossings = .allocate(capacity: capacity)
        crossings.initialize(repeating: 0, count: capacity)
    }

    deinit {
        samples.deallocate()
        crossings.deallocate()
    }

    mutating func resize(width: Int) {
        winding.resize(width: width)
        ink.resize(width: width)
    }

    /// Room for the samples of two boundaries.
    var pair: (UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>) { (samples, samples + SampleLines.count) }

    /// Begins a group of at most `count` boundaries.
    mutating func reserve(_ count: Int) {
        if count <= capacity { return }
        while capacity < count { capacity *= 2 }
        samples.deallocate()
        crossings.deallocate()
        samples = .allocate(capacity: capacity * SampleLines.count)
        samples.initialize(repeating: SampleLines.none, count: capacity * SampleLines.count)
        crossings = .allocate(capacity: capacity)
        crossings.initialize(repeating: 0, count: capacity)
    }

    /// Follows the winding number along all lines of a row through one group of boundaries.
    /// - Parameters:
    ///   - order: the group, as indices into `boundaries` in the low 32 bits.
    ///   - base: the winding number left of the group.
    func follow(
        _ order: UnsafeMutablePointer<Int64>, count: Int, of boundaries: UnsafeMutablePointer<Boundary>,
        segments: UnsafeMutablePointer<RowSegment>, base: Int32, rule: FillRule
    ) {
        let lines = SampleLines.count
        for index in 0..<count {
            let boundary = boundaries[Int(truncatingIfNeeded: order[index] & 0xFFFF_FFFF)]
            let crossings = samples + index &* lines
            SampleLines.sample(boundary, of: segments, into: crossings)
            // x and direction in one number that sorts by x; what is not crossed stays the largest.
            let direction: Int32 = boundary.height > 0 ? 1 : 0
            for line in 0..<lines {
                let x = crossings[line]
                crossings[line] = x == SampleLines.none ? x : x &<< 1 | direction
            }
        }
        for line in 0..<lines {
            // Insertion: the boundaries come nearly sorted. A thousand of them are left to the other sort.
            let isSorting = count <= 64
            for index in 0..<count {
                let key = samples[index &* lines &+ line]
                var hole = index
                if isSorting {
                    while hole > 0 && crossings[hole &- 1] > key {
                        crossings[hole] = crossings[hole &- 1]
                        hole &-= 1
                    }
                }
                crossings[hole] = key
            }
            if !isSorting { shellSort(crossings, count: count) }
            var current = base
            var isInside = Self.isInside(current, rule)
            var index = 0
            while index < count && crossings[index] != SampleLines.none {
                let key = crossings[index]
                index &+= 1
                let x = key >> 1
                let change = (key & 1) &* 2 &- 1
                current &+= change
                Self.deposit(change, x: x, in: winding)
                let isNowInside = Self.isInside(current, rule)
                if isNowInside != isInside {
                    Self.deposit(isNowInside ? 1 : -1, x: x, in: ink)
                    isInside = isNowInside
                }
            }
        }
    }

    /// The sampled sums left of a group.
    @inline(__always)
    static func start(base: Int32, rule: FillRule) -> Sums {
        Sums(winding: base &* Coverage.full, ink: isInside(base, rule) ? Coverage.full : 0)
    }

    struct Sums {
        var winding, ink: Int32
    }

    /// Moves `sums` on to pixel `x`, clearing its cells.
    @inline(__always)
    func advance(_ sums: inout Sums, to x: Int) {
        sums.winding &+= winding.cells[x]
        sums.ink &+= ink.cells[x]
        clear(x)
    }

    @inline(__always)
    func clear(_ x: Int) {
        winding.cells[x] = 0
        ink.cells[x] = 0
    }

    /// The inked area of a pixel from the exact integral of the winding number and the sampled sums.
    @inline(__always)
    static func area(_ windingIntegral: Int32, _ sums: Sums, _ rule: FillRule) -> Int32 {
        if Coverage.area(sums.winding, rule) == sums.ink { return Coverage.area(windingIntegral, rule) }
        switch rule {
        case .nonZero:
            let deviation = windingIntegral &- sums.winding
            let area = sums.ink &+ (windingIntegral < 0 ? 0 &- deviation : deviation)
            return area < 0 ? 0 : area < Coverage.full ? area : Coverage.full
        case .evenOdd:
            return sums.ink
        }
    }

    @inline(__always)
    private static func isInside(_ winding: Int32, _ rule: FillRule) -> Bool {
        rule == .nonZero ? winding != 0 : winding & 1 != 0
    }

    /// Adds a step at `x` on one line; 32 x 256 x 16 lines is a whole pixel.
    @inline(__always)
    private static func deposit(_ change: Int32, x: Int32, in row: borrowing AreaRow) {
        let x = x < 0 ? 0 : x
        let cell = x >> 8
        if cell >= row.width { return }
        let fraction = x & 255
        row.cells[Int(cell)] &+= change &* ((256 &- fraction) << 5)
        row.cells[Int(cell) &+ 1] &+= change &* (fraction << 5)
    }
}
