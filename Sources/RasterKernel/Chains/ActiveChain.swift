// SPDX-License-Identifier: Apache-2.0

/// A chain on the way from its upper end to its lower one.
///
/// Nothing is kept but which edge is in hand: where an edge passes a row is computed from its upper end, with the same
/// result wherever one begins.
struct ActiveChain {
    /// The lower end of the edge in hand, and that of the chain, in ``Contours/vertices``.
    private var vertex: Int
    private let last: Int
    /// From a vertex to the one below it: 1 when the contour leads down, -1 when it leads up.
    private let stride: Int
    /// 1/256 pixel from the left of the window: where about it comes into the band in hand, to sort by.
    private(set) var x: Int32
    private(set) var isAtEnd = false

    /// - Parameter isClipped: whether the chain may begin above the window; edges that end there are passed over.
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

    /// Passes over level edges on the line between two rows: they bound nothing in either.
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

    /// Goes on through the rows of a band, whose parts and boundaries it adds, to the band's end or its own.
    /// - Parameters:
    ///   - top, bottom: of the band, in 1/256 pixel as all positions here.
    @inline(__always)
    mutating func walk(
        _ band: inout Band, _ contours: borrowing Contours, _ window: Window, top: Int32, bottom bandBottom: Int32,
        isClipped: Bool
    ) {
        // A copy, so that it is in registers.
        var chain = self
        let stride = self.stride
        let vertices = UnsafePointer(contours.vertices)
        // Of the edge that ends at a vertex.
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
        // The lower side of the row in hand.
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
