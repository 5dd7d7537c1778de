// SPDX-License-Identifier: Apache-2.0

/// Which pixels each of two chains touches in the rows of a band.
struct MonotoneRows: ~Copyable {
    /// Rows beyond the last, for who takes eight at a time.
    private static let slack = 8
    private static let capacity = Band.mostRows + slack
    /// Of each chain the first and the last pixel that it touches in each row.
    private let memory: UnsafeMutablePointer<Int32>

    init() {
        memory = .allocate(capacity: 4 * Self.capacity)
        memory.initialize(repeating: 0, count: 4 * Self.capacity)
    }

    deinit { memory.deallocate() }

    @inline(__always)
    private func firsts(_ side: Int) -> UnsafeMutablePointer<Int32> { memory + side &* 2 &* Self.capacity }
    @inline(__always)
    private func lasts(_ side: Int) -> UnsafeMutablePointer<Int32> { memory + (side &* 2 &+ 1) &* Self.capacity }

    /// The pixels of a row: from its first to its last one, and those between its sides, of which there may be none.
    struct Extent {
        let first, last, gapStart, gapEnd: Int32
        /// Whether the sides share pixels.
        @inline(__always)
        var isShared: Bool { gapStart > gapEnd }
    }

    @inline(__always)
    func extent(_ row: Int) -> Extent {
        let (oneFirst, oneLast) = (firsts(0)[row], lasts(0)[row])
        let (otherFirst, otherLast) = (firsts(1)[row], lasts(1)[row])
        return Extent(
            first: oneFirst < otherFirst ? oneFirst : otherFirst,
            last: oneLast > otherLast ? oneLast : otherLast,
            gapStart: (oneLast < otherLast ? oneLast : otherLast) &+ 1,
            gapEnd: oneFirst > otherFirst ? oneFirst : otherFirst)
    }

    /// Asks for the pixels where the first side lies.
    @inline(__always)
    func prefetch(_ count: Int, _ pixels: PrefetchTarget) {
        var pixels = pixels
        let firsts = self.firsts(0)
        var row = 0
        while row < count {
            pixels.prefetch(Int(firsts[row]))
            pixels.advance()
            row &+= 1
        }
    }

    /// Adds the areas of a chain, or side, to the cells of a band, and notes the pixels that it touches in each row,
    /// but for those of level edges, which add nothing.
    /// - Parameters:
    ///   - side: 0 or 1.
    ///   - band: has room for all rows of the window, in which the chain is.
    @inline(never)
    func add(
        _ chain: Chain, side: Int, of contours: borrowing Contours, _ window: Window, to band: borrowing Band
    ) {
        let stride = chain.lower > chain.upper ? 1 : -1
        let vertices = UnsafePointer(contours.vertices)
        // Of the edge that ends at a vertex.
        let slopes = UnsafePointer(contours.slopes) - (stride > 0 ? 1 : 0)
        var pen = MonotonePen(firsts: firsts(side), lasts: lasts(side), isUp: stride < 0, to: band)
        var vertex = Int(chain.upper)
        let last = Int(chain.lower)
        var upperX = vertices[vertex].x &- window.originX
        var upperY = vertices[vertex].y &- window.originY
        while vertex != last {
            vertex &+= stride
            let lowerX = vertices[vertex].x &- window.originX
            let lowerY = vertices[vertex].y &- window.originY
            if lowerY != upperY {
                let slope = slopes[vertex]
                if slope &+ Slope.one <= 2 &* Slope.one && slope &+ Slope.one >= 0 {
                    pen.steep(upperX, upperY, lowerX, lowerY, slope)
                } else {
                    pen.flat(upperX, upperY, lowerX, lowerY, slope)
                }
            }
            upperX = lowerX
            upperY = lowerY
        }
    }
}
