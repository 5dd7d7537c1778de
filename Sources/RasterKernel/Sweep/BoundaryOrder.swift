// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// The boundaries of a row from left to right.
struct BoundaryOrder: ~Copyable {
    /// As many as are ranked at once: their places fit the keys of ``RowEntry``.
    static let few = 64

    /// Indices of boundaries, sorted by their first pixel.
    private(set) var sorted: UnsafeMutablePointer<Int32>
    private var keys: UnsafeMutablePointer<Int64>
    private var capacity = 64

    init() {
        sorted = .allocate(capacity: capacity)
        keys = .allocate(capacity: capacity)
    }

    deinit {
        sorted.deallocate()
        keys.deallocate()
    }

    /// Puts the boundaries of a row of a band in order.
    @inline(__always)
    mutating func sort(_ row: UnsafePointer<RowEntry>, count: Int, _ swept: SweptRow) {
        if count <= 8 {
            rank(row, 0, count)
        } else if count <= Self.few {
            var lane = 0
            while lane < count {
                rank(row, lane, count)
                lane &+= 8
            }
        } else {
            sortMany(row, count: count, swept)
        }
    }

    /// Puts up to eight of them where they belong. How a row's boundaries lie is as good as random where strokes turn;
    /// the rank of a key is how many are smaller, which has no branch that the processor could guess wrong.
    /// Lanes beyond the row's last are made of what happens to be in memory, and dropped.
    @inline(__always)
    private func rank(_ row: UnsafePointer<RowEntry>, _ start: Int, _ count: Int) {
        let all = UnsafeRawPointer(row).assumingMemoryBound(to: Int32.self)
        let lanes = UnsafeRawPointer(row + start).loadUnaligned(as: SIMD16<Int32>.self)
        let keys = lanes.evenHalf
        var ranks = SIMD8<Int32>.zero
        var other = 0
        while other < count {
            ranks = ranks &- inkpanel_less(SIMD8(repeating: all[other &* 2]), keys)
            other &+= 1
        }
        let sorted = self.sorted
        let last = count &- start < 8 ? count &- start : 8
        var lane = 0
        while lane < last {
            sorted[Int(ranks[lane])] = all[(start &+ lane) &* 2 &+ 1]
            lane &+= 1
        }
    }

    @inline(never)
    private mutating func sortMany(_ row: UnsafePointer<RowEntry>, count: Int, _ swept: SweptRow) {
        if count > capacity { grow(count) }
        for index in 0..<count {
            let boundary = row[index].boundary
            keys[index] = Int64(swept.boundary(boundary).pointee.firstX) << 32 | Int64(boundary)
        }
        shellSort(keys, count: count)
        for index in 0..<count { sorted[index] = Int32(truncatingIfNeeded: keys[index]) }
    }

    private mutating func grow(_ count: Int) {
        while capacity < count { capacity *= 2 }
        keys.deallocate()
        keys = .allocate(capacity: capacity)
        sorted.deallocate()
        sorted = .allocate(capacity: capacity)
    }
}
