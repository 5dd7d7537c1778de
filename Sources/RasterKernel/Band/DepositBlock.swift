// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// What eight parts of edges add to the cells of their rows, in memory: three numbers each, from the leftmost pixel on.
struct DepositBlock {
    let memory: UnsafeMutablePointer<Int32>

    /// Index of the leftmost pixel's cell.
    @inline(__always)
    var cells: UnsafeMutablePointer<Int32> { memory }
    @inline(__always)
    var first: UnsafeMutablePointer<Int32> { memory + 8 }
    @inline(__always)
    var second: UnsafeMutablePointer<Int32> { memory + 16 }
    @inline(__always)
    var third: UnsafeMutablePointer<Int32> { memory + 24 }
    static let size = 32

    /// Fills it from eight parts.
    /// - Returns: a bit for each lane, the first one's lowest, ``part(ofLane:)`` tells whose: set for parts that add
    ///   nothing, to the row's first cell, being in more than two pixels or, if clipped, outside the window.
    @inline(__always)
    func fill(_ parts: UnsafeMutablePointer<Int32>, width: Int32, isClipped: Bool) -> UInt32 {
        // Two parts a vector. All shuffles stay within its halves, so that even parts come before odd ones.
        let (parts0, parts2) = (Self.pair(parts), Self.pair(parts + 8))
        let (parts4, parts6) = (Self.pair(parts + 16), Self.pair(parts + 24))
        let (xs0, xs4) = (inkpanel_first_pairs(parts0, parts2), inkpanel_first_pairs(parts4, parts6))
        let (rest0, rest4) = (inkpanel_last_pairs(parts0, parts2), inkpanel_last_pairs(parts4, parts6))
        let (x0, x1) = (inkpanel_even(xs0, xs4), inkpanel_odd(xs0, xs4))
        let (ys, line) = (inkpanel_even(rest0, rest4), inkpanel_odd(rest0, rest4))
        let up = 0 &- inkpanel_bits(line, 1)
        let height = ((inkpanel_shift_right(ys, 16) &- inkpanel_bits(ys, 0xFFFF)) ^ up) &- up
        let areas = PartAreas(from: x0, to: x1, height: height)

        // All ones where a part is left to who does the odd ones.
        var odd = (1 &- areas.columns) &>> 31
        if isClipped {
            odd |= (areas.low &>> 31) | ((SIMD8(repeating: width &<< 8 &- 1) &- areas.high) &>> 31)
        }
        let isEven = ~odd
        Self.store(inkpanel_shift_right(line, 1) &+ (areas.left & isEven), cells)
        Self.store(areas.first & isEven, first)
        Self.store(areas.second & isEven, second)
        Self.store(areas.third & isEven, third)
        return inkpanel_signs(odd)
    }

    @inline(__always)
    private static func pair(_ parts: UnsafeMutablePointer<Int32>) -> SIMD8<Int32> {
        UnsafeRawPointer(parts).loadUnaligned(as: SIMD8<Int32>.self)
    }

    /// Which of the eight parts is in a lane.
    @inline(__always)
    static func part(ofLane lane: Int32) -> Int32 { (lane & 3) &<< 1 | lane &>> 2 }

    /// Fills it from eight parts that are in two pixels at most; each stays in its lane.
    /// - Parameter cells: index of the leftmost pixel's cell.
    @inline(__always)
    func fill(_ areas: PartAreas, cells: SIMD8<Int32>) {
        Self.store(cells, self.cells)
        Self.store(areas.first, first)
        Self.store(areas.second, second)
        Self.store(areas.third, third)
    }

    /// Adds what all of the parts add.
    @inline(__always)
    func add(to cells: UnsafeMutablePointer<Int32>) {
        // Not a loop, which the compiler would leave one.
        add(0, to: cells)
        add(1, to: cells)
        add(2, to: cells)
        add(3, to: cells)
        add(4, to: cells)
        add(5, to: cells)
        add(6, to: cells)
        add(7, to: cells)
    }

    /// Adds what one of the parts adds.
    @inline(__always)
    func add(_ lane: Int, to cells: UnsafeMutablePointer<Int32>) {
        let cell = cells + Int(self.cells[lane])
        cell[0] &+= first[lane]
        cell[1] &+= second[lane]
        cell[2] &+= third[lane]
    }

    @inline(__always)
    private static func store(_ numbers: SIMD8<Int32>, _ target: UnsafeMutablePointer<Int32>) {
        UnsafeMutableRawPointer(target).storeBytes(of: numbers, as: SIMD8<Int32>.self)
    }
}
