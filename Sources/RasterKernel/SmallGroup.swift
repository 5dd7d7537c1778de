// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// Resolves a group of few boundaries on all ``SampleLines`` at once, with the same result as ``OverlapResolver``.
struct SmallGroup: ~Copyable {
    /// Maximum number of boundaries. The number of exchanges grows with its square, and the sums of gains over all
    /// lines of a pixel must fit 32 bits, as 31 x 16 x 256 << 14 does.
    static let most = 31
    /// The lowest bit of the winding number in a gain. The ink is below it; its sum over a pixel is within ±4096.
    private static let windingBits: Int32 = 14

    /// x << 1, plus 1 for a boundary that leads down. Once sorted, x alone.
    private let keys: UnsafeMutablePointer<SampleLanes>
    /// The changes of the winding number and of the ink (1 inside, 0 outside) at each crossing, packed in one number.
    private let gains: UnsafeMutablePointer<SampleLanes>
    private var count = 0
    private var base: Int32 = 0
    private var baseInk: Int32 = 0

    /// The key of a missing boundary.
    @inline(__always)
    private static var nowhere: SampleLanes { SampleLanes(repeating: SampleLanes.none &<< 1 | 1) }

    init() {
        keys = .allocate(capacity: Self.most)
        gains = .allocate(capacity: Self.most)
    }

    deinit {
        keys.deallocate()
        gains.deallocate()
    }

    /// Begins a group.
    /// - Parameter base: the winding number left of the group.
    @inline(__always)
    mutating func begin(base: Int32) {
        count = 0
        self.base = base
    }

    /// Adds a boundary.
    @inline(__always)
    mutating func add(_ lanes: SampleLanes, isDown: Bool) {
        keys[count] = (lanes &<< 1) | (isDown ? 1 : 0)
        count &+= 1
    }

    /// Changes cells so that their sums, the integrals of the winding number, become inked areas. At least two
    /// boundaries have been added.
    /// - Parameters:
    ///   - cells: from the left of the group on.
    ///   - before: the sum of the cells left of the group.
    ///   - start, end: the pixels to change, from the left of the group; may be empty. The cell at `end` brings the sum
    ///     back to the integral.
    @inline(__always)
    mutating func resolve(
        _ cells: UnsafeMutablePointer<Int32>, after before: Int32, from start: Int, to end: Int, rule: FillRule
    ) {
        // Nearly all groups have at most four or eight boundaries. Filled up with missing ones, their loops have a
        // constant length and no mispredicted end.
        if count <= 4 {
            // Always write two: a branch would cost more.
            keys[count] = Self.nowhere
            keys[count &+ 1] = Self.nowhere
            sortFour(0)
            computeGains(4, rule)
            correct(cells, before, start, end, 4, rule)
        } else if count <= 8 {
            var index = count
            while index < 8 {
                keys[index] = Self.nowhere
                index &+= 1
            }
            sortFour(0)
            sortFour(4)
            mergeFours()
            computeGains(8, rule)
            correct(cells, before, start, end, 8, rule)
        } else {
            sortMany()
            computeGains(count, rule)
            correct(cells, before, start, end, count, rule)
        }
    }

    @inline(__always)
    private func exchange(_ first: Int, _ second: Int) {
        let left = keys[first]
        let right = keys[second]
        keys[first] = left.smaller(of: right)
        keys[second] = left.larger(of: right)
    }

    @inline(__always)
    private func sortFour(_ first: Int) {
        exchange(first, first &+ 1)
        exchange(first &+ 2, first &+ 3)
        exchange(first, first &+ 2)
        exchange(first &+ 1, first &+ 3)
        exchange(first &+ 1, first &+ 2)
    }

    /// Merges the first four and the next four, each sorted (K. E. Batcher's odd-even merge).
    @inline(__always)
    private func mergeFours() {
        exchange(0, 4)
        exchange(1, 5)
        exchange(2, 6)
        exchange(3, 7)
        exchange(2, 4)
        exchange(3, 5)
        exchange(1, 2)
        exchange(3, 4)
        exchange(5, 6)
    }

    @inline(__always)
    private func sortMany() {
        var end = count &- 1
        while end > 0 {
            var index = 0
            while index < end {
                exchange(index, index &+ 1)
                index &+= 1
            }
            end &-= 1
        }
    }

    /// Computes the gains from left to right.
    @inline(__always)
    private mutating func computeGains(_ count: Int, _ rule: FillRule) {
        // A winding number that the boundaries cannot bring to zero is replaced by a smaller one of the same parity.
        let near = base > 64 ? 64 | base & 1 : base < -64 ? -64 | base & 1 : base
        let mask: Int16 = rule == .nonZero ? -1 : 1
        baseInk = near & Int32(mask) == 0 ? 0 : 1
        var winding = SampleLanes(repeating: Int16(truncatingIfNeeded: near))
        // All ones where there is no ink.
        var outside = inkpanel_is_zero(winding & mask)
        var index = 0
        while index < count {
            let key = keys[index]
            // The direction as a gain: the lowest bit counts for two windings, minus one.
            let bits = Int16(Self.windingBits)
            let change = (key &<< (bits &+ 1)) &- (1 &<< bits)
            keys[index] = key &>> 1
            winding = winding &+ (change &>> bits)
            let now = inkpanel_is_zero(winding & mask)
            gains[index] = change &+ now &- outside
            outside = now
            index &+= 1
        }
    }

