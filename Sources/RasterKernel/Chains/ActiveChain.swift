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
    /// 1/256 pixel from the left of the window: where it comes into the band in hand, or begins.
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
    ///   - top: of the band, in 1/256 pixel as all positions here.
    @inline(__always)
    mutating func walk(
        _ band: inout Band, _ contours: borrowing Contours, _ window: Window, top: Int32, bottom bandBottom: Int32, isClipped: Bool,
        _ pixels: PrefetchTarget
    ) {
        // A copy, so that it is in registers.
        var chain = self
        let stride = self.stride
        let up = Int32(truncatingIfNeeded: stride) >> 31
        let width = window.width
        let vertices = UnsafePointer(contours.vertices)
        // Of the edge that ends at a vertex.
        let slopes = UnsafePointer(contours.slopes) - (stride > 0 ? 1 : 0)
        var upperX = vertices[chain.vertex &- stride].x &- window.originX
        var upperY = vertices[chain.vertex &- stride].y &- window.originY
        var lowerX = vertices[chain.vertex].x &- window.originX
        var lowerY = vertices[chain.vertex].y &- window.originY
        var x = upperX
        var y0 = upperY & 255
        var bottom = (upperY | 255) &+ 1
        if upperY < top {
            let slope = slopes[chain.vertex]
            x = Slope.position(Slope.start(upperX) &+ slope &* Int64(top &- upperY))
            y0 = 0
            bottom = top &+ 256
        }
        let firstRow = Int((bottom &- top) >> 8) &- 1
        band.reserve()
        let boundaries = band.boundaries
        var boundary = band.boundaryCount
        let entryPitch = band.entryPitch
        var count = band.counts + firstRow
        var entries = band.entries + firstRow &* entryPitch
        var pixelRow = pixels.row(firstRow)
        let pitch = Int32(truncatingIfNeeded: band.pitch &<< 1)
        var line = Int32(truncatingIfNeeded: firstRow) &* pitch | (up & 1)
        var part = band.partCount
        var parts = band.parts
        var limit = band.partLimit
        var firstPart = part
        var startY = y0
        var low = x
        var high = x

        // Notes the boundary of the row that ends here, and goes on to the next row.
        @inline(__always)
        func note(_ y: Int32) {
            var first = low >> 8
            var last = high >> 8
            if isClipped {
                // What lies left of the window is all in one place, and right of it nothing is.
                first = first < -1 ? -1 : first
                last = last < -1 ? -1 : last
            }
            pixelRow.prefetch(Int(first))
            boundaries[Int(boundary)] = Boundary(
                firstX: first, lastX: last, height: ((y &- startY) ^ up) &- up, firstPart: firstPart, endPart: part)
            let place = count.pointee
            entries[place] = RowEntry(firstX: first, place: place, boundary: boundary)
            count.pointee = place &+ (!isClipped || first < width ? 1 : 0)
            boundary &+= 1
            count += 1
            entries += entryPitch
            pixelRow.advance()
            y0 = 0
            startY = 0
            firstPart = part
            line &+= pitch
        }

        while true {
            if lowerY > bottom {
                let slope = slopes[chain.vertex]
                let step = slope &<< 8
                var next = Slope.start(upperX) &+ slope &* Int64(bottom &- upperY)
                repeat {
                    let sideX = Slope.position(next)
                    next &+= step
                    parts.set(part, x, sideX, y0, 256, line)
                    part &+= 1
                    low = sideX < low ? sideX : low
                    high = sideX > high ? sideX : high
                    note(256)
                    x = sideX
                    low = x
                    high = x
                    bottom &+= 256
                } while lowerY > bottom && bottom <= bandBottom
                if bottom > bandBottom { break }
            }
            let y1 = lowerY &- bottom &+ 256
            parts.set(part, x, lowerX, y0, y1, line)
            part &+= 1
            low = lowerX < low ? lowerX : low
            high = lowerX > high ? lowerX : high
            y0 = y1
            x = lowerX
            if chain.vertex == chain.last {
                chain.isAtEnd = true
                note(y1)
                break
            }
            if part >= limit {
                band.growParts(part)
                parts = band.parts
                limit = band.partLimit
            }
            chain.vertex &+= stride
            if y1 == 256 {
                chain.skipLevel(vertices)
                note(256)
                x = vertices[chain.vertex &- stride].x &- window.originX
                if bottom == bandBottom || chain.isAtEnd { break }
                low = x
                high = x
                bottom &+= 256
            }
            upperX = x
            upperY = lowerY
            lowerX = vertices[chain.vertex].x &- window.originX
            lowerY = vertices[chain.vertex].y &- window.originY
        }
        band.end(parts: part, boundaries: boundary)
        chain.x = x
        self = chain
    }
}
