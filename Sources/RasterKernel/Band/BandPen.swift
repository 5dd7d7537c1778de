// SPDX-License-Identifier: Apache-2.0

/// Writes the parts and boundaries that a chain leaves in the rows of a band, from the top down.
struct BandPen {
    // Where the next part goes, and its number.
    private var partPlace: UnsafeMutablePointer<Int32>
    private var part: Int32
    /// All ones when the contour leads up, else zero.
    private let up: Int32
    private let width: Int32

    /// The row in hand.
    private var row: UnsafeMutablePointer<BandRow>
    /// Its cells, as in ``EdgePartList``.
    private var line: Int32

    // Where the pen is, in 1/256 pixel, y from the top of the row; and the boundary in hand.
    private(set) var x: Int32
    private var y: Int32
    private var firstPart: Int32
    /// Of the boundary in hand: to the lower side of the row, or to where ``turn()`` said that it ends.
    private var height: Int32
    private var low, high: Int32

    /// - Parameters:
    ///   - row: of the band, where the pen begins.
    ///   - edges: at most how many are to be drawn.
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

    /// Below zero when the contour leads up.
    @inline(__always)
    private static func signed(_ height: Int32, _ up: Int32) -> Int32 { (height ^ up) &- up }

    /// Draws on to a place in the same row.
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

    /// Says that the boundary in hand ends where the pen is.
    @inline(__always)
    mutating func turn() { height &-= Self.signed(256 &- y, up) }

    /// Ends the boundary in hand, at the lower side of the row or where ``turn()`` said, and begins the next row.
    @inline(__always)
    mutating func endRow(isClipped: Bool) {
        var first = low >> 8
        var last = high >> 8
        if isClipped {
            // What lies left of the window is all in one place, and right of it nothing is.
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

    /// Leaves the band.
    @inline(__always)
    func end(_ band: inout Band) { band.end(parts: part) }
}
