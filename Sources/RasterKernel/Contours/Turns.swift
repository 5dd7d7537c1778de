// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Where a contour turns between down and up, told of some of its edges at a time without a branch for each: strokes
/// turn where nothing can guess it.
struct Turns {
    static let mostEdges = 32
    /// The upper of the two bits that each edge has.
    private static let upperBits: UInt64 = 0xAAAA_AAAA_AAAA_AAAA

    /// Those of two bits an edge whose upper one is set at the first edge after a turn.
    private var bits: UInt64

    /// - Parameters:
    ///   - corners: one more than edges, and three more that may be anything.
    ///   - edges: 1...``mostEdges``.
    ///   - up: all ones if the contour leads up before the first, zero if it leads down.
    @inline(__always)
    init(_ corners: UnsafePointer<FixedPoint2>, edges: Int, up: Int32) {
        var ups: UInt64 = 0
        var slanted: UInt64 = 0
        var index = 0
        while index < edges {
            let four = UnsafeRawPointer(corners + index)
            let step = four.loadUnaligned(fromByteOffset: 8, as: SIMD8<Int32>.self)
                &- four.loadUnaligned(as: SIMD8<Int32>.self)
            let shift = UInt64(truncatingIfNeeded: index) &<< 1
            ups |= UInt64(inkpanel_signs(step)) &<< shift
            slanted |= UInt64(inkpanel_signs(step | (0 &- step))) &<< shift
            index &+= 4
        }
        let all = Self.upperBits &>> (64 &- UInt64(truncatingIfNeeded: edges) &* 2)
        let before = UInt64(truncatingIfNeeded: up & 2)
        // Level edges lead where the one before them does.
        var level = ~slanted & all
        while level != 0 {
            let edge = level & (0 &- level)
            ups = (ups & ~edge) | ((ups &<< 2 | before) & edge)
            level ^= edge
        }
        bits = (ups ^ (ups &<< 2 | before)) & all
    }

    /// The first edge after the next turn.
    @inline(__always)
    mutating func next() -> Int? {
        if bits == 0 { return nil }
        let edge = bits.trailingZeroBitCount >> 1
        bits &= bits &- 1
        return edge
    }
}
