// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// Sixteen lines through a row of pixels, in the middle of each sixteenth, on which overlaps are resolved. cairo's tor
/// scan converter samples everything on 15 lines.
enum SampleLines {
    static let count = 16
    static let spacing: Int32 = 16
    /// Marks a line that is not crossed, or crossed right of the window.
    static let none = Int32.max
    /// Width of a part, in 1/256 pixel, below which its crossings are computed in `Float`.
    static let longest: Int32 = 32 * 256

    /// The centres of every other line, from the first on.
    @inline(__always)
    static var evenCenters: SIMD8<Float> { SIMD8<Float>(8, 40, 72, 104, 136, 168, 200, 232) }
    @inline(__always)
    static var unevenCenters: SIMD8<Float> { SIMD8<Float>(24, 56, 88, 120, 152, 184, 216, 248) }
    @inline(__always)
    static var centerRows: SIMD16<Int16> {
        SIMD16<Int16>(8, 24, 40, 56, 72, 88, 104, 120, 136, 152, 168, 184, 200, 216, 232, 248)
    }

    /// Stores where `boundary` crosses each line: x in 1/256 pixel, ``count`` values.
    static func sample(_ boundary: Boundary, of row: SweptRow, into crossings: UnsafeMutablePointer<Int32>) {
        crossings.update(repeating: none, count: count)
        for index in boundary.firstPart..<boundary.endPart {
            let upperY = row.parts.y0(index)
            let lowerY = row.parts.y1(index)
            let upperX = row.parts.x0(index)
            let lowerX = row.parts.x1(index)
            // The upper end of a part is included, the lower end is not.
            var line = Int((upperY &+ (spacing / 2 &- 1)) / spacing)
            let end = Int((lowerY &+ (spacing / 2 &- 1)) / spacing)
            while line < end {
                crossings[line] = crossing(line, upperX: upperX, upperY: upperY, lowerX: lowerX, lowerY: lowerY)
                line &+= 1
            }
        }
    }

    /// Returns where a part crosses a line, with the same rounding as ``SampleLanes``.
    @inline(__always)
    static func crossing(_ line: Int, upperX: Int32, upperY: Int32, lowerX: Int32, lowerY: Int32) -> Int32 {
        let run = lowerX &- upperX
        let center = Int32(truncatingIfNeeded: line) &* spacing &+ spacing / 2
        if run < longest && run > -longest {
            let slope = Float(run) / Float(lowerY &- upperY)
            let moved = (Float(center) - Float(upperY)) * slope
            let rounded = moved + 12_582_912
            return upperX &+ Int32(bitPattern: rounded.bitPattern &- 0x4B40_0000)
        }
        let moved = Int64(run) &* Int64(center &- upperY) / Int64(lowerY &- upperY)
        return upperX &+ Int32(truncatingIfNeeded: moved)
    }
}

/// One number per line of ``SampleLines``: x in 1/256 pixel from the left of a group of boundaries that is at most
/// ``widest`` pixels wide.
typealias SampleLanes = SIMD16<Int16>

extension SampleLanes {
    /// Maximum width of a group in pixels. x and, in its lowest bit, the direction of a boundary then fit 16 bits.
    static let widest = 62
    /// Marks a line that is not crossed, or crossed right of the group.
    static let none: Int16 = 16_383

    /// Width of a group, in pixels, in which the crossings of all parts can be computed in `Float`.
    static let narrow: Int32 = SampleLines.longest >> 8

    /// The crossings of `boundary` with each line, or ``none``. Crossings left of the window count as on its left side.
    /// - Parameters:
    ///   - origin: in 1/256 pixel from the left of the window.
    ///   - isNarrow: whether the boundary lies within ``narrow`` pixels from there on.
    @inline(__always)
    init(_ boundary: UnsafePointer<Boundary>, of row: SweptRow, origin: Int32, isNarrow: Bool) {
        let origins = SampleLanes(repeating: Int16(truncatingIfNeeded: origin))
        // Counted from the left of the window, modulo 2^16, until all parts are done.
        self = origins &+ SampleLanes(repeating: Self.none)
        var part = boundary.pointee.firstPart
        let end = boundary.pointee.endPart
        while part < end {
            let x =
                isNarrow
                ? Self.shortCrossings(row.parts, part) : Self.crossings(row.parts, part, origin: origin) &+ origins
            // Negative in the lines from the upper end, included, to the lower end, not included.
            let upper = SampleLanes(repeating: row.parts.shortY0(part))
            let lower = SampleLanes(repeating: row.parts.shortY1(part))
            let isInside = (upper &- (SampleLines.centerRows &+ 1)) & (SampleLines.centerRows &- lower)
            self = inkpanel_choose_short(isInside, x, self)
            part &+= 1
        }
        self = self &- origins
    }

