// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// What the ``SampleLines`` tell of four pixels: the integrals over each of the winding number and of the ink (1
/// inside, 0 outside), in units of ``Coverage``.
///
/// The inked area is the sampled one, as much larger or smaller as the exact mean winding is than the sampled one (a
/// ratio estimator): what both have of the noise of sampling cancels. Where the sampled windings show no overlap it is
/// the unresolved one to the bit, so it cannot matter whether a pixel was resolved.
struct SampledAreas {
    private let winding, ink: SIMD4<Int32>

    @inline(__always)
    init(winding: SIMD4<Int32>, ink: SIMD4<Int32>) {
        self.winding = winding
        self.ink = ink
    }

    /// The inked areas.
    ///
    /// All answers there may be are computed, and masks choose. Samples are known at the end of a long way, and a
    /// wrong guess of what they say would cost as much as the way.
    /// - Parameter integrals: the exact ones of the winding number.
    @inline(__always)
    func areas(_ integrals: SIMD4<Int32>, _ rule: FillRule) -> SIMD4<Int32> {
        let windings = SIMD8(lowHalf: integrals, highHalf: winding)
        // What the areas were without overlaps, by the exact integrals and by the sampled ones.
        let plain = Coverage.areas(windings, rule)
        let isOverlap = Self.isNotZero(plain.highHalf ^ ink)
        switch rule {
        case .nonZero:
            let sizes = inkpanel_abs(windings)
            let (exact, sampled) = (sizes.lowHalf, sizes.highHalf)
            // As much of the exact integral as of the sampled one.
            let share = inkpanel_quotients(ink, exact, sampled, Coverage.full)
            // Or up and down cancel. Nothing to go by where they do so wholly; the same for a path walked the other
            // way. An exact integral of zero has the sign of neither.
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

    /// Below zero where a lane is not zero.
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