    /// Changes the cells of the pixels by the first `count` gains, four at a time. The cell at `end` brings the sum
    /// back to the integral. Up to three more cells are rewritten unchanged, for which ``Band/slack`` has room.
    @inline(__always)
    private func correct(
        _ cells: UnsafeMutablePointer<Int32>, _ sum: Int32, _ start: Int, _ end: Int, _ count: Int, _ rule: FillRule
    ) {
        var integral = sum &+ Self.sum(cells, start)
        var before = gained(start, count)
        // The difference of area and integral in the previous pixel.
        var change: Int32 = 0
        var pixel = start
        while pixel < end {
            let place = UnsafeMutableRawPointer(cells + pixel)
            let old = place.loadUnaligned(as: SIMD4<Int32>.self)
            let integrals = inkpanel_sums_of_four(old) &+ integral
            let after = gainedByFour(pixel, count)
            let isInside = (SIMD4(0, 1, 2, 3) &- Int32(truncatingIfNeeded: end &- pixel)) &>> 31
            let areas = sampled(after &- inkpanel_after(before, after)).areas(integrals, rule)
            let changes = (areas &- integrals) & isInside
            place.storeBytes(of: old &+ changes &- inkpanel_after(change, changes), as: SIMD4<Int32>.self)
            integral = integrals[3]
            before = after[3]
            change = changes[3]
            pixel &+= 4
        }
        cells[pixel] &-= change
    }

    /// The sum of the first cells. There are nearly always fewer than eight, and their number is unpredictable. Up to
    /// seven more cells are read, for which ``Band/slack`` has room.
    @inline(__always)
    private static func sum(_ cells: UnsafePointer<Int32>, _ count: Int) -> Int32 {
        var sum: Int32 = 0
        var index = 0
        while index &+ 8 < count {
            sum &+= cells[index]
            index &+= 1
        }
        let last = UnsafeRawPointer(cells + index).loadUnaligned(as: SIMD8<Int32>.self)
        return sum &+ (last & .first(count &- index)).total
    }

    /// The integral of the gains, over all lines, from the left of the group to the left side of a pixel, in 1/256
    /// pixel. It may wrap, but the gain within a pixel, the difference of two integrals, fits.
    @inline(__always)
    private func gained(_ pixel: Int, _ count: Int) -> Int32 {
        let side = SampleLanes(repeating: Int16(truncatingIfNeeded: pixel &<< 8))
        var sums = SIMD8<Int32>.zero
        var index = 0
        while index < count {
            sums = sums &+ inkpanel_products(inkpanel_excess(side, keys[index]), gains[index])
            index &+= 1
        }
        return sums.total
    }

    /// The same up to the right side of a pixel and of the next three.
    @inline(__always)
    private func gainedByFour(_ pixel: Int, _ count: Int) -> SIMD4<Int32> {
        let side = SampleLanes(repeating: Int16(truncatingIfNeeded: pixel &<< 8))
        let (first, second, third, fourth) = (side &+ 256, side &+ 512, side &+ 768, side &+ 1024)
        var (one, two, three, four) = (
            SIMD8<Int32>.zero, SIMD8<Int32>.zero, SIMD8<Int32>.zero, SIMD8<Int32>.zero
        )
        var index = 0
        while index < count {
            let key = keys[index]
            let gain = gains[index]
            one = one &+ inkpanel_products(inkpanel_excess(first, key), gain)
            two = two &+ inkpanel_products(inkpanel_excess(second, key), gain)
            three = three &+ inkpanel_products(inkpanel_excess(third, key), gain)
            four = four &+ inkpanel_products(inkpanel_excess(fourth, key), gain)
            index &+= 1
        }
        return inkpanel_totals(one, two, three, four)
    }

    /// The samples of four pixels.
    /// - Parameter gained: the gain within each pixel.
    @inline(__always)
    private func sampled(_ gained: SIMD4<Int32>) -> SampledAreas {
        // A full pixel is 16 lines of 256.
        let unitBits = Coverage.fullBits &- 12
        let inkBits = 32 &- Self.windingBits
        let ink = (gained &<< inkBits) &>> inkBits
        return SampledAreas(
            winding: (gained &- ink) &>> (Self.windingBits &- unitBits) &+ base &* Coverage.full,
            ink: ink &<< unitBits &+ baseInk &* Coverage.full)
    }
}
