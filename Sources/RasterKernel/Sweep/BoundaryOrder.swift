// SPDX-License-Identifier: Apache-2.0

/// The boundaries of a row from left to right.
///
/// They are gathered some rows before they are sorted: by then the numbers have left the processor's store queue, from
/// which a vector cannot be loaded.
struct BoundaryOrder: ~Copyable {
    /// As many as are ranked at once: two vectors of sixteen, the second only where the first does not do.
    private static let few = 32
    private static let vectors = 2
    /// Rows gathered at a time, a power of two.
    private static let rows = 8

    /// Indices of boundaries, sorted by their first pixel.
    private(set) var sorted: UnsafeMutablePointer<Int32>
    private var keys: UnsafeMutablePointer<Int64>
    private var capacity = 64
    /// Of each gathered row: keys, indices, and how many; one more than few is too many.
    private let rowKeys: UnsafeMutablePointer<SIMD16<Int32>>
    private let rowIndices: UnsafeMutablePointer<Int32>
    private let rowCounts: UnsafeMutablePointer<Int>
    private let ranks: UnsafeMutablePointer<SIMD16<Int32>>

    init() {
        sorted = .allocate(capacity: capacity)
        keys = .allocate(capacity: capacity)
        rowKeys = .allocate(capacity: Self.rows * Self.vectors)
        rowIndices = .allocate(capacity: Self.rows * Self.few)
        rowCounts = .allocate(capacity: Self.rows)
        ranks = .allocate(capacity: Self.vectors)
    }

    deinit {
        sorted.deallocate()
        keys.deallocate()
        rowKeys.deallocate()
        rowIndices.deallocate()
        rowCounts.deallocate()
        ranks.deallocate()
    }

    /// Gathers the list of boundaries of row `y` that begins at `head`, and asks for their pixels.
    @inline(__always)
    func gather(_ y: Int, head: Int32, _ boundaries: UnsafePointer<Boundary>, _ target: PrefetchTarget) {
        let slot = y & (Self.rows &- 1)
        let vectors = rowKeys + slot &* Self.vectors
        vectors[0] = SIMD16(repeating: .max)
        vectors[1] = SIMD16(repeating: .max)
        let keys = UnsafeMutableRawPointer(vectors).assumingMemoryBound(to: Int32.self)
        let indices = rowIndices + slot &* Self.few
        var count = 0
        var index = head
        while index >= 0 {
            if count == Self.few {
                count &+= 1
                break
            }
            let boundary = boundaries + Int(index)
            let first = boundary.pointee.firstX
            target.prefetch(y, Int(first))
            // The place in the list makes keys differ.
            keys[count] = (first &+ 1) &<< 5 | Int32(truncatingIfNeeded: count)
            indices[count] = index
            count &+= 1
            index = boundary.pointee.next
        }
        rowCounts[slot] = count
    }

    /// Sorts the boundaries of row `y`, which has been gathered; returns how many there are.
    @inline(__always)
    mutating func sort(_ y: Int, head: Int32, _ boundaries: UnsafePointer<Boundary>) -> Int {
        let slot = y & (Self.rows &- 1)
        let count = rowCounts[slot]
        if count > Self.few { return sortMany(head: head, boundaries) }
        // The rank of a key is how many are smaller: no branch that the processor could guess wrong.
        let vectors = rowKeys + slot &* Self.vectors
        rank(vectors[0], among: vectors, count: count, into: ranks)
        if count > 16 { rank(vectors[1], among: vectors, count: count, into: ranks + 1) }
        let places = UnsafeRawPointer(ranks).assumingMemoryBound(to: Int32.self)
        let indices = rowIndices + slot &* Self.few
        var lane = 0
        while lane < count {
            sorted[Int(places[lane])] = indices[lane]
            lane &+= 1
        }
        return count
    }

    @inline(__always)
    private func rank(
        _ keys: SIMD16<Int32>, among all: UnsafeMutablePointer<SIMD16<Int32>>, count: Int,
        into ranks: UnsafeMutablePointer<SIMD16<Int32>>
    ) {
        let others = UnsafeRawPointer(all).assumingMemoryBound(to: Int32.self)
        var sum = SIMD16<Int32>.zero
        var lane = 0
        while lane < count {
            sum = sum &- ((SIMD16(repeating: others[lane]) &- keys) &>> 31)
            lane &+= 1
        }
        ranks.pointee = sum
    }

    @inline(never)
    private mutating func sortMany(head: Int32, _ boundaries: UnsafePointer<Boundary>) -> Int {
        var count = 0
        var index = head
        while index >= 0 {
            if count == capacity { grow() }
            let boundary = boundaries + Int(index)
            keys[count] = Int64(boundary.pointee.firstX) << 32 | Int64(index)
            count &+= 1
            index = boundary.pointee.next
        }
        shellSort(keys, count: count)
        for place in 0..<count { sorted[place] = Int32(truncatingIfNeeded: keys[place]) }
        return count
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: keys, count: capacity)
        keys.deallocate()
        keys = larger
        sorted.deallocate()
        sorted = .allocate(capacity: capacity * 2)
        capacity *= 2
    }
}
