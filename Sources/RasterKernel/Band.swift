// SPDX-License-Identifier: Apache-2.0

/// A few rows that are drawn together: the parts of edges in them, the boundaries that these form, and the cells.
///
/// The sum of the cells of a row up to x is the integral of the winding number over pixel x, in units of ``Coverage``:
/// the merged form of font-rs (R. Levien, `raster.rs`) in the integers of Blend2D's analytic rasterizer. A boundary
/// that covers `a` of its pixel adds `a` to the cell there and the rest of its height to the next cell.
///
/// All cells are zero between bands. The code that reads a row clears it.
struct Band: ~Copyable {
    /// Rows of a band as a power of two: 8 to 64.
    private static let leastRowBits = 3
    private static let mostRowBits = 6
    private static var mostRows: Int { 1 << mostRowBits }
    /// Cells of a band, 64 KiB: they fit the second-level cache, and the used ones the first-level cache. A band of
    /// more rows restarts the walk of a chain less often.
    private static let mostCells = 16_384
    /// The number of chains from which on bands have the fewest rows, to limit the memory for boundaries.
    private static let manyChains = 512
    /// Cells of a row beyond its width. A block of eight cells may begin right of the last pixel, where a long part
    /// ends that touches the right side of that pixel, and it carries into the cell after it.
    static let slack = 9

    /// Spare room after the last key, for code that reads eight at a time.
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
    /// Room for the parts that are deposited one by one.
    private(set) var odd: UnsafeMutablePointer<OddParts>
    /// Room for eight cell indices; see ``DepositBlock``.
    let places: UnsafeMutablePointer<Int32>
    private let constants: UnsafeMutableRawPointer
    let steps: PixelSteps

    // Row by row, with room for one boundary per chain.
    private var boundaries: UnsafeMutablePointer<Boundary>
    private var keys: UnsafeMutablePointer<Int32>
    private var boundaryCapacity = 1024
    /// The rows of the band, and one more for a pen that has left the last row.
    let rowList: UnsafeMutablePointer<BandRow>

