// SPDX-License-Identifier: Apache-2.0
import CProcessor

/// Adds the edges of one chain to the cells of their rows, and keeps how far they reach there.
struct MonotonePen {
    /// Of each row how far the chain reaches, as ``MonotoneRows`` has it.
    private let lefts, rights: UnsafeMutablePointer<Int32>
    private let cells: UnsafeMutablePointer<Int32>
    /// Cells from one row to the next.
    private let pitch: Int32
    /// All ones when the contour leads up, else zero.
    private let up: Int32
    /// Room for the places of eight parts.
    private let places: UnsafeMutablePointer<Int32>
    private let steps: RowSteps

    /// - Parameters:
    ///   - lefts, rights: of the rows, and of seven more.
    ///   - isUp: whether the contour leads up.
    @inline(__always)
    init(
        lefts: UnsafeMutablePointer<Int32>, rights: UnsafeMutablePointer<Int32>, isUp: Bool,
        to band: borrowing Band
    ) {
        self.lefts = lefts
        self.rights = rights
        up = isUp ? -1 : 0
        cells = band.cells
        pitch = Int32(truncatingIfNeeded: band.pitch)
        places = band.places
        steps = band.steps
    }

    /// Adds the areas of a chain, and notes the pixels that it touches in each row, but for those of level edges, which
    /// add nothing.
    @inline(never)
    func add(_ chain: Chain, of contour: MonotoneContour) {
        let stride = chain.lower > chain.upper ? 1 : -1
        let vertices = contour.vertices
        // Of the edge that ends at a vertex.
        let slopes = contour.slopes - (stride > 0 ? 1 : 0)
        let window = contour.window
        var vertex = Int(chain.upper)
        let last = Int(chain.lower)
        var upperX = vertices[vertex].x &- window.originX
        var upperY = vertices[vertex].y &- window.originY
        while vertex != last {
            vertex &+= stride
            let lowerX = vertices[vertex].x &- window.originX
            let lowerY = vertices[vertex].y &- window.originY
            if lowerY != upperY {
                let slope = slopes[vertex]
                if slope &+ Slope.one <= 2 &* Slope.one && slope &+ Slope.one >= 0 {
                    steep(upperX, upperY, lowerX, lowerY, slope)
                } else {
                    flat(upperX, upperY, lowerX, lowerY, slope)
                }
            }
            upperX = lowerX
            upperY = lowerY
        }
    }

    /// An edge that moves one pixel at most from row to row, eight rows at a time. All of their parts then lie in two
    /// pixels at most.
    @inline(__always)
    private func steep(_ upperX: Int32, _ upperY: Int32, _ lowerX: Int32, _ lowerY: Int32, _ slope: Int64) {
        let scale = Double(slope) * Slope.unit
        let lines = steps.lines
        let lowerYs = SIMD8(repeating: lowerY)
        let (upperXs, upperYs) = (SIMD8(repeating: upperX), SIMD8(repeating: upperY))
        let lowerXs = SIMD8(repeating: lowerX)
        let sign = SIMD8(repeating: up)
        var row = upperY >> 8
        var x = upperX
        while true {
            let top = row << 8
            let bottom = top &+ 256
            let tops = steps.tops &+ SIMD8(repeating: top)
            let bottoms = tops &+ 256
            // Below zero in the row where the edge ends, and below it.
            let isLast = lowerYs &- 1 &- bottoms
            // All ones in the rows that it reaches.
            let isInside = inkpanel_less(tops, lowerYs)
            let height = Double(bottom &- upperY)
            let heights = steps.doubleTops
            let passed = upperXs &+ Slope.positions(heights.lowHalf + height, heights.highHalf + height, scale)
            // A row begins where the one above it has ended.
            let from = SIMD8(x, passed[0], passed[1], passed[2], passed[3], passed[4], passed[5], passed[6])
            let to = inkpanel_choose(isLast, lowerXs, passed)
            x = passed[7]
            let upper = inkpanel_max(tops, upperYs)
            let lower = inkpanel_min(bottoms, lowerYs)
            let rise = (lower &- upper) & isInside
            let areas = PartAreas(from: from, to: to, height: (rise ^ sign) &- sign)
            let quads = DepositQuads(first: areas.first, second: areas.second, third: areas.third)
            let first = (lines &+ SIMD8(repeating: row &* pitch) &+ areas.left) & isInside
            UnsafeMutableRawPointer(places).storeBytes(of: first, as: SIMD8<Int32>.self)
            touch(Int(row), areas, isInside)
            // Four at a time: how many rows an edge passes is as good as random, and lanes below it add nothing.
            quads.addFirst(to: cells, at: places)
            if lowerY <= top &+ 1024 { break }
            quads.addLast(to: cells, at: places)
            if lowerY <= top &+ 2048 { break }
            row &+= 8
        }
    }

    /// Notes which pixels are touched in eight rows, of those that are below the edge none.
    ///
    /// Only the first of the rows can have been touched before, by the edge above. What was just written in one piece
    /// must not be loaded in another: that would wait until it is out of the store queue.
    @inline(__always)
    private func touch(_ row: Int, _ areas: PartAreas, _ isInside: SIMD8<Int32>) {
        let (lefts, rights) = (self.lefts + row, self.rights + row)
        let left = (MonotoneRows.far &- areas.left) & isInside
        let right = (areas.left &+ areas.columns) & isInside
        let oldLeft = SIMD8<Int32>(lefts.pointee, 0, 0, 0, 0, 0, 0, 0)
        let oldRight = SIMD8<Int32>(rights.pointee, 0, 0, 0, 0, 0, 0, 0)
        UnsafeMutableRawPointer(lefts).storeBytes(of: inkpanel_max(left, oldLeft), as: SIMD8<Int32>.self)
        UnsafeMutableRawPointer(rights).storeBytes(of: inkpanel_max(right, oldRight), as: SIMD8<Int32>.self)
    }

    /// Any other edge, row by row.
    @inline(__always)
    private func flat(_ upperX: Int32, _ upperY: Int32, _ lowerX: Int32, _ lowerY: Int32, _ slope: Int64) {
        var row = Int(upperY >> 8)
        var bottom = (upperY | 255) &+ 1
        var (x, y) = (upperX, upperY)
        var next = Slope.start(upperX) &+ slope &* Int64(bottom &- upperY)
        while bottom < lowerY {
            let newX = Slope.position(next)
            part(row, x, newX, bottom &- y)
            (x, y) = (newX, bottom)
            next &+= slope &<< 8
            bottom &+= 256
            row &+= 1
        }
        part(row, x, lowerX, lowerY &- y)
    }

    @inline(__always)
    private func part(_ row: Int, _ x0: Int32, _ x1: Int32, _ height: Int32) {
        let low = x0 < x1 ? x0 : x1
        let high = x0 < x1 ? x1 : x0
        let left = MonotoneRows.far &- low >> 8
        let right = high >> 8
        lefts[row] = left > lefts[row] ? left : lefts[row]
        rights[row] = right > rights[row] ? right : rights[row]
        Band.depositPart(cells + row &* Int(pitch), low, high, (height ^ up) &- up, steps)
    }
}