    /// The crossings of the line through a part narrower than ``SampleLines/longest`` with each sample line, from the
    /// left of the window, modulo 2^16. Any value on lines that the part does not cross.
    @inline(__always)
    private static func shortCrossings(_ parts: EdgePartList, _ part: Int32) -> SampleLanes {
        let upperY = parts.y0(part)
        let slope = Float(parts.x1(part) &- parts.x0(part)) / Float(parts.y1(part) &- upperY)
        let upper = SIMD8(repeating: Float(upperY))
        // The low bits of 1.5 x 2^23 + q are q rounded to nearest.
        let even = (SampleLines.evenCenters - upper) * slope + 12_582_912
        let uneven = (SampleLines.unevenCenters - upper) * slope + 12_582_912
        // The halves of a word, the low one first, are two lines in their order.
        let moved =
            unsafeBitCast(even, to: SIMD8<Int32>.self) & 0xFFFF
            | unsafeBitCast(uneven, to: SIMD8<Int32>.self) &<< 16
        return unsafeBitCast(moved, to: SampleLanes.self) &+ SampleLanes(repeating: parts.shortX0(part))
    }

    /// The crossings of any part with each sample line, from `origin`: 0 to ``none``.
    @inline(__always)
    private static func crossings(_ parts: EdgePartList, _ part: Int32, origin: Int32) -> SampleLanes {
        let upperY = parts.y0(part)
        let lowerY = parts.y1(part)
        let upperX = parts.x0(part)
        let lowerX = parts.x1(part)
        let run = lowerX &- upperX
        let left = upperX &- origin
        let longest = SampleLines.longest
        // Everything fits 16 bits.
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

    /// Whether all these crossings lie left of the others, or all right of them.
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

/// The samples of four pixels: the integrals over each pixel of the winding number and of the ink (1 inside, 0
/// outside), in units of ``Coverage``.
///
/// The inked area is the sampled ink, scaled by the ratio of the exact to the sampled integral of the winding number: a
/// ratio estimator, in which most of the sampling error cancels. If the samples show no overlap, the area equals the
/// unresolved one to the bit, so that it does not matter whether a pixel was resolved.
struct SampledAreas {
    private let winding, ink: SIMD4<Int32>

    @inline(__always)
    init(winding: SIMD4<Int32>, ink: SIMD4<Int32>) {
        self.winding = winding
        self.ink = ink
    }

    /// The inked areas. All possible answers are computed and masks choose, because a branch on the samples would be
    /// mispredicted at the end of a long chain of instructions.
    /// - Parameter integrals: the exact integrals of the winding number.
    @inline(__always)
    func areas(_ integrals: SIMD4<Int32>, _ rule: FillRule) -> SIMD4<Int32> {
        let windings = SIMD8(lowHalf: integrals, highHalf: winding)
        // The areas without overlaps, from the exact integrals and from the sampled ones.
        let plain = Coverage.areas(windings, rule)
        let isOverlap = Self.isNotZero(plain.highHalf ^ ink)
        switch rule {
        case .nonZero:
            let sizes = inkpanel_abs(windings)
            let (exact, sampled) = (sizes.lowHalf, sizes.highHalf)
            // The sampled ink, scaled.
            let share = inkpanel_quotients(ink, exact, sampled, Coverage.full)
            // If up and down cancel, the ratio says nothing: correct the ink by the difference of the integrals. An
            // exact integral of zero has no sign and gets no correction.
            let isSigned = Self.isNotZero(integrals)
            let sign = integrals &>> 31
            let missing = integrals &- winding
            let shifted = Self.limited(ink &+ (((missing ^ sign) &- sign) & isSigned))
            let isShare = isSigned & (ink &- sampled) & ~(integrals ^ winding)
            return inkpanel_choose_four(isOverlap, inkpanel_choose_four(isShare, share, shifted), plain.lowHalf)
        case .evenOdd:
            return inkpanel_choose_four(isOverlap, ink, plain.lowHalf)
        }
    }

    /// Negative where a lane is not zero.
    @inline(__always)
    private static func isNotZero(_ lanes: SIMD4<Int32>) -> SIMD4<Int32> { (lanes | (0 &- lanes)) &>> 31 }

    /// 0...``Coverage/full``.
    @inline(__always)
    private static func limited(_ areas: SIMD4<Int32>) -> SIMD4<Int32> {
        let positive = areas & ~(areas &>> 31)
        let missing = Coverage.full &- positive
        return positive &+ (missing & (missing &>> 31))
    }
}
