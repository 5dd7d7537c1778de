// SPDX-License-Identifier: Apache-2.0
import CProcessor
import Geometry

/// The contours of a fill as polygons with corners in 1/256 pixel, and the chains that they consist of. Curves have
/// become chords, and far points have been moved near. Keeps its memory from fill to fill.
struct Contours: ~Copyable {
    /// Spare room after the last corner, for code that reads several at a time.
    private static let slack = 8

    /// All corners, contour after contour.
    private(set) var vertices: UnsafeMutablePointer<FixedPoint2>
    /// The ``Slope`` of each edge, indexed by its first corner.
    private(set) var slopes: UnsafeMutablePointer<Int64>
    private var capacity = 1024
    private(set) var count = 0
    /// Index in `vertices` of the first corner of the current contour.
    private var start = 0
    private(set) var chains: UnsafeMutablePointer<Chain>
    private var chainCapacity = 64
    private(set) var chainCount = 0
    /// The minimum and maximum x (even lanes) and y (odd lanes) of the corners. Each of the four pairs of lanes covers
    /// every fourth corner. Without corners, the minimum is above the maximum.
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

    /// The pixels that the contours touch. There must be a contour.
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

    /// Begins a contour.
    mutating func begin() { start = count }

    /// Makes room for `more` corners.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    /// Adds a corner; the caller has reserved room.
    @inline(__always)
    mutating func append(_ vertex: FixedPoint2) {
        vertices[count] = vertex
        count &+= 1
    }

    /// Closes the contour after `more` corners that were written directly to `vertices`.
    @inline(__always)
    mutating func close(adding more: Int) {
        count &+= more
        close()
    }

    /// Closes the contour, adds it to the box and cuts it into chains. A contour without height has no area and is
    /// dropped.
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
        // All ones if the contour leads up, zero if it leads down.
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
            // The contour began in the middle of a chain: append the chain's first half to its second.
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

    /// Adds the current contour to the box and computes its slopes, four edges at a time, because four divisions take
    /// no longer than one. Copies of the last corner fill up the last four.
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

/// The vertices of a contour between two turns: a y-monotone chain, which may have level edges. It crosses each height
/// at most once.
struct Chain {
    /// Indices of its ends in ``Contours/vertices``. `upper` is the smaller one if the contour leads down.
    var upper, lower: Int32
    /// The next chain that begins in the same band; -1 ends the list.
    var next: Int32 = -1
}

/// The edges of a contour at which it turns between down and up. Found without a branch per edge, because the processor
/// cannot predict where a stroke turns.
struct Turns {
    static let mostEdges = 32
    /// The upper of the two bits of each edge.
    private static let upperBits: UInt64 = 0xAAAA_AAAA_AAAA_AAAA

    /// Two bits an edge; the upper one is set at the first edge after a turn.
    private var bits: UInt64

    /// - Parameters:
    ///   - corners: one more than edges, followed by three readable ones with any value.
    ///   - edges: 1...``mostEdges``.
    ///   - up: all ones if the contour leads up before the first edge, zero if it leads down.
    @inline(__always)
    init(_ corners: UnsafePointer<FixedPoint2>, edges: Int, up: Int32) {
        var ups: UInt64 = 0
        var slanted: UInt64 = 0
        var index = 0
        while index < edges {
            let four = UnsafeRawPointer(corners + index)
            let step =
                four.loadUnaligned(fromByteOffset: 8, as: SIMD8<Int32>.self)
                &- four.loadUnaligned(as: SIMD8<Int32>.self)
            let shift = UInt64(truncatingIfNeeded: index) &<< 1
            ups |= UInt64(inkpanel_signs(step)) &<< shift
            slanted |= UInt64(inkpanel_signs(step | (0 &- step))) &<< shift
            index &+= 4
        }
        let all = Self.upperBits &>> (64 &- UInt64(truncatingIfNeeded: edges) &* 2)
        let before = UInt64(truncatingIfNeeded: up & 2)
        // A level edge has the direction of the edge before it.
        var level = ~slanted & all
        while level != 0 {
            let edge = level & (0 &- level)
            ups = (ups & ~edge) | ((ups &<< 2 | before) & edge)
            level ^= edge
        }
        bits = (ups ^ (ups &<< 2 | before)) & all
    }

    /// The first edge after the next turn.
    @inline(__always)
    mutating func next() -> Int? {
        if bits == 0 { return nil }
        let edge = bits.trailingZeroBitCount >> 1
        bits &= bits &- 1
        return edge
    }
}
