// SPDX-License-Identifier: Apache-2.0
import Geometry

/// The contours of a fill as polygons with corners in 1/256 pixel: what is left of paths once curves are chords and
/// far points are brought near. Keeps its memory from fill to fill.
struct Contours: ~Copyable {
    /// All corners, contour after contour; each contour ends with its first corner again.
    private(set) var vertices: UnsafeMutablePointer<FixedPoint2>
    private var capacity = 1024
    private(set) var count = 0
    /// Where each contour starts in `vertices`.
    private(set) var starts: UnsafeMutablePointer<Int>
    private var startCapacity = 64
    private(set) var startCount = 0
    /// The box of all corners; minima above maxima when there are none.
    private var minX = Int32.max, minY = Int32.max, maxX = Int32.min, maxY = Int32.min

    /// Whether there is one contour, and it has one chain down and one up: a piece of a live stroke, mostly.
    private(set) var hasTwoChains = false
    /// A vertex of the last contour above which there is none.
    private(set) var topVertex = 0

    init() {
        vertices = .allocate(capacity: capacity)
        starts = .allocate(capacity: startCapacity)
    }

    deinit {
        vertices.deallocate()
        starts.deallocate()
    }

    /// The pixels that all contours touch; there is a contour.
    var box: PixelRect {
        let bits = FixedPoint.fractionBits
        let most = FixedPoint.one &- 1
        return PixelRect(
            minX: Int(minX >> bits), minY: Int(minY >> bits), maxX: Int((maxX &+ most) >> bits),
            maxY: Int((maxY &+ most) >> bits))
    }

    mutating func removeAll() {
        count = 0
        startCount = 0
        (minX, minY, maxX, maxY) = (.max, .max, .min, .min)
    }

    /// Begins a contour; the next corner is its first.
    mutating func begin() {
        if startCount == startCapacity { growStarts() }
        starts[startCount] = count
        startCount &+= 1
    }

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

    /// Leads the contour back to its first corner and takes it into the box. A contour without extent in y has no area
    /// and is dropped.
    mutating func close() {
        let start = starts[startCount &- 1]
        reserve(1)
        append(vertices[start])
        var (left, right) = (Int32.max, Int32.min)
        var (top, bottom) = (Int32.max, Int32.min)
        var topVertex = start
        // All ones on the way up, zero on the way down; how often one follows the other.
        var up = (vertices[start &+ 1].y &- vertices[start].y) >> 31
        var turns: Int32 = 0
        var index = start
        let last = count &- 1
        while index < last {
            let vertex = vertices[index]
            left = vertex.x < left ? vertex.x : left
            right = vertex.x > right ? vertex.x : right
            bottom = vertex.y > bottom ? vertex.y : bottom
            topVertex = vertex.y < top ? index : topVertex
            top = vertex.y < top ? vertex.y : top
            let change = vertices[index &+ 1].y &- vertex.y
            let isMove = (change | (0 &- change)) >> 31
            let turn = ((change >> 31) ^ up) & isMove
            turns &-= turn
            up ^= turn
            index &+= 1
        }
        if top >= bottom {
            count = start
            startCount &-= 1
            return
        }
        self.topVertex = topVertex
        // Once if it began at its top or bottom.
        hasTwoChains = startCount == 1 && turns <= 2
        minX = left < minX ? left : minX
        maxX = right > maxX ? right : maxX
        minY = top < minY ? top : minY
        maxY = bottom > maxY ? bottom : maxY
    }

    /// Closes a contour of which `more` corners have been written behind the others.
    @inline(__always)
    mutating func close(adding more: Int) {
        count &+= more
        close()
    }

    /// Forgets the contour that has just begun.
    mutating func takeBack() { startCount &-= 1 }

    @inline(never)
    private mutating func grow(_ more: Int) {
        while capacity < count + more { capacity *= 2 }
        let larger = UnsafeMutablePointer<FixedPoint2>.allocate(capacity: capacity)
        larger.moveInitialize(from: vertices, count: count)
        vertices.deallocate()
        vertices = larger
    }

    @inline(never)
    private mutating func growStarts() {
        let larger = UnsafeMutablePointer<Int>.allocate(capacity: startCapacity * 2)
        larger.moveInitialize(from: starts, count: startCount)
        starts.deallocate()
        starts = larger
        startCapacity *= 2
    }
}
