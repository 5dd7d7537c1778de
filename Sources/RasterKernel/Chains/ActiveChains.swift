// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The chains that pass the band in hand, and those that wait for theirs.
struct ActiveChains: ~Copyable {
    /// The first chain that begins in each band, by ``Chain/next``.
    private var heads: UnsafeMutablePointer<Int32>
    private var headCapacity = 64
    private var chains: UnsafeMutablePointer<ActiveChain>
    /// Places in `chains` of those that pass the band; above each, once sorted, its x.
    private var order: UnsafeMutablePointer<Int64>
    private var capacity = 64
    /// Chains that have been begun, and of these those that are not at their end.
    private var begun = 0
    private(set) var count = 0

    init() {
        heads = .allocate(capacity: headCapacity)
        chains = .allocate(capacity: capacity)
        order = .allocate(capacity: capacity)
    }

    deinit {
        heads.deallocate()
        chains.deallocate()
        order.deallocate()
    }

    /// Puts the chains that reach into a window into the lists of the bands where they begin.
    @inline(__always)
    mutating func begin(_ contours: borrowing Contours, _ window: Window, bandBits: Int) {
        let bandCount = (Int(window.height) &- 1) >> bandBits &+ 1
        if bandCount > headCapacity { growHeads(bandCount) }
        if contours.chainCount > capacity { grow(contours.chainCount) }
        heads.update(repeating: -1, count: bandCount)
        begun = 0
        count = 0
        let bottom = window.height &<< 8
        let list = contours.chains
        let vertices = contours.vertices
        var index = 0
        while index < contours.chainCount {
            let top = vertices[Int(list[index].upper)].y &- window.originY
            if top < bottom && vertices[Int(list[index].lower)].y &- window.originY > 0 {
                let head = heads + (Int(top < 0 ? 0 : top) >> (8 &+ bandBits))
                list[index].next = head.pointee
                head.pointee = Int32(truncatingIfNeeded: index)
            }
            index &+= 1
        }
    }

    /// Adds the chains that begin in a band.
    @inline(__always)
    mutating func begin(band: Int, _ contours: borrowing Contours, _ window: Window, isClipped: Bool) {
        var index = heads[band]
        while index >= 0 {
            let chain = contours.chains[Int(index)]
            let active = ActiveChain(chain, of: contours.vertices, window, isClipped: isClipped)
            if !active.isAtEnd {
                chains[begun] = active
                order[count] = Int64(begun)
                begun &+= 1
                count &+= 1
            }
            index = chain.next
        }
    }

    /// Walks all chains through a band and forgets those that end in it.
    @inline(__always)
    mutating func walk(
        _ band: inout Band, _ contours: borrowing Contours, _ window: Window, top: Int, rows: Int, isClipped: Bool
    ) {
        let bandTop = Int32(truncatingIfNeeded: top) &<< 8
        let bandBottom = bandTop &+ Int32(truncatingIfNeeded: rows) &<< 8
        let chains = self.chains
        let order = self.order
        if count > BoundaryOrder.few { sort() }
        var kept = 0
        var index = 0
        while index < count {
            let chain = chains + Int(order[index] & 0xFFFF_FFFF)
            chain.pointee.walk(&band, contours, window, top: bandTop, bottom: bandBottom, isClipped: isClipped)
            order[kept] = order[index]
            kept &+= chain.pointee.isAtEnd ? 0 : 1
            index &+= 1
        }
        count = kept
    }

    /// Puts the chains in the order in which they come into the band: their boundaries then are nearly sorted, for
    /// ``BoundaryOrder`` where they are many.
    @inline(__always)
    private func sort() {
        var index = 0
        while index < count {
            let place = order[index] & 0xFFFF_FFFF
            order[index] = Int64(chains[Int(place)].x) &<< 32 | place
            index &+= 1
        }
        shellSort(order, count: count)
    }

    @inline(never)
    private mutating func growHeads(_ count: Int) {
        while headCapacity < count { headCapacity *= 2 }
        heads.deallocate()
        heads = .allocate(capacity: headCapacity)
    }

    @inline(never)
    private mutating func grow(_ count: Int) {
        while capacity < count { capacity *= 2 }
        chains.deallocate()
        chains = .allocate(capacity: capacity)
        order.deallocate()
        order = .allocate(capacity: capacity)
    }
}
