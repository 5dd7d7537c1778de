// SPDX-License-Identifier: Apache-2.0

/// How far each of two chains reaches in the rows of a band.
struct MonotoneRows: ~Copyable {
    /// Rows beyond the last, for who takes eight at a time.
    private static let slack = 8
    private static let capacity = Band.mostRows + slack
    /// More than any pixel.
    static let far: Int32 = 0x3FFF_FFFF

    /// Of each chain how far it reaches in each row: to the left, which is ``far`` less the first pixel that it
    /// touches, and to the right, its last one. Both are zero where there is none and only grow, so that of what two
    /// edges say the greater holds.
    private let memory: UnsafeMutablePointer<Int32>

    init() {
        memory = .allocate(capacity: 4 * Self.capacity)
        memory.initialize(repeating: 0, count: 4 * Self.capacity)
    }

    deinit { memory.deallocate() }

    @inline(__always)
    private func lefts(_ side: Int) -> UnsafeMutablePointer<Int32> { memory + side &* 2 &* Self.capacity }
    @inline(__always)
    private func rights(_ side: Int) -> UnsafeMutablePointer<Int32> { memory + (side &* 2 &+ 1) &* Self.capacity }

    /// Begins with rows that nothing touches.
    @inline(__always)
    func clear(_ count: Int) {
        var row = 0
        while row < count {
            for list in 0..<4 {
                UnsafeMutableRawPointer(memory + (list &* Self.capacity &+ row))
                    .storeBytes(of: .zero, as: SIMD8<Int32>.self)
            }
            row &+= 8
        }
    }

    /// - Parameters:
    ///   - chain: of the side.
    ///   - band: has room for all rows.
    @inline(__always)
    func pen(_ side: Int, _ chain: Chain, to band: borrowing Band) -> MonotonePen {
        MonotonePen(lefts: lefts(side), rights: rights(side), isUp: chain.lower < chain.upper, to: band)
    }

    /// How far the two sides of a row reach: the one that reaches farther, and the other one.
    struct Extent {
        fileprivate let mostLeft, leastLeft, mostRight, leastRight: Int32

        /// The first pixel that either touches, and the last one.
        @inline(__always)
        var first: Int32 { far &- mostLeft }
        @inline(__always)
        var last: Int32 { mostRight }
        /// The pixels between them.
        @inline(__always)
        var gap: (start: Int32, end: Int32) { (leastRight &+ 1, far &- leastLeft) }
        /// Whether both touch some pixel, or reach beyond each other.
        @inline(__always)
        var isShared: Bool { leastLeft &+ leastRight >= far }
        /// Pixels from the first to the last.
        @inline(__always)
        var count: Int32 { mostLeft &+ mostRight &- (far &- 1) }
    }

    @inline(__always)
    func extent(_ row: Int) -> Extent {
        let (oneLeft, oneRight) = (lefts(0)[row], rights(0)[row])
        let (otherLeft, otherRight) = (lefts(1)[row], rights(1)[row])
        return Extent(
            mostLeft: oneLeft > otherLeft ? oneLeft : otherLeft, leastLeft: oneLeft < otherLeft ? oneLeft : otherLeft,
            mostRight: oneRight > otherRight ? oneRight : otherRight,
            leastRight: oneRight < otherRight ? oneRight : otherRight)
    }

    /// Asks for the pixels where the first side lies.
    @inline(__always)
    func prefetch(_ count: Int, _ pixels: PrefetchTarget) {
        var pixels = pixels
        let rights = self.rights(0)
        var row = 0
        while row < count {
            pixels.prefetch(Int(rights[row]))
            pixels.advance()
            row &+= 1
        }
    }
}
