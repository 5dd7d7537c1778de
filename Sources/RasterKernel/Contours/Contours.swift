// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// The contours of a fill as polygons with corners in 1/256 pixel: what is left of paths once curves are chords and
/// far points are brought near; and the chains that these fall into. Keeps its memory from fill to fill.
struct Contours: ~Copyable {
    /// Corners for which there is room beyond those there are, for who reads some at a time.
    private static let slack = 8

    /// All corners, contour after contour.
    private(set) var vertices: UnsafeMutablePointer<FixedPoint2>
    /// Of each edge, by its first corner; see ``Slope``.
    private(set) var slopes: UnsafeMutablePointer<Int64>
    private var capacity = 1024
    private(set) var count = 0
    /// Where the contour in hand starts in `vertices`.
    private var start = 0
    private(set) var chains: UnsafeMutablePointer<Chain>
    private var chainCapacity = 64
    private(set) var chainCount = 0
    /// The least and the greatest x and y of all corners, in four pairs of lanes for every fourth of them; least above
    /// greatest when there are none.
    private var least = SIMD8<Int32>(repeating: .max)
    private var greatest = SIMD8<Int32>(repeating: .min)

    init() {
        vertices = .allocate(capacity: capacity)
        slopes = .allocate(capacity: capacity)
        chains = .allocate(capacity: chainCapacity)
    }

    deinit {
        vertices.deallocate()
        slopes.deallocate()
        chains.deallocate()
    }

    /// Whether no contour has an area.
    var isEmpty: Bool { chainCount == 0 }

    /// The pixels that all contours touch; there is a contour.
    @inline(__always)
    var box: PixelRect {
        let bits = FixedPoint.fractionBits
        let most = FixedPoint.one &- 1
        let upperLeft = inkpanel_least(least) &>> bits
        let lowerRight = (inkpanel_greatest(greatest) &+ most) &>> bits
        return PixelRect(
            minX: Int(upperLeft.x), minY: Int(upperLeft.y), maxX: Int(lowerRight.x), maxY: Int(lowerRight.y))
    }

    mutating func removeAll() {
        count = 0
        chainCount = 0
        least = SIMD8(repeating: .max)
        greatest = SIMD8(repeating: .min)
    }

    /// Begins a contour; the next corner is its first.
    mutating func begin() { start = count }

    /// Makes room for `more` corners.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    /// Adds a corner for which there is room.
    @inline(__always)
    mutating func append(_ vertex: FixedPoint2) {
        vertices[count] = vertex
        count &+= 1
    }

    /// Closes a contour of which `more` corners have been written behind the others.
    @inline(__always)
    mutating func close(adding more: Int) {
        count &+= more
        close()
    }

    /// Leads the contour back to its first corner, takes it into the box and cuts it into chains. A contour without
    /// extent in y has no area and is dropped.
    mutating func close() {
        reserve(1 &+ Self.slack)
        append(vertices[start])
        let last = count &- 1
        var index = start
        while index < last && vertices[index &+ 1].y == vertices[index].y { index &+= 1 }
        if index == last {
            count = start
            return
        }
        // All ones on the way up, zero on the way down.
        let firstUp = (vertices[index &+ 1].y &- vertices[index].y) >> 31
        var up = firstUp
        var firstTurn = -1
        var turn = start
        index = start
        while index < last {
            let edges = last &- index < Turns.mostEdges ? last &- index : Turns.mostEdges
            var turns = Turns(vertices + index, edges: edges, up: up)
            while let edge = turns.next() {
                let place = index &+ edge
                if firstTurn < 0 { firstTurn = place } else { add(from: turn, to: place, up: up) }
                turn = place
                up = ~up
            }
            index &+= edges
        }
        if up == firstUp {
            // The contour began in the middle of a chain, whose first half is put behind the second.
            let more = firstTurn &- start
            reserve(more)
            (vertices + count).update(from: vertices + (start &+ 1), count: more)
            count &+= more
            add(from: turn, to: count &- 1, up: up)
        } else {
            add(from: turn, to: last, up: up)
            add(from: start, to: firstTurn, up: firstUp)
        }
        measure()
    }

    /// Takes the contour in hand into the box, and computes its slopes. Four edges at a time: a division takes long,
    /// but four take no longer. Of the last four some are none, from copies of the last corner.
    @inline(__always)
    private mutating func measure() {
        reserve(Self.slack)
        let end = vertices + count
        for copy in 0..<4 { end[copy] = end[-1] }
        var (low, high) = (least, greatest)
        var index = start
        while index < count {
            let first = UnsafeRawPointer(vertices + index)
            let from = first.loadUnaligned(as: SIMD8<Int32>.self)
            let to = first.loadUnaligned(fromByteOffset: 8, as: SIMD8<Int32>.self)
            low = inkpanel_min(low, from)
            high = inkpanel_max(high, from)
            let slopes = Slope.ratios(to &- from)
            UnsafeMutableRawPointer(self.slopes + index).storeBytes(of: slopes, as: SIMD4<Int64>.self)
            index &+= 4
        }
        (least, greatest) = (low, high)
    }

    @inline(__always)
    private mutating func add(from first: Int, to last: Int, up: Int32) {
        if chainCount == chainCapacity { growChains() }
        let (first, last) = (Int32(truncatingIfNeeded: first), Int32(truncatingIfNeeded: last))
        chains[chainCount] = Chain(upper: up == 0 ? first : last, lower: up == 0 ? last : first)
        chainCount &+= 1
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        while capacity < count + more { capacity *= 2 }
        let larger = UnsafeMutablePointer<FixedPoint2>.allocate(capacity: capacity)
        larger.moveInitialize(from: vertices, count: count)
        vertices.deallocate()
        vertices = larger
        let largerSlopes = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
        largerSlopes.moveInitialize(from: slopes, count: start)
        slopes.deallocate()
        slopes = largerSlopes
    }

    @inline(never)
    private mutating func growChains() {
        let larger = UnsafeMutablePointer<Chain>.allocate(capacity: chainCapacity * 2)
        larger.moveInitialize(from: chains, count: chainCount)
        chains.deallocate()
        chains = larger
        chainCapacity *= 2
    }
}
