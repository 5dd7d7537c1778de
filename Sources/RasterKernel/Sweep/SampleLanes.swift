// SPDX-License-Identifier: Apache-2.0

import CProcessor

/// A number for each of the ``SampleLines`` of a row: x in 1/256 pixel from the left of a group of boundaries that is
/// at most ``widest`` pixels wide.
///
/// Everything here is plain arithmetic and what Lanes.h has, which the compiler makes one or two vector instructions of
/// on every processor.
typealias SampleLanes = SIMD16<Int16>

extension SampleLanes {
    /// Pixels. With the direction of a boundary in its lowest bit x then fits 16 bits.
    static let widest = 62
    /// Not crossed, or right of all groups.
    static let none: Int16 = 16_383

    /// Pixels from the origin on in which parts need not be asked whether their crossings can be computed in `Float`.
    static let narrow: Int32 = SampleLines.longest >> 8

    /// Where `boundary` crosses each line; ``none`` where it does not. What lies left of the window counts as if at its
    /// left side.
    /// - Parameters:
    ///   - origin: 1/256 pixel from the left of the window.
    ///   - isNarrow: whether all of it is known to lie in the ``narrow`` pixels from there on.
    @inline(__always)
    init(_ boundary: UnsafePointer<Boundary>, of row: SweptRow, origin: Int32, isNarrow: Bool) {
        let origins = SampleLanes(repeating: Int16(truncatingIfNeeded: origin))
        // From the left of the window, modulo 2^16, until all parts have been taken.
        self = origins &+ SampleLanes(repeating: Self.none)
        var part = boundary.pointee.firstPart
        let end = boundary.pointee.endPart
        while part < end {
            let x = isNarrow
                ? Self.shortCrossings(row.parts, part) : Self.crossings(row.parts, part, origin: origin) &+ origins
            // Below zero in the lines from the upper end, included, to the lower end, not included.
            let upper = SampleLanes(repeating: row.parts.shortY0(part))
            let lower = SampleLanes(repeating: row.parts.shortY1(part))
            let isInside = (upper &- (SampleLines.centerRows &+ 1)) & (SampleLines.centerRows &- lower)
            self = inkpanel_choose_short(isInside, x, self)
            part &+= 1
        }
        self = self &- origins
    }

    /// Where the line through a part that is less than ``SampleLines/longest`` wide crosses each sample line, from the
    /// left of the window, modulo 2^16. Any number on lines that the part itself does not cross, as if it is level.
    @inline(__always)
    private static func shortCrossings(_ parts: EdgePartList, _ part: Int32) -> SampleLanes {
        let upperY = parts.y0(part)
        let slope = Float(parts.x1(part) &- parts.x0(part)) / Float(parts.y1(part) &- upperY)
        let upper = SIMD8(repeating: Float(upperY))
        // The low bits of 1.5 x 2^23 + q are q rounded to nearest.
        let even = (SampleLines.evenCenters - upper) * slope + 12_582_912
        let uneven = (SampleLines.unevenCenters - upper) * slope + 12_582_912
        // As halves of one number, of which the low one lies first: lines in their order.
        let moved = unsafeBitCast(even, to: SIMD8<Int32>.self) & 0xFFFF
            | unsafeBitCast(uneven, to: SIMD8<Int32>.self) &<< 16
        return unsafeBitCast(moved, to: SampleLanes.self) &+ SampleLanes(repeating: parts.shortX0(part))
    }

    /// Where any part crosses each sample line, from `origin`, at least 0 and at most ``none``.
    @inline(__always)
    private static func crossings(_ parts: EdgePartList, _ part: Int32, origin: Int32) -> SampleLanes {
        let upperY = parts.y0(part)
        let lowerY = parts.y1(part)
        let upperX = parts.x0(part)
        let lowerX = parts.x1(part)
        let run = lowerX &- upperX
        let left = upperX &- origin
        let longest = SampleLines.longest
        // All of it within 16 bits.
        if run < longest && run > -longest && left > -longest && left < 2 &* longest {
            let x = shortCrossings(parts, part) &- SampleLanes(repeating: Int16(truncatingIfNeeded: origin))
            return x.larger(of: .zero).smaller(of: SampleLanes(repeating: none))
        }
        return upperY == lowerY ? .zero : crossings(upperX: left, upperY: upperY, lowerX: left &+ run, lowerY: lowerY)
    }

    @inline(__always)
    func smaller(of other: SampleLanes) -> SampleLanes { inkpanel_min_short(self, other) }

    @inline(__always)
    func larger(of other: SampleLanes) -> SampleLanes { inkpanel_max_short(self, other) }

    /// A long flat part, line by line.
    @inline(never)
    private static func crossings(upperX: Int32, upperY: Int32, lowerX: Int32, lowerY: Int32) -> SampleLanes {
        var lanes = SampleLanes(repeating: none)
        for line in 0..<SampleLines.count {
            let x = SampleLines.crossing(line, upperX: upperX, upperY: upperY, lowerX: lowerX, lowerY: lowerY)
            lanes[line] = Int16(truncatingIfNeeded: x < 0 ? 0 : x < Int32(none) ? x : Int32(none))
        }
        return lanes
    }

    /// Whether all of these lie left of the others, or all right of them.
    @inline(__always)
    func isOrdered(with other: SampleLanes) -> Bool {
        let left = unsafeBitCast(self &- other, to: SIMD4<UInt64>.self)
        let right = unsafeBitCast(other &- self, to: SIMD4<UInt64>.self)
        let signs: UInt64 = 0x8000_8000_8000_8000
        let anyLeft = (left[0] | left[1] | left[2] | left[3]) & signs
        let anyRight = (right[0] | right[1] | right[2] | right[3]) & signs
        return anyLeft == 0 || anyRight == 0
    }
}
