// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Eight parts of edges from ``EdgePartList``, to be added to the cells of their rows.
struct DepositBlock {
    private let quads: DepositQuads
    /// Of each part the index of the leftmost pixel's cell.
    private let firstCells: SIMD8<Int32>
    /// A bit for each lane, the first one's lowest, ``part(ofLane:)`` tells whose: set for parts that add nothing, to
    /// the row's first cell, being in more than two pixels or, if clipped, outside the window.
    let oddLanes: UInt32

    @inline(__always)
    init(_ parts: UnsafeMutablePointer<Int32>, width: Int32, isClipped: Bool) {
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
        var odd = inkpanel_less(SIMD8(repeating: 1), areas.columns)
        if isClipped {
            odd |= (areas.low &>> 31) | ((SIMD8(repeating: width &<< 8 &- 1) &- areas.high) &>> 31)
        }
        firstCells = inkpanel_shift_right(line, 1) &+ inkpanel_except(areas.left, odd)
        quads = DepositQuads(
            first: inkpanel_except(areas.first, odd), second: inkpanel_except(areas.second, odd),
            third: inkpanel_except(areas.third, odd))
        oddLanes = inkpanel_signs(odd)
    }

    @inline(__always)
    private static func pair(_ parts: UnsafeMutablePointer<Int32>) -> SIMD8<Int32> {
        UnsafeRawPointer(parts).loadUnaligned(as: SIMD8<Int32>.self)
    }

    /// Which of the eight parts is in a lane.
    @inline(__always)
    static func part(ofLane lane: Int32) -> Int32 { (lane & 3) &<< 1 | lane &>> 2 }

    /// Adds what the parts add.
    /// - Parameter places: room for eight numbers.
    @inline(__always)
    func add(to cells: UnsafeMutablePointer<Int32>, places: UnsafeMutablePointer<Int32>) {
        UnsafeMutableRawPointer(places).storeBytes(of: firstCells, as: SIMD8<Int32>.self)
        quads.addFirst(to: cells, at: places)
        quads.addLast(to: cells, at: places)
    }
}