    init() {
        cells = .allocate(capacity: cellCapacity)
        cells.initialize(repeating: 0, count: cellCapacity)
        parts = EdgePartList(memory: .allocate(capacity: Int(partCapacity) * EdgePartList.partSize))
        odd = .allocate(capacity: Int(partCapacity) / 8)
        places = .allocate(capacity: 8)
        constants = .allocate(byteCount: PixelSteps.byteCount, alignment: 64)
        steps = PixelSteps(constants)
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

    /// Prepares for a window.
    @inline(__always)
    mutating func begin(width: Int, chains: Int) {
        pitch = width &+ Self.slack
        rowBits = Self.leastRowBits
        if chains < Self.manyChains {
            while rowBits < Self.mostRowBits && pitch &<< (rowBits &+ 1) <= Self.mostCells { rowBits &+= 1 }
        }
        if pitch &<< rowBits > cellCapacity { growCells() }
    }

    /// Begins the next rows, which `count` chains cross.
    /// - Parameter pixels: where these rows are drawn.
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

    /// Reserves room for the parts of a chain.
    /// - Parameter edges: the number of edges that the chain still has.
    @inline(__always)
    mutating func reserve(edges: Int) {
        // An edge has a part, and one more for each row into which it leads.
        let parts = Int(partCount) &+ edges &+ Self.mostRows
        if parts > Int(partCapacity) { growParts(parts) }
    }

    /// Ends a chain; `parts` have been written in all.
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

/// A row of a ``Band``, with all that a pen needs to add a boundary to it.
struct BandRow {
    /// The boundaries, in the order of the chains.
    let boundaries: UnsafeMutablePointer<Boundary>
    /// The sort key of each boundary; see ``BoundaryOrder``.
    let keys: UnsafeMutablePointer<Int32>
    /// The number of boundaries.
    var count = 0
    /// The ``EdgePartList/line(_:)`` of a part that leads down.
    let line: Int32
    let pixels: PrefetchTarget
}

/// The parts of one chain in one row: a line from the row's top to its bottom, or to the turn where it meets the next
/// boundary. It crosses each height at most once.
struct Boundary {
    /// The first and last pixel touched, from the left of the window; -1 stands for everything left of the window.
    var firstX, lastX: Int32
    /// The sum of its parts' heights in 1/256: 256 from top to bottom, -256 from bottom to top.
    var height: Int32
    /// Its parts in ``EdgePartList``, from the top down: `firstPart..<endPart`.
    var firstPart, endPart: Int32
}

/// A view of the parts of a ``Band``.
///
/// A part is the piece of an edge within one row of pixels, from its upper end to its lower one. Areas, crossings and
/// order are computed from these rounded parts alone. Therefore the result depends neither on the window nor on how a
/// path is divided into contours.
struct EdgePartList {
    let memory: UnsafeMutablePointer<Int32>

    /// The size of a part, in words of `memory`.
    static let partSize = 4

    @inline(__always)
    func place(_ part: Int32) -> UnsafeMutablePointer<Int32> { memory + Int(part) &* Self.partSize }

    /// x at the upper end, in 1/256 pixel from the left of the window.
    @inline(__always)
    func x0(_ part: Int32) -> Int32 { place(part)[0] }
    /// x at the lower end.
    @inline(__always)
    func x1(_ part: Int32) -> Int32 { place(part)[1] }
    /// y at the upper end: 0...256 from the top of the row. Equal to `y1` for a level part, which has no area but still
    /// belongs to a boundary.
    @inline(__always)
    func y0(_ part: Int32) -> Int32 { ys(part) & 0xFFFF }
    @inline(__always)
    func y1(_ part: Int32) -> Int32 { ys(part) >> 16 }
    /// y0 in the lower half and y1 in the upper half.
    @inline(__always)
    func ys(_ part: Int32) -> Int32 { place(part)[2] }

    // The same in 16 bits (of x0 the low ones), for filling all lanes of a vector with one instruction. The low half of
    // a word lies first on all supported processors.
    @inline(__always)
    func shortX0(_ part: Int32) -> Int16 { UnsafeRawPointer(place(part)).load(as: Int16.self) }
    @inline(__always)
    func shortY0(_ part: Int32) -> Int16 { UnsafeRawPointer(place(part)).load(fromByteOffset: 8, as: Int16.self) }
    @inline(__always)
    func shortY1(_ part: Int32) -> Int16 { UnsafeRawPointer(place(part)).load(fromByteOffset: 10, as: Int16.self) }

    /// Twice the index of the row's first cell, plus one if the contour leads up.
    @inline(__always)
    func line(_ part: Int32) -> Int32 { place(part)[3] }

    @inline(__always)
    static func set(
        _ place: UnsafeMutablePointer<Int32>, _ x0: Int32, _ x1: Int32, _ y0: Int32, _ y1: Int32, _ line: Int32
    ) {
        place[0] = x0
        place[1] = x1
        place[2] = y0 | y1 &<< 16
        place[3] = line
    }
}

/// Writes the parts and boundaries of a chain in the rows of a band, from the top down.
struct BandPen {
    // The next part: its address and index.
    private var partPlace: UnsafeMutablePointer<Int32>
    private var part: Int32
    /// All ones if the contour leads up, else zero.
    private let up: Int32
    private let width: Int32

    /// The current row.
    private var row: UnsafeMutablePointer<BandRow>
    /// Its ``EdgePartList/line(_:)``.
    private var line: Int32

    // The position in 1/256 pixel, y from the top of the row; and the current boundary.
    private(set) var x: Int32
    private var y: Int32
    private var firstPart: Int32
    /// The signed height of the current boundary, to the lower side of the row or the turn.
    private var height: Int32
    private var low, high: Int32

    /// - Parameters:
    ///   - row: index of the row in the band where the pen begins.
    ///   - edges: the maximum number of edges that will be drawn.
    @inline(__always)
    init(_ band: inout Band, row: Int, x: Int32, y: Int32, up: Int32, width: Int32, edges: Int) {
        band.reserve(edges: edges)
        part = band.partCount
        partPlace = band.parts.place(part)
        self.up = up
        self.width = width
        self.row = band.rowList + row
        line = self.row.pointee.line | (up & 1)
        (self.x, self.y) = (x, y)
        height = Self.signed(256 &- y, up)
        firstPart = part
        (low, high) = (x, x)
    }

    /// Negative if the contour leads up.
    @inline(__always)
    private static func signed(_ height: Int32, _ up: Int32) -> Int32 { (height ^ up) &- up }

    /// Draws a line to a point in the same row.
    @inline(__always)
    mutating func line(toX newX: Int32, y newY: Int32) {
        EdgePartList.set(partPlace, x, newX, y, newY, line)
        partPlace += EdgePartList.partSize
        part &+= 1
        low = newX < low ? newX : low
        high = newX > high ? newX : high
        x = newX
        y = newY
    }

    /// Ends the current boundary at the current position instead of the row's lower side.
    @inline(__always)
    mutating func turn() { height &-= Self.signed(256 &- y, up) }

    /// Adds the current boundary to its row, and begins the next row.
    @inline(__always)
    mutating func endRow(isClipped: Bool) {
        var first = low >> 8
        var last = high >> 8
        if isClipped {
            // Everything left of the window counts as pixel -1. Boundaries right of it are not added.
            first = first < -1 ? -1 : first
            last = last < -1 ? -1 : last
        }
        row.pointee.pixels.prefetchBlock(Int(first))
        let place = row.pointee.count
        row.pointee.boundaries[place] = Boundary(
            firstX: first, lastX: last, height: height, firstPart: firstPart, endPart: part)
        row.pointee.keys[place] = BoundaryOrder.key(firstX: first, place: place)
        row.pointee.count = place &+ (!isClipped || first < width ? 1 : 0)
        row += 1
        line = row.pointee.line | (up & 1)
        firstPart = part
        y = 0
        height = Self.signed(256, up)
        (low, high) = (x, x)
    }

    /// Moves along the line between two rows.
    @inline(__always)
    mutating func move(toX newX: Int32) {
        x = newX
        (low, high) = (x, x)
    }

    /// Stores the number of parts in the band.
    @inline(__always)
    func end(_ band: inout Band) { band.end(parts: part) }
}
