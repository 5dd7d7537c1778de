// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Boundaries from left to right, by their first pixel.
typealias SortedBoundaries = UnsafePointer<UnsafePointer<Boundary>>

/// Puts the boundaries of a row in order from left to right.
struct BoundaryOrder: ~Copyable {
    /// As many as are ranked by their keys, which have room for so many places.
    static let few = 64
    private static let placeBits: Int32 = 6

    private var sorted: UnsafeMutablePointer<UnsafePointer<Boundary>>
    /// One that lies right of all others. It follows the last one twice, so that who walks along a row and looks at
    /// the next boundary, too, need not count.
    private let beyond: UnsafeMutablePointer<Boundary>
    private static let guards = 2
    /// First pixels and, below them, indices: of rows of more than ``few``.
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

    /// What sorts a boundary by its first pixel: that, from -1 on, and below it, to make keys differ, its place in the
    /// row's list. Of no use in rows of more than ``few`` boundaries, where there is no room for the place.
    @inline(__always)
    static func key(firstX: Int32, place: Int) -> Int32 {
        firstX &<< placeBits &+ Int32(truncatingIfNeeded: place)
    }

    /// Puts the boundaries of a row in order, and after the last of them two that lie right of all.
    /// - Returns: the list, which is the next row's after the next call.
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

    /// Puts up to eight of them where they belong. How a row's boundaries lie is as good as random where strokes turn;
    /// the rank of a key is how many are smaller, which has no branch that the processor could guess wrong.
    /// Lanes beyond the row's last are made of what happens to be in memory, and dropped.
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
            // Without a sign it needs no extension to 64 bits.
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
