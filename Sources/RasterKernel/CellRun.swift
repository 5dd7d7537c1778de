// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// A walk along the cells of a row, which sums and clears them.
struct CellRun {
    private let cells: UnsafeMutablePointer<Int32>
    /// The clip's right side, beyond which no block may be written.
    private let limit: Int
    /// The next pixel.
    private(set) var x: Int
    /// ``sum`` in all lanes. Leaving the vector between two blocks would take longer than summing a block.
    private var sums = SIMD8<Int32>.zero
    /// The integral of the winding number over the last pixel, or the area that ``SmallGroup`` put in its place.
    @inline(__always)
    private(set) var sum: Int32 {
        get { sums[0] }
        set { sums = SIMD8(repeating: newValue) }
    }

    @inline(__always)
    init(cells: UnsafeMutablePointer<Int32>, x: Int, limit: Int) {
        self.cells = cells
        self.x = x
        self.limit = limit
    }

    /// Advances by one pixel and returns the sum there.
    @inline(__always)
    mutating func advance() -> Int32 {
        sum &+= cells[x]
        cells[x] = 0
        x &+= 1
        return sum
    }

    /// Draws the pixels up to `end`, and completes the last block of eight with pixels before `next`.
    /// - Parameter next: the next cell that may not be zero; at least `end`.
    @inline(__always)
    mutating func sweep<Row: PixelRow>(to end: Int, next: Int, rule: FillRule, _ pixels: Row) {
        while x < end {
            if x &+ 8 > limit {
                pixels.put(Coverage.area(advance(), rule), x: x &- 1)
            } else if x &+ 8 <= next {
                pixels.put(Coverage.areas(advanceBlock(), rule), x: x)
                x &+= 8
            } else {
                let count = next &- x
                let areas = Coverage.areas(advancePart(count), rule)
                pixels.put(areas, count: count, x: x)
                x = next
            }
        }
    }

    /// Draws uniform pixels up to `end`.
    @inline(__always)
    mutating func skip<Row: PixelRow>(to end: Int, rule: FillRule, _ pixels: Row) {
        if x >= end { return }
        sum &+= cells[x]
        cells[x] = 0
        if sum != 0 { pixels.putRun(Coverage.area(sum, rule), x: x, count: end &- x) }
        x = end
    }

    /// Draws uniform pixels up to `end`, where the winding number is known. This need not wait for the sum, and
    /// boundaries in between may have been cleared.
    /// - Parameter height: winding number x 256 up to `end`. Not zero if a boundary was cleared.
    @inline(__always)
    mutating func skip<Row: PixelRow>(to end: Int, height: Int32, rule: FillRule, _ pixels: Row) {
        if x >= end { return }
        cells[x] = 0
        sum = height &<< 9
        if height != 0 { pixels.putRun(Coverage.area(sum, rule), x: x, count: end &- x) }
        x = end
    }

    /// Clears the cells of a boundary that lies within the window, touches the pixels `start..<end` and shares none of
    /// them. From the cell at `end`, which may be another boundary's too, it subtracts what this boundary carried
    /// there: the rest of its height.
    @inline(never)
    static func clear(_ cells: UnsafeMutablePointer<Int32>, from start: Int, to end: Int, height: Int32) {
        var sums = SIMD8<Int32>.zero
        var x = start
        while x &+ 8 <= end {
            sums = sums &+ loadAndClear(cells + x)
            x &+= 8
        }
        sums = sums &+ loadAndClear(cells + x, end &- x)
        cells[end] &-= height &<< 9 &- sums.total
    }

    /// The sums of the next eight cells, which are cleared.
    @inline(__always)
    private mutating func advanceBlock() -> SIMD8<Int32> { add(Self.loadAndClear(cells + x)) }

    /// The sums of the next `count` cells, fewer than eight, which are cleared.
    @inline(__always)
    private mutating func advancePart(_ count: Int) -> SIMD8<Int32> {
        add(Self.loadAndClear(cells + x, count))
    }

    @inline(__always)
    private mutating func add(_ values: SIMD8<Int32>) -> SIMD8<Int32> {
        let block = inkpanel_sums(values) &+ sums
        sums = SIMD8(repeating: block[7])
        return block
    }

    /// Returns eight cells and sets them to zero.
    @inline(__always)
    private static func loadAndClear(_ cells: UnsafeMutablePointer<Int32>) -> SIMD8<Int32> {
        let block = UnsafeMutableRawPointer(cells)
        let values = block.loadUnaligned(as: SIMD8<Int32>.self)
        block.storeBytes(of: .zero, as: SIMD8<Int32>.self)
        return values
    }

    /// Returns the first `count` of eight cells, fewer than eight, and sets them to zero.
    @inline(__always)
    private static func loadAndClear(_ cells: UnsafeMutablePointer<Int32>, _ count: Int) -> SIMD8<Int32> {
        let block = UnsafeMutableRawPointer(cells)
        let values = block.loadUnaligned(as: SIMD8<Int32>.self)
        let isPart = SIMD8<Int32>.first(count)
        block.storeBytes(of: values & ~isPart, as: SIMD8<Int32>.self)
        return values & isPart
    }
}

/// The unit of areas, and the fill rules.
///
/// An area is a height in 1/256 pixel times twice a mean width in 1/256 pixel, so a whole pixel is 2 x 256 x 256.
enum Coverage {
    static let full: Int32 = 131_072
    static let fullBits: Int32 = 17
    /// Maximum number of boundaries in a row for which no sum of areas overflows 32 bits.
    static let mostWindings = 16_383

    /// The inked area of a pixel from the integral of the winding number over it. Exact if the winding numbers in the
    /// pixel differ by at most one, as where one boundary crosses it. ``OverlapResolver`` has the other cases.
    @inline(__always)
    static func area(_ windingIntegral: Int32, _ rule: FillRule) -> Int32 {
        let sign = windingIntegral >> 31
        let size = (windingIntegral ^ sign) &- sign
        switch rule {
        case .nonZero:
            let missing = full &- size
            return size &+ (missing & (missing >> 31))
        case .evenOdd:
            let folded = size & (2 &* full &- 1)
            return folded <= full ? folded : 2 &* full &- folded
        }
    }

    /// The same for eight pixels.
    @inline(__always)
    static func areas(_ windingIntegrals: SIMD8<Int32>, _ rule: FillRule) -> SIMD8<Int32> {
        let size = inkpanel_abs(windingIntegrals)
        switch rule {
        case .nonZero:
            return inkpanel_min(size, SIMD8(repeating: full))
        case .evenOdd:
            let folded = size & SIMD8(repeating: 2 &* full &- 1)
            let beyond = folded &- SIMD8(repeating: full)
            return folded &- ((beyond &+ beyond) & ~(beyond &>> 31))
        }
    }

    /// 0...255, rounded to nearest.
    @inline(__always)
    static func byte(_ area: Int32) -> UInt8 {
        UInt8(truncatingIfNeeded: (area &* 255 &+ full / 2) >> fullBits)
    }

    /// An area for which ``byte(_:)`` returns `byte`; both ends are exact.
    static func area(ofByte byte: UInt8) -> Int32 { (Int32(byte) * full + 127) / 255 }
}
