// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The chains that cross the current band, and those that begin in later bands. Corresponds to the active edge list of
/// scanline conversion, with chains instead of edges.
struct ActiveChains: ~Copyable {
    /// The first chain that begins in each band; the others follow by ``Chain/next``.
    private var heads: UnsafeMutablePointer<Int32>
    private var headCapacity = 64
    private var chains: UnsafeMutablePointer<ActiveChain>
    /// Indices in `chains` of those that cross the band. Once sorted, the upper 32 bits have the chain's x.
    private var order: UnsafeMutablePointer<Int64>
    private var capacity = 64
    /// The number of chains that have been begun.
    private var begun = 0
    /// The number of begun chains that have not ended.
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

    /// Lists the chains that reach into a window by the band in which they begin.
    @inline(__always)
    mutating func begin(_ contours: borrowing Contours, _ window: Window, bandBits: Int) {
        let bandCount = (Int(window.height) &- 1) &>> bandBits &+ 1
        if bandCount > headCapacity { growHeads(bandCount) }
        if contours.chainCount > capacity { grow(contours.chainCount) }
        // Small pieces have one band, and the other line is a call.
        if bandCount == 1 { heads[0] = -1 } else { heads.update(repeating: -1, count: bandCount) }
        begun = 0
        count = 0
        let bottom = window.height &<< 8
        let list = contours.chains
        let vertices = contours.vertices
        var index = 0
        while index < contours.chainCount {
            let top = vertices[Int(list[index].upper)].y &- window.originY
            if top < bottom && vertices[Int(list[index].lower)].y &- window.originY > 0 {
                let head = heads + (Int(top < 0 ? 0 : top) &>> (8 &+ bandBits))
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

    /// Walks all chains through a band and removes those that end in it.
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

    /// Sorts the chains by where they enter the band. Their boundaries are then nearly sorted, which
    /// ``BoundaryOrder`` needs in crowded rows.
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

/// A chain that is being walked from its upper end to its lower one.
///
/// It keeps only the current edge. Where an edge crosses a row is computed from the edge's upper end, so the result
/// does not depend on where the walk begins.
struct ActiveChain {
    /// The lower end of the current edge, as an index in ``Contours/vertices``.
    private var vertex: Int
    /// The lower end of the chain.
    private let last: Int
    /// The step from a vertex to the one below it: 1 if the contour leads down, -1 if it leads up.
    private let stride: Int
    /// About where the chain enters the current band, in 1/256 pixel from the left of the window. For sorting only.
    private(set) var x: Int32
    private(set) var isAtEnd = false

    /// - Parameter isClipped: whether the chain may begin above the window. Edges that end there are skipped.
    @inline(__always)
    init(_ chain: Chain, of vertices: UnsafePointer<FixedPoint2>, _ window: Window, isClipped: Bool) {
        stride = chain.lower > chain.upper ? 1 : -1
        last = Int(chain.lower)
        x = vertices[Int(chain.upper)].x &- window.originX
        vertex = Int(chain.upper) + stride
        if isClipped {
            while vertex != last && vertices[vertex].y <= window.originY { vertex += stride }
        }
        skipLevel(vertices)
    }

    /// Skips level edges on the line between two rows, which bound no area in either row.
    @inline(__always)
    private mutating func skipLevel(_ vertices: UnsafePointer<FixedPoint2>) {
        while vertices[vertex].y & 255 == 0 && vertices[vertex &- stride].y == vertices[vertex].y {
            if vertex == last {
                isAtEnd = true
                return
            }
            vertex &+= stride
        }
    }

    /// Walks through the rows of a band, to the end of the band or the chain, and adds the parts and boundaries there.
    /// - Parameters:
    ///   - top, bottom: the sides of the band in 1/256 pixel, like all positions here.
    @inline(__always)
    mutating func walk(
        _ band: inout Band, _ contours: borrowing Contours, _ window: Window, top: Int32, bottom bandBottom: Int32,
        isClipped: Bool
    ) {
        // A copy, which stays in registers.
        var chain = self
        let stride = self.stride
        let vertices = UnsafePointer(contours.vertices)
        // Indexed by the vertex at which an edge ends.
        let slopes = UnsafePointer(contours.slopes) - (stride > 0 ? 1 : 0)
        var upperX = vertices[chain.vertex &- stride].x &- window.originX
        var upperY = vertices[chain.vertex &- stride].y &- window.originY
        var lowerY = vertices[chain.vertex].y &- window.originY
        var x = upperX
        var y = upperY
        if upperY < top {
            x = Slope.position(Slope.start(upperX) &+ slopes[chain.vertex] &* Int64(top &- upperY))
            y = top
        }
        // The lower side of the current row.
        var bottom = (y | 255) &+ 1
        var pen = BandPen(
            &band, row: Int((y &- top) >> 8), x: x, y: y & 255, up: Int32(truncatingIfNeeded: stride) >> 31,
            width: window.width, edges: (last &- chain.vertex) &* stride &+ 1)

        while true {
            if lowerY > bottom {
                let slope = slopes[chain.vertex]
                let step = slope &<< 8
                var next = Slope.start(upperX) &+ slope &* Int64(bottom &- upperY)
                repeat {
                    pen.line(toX: Slope.position(next), y: 256)
                    pen.endRow(isClipped: isClipped)
                    next &+= step
                    bottom &+= 256
                } while lowerY > bottom && bottom <= bandBottom
                if bottom > bandBottom { break }
            }
            let lowerX = vertices[chain.vertex].x &- window.originX
            pen.line(toX: lowerX, y: lowerY &- bottom &+ 256)
            if chain.vertex == chain.last {
                chain.isAtEnd = true
                pen.turn()
                pen.endRow(isClipped: isClipped)
                break
            }
            chain.vertex &+= stride
            upperX = lowerX
            if lowerY == bottom {
                pen.endRow(isClipped: isClipped)
                chain.skipLevel(vertices)
                upperX = vertices[chain.vertex &- stride].x &- window.originX
                pen.move(toX: upperX)
                if bottom == bandBottom || chain.isAtEnd { break }
                bottom &+= 256
            }
            upperY = lowerY
            lowerY = vertices[chain.vertex].y &- window.originY
        }
        chain.x = pen.x
        pen.end(&band)
        self = chain
    }
}
