// SPDX-License-Identifier: Apache-2.0

/// A few rows at a time: the parts that the chains leave in them, the sums of areas, and which boundaries made them.
///
/// The sum of the cells of a row up to x is the integral of the winding number over pixel x, in units of ``Coverage``:
/// the merged form of font-rs (R. Levien, `raster.rs`) in the integers of Blend2D's analytic rasterizer. A boundary
/// that covers `a` of its pixel adds `a` there and what is missing to its full height in the next one.
///
/// All cells are zero between bands: who reads a row leaves it so.
struct Band: ~Copyable {
    /// Rows of a band, as a power of two: at least 8, at most 64.
    private static let leastRowBits = 3
    private static let mostRowBits = 6
    static var mostRows: Int { 1 << mostRowBits }
    /// Cells of a band, 64 KiB: the second-level cache has them all, and the first-level one those with something in
    /// them. More rows at a time walk chains less often.
    private static let mostCells = 16_384
    /// Chains from which on bands are low, for the memory that their boundaries need.
    private static let manyChains = 512
    /// Cells of a row beyond its width: one that takes what the last pixel carries on, and those that a block of 8
    /// reads along.
    static let slack = 9

    /// Entries beyond the last row's, for who reads eight at a time.
    private static let entrySlack = 8

    private(set) var cells: UnsafeMutablePointer<Int32>
    private var cellCapacity = Self.mostCells
    /// Cells from one row to the next.
    private(set) var pitch = 0
    private(set) var rowBits = Self.leastRowBits
    @inline(__always)
    var rows: Int { 1 &<< rowBits }

    private(set) var parts: EdgePartList
    private var partCapacity: Int32 = 256
    private(set) var partCount: Int32 = 0
    /// Parts that are left to ``depositOdd``.
    private(set) var odd: UnsafeMutablePointer<Int32>
    let block: DepositBlock
    private let constants: UnsafeMutableRawPointer
    let steps: RowSteps

    private(set) var boundaries: UnsafeMutablePointer<Boundary>
    private var boundaryCapacity: Int32 = 1024
    private(set) var boundaryCount: Int32 = 0
    /// Of each row the boundaries, in the order of the chains.
    private(set) var entries: UnsafeMutablePointer<RowEntry>
    private var entryCapacity = 1024
    /// Entries from one row to the next.
    private(set) var entryPitch = 0
    /// How many there are in each row.
    let counts: UnsafeMutablePointer<Int>

    init() {
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
        parts = EdgePartList(memory: .allocate(capacity: Int(partCapacity) * EdgePartList.partSize))
        odd = .allocate(capacity: Int(partCapacity))
        block = DepositBlock(memory: .allocate(capacity: DepositBlock.size))
        constants = .allocate(byteCount: RowSteps.byteCount, alignment: 64)
        steps = RowSteps(constants)
        boundaries = .allocate(capacity: Int(boundaryCapacity))
        entries = .allocate(capacity: entryCapacity)
        counts = .allocate(capacity: Self.mostRows)
    }

    deinit {
        cells.deallocate()
        parts.memory.deallocate()
        odd.deallocate()
        block.memory.deallocate()
        constants.deallocate()
        boundaries.deallocate()
        entries.deallocate()
        counts.deallocate()
    }

    /// Begins a window, into which `chains` reach.
    @inline(__always)
    mutating func begin(width: Int, chains: Int) {
        pitch = width &+ Self.slack
        rowBits = Self.leastRowBits
        if chains < Self.manyChains {
            while rowBits < Self.mostRowBits && pitch &<< (rowBits &+ 1) <= Self.mostCells { rowBits &+= 1 }
        }
        steps.setPitch(pitch)
        if pitch &<< rowBits > cellCapacity { growCells() }
    }

    /// Begins the next rows, which `count` chains pass.
    @inline(__always)
    mutating func clear(_ count: Int, rows: Int) {
        entryPitch = count
        if count &* rows &+ Self.entrySlack > entryCapacity { growEntries(count &* rows &+ Self.entrySlack) }
        var row = 0
        while row < rows {
            counts[row] = 0
            row &+= 1
        }
        partCount = 0
        boundaryCount = 0
    }

    /// Makes room for what a chain leaves in the band, but for more parts than one in each row. It always is enough to
    /// double: there is more room to begin with than a chain needs.
    @inline(__always)
    mutating func reserve() {
        if partCount >= partLimit { growParts(partCount) }
        if boundaryCount &+ Int32(Self.mostRows) > boundaryCapacity { growBoundaries() }
    }

    /// Ends a chain, when so many have been written.
    @inline(__always)
    mutating func end(parts: Int32, boundaries: Int32) {
        partCount = parts
        boundaryCount = boundaries
    }

    /// Parts from which on there may be no room for those that an edge and a band's rows make.
    @inline(__always)
    var partLimit: Int32 { partCapacity &- Int32(Self.mostRows) &- 2 }

    @inline(never)
    private mutating func growCells() {
        cells.deallocate()
        cellCapacity = pitch << rowBits
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
    }

    @inline(never)
    private mutating func growEntries(_ count: Int) {
        while entryCapacity < count { entryCapacity *= 2 }
        entries.deallocate()
        entries = .allocate(capacity: entryCapacity)
    }

    @inline(never)
    private mutating func growBoundaries() {
        let larger = UnsafeMutablePointer<Boundary>.allocate(capacity: Int(boundaryCapacity) * 2)
        larger.moveInitialize(from: boundaries, count: Int(boundaryCount))
        boundaries.deallocate()
        boundaries = larger
        boundaryCapacity *= 2
    }

    /// Makes room for as many parts again, and keeps the first `count`.
    @inline(never)
    mutating func growParts(_ count: Int32) {
        partCapacity *= 2
        let larger = UnsafeMutablePointer<Int32>.allocate(capacity: Int(partCapacity) * EdgePartList.partSize)
        larger.update(from: parts.memory, count: Int(count) * EdgePartList.partSize)
        parts.memory.deallocate()
        parts = EdgePartList(memory: larger)
        odd.deallocate()
        odd = .allocate(capacity: Int(partCapacity))
    }
}
