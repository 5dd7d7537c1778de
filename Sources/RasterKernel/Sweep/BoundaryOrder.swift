// SPDX-License-Identifier: Apache-2.0

/// The boundaries of a row from left to right.
struct BoundaryOrder: ~Copyable {
    /// As many as are ranked at once.
    private static let few = 16

    /// Indices of boundaries, sorted by their first pixel.
    private(set) var sorted: UnsafeMutablePointer<Int32>
    private var keys: UnsafeMutablePointer<Int64>
    private var capacity = 64
    private let fewKeys: UnsafeMutablePointer<SIMD16<Int32>>
    private let fewRanks: UnsafeMutablePointer<SIMD16<Int32>>

    init() {
        sorted = .allocate(capacity: capacity)
        keys = .allocate(capacity: capacity)
        fewKeys = .allocate(capacity: 1)
        fewRanks = .allocate(capacity: 1)
    }

    deinit {
        sorted.deallocate()
        keys.deallocate()
        fewKeys.deallocate()
        fewRanks.deallocate()
    }

    /// Sorts the list of boundaries that begins at `head`; returns how many there are.
    @inline(__always)
    mutating func sort(head: Int32, _ boundaries: UnsafePointer<Boundary>) -> Int {
        var count = 0
        var index = head
        fewKeys.pointee = SIMD16(repeating: .max)
        let lanes = UnsafeMutableRawPointer(fewKeys).assumingMemoryBound(to: Int32.self)
        // Behind the sorted ones, where ranks do not reach.
        let unsorted = sorted + Self.few
        while index >= 0 {
            if count == Self.few { return sortMany(head: head, boundaries) }
            let boundary = boundaries + Int(index)
            let first = boundary.pointee.firstX
            // All left of the window are equal; the place in the list makes keys differ.
            lanes[count] = (first < 0 ? 0 : first &+ 1) &<< 4 | Int32(truncatingIfNeeded: count)
            unsorted[count] = index
            count &+= 1
            index = boundary.pointee.next
        }
        // The rank of a key is how many are smaller: no branch that the processor could guess wrong.
        let all = fewKeys.pointee
        var ranks = SIMD16<Int32>.zero
        var lane = 0
        while lane < count {
            ranks = ranks &- ((SIMD16(repeating: lanes[lane]) &- all) &>> 31)
            lane &+= 1
        }
        fewRanks.pointee = ranks
        let places = UnsafeRawPointer(fewRanks).assumingMemoryBound(to: Int32.self)
        lane = 0
        while lane < count {
            sorted[Int(places[lane])] = unsorted[lane]
            lane &+= 1
        }
        return count
    }

    @inline(never)
    private mutating func sortMany(head: Int32, _ boundaries: UnsafePointer<Boundary>) -> Int {
        var count = 0
        var index = head
        while index >= 0 {
            if count == capacity { grow() }
            let boundary = boundaries + Int(index)
            let first = boundary.pointee.firstX
            keys[count] = Int64(first < 0 ? -1 : first) << 32 | Int64(count)
            sorted[count] = index
            count &+= 1
            index = boundary.pointee.next
        }
        shellSort(keys, count: count)
        for place in 0..<count {
            keys[place] = Int64(sorted[Int(truncatingIfNeeded: keys[place] & 0xFFFF_FFFF)])
        }
        for place in 0..<count { sorted[place] = Int32(truncatingIfNeeded: keys[place]) }
        return count
    }

    private mutating func grow() {
        let largerKeys = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * 2)
        largerKeys.moveInitialize(from: keys, count: capacity)
        keys.deallocate()
        keys = largerKeys
        let larger = UnsafeMutablePointer<Int32>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: sorted, count: capacity)
        sorted.deallocate()
        sorted = larger
        capacity *= 2
    }
}
