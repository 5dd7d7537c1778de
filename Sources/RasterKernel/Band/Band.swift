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
    /// Cells of a row beyond its width: one that takes what the last pixel carries on, and those of a block of eight,
    /// up to the one after it. A block that is swept begins in the last pixel at most; one of a long part may begin in
    /// that after it, where a part ends that touches the right side of the last.
    static let slack = 9

    /// Keys beyond the last row's, for who reads eight at a time.
    private static let keySlack = 8

    private(set) var cells: UnsafeMutablePointer<Int32>
    private var cellCapacity = Self.mostCells
    /// Cells from one row to the next.
    private(set) var pitch = 0
    private(set) var rowBits = Self.leastRowBits
    @inline(__always)
    var rows: Int { 1 &<< rowBits }

    private(set) var parts: EdgePartList
    /// A multiple of eight.
    private var partCapacity: Int32 = 256
    private(set) var partCount: Int32 = 0
    /// Parts that are left to ``depositOdd``; there is room for all.
    private(set) var odd: UnsafeMutablePointer<OddParts>
    /// Room for the places of eight parts; see ``DepositQuads``.
    let places: UnsafeMutablePointer<Int32>
    private let constants: UnsafeMutableRawPointer
    let steps: RowSteps

    // Row after row, with room for one of each chain.
    private var boundaries: UnsafeMutablePointer<Boundary>
    private var keys: UnsafeMutablePointer<Int32>
    private var boundaryCapacity = 1024
    /// The rows in hand, and one more, on which a pen is that has left the last.
    let rowList: UnsafeMutablePointer<BandRow>

    init() {
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
        parts = EdgePartList(memory: .allocate(capacity: Int(partCapacity) * EdgePartList.partSize))
        odd = .allocate(capacity: Int(partCapacity) / 8)
        places = .allocate(capacity: 8)
        constants = .allocate(byteCount: RowSteps.byteCount, alignment: 64)
        steps = RowSteps(constants)
        boundaries = .allocate(capacity: boundaryCapacity)
        keys = .allocate(capacity: boundaryCapacity + Self.keySlack)
        rowList = .allocate(capacity: Self.mostRows + 1)
    }

    deinit {
        cells.deallocate()
        parts.memory.deallocate()
        odd.deallocate()
        places.deallocate()
        constants.deallocate()
        boundaries.deallocate()
        keys.deallocate()
        rowList.deallocate()
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
    /// - Parameter pixels: of these rows.
    @inline(__always)
    mutating func clear(_ count: Int, rows: Int, _ pixels: PrefetchTarget) {
        if count &* rows > boundaryCapacity { growBoundaries(count &* rows) }
        var pixels = pixels
        var first = 0
        let linePitch = Int32(truncatingIfNeeded: pitch &<< 1)
        var line: Int32 = 0
        var row = 0
        while row <= rows {
            rowList[row] = BandRow(
                boundaries: boundaries + first, keys: keys + first, line: line, pixels: pixels)
            first &+= count
            line &+= linePitch
            pixels.advance()
            row &+= 1
        }
        partCount = 0
    }

    /// Makes room for what a chain leaves in the band.
    /// - Parameter edges: of the chain, from the one in hand on.
    @inline(__always)
    mutating func reserve(edges: Int) {
        // An edge has a part, and one more for each row into which it leads.
        let parts = Int(partCount) &+ edges &+ Self.mostRows
        if parts > Int(partCapacity) { growParts(parts) }
    }

    /// Ends a chain, when so many have been written.
    @inline(__always)
    mutating func end(parts: Int32) { partCount = parts }

    @inline(never)
    private mutating func growCells() {
        cells.deallocate()
        cellCapacity = pitch << rowBits
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
    }

    @inline(never)
    private mutating func growBoundaries(_ count: Int) {
        while boundaryCapacity < count { boundaryCapacity *= 2 }
        boundaries.deallocate()
        boundaries = .allocate(capacity: boundaryCapacity)
        keys.deallocate()
        keys = .allocate(capacity: boundaryCapacity + Self.keySlack)
    }

    @inline(never)
    private mutating func growParts(_ count: Int) {
        while Int(partCapacity) < count { partCapacity *= 2 }
        let larger = UnsafeMutablePointer<Int32>.allocate(capacity: Int(partCapacity) * EdgePartList.partSize)
        larger.update(from: parts.memory, count: Int(partCount) * EdgePartList.partSize)
        parts.memory.deallocate()
        parts = EdgePartList(memory: larger)
        odd.deallocate()
        odd = .allocate(capacity: Int(partCapacity) / 8)
    }
}
