// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// A group of few boundaries on all ``SampleLines`` at once: what the ``OverlapResolver`` does line by line, with the
/// same results.
struct SmallGroup: ~Copyable {
    /// Exchanges grow with the square of it; up to here they take fewer instructions than line by line.
    static let most = 48

    /// x << 1 | 1 for a boundary that goes down; then x alone.
    private let keys: UnsafeMutablePointer<SampleLanes>
    /// What the winding number and the ink (1 inside, 0 outside) gain at each crossing.
    private let windings: UnsafeMutablePointer<SampleLanes>
    private let inks: UnsafeMutablePointer<SampleLanes>
    private var count = 0
    private var base: Int32 = 0
    private var baseInk: Int32 = 0

    /// The key of a boundary that is not there.
    @inline(__always)
    private static var nowhere: SampleLanes { SampleLanes(repeating: SampleLanes.none &<< 1 | 1) }

    init() {
        keys = .allocate(capacity: Self.most)
        windings = .allocate(capacity: Self.most)
        inks = .allocate(capacity: Self.most)
    }

    deinit {
        keys.deallocate()
        windings.deallocate()
        inks.deallocate()
    }

    /// Begins a group.
    /// - Parameter base: the winding number left of it.
    @inline(__always)
    mutating func begin(base: Int32) {
        count = 0
        self.base = base
    }

    /// Takes the next boundary.
    @inline(__always)
    mutating func add(_ lanes: SampleLanes, isDown: Bool) {
        keys[count] = (lanes &<< 1) | (isDown ? 1 : 0)
        count &+= 1
    }

    /// Changes cells so that their sums, which are the integrals of the winding number, are inked areas. Two boundaries
    /// at least have been taken.
    /// - Parameters:
    ///   - cells: from the left of the group on.
    ///   - before: the sum of those left of it.
    ///   - start, end: the pixels, counted from there, which may be none. The cell at `end` brings the sum back to the
    ///     integral.
    @inline(__always)
    mutating func resolve(
        _ cells: UnsafeMutablePointer<Int32>, after before: Int32, from start: Int, to end: Int, rule: FillRule
    ) {
        // Nearly all groups have four boundaries at most, and loops whose length is known have no end to be guessed.
        if count <= 4 {
            // Two, three or four, and two that are nowhere, whether they make up for what is missing or not.
            keys[count] = Self.nowhere
            keys[count &+ 1] = Self.nowhere
            sortFour()
            follow(4, rule)
            resolve(cells, before, start, end, 4, rule)
        } else {
            sortMany()
            follow(count, rule)
            resolve(cells, before, start, end, count, rule)
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
    private func sortFour() {
        exchange(0, 1)
        exchange(2, 3)
        exchange(0, 2)
        exchange(1, 3)
        exchange(1, 2)
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

    /// Follows the winding number from left to right.
    @inline(__always)
    private mutating func follow(_ count: Int, _ rule: FillRule) {
        // A winding number beyond what the boundaries can bring to zero is as good as a small one like it.
        let near = base > 64 ? 64 | base & 1 : base < -64 ? -64 | base & 1 : base
        var winding = SampleLanes(repeating: Int16(truncatingIfNeeded: near))
        var inside = Self.inside(winding, rule)
        baseInk = Int32(inside[0] & 1)
        var index = 0
        while index < count {
            let change = ((keys[index] & 1) &<< 1) &- 1
            keys[index] = keys[index] &>> 1
            windings[index] = change
            winding = winding &+ change
            let now = Self.inside(winding, rule)
            inks[index] = inside &- now
            inside = now
            index &+= 1
        }
    }

    @inline(__always)
    private func resolve(
        _ cells: UnsafeMutablePointer<Int32>, _ before: Int32, _ start: Int, _ end: Int, _ count: Int,
        _ rule: FillRule
    ) {
        var integral = before &+ Self.sum(cells, start)
        var pixel = start
        // By how much the sums are to differ from the integrals.
        var change: Int32 = 0
        while pixel < end {
            let cell = cells[pixel]
            integral &+= cell
            let next = OverlapResolver.area(integral, sums(pixel, count), rule) &- integral
            cells[pixel] = cell &+ next &- change
            change = next
            pixel &+= 1
        }
        cells[pixel] &-= change
    }

    /// The sum of the first cells. They are nearly always fewer than eight, and how many is as good as random. Up to
    /// seven more are read, which ``Band/slack`` allows.
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

    /// All ones where the rule says inside.
    @inline(__always)
    private static func inside(_ winding: SampleLanes, _ rule: FillRule) -> SampleLanes {
        switch rule {
        case .nonZero: (winding | (0 &- winding)) &>> 15
        case .evenOdd: 0 &- (winding & 1)
        }
    }

    /// The sampled integrals over a pixel, in units of ``Coverage``.
    /// - Parameter pixel: from the left of the group.
    @inline(__always)
    private func sums(_ pixel: Int, _ count: Int) -> OverlapResolver.Sums {
        let side = SampleLanes(repeating: Int16(truncatingIfNeeded: (pixel &+ 1) &<< 8))
        var winding = SIMD8<Int32>.zero
        var ink = SIMD8<Int32>.zero
        var index = 0
        while index < count {
            // What of the line's way through the pixel lies right of the crossing.
            let beyond = side &- keys[index]
            let part = beyond.larger(of: .zero).smaller(of: SampleLanes(repeating: 256))
            winding = winding &+ inkpanel_dot_pairs(part, windings[index])
            ink = ink &+ inkpanel_dot_pairs(part, inks[index])
            index &+= 1
        }
        let unit = Coverage.full / 256 / Int32(SampleLines.count)
        return OverlapResolver.Sums(
            winding: winding.total &* unit &+ base &* Coverage.full,
            ink: ink.total &* unit &+ baseInk &* Coverage.full)
    }
}
