// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Boundaries sorted by their first pixel.
typealias SortedBoundaries = UnsafePointer<UnsafePointer<Boundary>>

/// Sorts the boundaries of a row from left to right.
struct BoundaryOrder: ~Copyable {
    /// Maximum number of boundaries that are sorted by their keys, limited by the bits for the place in a key.
    static let few = 64
    private static let placeBits: Int32 = 6

    private var sorted: UnsafeMutablePointer<UnsafePointer<Boundary>>
    /// A boundary right of all others. It follows the last one twice, so that code that looks at the next boundaries
    /// need not count.
    private let beyond: UnsafeMutablePointer<Boundary>
    private static let guards = 2
    /// Sort keys for more than ``few`` boundaries: the first pixel in the upper 32 bits, the index in the lower ones.
    private var pairs: UnsafeMutablePointer<Int64>
    private var capacity = 64

    init() {
        sorted = .allocate(capacity: capacity + Self.guards)
        pairs = .allocate(capacity: capacity)
        beyond = .allocate(capacity: 1)
        beyond.initialize(to: Boundary(firstX: .max, lastX: .max, height: 0, firstPart: 0, endPart: 0))
    }

    deinit {
        sorted.deallocate()
        pairs.deallocate()
        beyond.deallocate()
    }

    /// The sort key of a boundary: its first pixel, at least -1, and in the low bits its place in the row's list, which
    /// makes keys unique. Not usable in rows of more than ``few`` boundaries.
    @inline(__always)
    static func key(firstX: Int32, place: Int) -> Int32 {
        firstX &<< placeBits &+ Int32(truncatingIfNeeded: place)
    }

    /// Sorts the boundaries of a row, followed by two that lie right of all others.
    /// - Returns: the list, valid until the next call.
    @inline(__always)
    mutating func sort(_ row: SweptRow) -> SortedBoundaries {
        if row.count <= 8 {
            rank(row, 0)
        } else if row.count <= Self.few {
            var start = 0
            while start < row.count {
                rank(row, start)
                start &+= 8
            }
        } else {
            sortMany(row)
        }
        sorted[row.count] = UnsafePointer(beyond)
        sorted[row.count &+ 1] = UnsafePointer(beyond)
        return UnsafePointer(sorted)
    }

    /// Stores up to eight boundaries at their ranks. The rank of a key is the number of smaller keys, and counting them
    /// needs no unpredictable branch. Lanes beyond the last boundary have any value and are ignored.
    @inline(__always)
    private func rank(_ row: SweptRow, _ start: Int) {
        let count = row.count
        let all = row.keys
        let keys = UnsafeRawPointer(all + start).loadUnaligned(as: SIMD8<Int32>.self)
        var ranks = SIMD8<Int32>.zero
        var other = 0
        while other < count {
            ranks = ranks &- inkpanel_less(SIMD8(repeating: all[other]), keys)
            other &+= 1
        }
        let sorted = self.sorted
        let boundaries = row.boundary(Int32(truncatingIfNeeded: start))
        let last = count &- start < 8 ? count &- start : 8
        var lane = 0
        while lane < last {
            // Unsigned, so that it needs no sign extension to 64 bits.
            sorted[Int(UInt32(bitPattern: ranks[lane]))] = boundaries + lane
            lane &+= 1
        }
    }

    @inline(never)
    private mutating func sortMany(_ row: SweptRow) {
        let count = row.count
        if count > capacity { grow(count) }
        for index in 0..<count {
            let boundary = Int32(truncatingIfNeeded: index)
            pairs[index] = Int64(row.boundary(boundary).pointee.firstX) << 32 | Int64(boundary)
        }
        shellSort(pairs, count: count)
        for index in 0..<count { sorted[index] = row.boundary(Int32(truncatingIfNeeded: pairs[index])) }
    }

    private mutating func grow(_ count: Int) {
        while capacity < count { capacity *= 2 }
        pairs.deallocate()
        pairs = .allocate(capacity: capacity)
        sorted.deallocate()
        sorted = .allocate(capacity: capacity + Self.guards)
    }
}

/// Sorts in place without allocating. For few values this is insertion sort; the gaps (D. Knuth, 1973: 1, 4, 13, 40
/// ...) keep a rare row of thousands from quadratic time.
@inline(__always)
func shellSort<Value: FixedWidthInteger>(_ values: UnsafeMutablePointer<Value>, count: Int) {
    var gap = 1
    while gap < count / 9 { gap = 3 &* gap &+ 1 }
    while gap > 0 {
        var index = gap
        while index < count {
            let value = values[index]
            var hole = index
            while hole >= gap && values[hole &- gap] > value {
                values[hole] = values[hole &- gap]
                hole &-= gap
            }
            values[hole] = value
            index &+= 1
        }
        gap /= 3
    }
}
